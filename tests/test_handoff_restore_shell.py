"""Restored files of agents that read with the shell and write by patches: what is known of their text."""

import json

import pytest
from sessions import call, result

from bench.handoff.calls import calls_of
from bench.handoff.known_text import after_write
from bench.handoff.patches import Patched, patched_files
from bench.handoff.shell_texts import printed
from bench.handoff.touched import mentions_in, touched_files

HEADER = "Chunk ID: 1b598d\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
TEXT = "one\ntwo\nthree\n"


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"])


def session(read: dict[str, str], named: str, *lines: str):
    """A file is printed by the shell, then patched under the name `named`."""
    return calls_of([
        call("t1", "exec_command", **read), result("t1", HEADER + TEXT),
        call("t2", "apply_patch", input=patch(f"*** Update File: {named}", *lines)), result("t2", "Success."),
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("read", "named"),
    [
        ({"cmd": "cat src/a.py"}, "src/a.py"),
        ({"cmd": "cd /app && sed -n '1,3p' src/a.py"}, "/app/src/a.py"),
        ({"cmd": "cat a.py", "workdir": "/app/src"}, "/app/src/a.py"),
        ({"cmd": "cat src/a.py"}, "/app/src/a.py"),
        ({"cmd": "cd /app && cat src/a.py"}, "src/a.py"),
        ({"cmd": "cd src && cat a.py", "workdir": "/app"}, "/app/src/a.py"),
    ],
)
def test_what_the_shell_showed_of_a_patched_file_is_known_as_patched(read, named):
    (file,) = touched_files(session(read, named, "@@ def", " one", "-two", "+2", "+2b"))
    assert (file.path, file.known) == (named, after_write("one\n2\n2b\nthree", 2))


@pytest.mark.parametrize(
    ("read", "lines", "old"),
    [
        ({"cmd": "cat /other/a.py"}, ("@@", "-two", "+2"), None),  # another file
        ({"cmd": "cat src/a.py"}, ("@@", "-four", "+4"), True),  # a line that was never seen
        ({"cmd": "cat src/a.py"}, ("@@", "+new"), True),  # beside no line
        ({"cmd": "cat src/a.py"}, ("@@", "?two", "+2"), True),
    ],
)
def test_a_change_that_cannot_be_followed_leaves_an_old_text_or_none(read, lines, old):
    (file,) = touched_files(session(read, "src/a.py", *lines))
    assert (file.known and file.known.old) == old


def test_a_look_after_the_patch_and_a_file_that_a_patch_adds_are_known():
    calls = calls_of([
        call("t1", "apply_patch", input=patch("*** Add File: b.py", "+x = 1", "+y = 2", "*** Update File: a.py", "-q")),
        result("t1", "Success."),
        call("t2", "shell", command=["bash", "-lc", "cat a.py"]),
        result("t2", json.dumps({"output": "r\n", "metadata": {"exit_code": 0}})),
    ])  # fmt: skip
    assert {f.path: dict(f.known.lines) for f in touched_files(calls)} == {
        "b.py": {1: "x = 1", 2: "y = 2"}, "a.py": {1: "r"},
    }  # fmt: skip


def test_the_same_name_in_two_folders_is_two_files():
    calls = calls_of([
        call("t1", "Bash", command="cd /a && cat x.md"), result("t1", "of a\n"),
        call("t2", "Bash", command="cd /b && cat x.md"), result("t2", "of b\n"),
    ])  # fmt: skip
    assert [(m.word, dict(m.known.lines)) for m in mentions_in(calls) if m.word == "x.md"] == [
        ("x.md", {1: "of b"}), ("x.md", {1: "of a"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (HEADER + TEXT, TEXT),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\nx\n", "x\n"),
        ('{"output":"x\\n","metadata":{}}', "x\n"),
        ('{"output":3}', '{"output":3}'),
        ("Total output lines: 900\n\none\ntw…120 tokens truncated…x\n", "one"),
        (TEXT, TEXT),
        ("", ""),
    ],
)
def test_what_a_harness_sets_around_an_output_is_no_line_of_the_file(output, text):
    assert printed(output) == text


def test_the_files_of_a_patch():
    text = patch(
        "*** Add File: n.py", "+a", "+", "+b", "*** Update File: u.py", "*** Move to: v.py", "@@", "-d", "+e",
        "*** Update File: w.py", "@@ class X", "-d", "+e", "@@", " only context", "*** End of File",
        "*** Delete File: g.py",
    )  # fmt: skip
    assert list(patched_files(text)) == [
        Patched("n.py", content="a\n\nb"),
        Patched("u.py"),
        Patched("w.py", edits=(("d", "e"),)),
    ]
    assert list(patched_files("no patch")) == []
