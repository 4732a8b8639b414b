"""Notes that a handoff lacked something or was wrong, kept beside it; an atom can be drafted of each."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.drafting.candidates import Candidate, is_carried
from bench.drafting.patterns import ways
from bench.drafting.words import Words, content_words
from bench.errors import BenchError
from bench.field.stored import RunShelf, Shelf, Stored
from bench.forks.store import append_line
from bench.keys import Atom, By, Key, Tag
from bench.keywriting import to_yaml
from bench.models.names import slug
from bench.project import Project
from bench.transcripts.model import Message, Transcript

FILE = "feedback.jsonl"
SOURCES = 12
"""Messages that are tried as the source of a note, those that share most of its words first."""
LENGTH_SHARE = 0.1
"""How much a word that a message has besides the note's counts against it: a long output shares words with anything."""
TYPED_WEIGHT = 1.5

What = Literal["missing", "wrong"]
_BY: dict[str, By] = {"person": "user", "assistant": "assistant", "tool": "tool"}


class Feedback(Struct, frozen=True, kw_only=True):
    """One note. `of` is the run or session; `messages` are those that establish what the handoff should have said."""

    time: str
    of: str
    handoff: int
    name: str
    what: What
    note: str
    messages: tuple[int, ...] = ()
    tag: Tag | None = None


def noted(
    shelf: Shelf,
    stored: Stored,
    note: str,
    now: datetime,
    *,
    what: What = "missing",
    messages: tuple[int, ...] = (),
    tag: Tag | None = None,
) -> Feedback:
    """The note on one handoff. Raises BenchError for an empty one, or for a message that the transcript has not."""
    if not note.strip():
        raise BenchError("the note is empty; say what was missing or wrong")
    there = len(shelf.transcript(stored.number).messages) if messages else 0
    for message in messages:
        if not 0 <= message < there:
            raise BenchError(f"there is no message {message}; the transcript has 0 to {there - 1}")
    time = now.isoformat(timespec="seconds")
    return Feedback(
        time=time, of=shelf.name, handoff=stored.number, name=stored.name, what=what, note=note.strip(),
        messages=messages, tag=tag,
    )  # fmt: skip


def feedback_path(shelf: Shelf, project: Project | None) -> Path:
    """Where notes on these handoffs are kept: in the run's folder; of a session, in the project's results."""
    if isinstance(shelf, RunShelf):
        return shelf.store.root / FILE
    if project is None:
        raise BenchError("notes on a session are kept in a project; change into one, or make one with 'bench init'")
    return project.results / "feedback" / f"{slug(Path(shelf.name).stem)}.jsonl"


def write_feedback(path: Path, feedback: Feedback) -> None:
    """Append the note."""
    append_line(path, feedback)


def read_feedback(path: Path) -> tuple[Feedback, ...]:
    """Every note of the file, in order; none where there is no file. Raises BenchError with the line of a bad one."""
    if not path.exists():
        return ()
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if line.strip():
            try:
                found.append(msgspec.json.decode(line, type=Feedback))
            except msgspec.MsgspecError as e:
                raise BenchError(f"is no note: {e}; take the line out", path=path, line=number) from None
    return tuple(found)


def drafted_atom(feedback: Feedback, transcript: Transcript, id_: str = "f1") -> Atom:
    """The note as an atom, with patterns by which the message that establishes it carries it.

    Raises BenchError where no message of the transcript does: then the note is put in words that were never said.
    """
    words = Words(transcript)
    for at in feedback.messages or _likely(feedback.note, transcript):
        tag = feedback.tag or ("correction" if feedback.what == "wrong" else "state")
        candidate = Candidate(tag, feedback.note, "vital", _by(transcript.messages[at]), (at,))
        for patterns in ways(words, feedback.note, at):
            tried = Candidate(tag, feedback.note, "vital", candidate.by, (at,), patterns)
            if is_carried(tried, transcript):
                return tried.atom(id_)
    where = "the messages it names" if feedback.messages else "any message"
    raise BenchError(
        f"the note shares too few words with {where} to be drafted; name the message that says it (--message N), "
        "or put the note in the transcript's words"
    )


def atom_yaml(atom: Atom) -> str:
    """The atom as it stands below `atoms:` in a key.yaml."""
    return to_yaml(Key(version=1, atoms=(atom,))).split("\n", 2)[2]


def _likely(note: str, transcript: Transcript) -> list[int]:
    """Messages that share words with the note, those first that say little else; a person's words weigh more."""
    wanted = _folded(note)
    scored = []
    for at, message in enumerate(transcript.messages):
        held = _folded(message.text) if message.author in _BY else frozenset()
        weight = TYPED_WEIGHT if message.author == "person" else 1.0
        scored.append((weight * len(wanted & held) / (len(wanted) + LENGTH_SHARE * len(held) + 1), at))
    return [at for score, at in sorted(scored, key=lambda s: (-s[0], s[1])) if score][:SOURCES]


def _folded(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in content_words(text))


def _by(message: Message) -> By:
    return _BY.get(message.author, "tool")
