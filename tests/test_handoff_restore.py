"""Restored files: asked for, checked, read, clipped, fitted, shaped."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, result, transcript

from bench.handoff.calls import calls_of
from bench.handoff.disk import MOST_BYTES, Folder
from bench.handoff.known_text import KnownText, after_change, after_edit, after_read, after_write
from bench.handoff.restore import Restored, Wanted, choose, clipped, fitted, read, restore_pair, restore_row
from bench.handoff.restore_request import Request, asked_in
from bench.handoff.restores import HEADING, restore
from bench.handoff.sources import Sources
from bench.handoff.touched import Mention, Touched, mentions_in, touched_files

REPLY = """The port is 8443.
<restore-files>
/a/server.py | 40-120 | the handler
- `/a/test.py` | all | its | test
b.py|9-2|
# a word
no bar
</restore-files>
Bye."""


def test_what_a_reply_asks_for():
    asked = asked_in(REPLY)
    assert asked.text == "The port is 8443.\n\nBye."
    assert asked.requests == (
        Request(path="/a/server.py", first=40, last=120, reason="the handler"),
        Request(path="/a/test.py", reason="its | test"),
        Request(path="b.py"),  # no range: all of it
    )


@pytest.mark.parametrize("reply", ["", "no block", "<restore-files>\n/a | all | left open", "</restore-files>"])
def test_a_reply_without_a_block_asks_for_nothing_and_stays_as_it_is(reply):
    assert asked_in(reply).text == reply
    assert asked_in(reply).requests == ()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(["<restore-files>", "</restore-files>", "/a|1-2|x", "`", "|", "\n", "-", "9", "é"])))
def test_parsing_a_reply_never_raises(pieces):
    for request in asked_in("".join(pieces)).requests:
        assert request.path
        assert (request.first is None) == (request.last is None)


# what is known of a text


def lines(*texts, first=1):
    return dict(enumerate(texts, first))


def test_a_read_adds_the_lines_it_printed():
    known = after_read(None, "     1→a\n     2→b\n\n<system-reminder>\nmind\n</system-reminder>\n", 3)
    assert known == KnownText(lines("a", "b"), 3)
    assert after_read(known, "9\tz", 5).lines == {1: "a", 2: "b", 9: "z"}
    assert after_read(None, "x\ny\n", 0, offset=40).lines == lines("x", "y", first=40)  # no numbers of its own
    assert after_read(known, "<system-reminder>empty</system-reminder>", 7) == known
    assert after_read(known, "File unchanged since your last read.", 7) == known
    assert after_read(after_change(known), "9\tz", 5) == KnownText({9: "z"}, 5)  # what was known is too old to keep


def test_an_edit_replaces_text_and_moves_the_lines_behind_it():
    known = KnownText({**lines("a", "b", "c"), **lines("x", "y", first=10)}, 0)
    edited = after_edit(known, "b\nc", "B", 4)
    assert edited.lines == {1: "a", 2: "B", 9: "x", 10: "y"}
    assert not edited.old
    assert after_edit(known, "gone", "z", 4).old  # it hit lines that were never read
    assert after_edit(KnownText(lines("a", "a"), 0), "a", "b", 4).old  # which of the two?
    assert after_edit(KnownText(lines("a", "a"), 0), "a", "b", 4, everywhere=True).lines == lines("b", "b")
    assert after_edit(known, "x", "x\nx", 4, everywhere=True).old  # lines in between may have been hit, too
    assert after_edit(None, "a", "b", 4) is None


def test_a_span_is_numbered_and_marks_its_gaps():
    known = KnownText({1: "a", 2: "b", 9: "z"}, 0)
    assert known.span() == "     1\ta\n     2\tb\n     …\n     9\tz"
    assert known.span(2, 5) == "     2\tb"
    assert known.span(3, 8) is None


# which files were touched

SESSION = [
    call("t1", "Read", file_path="/a/x.py"),
    result("t1", "     1→one\n     2→two"),
    call("t2", "Edit", file_path="/a/x.py", old_string="two", new_string="2"),
    result("t2", "done"),
    call("t3", "Write", file_path="/a/y.py", content="why\n"),
    result("t3", "done"),
    call("t4", "Edit", file_path="/a/y.py", old_string="why", new_string="no"),
    result("t4", "no", is_error=True),
    call("t5", "Bash", command="sed -i s/1/2/ /a/x.py && rm /a/y.py && cat conf/z.toml"),
    result("t5", "k = 1"),
    call("t6", "Bash", command="cat ./conf/z.toml"),
    result("t6", "k = 1\n"),
]


def test_files_touched_have_the_latest_first_and_their_text_as_it_was_left():
    touched = touched_files(calls_of(SESSION))
    assert [(f.path, f.at, f.removed) for f in touched] == [("/a/y.py", 6, True), ("/a/x.py", 2, False)]
    assert touched[0].known == after_write("why\n", 4)  # the edit that failed changed nothing
    assert dict(touched[1].known.lines) == lines("one", "2")
    assert touched[1].known.old  # sed changed it in a way that cannot be followed


def test_a_command_in_another_folder_is_about_another_file():
    wrote = [call("t1", "Write", file_path="/app/a.md", content="one\n"), result("t1", "done")]

    def after(command, **named):
        ran = [call("t2", "Bash", command=command, **named), result("t2", "")]
        return touched_files(calls_of([*wrote, *ran]))[0]

    for elsewhere in (after("cd /tmp/x && rm a.md"), after("rm a.md", workdir="/tmp/x")):
        assert (elsewhere.path, elsewhere.removed, elsewhere.known.old) == ("/app/a.md", False, False)
    assert after("cd /app && rm a.md").removed and after("rm a.md", workdir="/app").removed
    assert after("cd /app && sed -i s/one/two/ a.md").known.old  # what the Write wrote is not its text now


def test_shell_words_have_the_newest_command_first_and_the_text_it_showed():
    mentions = mentions_in(calls_of(SESSION))
    assert [m.word for m in mentions] == ["conf/z.toml", "s/1/2/", "/a/x.py", "/a/y.py", "conf/z.toml"]
    assert mentions[0].known.lines == lines("k = 1")


# choosing


def request(path, **rest):
    return Request(path=path, **rest)


TOUCHED = [
    Touched("/a/new.py", 9),
    Touched("/a/CLAUDE.md", 8),
    Touched("/a/gone.py", 7, removed=True),
    Touched("/b/old.py", 1),
]


def test_the_code_only_refuses():
    asked = map(
        request, ["new.py", "/a/new.py", "/a/AGENTS.md", "/a/CLAUDE.md", "/a/gone.py", "/c/z.toml", "old.py", "/q"]
    )
    chosen = choose(list(asked), TOUCHED, [Mention("z.toml", 3), Mention("/a/AGENTS.md", 2)], most=2)
    assert [f.path for f in chosen.files] == ["/a/new.py", "/c/z.toml"]
    assert chosen.source == "model"
    assert [(r.path, r.why) for r in chosen.refused] == [
        ("/a/new.py", "named twice"),
        ("/a/AGENTS.md", "memory file"),
        ("/a/CLAUDE.md", "memory file"),
        ("/a/gone.py", "gone"),
        ("old.py", "over the cap"),
        ("/q", "not touched"),
    ]


def test_without_a_usable_request_the_files_touched_last_come_back():
    chosen = choose([request("/q")], TOUCHED, [Mention("/tmp/a.log", 10)])
    assert ([f.path for f in chosen.files], chosen.source) == (["/a/new.py", "/b/old.py"], "recency")
    assert choose([], TOUCHED, exists=lambda path: path.startswith("/b")).files[0].path == "/b/old.py"
    assert choose([], []).source == "none"


# reading, clipping, fitting


def test_a_file_without_known_text_is_a_row_with_a_reason():
    assert read(Wanted(path="/a")).detail == "the transcript holds no text of it"
    other = read(Wanted(path="/a", first=5, last=9, known=KnownText(lines("a"), 0)))
    assert (other.came, other.text, other.detail) == ("not known", None, "only other lines of it are known")
    old = read(Wanted(path="/a", known=KnownText(lines("a"), 3, old=True)))
    assert (old.came, old.detail) == (
        "transcript",
        "as of message 3; it was changed later in a way that cannot be followed",
    )


def test_a_long_file_is_cut_behind_a_line_and_says_so():
    long = Restored(path="/a", came="disk", text="\n".join(["x" * 49] * 10))  # 499 characters
    cut = clipped(long, 200)
    assert cut.text.startswith("x" * 49 + "\n")
    assert cut.text.endswith(f"[the rest is left out: {cut.clipped_chars} characters; read the file again for them]")
    assert len(cut.text) <= 200
    assert clipped(long, 499) == long


FILES = st.lists(
    st.builds(
        Restored, path=st.sampled_from(["/a", "/b"]), came=st.just("disk"), text=st.none() | st.text(max_size=90)
    ),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(FILES, st.integers(0, 200), st.integers(0, 200))
def test_fitted_files_never_exceed_the_budget(files, most, budget):
    kept = fitted([clipped(f, most) for f in files], budget)
    assert sum(len(f.text) for f in kept if f.text is not None) <= budget
    assert all(len(f.text) <= most for f in kept if f.text is not None)
    assert [f.path for f in kept] == [f.path for f in files]
    for before, after in zip(files, kept, strict=True):
        assert (after.came == "no room") == (before.text is not None and after.text is None)


def test_a_file_is_a_read_and_its_result():
    asked, printed = restore_pair(Restored(path="/a", first=4, last=9, came="disk", text="z"), "t0")
    assert asked.tool_uses[0].input == {"file_path": "/a", "offset": 4, "limit": 6}
    assert (printed.tool_results[0].tool_use_id, printed.tool_results[0].text) == ("t0", "z")
    row = restore_row(Restored(path="/a", first=4, last=9, came="disk", text="zzzzz"))
    assert (row.lines, row.chars, row.tokens) == ("4-9", 5, 2)


def test_restored_files_as_text_stay_within_their_room():
    sources = Sources(transcript(*SESSION))
    whole = restore(sources, [request("/a/x.py", first=2, last=2), request("/a/y.py")], room=5000)
    assert (whole.source, whole.count, [r.why for r in whole.refused]) == ("model", 1, ["gone"])
    assert whole.text.startswith(HEADING)
    assert '[call Read] {"file_path":"/a/x.py","offset":2,"limit":1}\n\n[result of Read]      2\t2' in whole.text
    for room in range(-5, len(whole.text) + 1):
        part = restore(sources, [request("/a/x.py", first=2, last=2)], room=room)
        assert len(part.text) <= max(room, 0)
        assert part.count == (room >= len(whole.text))


# a live folder


def test_a_live_folder_stands_for_the_sessions_directory(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("one\ntwo\n")
    disk = Folder(tmp_path, "/home/dev/app")
    assert disk.lines("/home/dev/app/src/a.py") == disk.lines("src/a.py") == ["one", "two"]
    assert disk.gone("/home/dev/app/src/b.py")
    assert not disk.gone("/etc/passwd")  # elsewhere: it cannot be told
    fresh = read(Wanted(path="/home/dev/app/src/a.py", first=2, last=9, known=KnownText(lines("old"), 0)), disk)
    assert (fresh.came, fresh.text) == ("disk", "     2\ttwo")


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../secret", "/home/dev/app/../../../secret", "link", "bin", "a\0b", "x" * 300]
)
def test_nothing_is_read_from_outside_the_folder(tmp_path, path):
    (tmp_path / "secret").write_text("s")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path / "secret")
    (root / "bin").write_bytes(b"\0\xff")
    disk = Folder(root, "/home/dev/app")
    assert disk.lines(path) is None
    assert Folder(root, None).lines("/etc/passwd") is None


def test_a_file_too_large_is_not_read(tmp_path):
    (tmp_path / "big").write_bytes(b"x" * (MOST_BYTES + 1))
    assert Folder(tmp_path, None).lines("big") is None
