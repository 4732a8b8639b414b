"""Atoms from files written and from the to-do list as it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.words import Words, bounded, plain, ways
from bench.keys import Importance, Patterns
from bench.transcripts.model import Transcript

MOST_FILES = 12
VITAL_FILES = 3
"""Files drafted, those written most first; of them the first few are what the session is about."""

_WRITES = re.compile(r"write|edit|create|patch|replace|insert|update_file", re.IGNORECASE)
_PATH_NAMES = ("file_path", "notebook_path", "path", "filename", "target_file")
_TODO_TOOLS = re.compile(r"^(?:todo_?write|update_todos?|set_todos?)$", re.IGNORECASE)


def written_files(calls: Sequence[Call], transcript: Transcript) -> Iterator[Candidate]:
    """The files that tools wrote, most often written first."""
    written: dict[str, list[Call]] = defaultdict(list)
    known: set[str] = set()
    for call in calls:
        path = next((p for name in _PATH_NAMES if isinstance(p := call.arguments.get(name), str) and p), None)
        if path is None:
            continue
        known.add(path)
        # some tools are one name with a verb as an argument: view, create, str_replace
        if _WRITES.search(f"{call.name} {call.arguments.get('command', '')}") and not call.failed:
            written[path].append(call)
    top = sorted(written, key=lambda p: (-len(written[p]), -written[p][-1].at))[:MOST_FILES]
    for rank, path in enumerate(top):
        name, last = plain(_short(path, known)), written[path][-1]
        often = "once" if len(written[path]) == 1 else f"{len(written[path])} times"
        text = f"{name} was written {often} ({last.name})."
        importance: Importance = "vital" if rank < VITAL_FILES and len(written[path]) > 1 else "okay"
        patterns = (Patterns(all=(bounded(n),)) for n in (name, name.rsplit("/", 1)[-1]))
        if found := carried(Candidate("file", text, importance, "assistant", (last.at,)), patterns, transcript):
            yield found


def open_todos(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the newest to-do list holds as not done."""
    newest = next((c for c in reversed(calls) if _TODO_TOOLS.match(c.name) and not c.failed), None)
    items = newest.arguments.get("todos") if newest else None
    if newest is None or not isinstance(items, list):
        return
    for item in items:
        content = item.get("content") if isinstance(item, dict) else None
        status = item.get("status") if isinstance(item, dict) else None
        if not isinstance(content, str) or status not in ("pending", "in_progress"):
            continue
        said = plain(content)
        told = "In progress" if status == "in_progress" else "Still to do"
        candidate = Candidate("pending", f"{told}: {said}", "vital", "assistant", (newest.at,))
        if found := carried(candidate, ways(said, words.ranked(said, newest.at)), transcript):
            yield found


def stems_of_files(calls: Sequence[Call]) -> frozenset[str]:
    """Names, without their endings, of the files that tools read or wrote: no identifiers of their own."""
    paths = (p for c in calls for name in _PATH_NAMES if isinstance(p := c.arguments.get(name), str))
    return frozenset(_parts(path)[-1].split(".")[0].casefold() for path in paths if _parts(path))


def _short(path: str, known: set[str]) -> str:
    """The file's name, with as many folders before it as tell it from the other files of the session."""
    parts = _parts(path)
    others = [_parts(other) for other in known if other != path]
    for n in range(1, len(parts) + 1):
        if not any(other[-n:] == parts[-n:] for other in others):
            return "/".join(parts[-n:])
    return "/".join(parts)


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]+", path) if part]
