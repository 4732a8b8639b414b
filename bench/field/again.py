"""Files that were read again and commands that were run again, though nothing had changed in between."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Set
from posixpath import join
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bench.field.stretches import Session, Stretch
from bench.handoff.calls import Call
from bench.handoff.known_text import KnownText
from bench.handoff.shell_folder import after_cd
from bench.handoff.shell_texts import printed, shown_by
from bench.handoff.tools import PATHS
from bench.handoff.touched import known_after
from bench.text import clip, estimate_tokens

SAME_SHARE = 0.5
"""A reading is one again when so many of its lines were known, with the same number and text."""
TRIMMINGS = 4
"""How many trimmings of a kind are taken off a command; a hostile one may have thousands."""
TEXT_CHARS = 200

Kind = Literal["file", "command", "look"]
"""look: a command that changes nothing, or a search."""


class Again(Struct, frozen=True, kw_only=True):
    """Something done before the pivot and again after it. Messages by their index; tokens of what it printed again."""

    kind: Kind
    at: int
    before: int
    text: str
    tokens: int


class _Ran(Struct, frozen=True):
    at: int
    output: str
    changes: int
    """How many calls had changed something by then."""


def files_again(session: Session, stretch: Stretch) -> tuple[Again, ...]:
    """Readings after the pivot of lines that the context before it held: read there, and the same now.

    What is known of a file is followed through the session's own edits. Lines read again once are in the new context,
    so that reading them a third time does not count.
    """
    known: dict[str, KnownText | None] = {}
    last_read: dict[str, int] = {}
    read_since: dict[str, set[str]] = {}
    found = []
    for call in session.calls:
        if call.at >= stretch.end:
            break
        for path, touch in touches(session, call):
            if touch.deed != "read" or stretch.behind(call.at):
                known[path] = known_after(known.get(path), touch)
                last_read.update({path: call.at} if touch.deed == "read" else {})
            elif stretch.ahead(call.at):
                since = read_since.setdefault(path, set())
                lines = _lines(known_after(None, touch))
                if path in last_read and _is_held(lines, _lines(known.get(path)), since):
                    text, tokens = clip(session.shown(path), TEXT_CHARS), estimate_tokens(call.output or "")
                    found.append(Again(kind="file", at=call.at, before=last_read[path], text=text, tokens=tokens))
                since.update(lines.values())
    return tuple(found)


def touches(session: Session, call: Call) -> Iterator[tuple[str, Call]]:
    """The files that the call read or changed, each with the call as a file tool's, whatever tool it was."""
    path = call.path
    if path is not None:
        own = {k: v for k, v in call.arguments.items() if k not in PATHS}
        yield session.path(path), replace(call, arguments={**own, "file_path": session.path(path)})
        return
    folder, script = after_cd(call.script)
    shown = shown_by(script) if script else None
    if shown is not None:
        path = session.path(join(folder, shown.path))
        output = None if call.output is None else printed(call.output)
        yield path, replace(call, name="Read", arguments={"file_path": path, "offset": shown.first}, output=output)
    for changed in (*call.writes, *call.removes):
        yield session.path(changed), replace(call, name="Edit", arguments={"file_path": session.path(changed)})


def _is_held(lines: Mapping[int, str], known: Mapping[int, str], since: Set[str]) -> bool:
    """Whether the context held most of the lines that were read, and none has put them into the new one since."""
    full = [n for n, line in lines.items() if line.strip()]
    same = [n for n in full if known.get(n) == lines[n] and lines[n] not in since]
    return bool(full) and len(same) >= SAME_SHARE * len(full)


def _lines(known: KnownText | None) -> Mapping[int, str]:
    """Lines by their number; none where the text may be another by now."""
    return {} if known is None or known.old else known.lines


def commands_again(session: Session, stretch: Stretch) -> tuple[Again, ...]:
    """Commands and searches run before the pivot and again after it, each counted once.

    A command counts where nothing was written in between, or where it failed again in the same way; one that only
    looks, where it printed the same.
    """
    before: dict[str, _Ran] = {}
    found = []
    changes = 0
    for call in session.calls:
        kind, key = command_of(call)
        if kind is not None and stretch.ahead(call.at) and key in before:
            ran = before.pop(key)
            same = ran.output == _printed(call)
            idle = ran.changes == changes or (same and call.outcome.bad)
            if idle if kind == "command" else same:
                tokens = estimate_tokens(call.output or "")
                text = clip(call.target or key, TEXT_CHARS)
                found.append(Again(kind=kind, at=call.at, before=ran.at, text=text, tokens=tokens))
        changes += changes_something(call)
        if kind is not None and stretch.behind(call.at):
            before[key] = _Ran(call.at, _printed(call), changes)
        elif stretch.ahead(call.at):
            before.pop(key, None)
    return tuple(found)


def command_of(call: Call) -> tuple[Literal["command", "look"] | None, str]:
    """Which kind of command the call is and the text by which it is known again; None where it is none, or a read."""
    if call.deed == "shell" and call.script and shown_by(after_cd(call.script)[1]) is None:
        key = normalised(call.script)
        fetches = key.startswith("curl ") and not _SENDS.search(key) and not call.writes
        return (("look" if call.shell.only_looks or fetches else "command"), key) if key else (None, "")
    if call.deed == "search":
        return "look", f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
    return None, ""


def changes_something(call: Call) -> bool:
    """Whether files may be others after the call: it wrote or removed some, or moved the repository."""
    return bool(call.writes or call.removes) or (bool(call.script) and bool(_MOVES.search(call.script)))


def normalised(script: str) -> str:
    """The script without what does not tell commands apart: white space, a `cd` before it, how its output is cut."""
    text = " ".join(script.split())
    for _ in range(TRIMMINGS):
        text = _TAIL.sub("", _LIMIT.sub("", after_cd(text)[1], count=1), count=1)
    return "" if _IDLE.match(text) else text


_SENDS = re.compile(r" (?:-X|--request|-d|--data\S*|--json|-F|--form|-T|-[a-zA-Z]*[oO]|--output)\b")
"""What makes more of `curl` than a look."""
_LIMIT = re.compile(r"^timeout (?:-\S+ )*\d+[smh]? ")
_TAIL = re.compile(r" ?(?:2>&1|2>/dev/null|\| ?(?:head|tail)(?: -n)?(?: ?-?\d+)?|\|\| ?true)$")
_IDLE = re.compile(r"(?:sleep|wait|true|echo|pwd)\b[^;&|]*$|cd [^;&|]*$|$")
_MOVES = re.compile(
    r"\bgit (?:-C \S+ )?(?:commit|checkout|switch|pull|merge|rebase|reset|stash|restore|apply|cherry-pick|clone|am)\b"
)


def _printed(call: Call) -> str:
    return "\n".join(line.rstrip() for line in (call.output or "").strip().splitlines())
