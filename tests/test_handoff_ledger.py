"""The ledger: rows of what the tools did, and their rendering within a budget."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, result

from bench.handoff.calls import calls_of
from bench.handoff.folders import common_folder, shortened
from bench.handoff.ledger import BUDGET_CHARS, HEADING, RECENT_COMMANDS, render_ledger
from bench.handoff.ledger_rows import Row, ledger_rows
from bench.handoff.lines import code, command_code, merged, newest, oldest
from bench.handoff.written import written_files


def shell(command, ended="ok", *, looks=False, error="", writes=()):
    return Row(name="Bash", target=command, ended=ended, error=error, shell=True, only_looks=looks, writes=writes)


def edit(path, ended="ok", error="", name="Edit"):
    return Row(name=name, target=path, ended=ended, error=error, writes=() if ended == "failed" else (path,))


def test_a_row_is_a_call_with_its_outcome():
    session = [
        call("t1", "Bash", command="npm test > out.txt"),
        result("t1", "FAIL a.test.js"),
        call("t2", "Read", file_path="/a.py"),
        result("t2", "x"),
    ]
    assert ledger_rows(calls_of(session)) == (
        shell("npm test > out.txt", "reads as failed", error="FAIL a.test.js", writes=("out.txt",)),
        Row(name="Read", target="/a.py", ended="ok"),
    )


def test_the_ledger_tells_files_failures_and_commands():
    rows = [
        edit("/home/dev/app/src/a.py"),
        edit("/home/dev/app/src/a.py", name="Write"),
        shell("touch src/b.py", writes=("src/b.py",)),
        edit("/home/dev/app/src/b.py"),
        edit("/home/dev/app/src/b.py", "failed", "not found"),
        shell("make \\ ; all", "failed", error="boom"),
        shell("ls", looks=True),
    ]
    assert render_ledger(rows).split("\n")[4:] == [
        "### Files written (2); …/ is `/home/dev/app/src/`",
        "- `…/a.py` (Edit, Write)",
        "- `…/b.py` (Bash, Edit)",  # the relative path is the one absolute path that ends in it
        "",
        "### Calls that failed (2)",
        "- Edit `…/b.py`: failed: not found",
        "- `make all`: failed: boom",
        "",
        "### Shell commands, oldest first (3)",
        "- `touch src/b.py`",
        "- `make all` (failed)",
        "- `ls`",
    ]
    assert "7 calls, 3 shell commands among them; 2 files written." in render_ledger(rows)


def test_without_calls_there_is_no_ledger():
    assert render_ledger([]) == ""


def test_older_commands_that_only_looked_are_counted_and_the_newest_are_told_whatever_they_did():
    rows = [shell(f"cat {i}", looks=True) for i in range(3)] + [shell("make")]
    rows += [shell(f"ls {i}", looks=True) for i in range(RECENT_COMMANDS)]
    lines = render_ledger(rows).split("\n")
    assert "### Shell commands, oldest first (11 of 14)" in lines
    assert lines[-12] == "- `make`"
    assert lines[-1] == "- (left out: 3 older commands that only looked)"


def test_an_older_command_that_stands_below_is_counted_there():
    rows = [shell("make")] * 5 + [shell(f"step {i}") for i in range(RECENT_COMMANDS - 1)] + [shell("make")]
    lines = render_ledger(rows).split("\n")
    assert [line for line in lines if "make" in line] == ["- `make` (6 times)"]
    assert lines[-11].endswith("(15)")  # all 15 are told, so nothing is left out


def test_a_command_that_is_listed_again_below_says_that_it_counts_all_its_runs():
    rows = [shell("make")] * 4 + [shell("make")] + [shell(f"step {i}") for i in range(8)] + [shell("make")]
    lines = render_ledger(rows).split("\n")
    assert [line for line in lines if "make" in line] == ["- `make` (6 times in all)", "- `make`"]


def test_a_refusal_without_a_word_says_so():
    assert "- Edit `/a/b.py`: refused, and no reason given" in render_ledger([edit("/a/b.py", "refused")])
    assert "- Edit `/a/b.py`: refused: not now" in render_ledger([edit("/a/b.py", "refused", "not now")])


def test_equal_failures_are_told_once_and_slips_that_were_put_right_only_counted():
    rows = [edit("/a/b.py", "failed", "not read"), edit("/a/b.py"), *[shell("make", "failed", error="no")] * 3]
    text = render_ledger(rows)
    assert "### Calls that failed (4)\n- `make`: failed: no (3 times)\n- (left out: 1 slip that the next try" in text
    only = render_ledger(rows[:2])
    assert "### Calls that failed (1)\n- (left out: 1 slip that the next try put right)" in only


def test_in_full_every_row_is_told():
    rows = [shell(f"cat {'x' * 200} {i}", looks=True) for i in range(60)] + [edit(f"/a/{i}.py") for i in range(200)]
    full, trimmed = render_ledger(rows, budget=None), render_ledger(rows)
    assert full.count("- `cat") == 60
    assert full.count("(Edit)") == 200
    assert len(trimmed) <= BUDGET_CHARS < len(full)


ROWS = st.lists(
    st.builds(
        Row,
        name=st.sampled_from(["Bash", "Edit", "mcp__x"]),
        target=st.text("ab/` \\;{}…", max_size=80),
        ended=st.sampled_from(["ok", "failed", "refused", "reads as failed", "no output", "no result"]),
        error=st.text("ab {}", max_size=60),
        shell=st.booleans(),
        only_looks=st.booleans(),
        writes=st.lists(st.sampled_from(["/a/b/c/d/e/f.py", "f.py", "/a/b/c/d/e/g.py", "{}"]), max_size=2).map(tuple),
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(ROWS, st.integers(0, 3000))
def test_a_ledger_never_exceeds_its_budget(rows, budget):
    text = render_ledger(rows, budget=budget)
    assert len(text) <= budget
    assert not text or text.startswith(HEADING)
    render_ledger(rows, budget=None)


@pytest.mark.parametrize(
    ("calls", "files"),
    [
        ([("Write", ["/a/x.py"], []), ("Bash", ["./x.py"], [])], [("/a/x.py", ("Write", "Bash"), False)]),
        # two absolute paths end in it: which one it is cannot be told
        ([("Write", ["/a/x.py", "/b/x.py"], []), ("Bash", ["x.py"], [])], [("/a/x.py",), ("/b/x.py",), ("x.py",)]),
        ([("Write", ["/a/b/x.py"], []), ("Bash", [], ["/a/b"])], [("/a/b/x.py", ("Write",), True)]),
        ([("Write", ["/a/b/x.py"], []), ("Bash", [], ["b/x.py"])], [("/a/b/x.py", ("Write",), True)]),
        ([("Bash", [], ["/a"]), ("Write", ["/a/x.py"], [])], [("/a/x.py", ("Write",), False)]),  # made anew
        ([("Write", ["/a/x.py"], []), ("Bash", [], ["/a/x.p", "y/x.py"])], [("/a/x.py", ("Write",), False)]),
    ],
)
def test_files_written_are_counted_once_and_known_to_be_removed(calls, files):
    rows = [Row(name=n, target="", ended="ok", writes=tuple(w), removes=tuple(r)) for n, w, r in calls]
    got = [(f.path, f.tools, f.removed) for f in written_files(rows)]
    assert [g[: len(f)] for g, f in zip(got, files, strict=True)] == files


def test_lists_keep_what_fits_and_say_what_does_not():
    lines = ["- a", "- b", "- c"]
    assert newest("T", lines, "{} older", 99) == "T\n- a\n- b\n- c"
    assert newest("T", lines, "{} older", 99, most=2) == "T\n- (left out: 1 older)\n- b\n- c"
    assert oldest("T", lines, "{} more", 29) == "T\n- a\n- (left out: 2 more)"  # 1+1+3+1 and the note's 22
    assert newest("T", lines, "{} older", 5) == ""
    assert merged(["x", "y", "x"]) == ["y", "x (2 times)"]


def test_code_stays_code():
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
    assert command_code("a \\ ;  b", 99) == "`a b`"
    assert command_code("  ", 9) == ""


def test_the_folder_of_most_files_is_told_short():
    paths = ["/home/dev/app/src/a.py", "/home/dev/app/src/b.py", "/home/dev/app/c.py", "/etc/x.conf", "d.py"]
    folder = common_folder(paths)
    assert folder == "/home/dev/app/"
    assert [shortened(p, folder) for p in paths] == ["…/src/a.py", "…/src/b.py", "…/c.py", "/etc/x.conf", "d.py"]
    assert common_folder(paths[:1]) is None
    assert shortened("/a", None) == "/a"
