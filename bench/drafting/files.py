"""Atoms from files written and from the to-do list as it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.words import Words, bounded, plain, ways
from bench.handoff.calls import calls_of as handoff_calls
from bench.handoff.todo_list import todo_list
from bench.keys import Importance, Patterns
from bench.transcripts.model import Transcript

MOST_FILES = 12
VITAL_FILES = 3
"""Files drafted, those written most first; of them the first few are what the session is about."""

_WRITES = re.compile(r"write|edit|create|patch|replace|insert|update_file", re.IGNORECASE)
_PATH_NAMES = ("file_path", "notebook_path", "path", "filename", "target_file")


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


def open_todos(words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the to-do list holds as not done, whichever kind of tool keeps it."""
    kept = handoff_calls(transcript.messages)
    for item in todo_list(kept):
        said = plain(item.name)
        last = max(
            (c.at for c in kept if item.open and any(_holds(v, item.name) for v in c.arguments.values())), default=None
        )
        if last is None:
            continue
        told = "In progress" if item.status == "in_progress" else "Still to do"
        candidate = Candidate("pending", f"{told}: {said}", "vital", "assistant", (last,))
        if found := carried(candidate, ways(said, words.ranked(said, last)), transcript):
            yield found


def _holds(value: object, name: str) -> bool:
    """Whether an argument, a list of items perhaps, names the item."""
    match value:
        case str():
            return " ".join(value.split()) == name
        case list():
            return any(_holds(item, name) for item in value)
        case dict():
            return any(_holds(item, name) for item in value.values())
        case _:
            return False


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
