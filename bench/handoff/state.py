"""The state: what can be read about where the work stands at the end of a conversation.

The last request, the to-do list, directory and branch, the files that were being edited, and the last command that
failed and was not put right. What the transcript does not say is said to be missing, never made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from bench.handoff.calls import Call
from bench.handoff.folders import ABOVE, shortened
from bench.handoff.lines import code, oldest
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
_COMMAND = re.compile(r"<command-name>\s*(\S+?)\s*</command-name>")
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
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
    items = _items([item for item in state.items if item.open], len(state.items), budget - len(text) - 2)
    return f"{text}\n\n{items}" if items else text


def _facts(state: State) -> Iterator[str]:
    request = clip(_typed(state.request), REQUEST_CHARS) if state.request else None
    yield f"- Last request: {NOT_RECORDED}" if request is None else f'- Last request: "{request}"'
    where = f" (as git printed it at message {state.branch_at})" if state.branch_at is not None else ""
    yield f"- Directory: {_place(state.directory)}; branch: {_place(state.branch)}{where}"
    yield f"- Last failing command: {_failure(state.failure, state.messages)}"
    if state.items and not any(item.open for item in state.items):
        done = f"all {len(state.items)} items are done" if len(state.items) > 1 else "its one item is done"
        yield f"- To do: nothing is open, {done}"
    yield from _edited(state)


def _typed(request: str) -> str:
    """The request on one line, a slash command as it was typed."""
    name = _COMMAND.search(request)
    arguments = _ARGUMENTS.search(request) if name else None
    return " ".join((f"{name[1]} {arguments[1] if arguments else ''}" if name else request).split())


def _place(name: str | None) -> str:
    return code(clip(name, ITEM_CHARS)) if name else NOT_RECORDED


def _edited(state: State) -> Iterator[str]:
    """The files written last, a line each: which of them the work is in shows by where the last writing stands."""
    if not state.edited:
        yield "- Files being edited: none was written"
        return
    folder = state.directory.rstrip("/") + "/" if state.directory else None
    named = f"; {ABOVE} is the directory" if folder and any(f.path.startswith(folder) for f in state.edited) else ""
    yield f"- Files being edited, the last one first{named}:"
    for file, at in list(zip(state.edited, state.last_write_at, strict=True))[:EDITED_FILES]:
        path = code(shortened(clip(file.path, ITEM_CHARS), folder))
        yield f"  - {path}: written {_times(len(file.calls))}, last at message {at} of {state.messages}"
    if len(state.edited) > EDITED_FILES:
        yield f"  - and {len(state.edited) - EDITED_FILES} before them"


def _failure(failure: LastFailure | None, messages: int) -> str:
    if failure is None:
        return "none"
    error = f", which printed: {failure.error}" if failure.error else ""
    since = "it went through when it was run again" if failure.mended else "it has not gone through since"
    return f"{code(clip(failure.command, COMMAND_CHARS))} at message {failure.at} of {messages}{error} ({since})"


def _items(open_: Sequence[Item], number: int, room: int) -> str:
    """The open items of a list of `number` as far as they fit, those in progress first; empty where none is open."""
    title = f"### To do ({len(open_)} open of {number})"
    lines = [
        f"- [{clip(item.status.replace('_', ' '), STATUS_CHARS)}] {clip(item.name, ITEM_CHARS)}"
        for item in sorted(open_, key=lambda item: item.status == "pending")
    ]
    return oldest(title, lines, "{} more", room)


def _last_failure(calls: Sequence[Call]) -> LastFailure | None:
    """The newest failure that was not put right; else the newest of all.

    A command that only looks leaves nothing broken when it fails, and a refusal is the user's doing.
    """
    passed: set[str] = set()
    newest: LastFailure | None = None
    for call in reversed(calls):
        if not call.script or call.shell.only_looks:
            continue
        command = _CUT.split(" ".join(call.script.replace("\\\n", " ").split()))[0]
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
