"""The text of a file that a shell command shows or writes whole, for agents that read and write with the shell.

Only where nothing else can have come between: one command, not piped on. `cat x`, `head -n 40 x`, `sed -n '10,40p' x`;
`cat > x <<'EOF'`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from bench.handoff.shell_programs import plain, run_by
from bench.handoff.shell_words import Command, Word, commands_in

_LINES = re.compile(r"(\d{1,9}),(\d{1,9}|\$)p")
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Process exited with code|Original token count|Total output lines)\b[^\n]*\n)+"
    r"\n?(?:Output:\n)?"
)
"""What Codex sets before the output of a command."""
_CUT = re.compile(r"…\d+ (?:tokens|chars|lines) truncated…|\[\.\.\. omitted \d+")
"""Where a harness cut an output short in its middle."""
_PIPED = re.compile(r"[|;&]")


class _Wrapped(Struct):
    output: str


class Shown(Struct, frozen=True):
    """A file whose lines a command printed, from line `first`."""

    path: str
    first: int


def printed(output: str) -> str:
    """What a command itself printed: without the lines of a harness before it, and up to where the harness cut it."""
    if output.startswith('{"output":'):
        try:
            output = msgspec.json.decode(output, type=_Wrapped).output
        except msgspec.MsgspecError:
            return output
    header = _HEADER.match(output)
    body = output[header.end() :] if header else output
    cut = _CUT.search(body)
    return body if cut is None else body[: cut.start()].rpartition("\n")[0]


def shown_by(script: str) -> Shown | None:
    """The file that the script does nothing but print; None where it does anything else."""
    commands = commands_in(script)
    if len(commands) != 1 or _PIPED.search(script.replace("2>&1", "").replace("2>/dev/null", "")):
        return None
    words = run_by(commands[0]).words
    if len(words) < 2 or not all(w.literal for w in words):
        return None
    program, arguments = words[0].text, words[1:]
    if program == "cat" and len(arguments) == 1:
        return _file(arguments, 1)
    if program == "head":
        return _file(plain(arguments, ("-n",)), 1)
    lines = _LINES.fullmatch(arguments[1].text) if len(arguments) == 3 else None
    if program == "sed" and lines is not None and arguments[0].text == "-n":
        return _file(arguments[2:], int(lines[1]))
    return None


def texts_written(script: str) -> Iterator[tuple[str, str]]:
    """Path and content of every file that the script writes whole out of a heredoc."""
    for command in commands_in(script):
        words = run_by(command).words
        if not words or words[0].text not in ("cat", "tee"):
            continue
        bodies = [r.body for r in command.redirects if r.body is not None and (r.target.literal or "$" not in r.body)]
        targets = _targets(command, words)
        if len(bodies) == 1 and len(targets) == 1:
            yield targets[0], bodies[0]


def _targets(command: Command, words: Sequence[Word]) -> list[str]:
    into = [r.target for r in command.redirects if r.op in (">", ">|")]
    if words[0].text == "tee":
        into = plain(words[1:]) if not any(w.text in ("-a", "--append") for w in words) else []
    elif len(words) > 1:
        into = []  # cat a - > b: more than the heredoc
    return [w.text for w in into if w.literal and not w.text.startswith("/dev/")]


def _file(arguments: Sequence[Word], first: int) -> Shown | None:
    if len(arguments) != 1 or arguments[0].text.startswith("-"):
        return None
    return Shown(arguments[0].text, first)
