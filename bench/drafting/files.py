"""Atoms from files written and from the to-do list as it stands."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, ways
from bench.drafting.words import NAME, Words, plain
from bench.handoff.calls import Call as HandoffCall
from bench.handoff.todo_list import todo_list
from bench.handoff.written import written_files as files_written
from bench.keys import Importance, Patterns
from bench.transcripts.model import Message, Transcript

MOST_FILES = 8
VITAL_FILES = 3
"""Files drafted, those written most first; of them the first few are what the session is about."""
TRIES = 4
"""Messages tried that tell of a file, newest first."""
PASSING_WRITES = 2
"""Writings by shell commands alone that are no work on a file."""
MOST_NAMES = 3
"""Names that a file's text tells of what was written into it."""

FEWEST_TODO_WORDS = 3
"""Content words of an item that tells what was done."""

_ROUTINE = re.compile(
    r"(?i)(?:run|verify|test|check|commit|push|lint|read|explore|review|understand|ask|propose|present)\b"
)
"""How an item begins that every piece of work has."""
_DONE = ("completed", "complete", "done")
_PATH_NAMES = ("file_path", "notebook_path", "path", "filename", "target_file")
_PASSING = re.compile(r"(?i)(?:^|/)(?:tmp|temp|scratch)/|\.(?:log|tmp|lock|out)$|(?:^|/)(?:nul|null)$|^/dev/|[$*{<>]")
"""Files of the moment."""
_PROSE = re.compile(r"\.(?:mdx?|txt|rst|json\w?|ya?ml|toml|csv|html)$")
_DEFINED = re.compile(
    r"(?:\b(?:func|def|class|interface|struct|enum|trait|fn|function|type)\s+(?:\([^)]*\)\s*)?)([A-Za-z_]\w{3,})"
)
_CHANGE = r"\b(?:chang|updat|modif|edit|creat|add|wrote|written|rewr|mov|renam|fix|refactor|implement|replac|extend)"
"""How a handoff says that a file was worked on."""


def written_files(calls: Sequence[HandoffCall], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The files that tools and commands wrote, most often written first, each with what was defined in it."""
    written = [w for w in files_written(calls) if not w.removed and not _PASSING.search(w.path)]
    known = {w.path for w in written} | {c.path for c in calls if c.path is not None}
    named: dict[str, list[HandoffCall]] = defaultdict(list)
    for file in written:
        # the same file in another checkout is the same to a reader
        named[plain(_short(file.path, known))] += [calls[i] for i in file.calls]
    top = sorted(named, key=lambda n: (-len(named[n]), -named[n][-1].at))[:MOST_FILES]
    for rank, name in enumerate(top):
        own = sorted(named[name], key=lambda c: c.at)
        if len(own) <= PASSING_WRITES and all(call.deed != "write" for call in own):
            continue  # a redirect, a move, an import put right by sed: events
        often = "once" if len(own) == 1 else f"{len(own)} times"
        names = [] if _PROSE.search(name) else _defined(own, words)
        told = f"; it defines {', '.join(names)}" if names else ""
        importance: Importance = "vital" if rank < VITAL_FILES and len(own) > 1 else "okay"
        text = f"{name} was written {often} ({own[-1].name}){told}."
        candidate = Candidate("file", text, importance, "assistant", (), said=name)
        if found := _found(candidate, name, names, own, transcript):
            yield found


def _found(
    candidate: Candidate, name: str, names: Sequence[str], own: Sequence[HandoffCall], transcript: Transcript
) -> Candidate | None:
    """The file by its name beside what was defined in it; else beside a word of change, where a message has both."""
    calling = [c.at for c in own if any(n in str(c.arguments) for n in names)]
    later = range(len(transcript.messages) - 1, own[0].at - 1, -1)
    spoken = [i for i in later if _is_told(transcript.messages[i], name)][:TRIES]
    full = Patterns(all=(bounded(name),), any=(*map(bounded, names), _CHANGE))
    tried = [(i, full) for i in (*calling[-1:], *spoken, own[-1].at)]
    tried += [(own[-1].at, Patterns(all=(bounded(n),))) for n in (name, name.rsplit("/", 1)[-1])]
    for at, patterns in tried:
        sources = tuple(sorted({at, own[-1].at}))
        if found := carried(replace(candidate, at=sources), [patterns], transcript):
            return found
    return None


def _is_told(message: Message, name: str) -> bool:
    """Whether the assistant says of the file that it was worked on."""
    if message.author != "assistant" or name.casefold() not in message.spoken.casefold():
        return False
    return re.search(_CHANGE, message.spoken, re.IGNORECASE) is not None


def _defined(own: Sequence[HandoffCall], words: Words) -> list[str]:
    """The names that writing calls brought into a file, those first that the session speaks of most."""
    found: Counter[str] = Counter()
    for call in own:
        after = " ".join(v for k, v in _texts(call.arguments) if not k.startswith("old"))
        before = " ".join(v for k, v in _texts(call.arguments) if k.startswith("old"))
        found.update(n for n in dict.fromkeys(_DEFINED.findall(after)) if n not in before)
    telling = [n for n in found if NAME.fullmatch(n) and not n.startswith(("test", "Test"))]
    return sorted(telling, key=lambda n: (-words.holders(n), n))[:MOST_NAMES]


def _texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Every text of a call's arguments with the name it stands under."""
    match value:
        case str():
            yield name, value
        case list():
            yield from (pair for item in value for pair in _texts(item, name))
        case dict():
            yield from (pair for key, item in value.items() for pair in _texts(item, str(key)))


def open_todos(kept: Sequence[HandoffCall], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the to-do list holds as not done, whichever kind of tool keeps it."""
    for item in todo_list(kept):
        said = plain(item.name)
        last = max(
            (c.at for c in kept if item.open and any(_holds(v, item.name) for v in c.arguments.values())), default=None
        )
        if last is None:
            continue
        told = "In progress" if item.status == "in_progress" else "Still to do"
        candidate = Candidate("pending", f"{told}: {said}", "vital", "assistant", (last,))
        if found := carried(candidate, ways(words, said, last), transcript):
            yield found


def done_todos(kept: Sequence[HandoffCall], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the to-do list holds as done, the last item first."""
    for item in reversed(todo_list(kept)):
        said = plain(item.name)
        last = max((c.at for c in kept if any(_holds(v, item.name) for v in c.arguments.values())), default=None)
        if item.status not in _DONE or last is None or _ROUTINE.match(said):
            continue
        if len(words.ranked(said, last)) < FEWEST_TODO_WORDS:
            continue
        candidate = Candidate("state", f"Done: {said}", "okay", "assistant", (last,), said=said)
        if found := carried(candidate, ways(words, said, last), transcript):
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


def _short(path: str, known: Iterable[str]) -> str:
    """The file's name, with the folder before it where the session has another file of that name."""
    parts = _parts(path)
    alone = not any(_parts(other)[-1:] == parts[-1:] for other in known if other != path)
    return "/".join(parts[-1:] if alone else parts[-2:])


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[/\\]+", path) if part]
