"""The state: what can be read about where the work stands at the end of a conversation.

The last request, the to-do list, directory and branch, the files that were being edited, and the last command that
failed and was not put right. What the transcript does not say is said to be missing, never made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.handoff.calls import Call
from bench.handoff.pins import pinned
from bench.handoff.todo_list import Item, todo_list
from bench.handoff.written import Written, written_files
from bench.text import clip
from bench.transcripts.model import Transcript

BUDGET_CHARS = 3000
REQUEST_CHARS = 600
"""Longest quotation of the last request; pins bring it back whole."""
ITEM_CHARS = 200
STATUS_CHARS = 20
COMMAND_CHARS = 150
EDITED_FILES = 5
"""Files that are told, the one written last first."""

HEADING = "## Where things stand"
PREFACE = "Read off the end of the transcript."
NOT_RECORDED = "not recorded"
_BRANCH = re.compile(
    r"(?m)^(?:On branch |Switched to (?:a new )?branch '|Switched to and reset branch '|branch ')([^\s']+)"
)
"""How git names the branch that it is on."""
_CUT = re.compile(r"\s*(?:2>&1)?\s*(?:\|\s*(?:head|tail|grep|cat|less|tee)\b.*)?$")
"""What only cuts the output of a command: the same run may end in `| tail -20` or in `| tail -40`."""
_GIT = re.compile(r"\bgit\b")


class LastFailure(Struct, frozen=True):
    """A command that failed, and whether the same command went through later."""

    command: str
    error: str
    at: int
    mended: bool


class State(Struct, frozen=True, kw_only=True):
    """Where the work stands. None where the transcript does not say."""

    request: str | None
    directory: str | None
    branch: str | None
    branch_at: int | None
    """The message in which git named the branch; None where the transcript itself records it."""
    edited: tuple[Written, ...]
    """Files written, the one written last first; removed ones are left out."""
    last_write_at: tuple[int, ...]
    """The message of the last writing of each of them."""
    messages: int
    failure: LastFailure | None
    items: tuple[Item, ...]


def state_of(transcript: Transcript, calls: Sequence[Call]) -> State:
    """The state at the end of the transcript, whose calls are `calls`."""
    typed = pinned(transcript.messages)
    branch, branch_at = (transcript.branch, None) if transcript.branch else _branch_by_git(calls)
    edited = sorted((f for f in written_files(calls) if not f.removed), key=lambda f: -f.calls[-1])
    return State(
        request=typed[-1] if typed else None,
        directory=transcript.cwd,
        branch=branch,
        branch_at=branch_at,
        edited=tuple(edited),
        last_write_at=tuple(calls[f.calls[-1]].at for f in edited),
        messages=len(transcript.messages),
        failure=_last_failure(calls),
        items=todo_list(calls),
    )


def render_state(state: State, *, budget: int = BUDGET_CHARS) -> str:
    """The state as text, at most `budget` characters; to-do items that do not fit are counted. Empty below a line."""
    lines = [f"{HEADING}\n\n{PREFACE}\n", *_facts(state)]
    text = "\n".join(lines)
    while len(text) > budget and len(lines) > 1:
        lines.pop()
        text = "\n".join(lines)
    if len(text) > budget:
        return ""
    items = _items(state.items, budget - len(text) - 2)
    return f"{text}\n\n{items}" if items else text


def _facts(state: State) -> Iterator[str]:
    request = clip(" ".join(state.request.split()), REQUEST_CHARS) if state.request else None
    yield f"- Last request: {NOT_RECORDED}" if request is None else f'- Last request: "{request}"'
    where = f" (as git printed it at message {state.branch_at})" if state.branch_at is not None else ""
    yield f"- Directory: {_place(state.directory)}; branch: {_place(state.branch)}{where}"
    yield f"- Being edited: {_edited(state)}"
    yield f"- Last failing command: {_failure(state.failure)}"


def _place(name: str | None) -> str:
    return f"`{clip(name, ITEM_CHARS)}`" if name else NOT_RECORDED


def _edited(state: State) -> str:
    if not state.edited:
        return "no file was written"
    told = [
        f"`{file.path}` ({_times(len(file.calls))}, last at message {at} of {state.messages})"
        for file, at in list(zip(state.edited, state.last_write_at, strict=True))[:EDITED_FILES]
    ]
    more = len(state.edited) - len(told)
    return "; ".join(told) + (f"; and {more} written before them" if more else "")


def _failure(failure: LastFailure | None) -> str:
    if failure is None:
        return "none"
    error = f", which printed: {failure.error}" if failure.error else ""
    since = "it went through when it was run again" if failure.mended else "it has not gone through since"
    return f"`{clip(failure.command, COMMAND_CHARS)}` at message {failure.at}{error} ({since})"


def _items(items: Sequence[Item], room: int) -> str:
    """The open items as far as they fit, those in progress first; empty where no tool kept a list."""
    if not items:
        return ""
    left = [item for item in items if item.open]
    title = f"### To do ({len(left)} open of {len(items)})"
    if len(title) > room:
        return ""
    note = "- (and {} more)"
    lines = [title]
    size = len(title)
    ordered = sorted(left, key=lambda item: item.status == "pending")
    for i, item in enumerate(ordered):
        line = f"- [{clip(item.status.replace('_', ' '), STATUS_CHARS)}] {clip(item.name, ITEM_CHARS)}"
        rest = len(ordered) - i - 1
        needed = len(line) + 1 + (len(note.format(rest)) + 1 if rest else 0)
        if size + needed > room:
            more = note.format(rest + 1)
            return "\n".join([*lines, more] if size + len(more) + 1 <= room else lines)
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def _last_failure(calls: Sequence[Call]) -> LastFailure | None:
    """The newest failure that was not put right; else the newest of all. Refusals are the user's, not the command's."""
    passed: set[str] = set()
    newest: LastFailure | None = None
    for call in reversed(calls):
        if not call.script:
            continue
        command = _CUT.split(" ".join(call.script.split()))[0]
        if call.outcome.ended in ("failed", "reads as failed"):
            found = LastFailure(command, call.outcome.error, call.at, command in passed)
            if not found.mended:
                return found
            newest = newest or found
        elif call.outcome.ended in ("ok", "no output"):
            passed.add(command)
    return newest


def _branch_by_git(calls: Sequence[Call]) -> tuple[str | None, int | None]:
    for call in reversed(calls):
        if call.output and _GIT.search(call.script) and not call.outcome.bad:
            found = _BRANCH.findall(call.output)
            if found:
                return found[-1], call.at
    return None, None


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
