"""The ledger: what the tools did, read off the transcript instead of remembered.

Files written, calls that failed, and shell commands. Trimmed to a budget: the newest commands always come first, then
older ones that changed something; those that only looked are counted. In full: every row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bench.handoff.folders import ABOVE, common_folder, shortened
from bench.handoff.ledger_rows import TARGET_CHARS, Row
from bench.handoff.lines import JOINT, code, command_code, joined, listed, merged, newest, times
from bench.handoff.outcome import Ended
from bench.handoff.written import Written, written_files
from bench.text import count

BUDGET_CHARS = 6000
"""Of the trimmed ledger: an untrimmed one outgrew the summary tenfold in long sessions."""
SHOWN_CHARS = 150
"""Longest target that the trimmed ledger shows."""
MOST_FAILURES = 20
RECENT_COMMANDS = 10
"""The trimmed ledger shows the newest failures, and the newest commands whether they changed anything or not."""
SHARE_OF_FILES, SHARE_OF_FAILURES = 0.4, 0.5
"""Most of the budget that files take, and most of what is then left that failures take."""
UNLIMITED = 2**62

HEADING = "## What the tools did"
PREFACE = (
    "Read off the transcript, which keeps no exit codes: a call failed where its result is marked as an error, and "
    "reads as failed where only its output says so."
)
REFUSED = "refused"
IN_ALL = " in all"
"""Behind the number of runs of a command that is listed again below."""
_TELLS: Mapping[Ended, str] = {
    "ok": "",
    "no output": "",
    "failed": "failed",
    "refused": REFUSED,
    "reads as failed": "reads as failed",
    "no result": "no result",
}


def render_ledger(rows: Sequence[Row], *, budget: int | None = BUDGET_CHARS) -> str:
    """The ledger as text, at most `budget` characters (None: every row, in full); empty without rows.

    Where not even the heading fits the budget it is empty too.
    """
    if not rows:
        return ""
    files, shells = written_files(rows), [row for row in rows if row.shell]
    head = (
        f"{HEADING}\n\n{count(len(rows), 'call')}, {count(len(shells), 'shell command')} among them; "
        f"{count(len(files), 'file')} written. {PREFACE}"
    )
    folder = common_folder(file.path for file in files)
    if budget is None:
        failed = [row for row in rows if row.failed]
        lines = [_failure(row, TARGET_CHARS, folder) for row in failed]
        failures = listed(f"### Calls that failed ({len(failed)})", lines)
        commands = listed(f"### Shell commands ({len(shells)})", [_command(row, TARGET_CHARS) for row in shells])
        return joined([head, _files(files, folder, UNLIMITED), failures, commands])
    if len(head) > budget:
        return ""
    left = budget - len(head)
    told_files = _files(files, folder, int(_behind(left) * SHARE_OF_FILES))
    left -= _taken(told_files)
    told_failures = _failures(rows, folder if told_files else None, int(_behind(left) * SHARE_OF_FAILURES))
    left -= _taken(told_failures)
    return joined([head, told_files, told_failures, _commands(shells, _behind(left))])


def _behind(left: int) -> int:
    """Characters for a section, a blank line below what stands."""
    return left - len(JOINT)


def _taken(section: str) -> int:
    return len(section) + len(JOINT) if section else 0


def _files(files: Sequence[Written], folder: str | None, room: int) -> str:
    """The files, those written last kept where not all fit; it says which folder is told short."""
    title = f"### Files written ({len(files)})" + (f"; {ABOVE} is {code(folder)}" if folder else "")
    return newest(title, [_file(f, folder) for f in files], "{} written earlier", room)


def _failures(rows: Sequence[Row], folder: str | None, room: int) -> str:
    """The newest failures, equal ones once. A slip of a file tool that its next try put right is only counted."""
    passed = {(row.name, row.target): i for i, row in enumerate(rows) if row.ended == "ok" and not row.shell}
    failed = [(i, row) for i, row in enumerate(rows) if row.failed]
    standing = [row for i, row in failed if row.ended != "failed" or passed.get((row.name, row.target), -1) < i]
    title = f"### Calls that failed ({len(failed)})"
    slips = len(failed) - len(standing)
    note = f"- (left out: {count(slips, 'slip')} that the next try put right)" if slips else ""
    lines = merged(_failure(row, SHOWN_CHARS, folder) for row in standing)
    if not lines:
        return listed(title, [note]) if note and len(title) + 1 + len(note) <= room else ""
    told = newest(title, lines, "{} older", room - len(note) - 1, most=MOST_FAILURES)
    return f"{told}\n{note}".rstrip("\n") if told else ""


def _commands(shells: Sequence[Row], room: int) -> str:
    """The newest commands, then older ones that changed something while the room lasts, in the order they ran.

    An older command that stands below with the same outcome is not told again: its line there says how often it ran.
    """
    title = "### Shell commands, oldest first"
    lines = [_command(row, SHOWN_CHARS) for row in shells]
    recent = max(0, len(shells) - RECENT_COMMANDS)
    left = room - len(f"{title} ({len(shells)} of {len(shells)})") - 1 - len(_left_out(shells))
    kept: list[int] = []
    runs: Counter[str] = Counter()
    for i in reversed(range(len(shells))):
        if i < recent and lines[i] in runs:
            runs[lines[i]] += 1
            continue
        size = len(lines[i]) + len(times(len(shells), IN_ALL)) + 1
        if (i >= recent or not shells[i].only_looks) and size <= left:
            kept.append(i)
            runs[lines[i]] += 1
            left -= size
    omitted = [row for row, line in zip(shells, lines, strict=True) if line not in runs]
    title += f" ({len(shells) - len(omitted)} of {len(shells)})" if omitted else f" ({len(shells)})"
    note = [_left_out(omitted)] if omitted and kept else []
    return listed(title, [*_told(lines, sorted(kept), runs), *note])


def _told(lines: Sequence[str], kept: Sequence[int], runs: Mapping[str, int]) -> Iterator[str]:
    """The lines that are kept; the first of a command that ran more often than it is listed says how often it ran."""
    listings = Counter(lines[i] for i in kept)
    seen: set[str] = set()
    for i in kept:
        line = lines[i]
        told = times(runs[line], IN_ALL if listings[line] > 1 else "")
        yield line + (told if line not in seen and runs[line] > listings[line] else "")
        seen.add(line)


def _left_out(commands: Sequence[Row]) -> str:
    looked, older = sum(row.only_looks for row in commands), count(len(commands), "older command")
    if looked == len(commands):
        return f"- (left out: {older} that only looked)"
    return f"- (left out: {older}; {looked:,} of them only looked)"


def _file(file: Written, folder: str | None) -> str:
    removed = "; removed later" if file.removed else ""
    return f"- {code(shortened(file.path, folder))} ({', '.join(file.tools)}{removed})"


def _failure(row: Row, chars: int, folder: str | None) -> str:
    target = command_code(row.target if row.shell else shortened(row.target, folder), chars)
    label = target if row.shell and target else f"{row.name} {target}".rstrip()
    why = f": {row.error}" if row.error else ", and no reason given" if row.ended == REFUSED else ""
    return f"- {label}: {_TELLS[row.ended]}{why}"


def _command(row: Row, chars: int) -> str:
    told = _TELLS[row.ended]
    return f"- {command_code(row.target, chars)}" + (f" ({told})" if told else "")
