"""The ledger: what the tools did, read off the transcript instead of remembered.

Files written, calls that failed, and shell commands. Trimmed to a budget: the newest commands always come first, then
older ones that changed something; those that only looked are counted. In full: every row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from bench.handoff.calls import Call
from bench.handoff.outcome import Ended
from bench.handoff.written import Written, written_files
from bench.text import clip

BUDGET_CHARS = 6000
"""Of the trimmed ledger: an untrimmed one outgrew the summary tenfold in long sessions."""
TARGET_CHARS = 300
"""Longest target of a row; enough for a real command line."""
SHOWN_CHARS = 150
"""Longest target that the trimmed ledger shows."""
MOST_FAILURES = 20
RECENT_COMMANDS = 10
"""The trimmed ledger shows the newest failures, and the newest commands whether they changed anything or not."""
SHARE_OF_FILES, SHARE_OF_FAILURES = 0.4, 0.5
"""Most of the budget that files take, and most of what is then left that failures take."""

HEADING = "## What the tools did"
PREFACE = (
    "Read off the transcript, which keeps no exit codes: a call failed where its result is marked as an error, and "
    "reads as failed where only its output says so."
)
_TELLS: dict[Ended, str] = {
    "ok": "",
    "no output": "",
    "failed": "failed",
    "refused": "refused",
    "reads as failed": "reads as failed",
    "no result": "no result",
}
_FAILED = ("failed", "refused", "reads as failed")


class Row(Struct, frozen=True, kw_only=True):
    """One tool call as the ledger keeps it."""

    name: str
    target: str
    ended: Ended
    error: str = ""
    shell: bool = False
    only_looks: bool = False
    """A shell command that changed nothing; False for other tools."""
    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()


def ledger_rows(calls: Iterable[Call]) -> tuple[Row, ...]:
    """A row per call, in order."""
    return tuple(
        Row(
            name=call.name,
            target=clip(call.target, TARGET_CHARS),
            ended=call.outcome.ended,
            error=call.outcome.error,
            shell=call.deed == "shell",
            only_looks=call.shell.only_looks,
            writes=call.writes,
            removes=call.removes,
        )
        for call in calls
    )


def render_ledger(rows: Sequence[Row], *, budget: int | None = BUDGET_CHARS) -> str:
    """The ledger as text, at most `budget` characters (None: every row, in full); empty without rows.

    Where not even the heading fits the budget it is empty too.
    """
    if not rows:
        return ""
    files = written_files(rows)
    failed = [row for row in rows if row.ended in _FAILED]
    shells = [row for row in rows if row.shell]
    if budget is None:
        sections = [
            _section(f"### Files written ({len(files)})", [_file_line(f) for f in files]),
            _section(f"### Calls that failed ({len(failed)})", [_failure(row, TARGET_CHARS) for row in failed]),
            _section(f"### Shell commands ({len(shells)})", [_command(row, TARGET_CHARS) for row in shells]),
        ]
        return _joined([_head(rows, files, shells), *sections])
    room = _Room(budget)
    head = room.take(_head(rows, files, shells))
    told_files = room.take(_files(files, int(room.left * SHARE_OF_FILES)))
    told_failures = room.take(_failures(failed, int(room.left * SHARE_OF_FAILURES)))
    told_commands = room.take(_commands(shells, room.left))
    return _joined([head, told_files, told_failures, told_commands]) if head else ""


class _Room:
    """Characters that are left of a budget."""

    def __init__(self, chars: int) -> None:
        self.left = chars

    def take(self, section: str) -> str:
        """The section where it fits, with the blank line before the next one; else nothing."""
        if not section or len(section) > self.left:
            return ""
        self.left = max(0, self.left - len(section) - 2)
        return section


def _head(rows: Sequence[Row], files: Sequence[Written], shells: Sequence[Row]) -> str:
    calls = f"{_count(len(rows), 'call')}, {_count(len(shells), 'shell command')} among them"
    return f"{HEADING}\n\n{calls}; {_count(len(files), 'file')} written. {PREFACE}"


def _files(files: Sequence[Written], room: int) -> str:
    """The files, those written last kept where not all fit."""
    title = f"### Files written ({len(files)})"
    return _newest(title, [_file_line(f) for f in files], "{} written earlier", room)


def _failures(failed: Sequence[Row], room: int) -> str:
    title = f"### Calls that failed ({len(failed)})"
    lines = [_failure(row, SHOWN_CHARS) for row in failed]
    return _newest(title, lines, "{} older", room, most=MOST_FAILURES)


def _commands(shells: Sequence[Row], room: int) -> str:
    """The newest commands, then older ones that changed something while the room lasts, in the order they ran."""
    title = "### Shell commands, oldest first ({} of {})"
    lines = [_command(row, SHOWN_CHARS) for row in shells]
    recent = len(shells) - RECENT_COMMANDS
    left = room - len(title.format(len(shells), len(shells))) - 1 - len(_left_out(shells))
    kept: set[int] = set()
    for i in sorted(range(len(shells)), key=lambda i: (i < recent, -i)):
        size = len(lines[i]) + 1
        if (i >= recent or not shells[i].only_looks) and size <= left:
            kept.add(i)
            left -= size
    if not kept:
        return ""
    omitted = [row for i, row in enumerate(shells) if i not in kept]
    if not omitted:
        title = "### Shell commands, oldest first ({})"
    notes = [_left_out(omitted)] if omitted else []
    return _section(title.format(len(kept), len(shells)), [*(lines[i] for i in sorted(kept)), *notes])


def _left_out(commands: Sequence[Row]) -> str:
    looked = sum(row.only_looks for row in commands)
    return f"- (left out: {_count(len(commands), 'older command')}; {looked:,} of them only looked)"


def _newest(title: str, lines: Sequence[str], older: str, room: int, most: int | None = None) -> str:
    """The section with as many of the newest lines as fit, and how many are left out."""
    note = "- (left out: " + older + ")"
    left = room - len(title) - 1 - len(note.format(len(lines))) - 1
    kept: list[str] = []
    for line in reversed(lines[-most:] if most is not None else lines):
        if len(line) + 1 > left:
            break
        kept.append(line)
        left -= len(line) + 1
    if not kept:
        return ""
    omitted = len(lines) - len(kept)
    return _section(title, [*([note.format(omitted)] if omitted else []), *reversed(kept)])


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([title, *lines]) if lines else ""


def _joined(sections: Iterable[str]) -> str:
    return "\n\n".join(s for s in sections if s)


def _file_line(file: Written) -> str:
    return f"- {_code(file.path)} ({', '.join(file.tools)}{'; removed later' if file.removed else ''})"


def _failure(row: Row, chars: int) -> str:
    target = _shown(row.target, chars)
    label = target if row.shell and target else f"{row.name} {target}".rstrip()
    return f"- {label}: {_TELLS[row.ended]}" + (f": {row.error}" if row.error else "")


def _command(row: Row, chars: int) -> str:
    told = _TELLS[row.ended]
    return f"- {_shown(row.target, chars)}" + (f" ({told})" if told else "")


def _shown(target: str, chars: int) -> str:
    """The target as code, lines that a backslash continued joined again; empty where there is none."""
    line = clip(" ".join(target.replace("\\ ;", " ").split()), chars)
    return _code(line) if line else ""


def _code(text: str) -> str:
    """`text` as code, between more back-ticks than it holds in a row."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
