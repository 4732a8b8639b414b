"""A person's pass over drafted atoms, one after the other, with the transcript beside it; written after each answer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from bench.atomic import write_text
from bench.drafting.candidates import NOTHING
from bench.drafting.merge import carries
from bench.errors import BenchError
from bench.fixtures import KEY, TRANSCRIPT
from bench.keys import Atom, Key, Patterns, Tag, read_key
from bench.keywriting import to_yaml
from bench.text import clip, printable
from bench.transcripts import read
from bench.transcripts.model import Message, Transcript

Ask = Callable[[str], str]
"""Prompt -> the line that the person typed. Raises EOFError where there is none to come."""
Show = Callable[[str], None]

WIDTH = 100
SOURCE_CHARS = 900
"""Characters shown of each message that an atom names; 'm' shows it whole, with its neighbours."""
BETWEEN = " ; "
"""What stands between patterns on a line."""
HELP = (
    "a accept   e edit text and patterns   i vital or okay   t retag   d drop   s skip   b back   "
    "m more of the transcript   q quit (all answers are kept)"
)


@dataclass
class Progress:
    """How far a review has come."""

    accepted: int = 0
    dropped: int = 0
    left: int = 0
    """Atoms that are still drafted."""


def review(folder: Path, ask: Ask, show: Show) -> Progress:
    """Go through the drafted atoms of the fixture's key; the key is written after every answer that changes it.

    What was reviewed before is not asked again. Ends at 'q' or where the input ends. Raises BenchError for a key or
    transcript that cannot be read.
    """
    key, _ = read_key(folder / KEY)
    return _Review(folder, key, read(folder / TRANSCRIPT), ask, show).run()


class _Review:
    def __init__(self, folder: Path, key: Key, transcript: Transcript, ask: Ask, show: Show) -> None:
        self._path, self._key, self._transcript = folder / KEY, key, transcript
        self._ask, self._show = ask, show
        self._progress = Progress()

    def run(self) -> Progress:
        waiting = [a.id for a in self._key.atoms if a.status == "drafted"]
        self._show(f"{len(waiting)} drafted atoms of {len(self._key.atoms)}. {HELP}")
        at = 0
        while at < len(waiting):
            step = self._one(waiting[at], f"{at + 1} of {len(waiting)}")
            if step is None:
                break
            at = max(at + step, 0)
        self._progress.left = sum(a.status == "drafted" for a in self._key.atoms)
        return self._progress

    def _one(self, id_: str, place: str) -> int | None:
        """Asks about one atom until an answer moves on: 1 forward, -1 back, None to end."""
        atom = next((a for a in self._key.atoms if a.id == id_), None)
        if atom is None:
            return 1
        self._show("\n".join(described(atom, self._transcript, place)))
        while True:
            try:
                answer = self._ask("> ").strip().casefold()
                match answer:
                    case "a" | "":
                        self._progress.accepted += 1
                        self._put(id_, replace(atom, status="reviewed"))
                        return 1
                    case "d":
                        self._progress.dropped += 1
                        self._put(id_, None)
                        return 1
                    case "e":
                        atom = self._edited(atom)
                    case "i":
                        atom = replace(atom, importance="okay" if atom.importance == "vital" else "vital")
                    case "t":
                        atom = self._retagged(atom)
                    case "m":
                        self._show("\n".join(around(atom, self._transcript)))
                        continue
                    case "s":
                        return 1
                    case "b":
                        return -1
                    case "q":
                        return None
                    case _:
                        self._show(HELP)
                        continue
            except EOFError:
                return None
            self._put(id_, atom)
            self._show("\n".join(_heading(atom, place)))

    def _put(self, id_: str, atom: Atom | None) -> None:
        atoms = (atom if a.id == id_ else a for a in self._key.atoms)
        self._key = replace(self._key, atoms=tuple(a for a in atoms if a is not None))
        write_text(self._path, to_yaml(self._key))

    def _retagged(self, atom: Atom) -> Atom:
        tags: dict[str, Tag] = {tag: tag for tag in get_args(Tag)}
        tag = tags.get(self._ask(f"tag ({' '.join(tags)}): ").strip())
        if tag is None:
            self._show("no such tag; nothing changed")
            return atom
        return replace(atom, tag=tag)

    def _edited(self, atom: Atom) -> Atom:
        """The atom with what was typed; an empty line keeps what is there. Refused where its source says otherwise."""
        text = self._ask("text: ").strip() or atom.text
        every = self._ask(f"all [{BETWEEN.join(atom.accept.all)}]: ").strip()
        some = self._ask(f"any [{BETWEEN.join(atom.accept.any)}]: ").strip()
        accept = Patterns(_patterns(every, atom.accept.all), _patterns(some, atom.accept.any))
        edited = replace(atom, text=text, accept=accept)
        try:
            source = "\n".join(m.text for i, m in enumerate(self._transcript.messages) if i in atom.at)
            if accept == NOTHING or carries(source, edited):
                return edited
            self._show("the messages it names do not carry that; nothing changed")
        except BenchError as error:
            self._show(f"{error}; nothing changed")
        return atom


def described(atom: Atom, transcript: Transcript, place: str) -> Iterator[str]:
    """The atom and the messages that establish it, as lines of a terminal."""
    yield from _heading(atom, place)
    for i in atom.at:
        if 0 <= i < len(transcript.messages):
            yield from _message(i, transcript.messages[i], SOURCE_CHARS)


def around(atom: Atom, transcript: Transcript) -> Iterator[str]:
    """The messages of an atom whole, each with the one before and after it."""
    wanted = sorted({j for i in atom.at for j in (i - 1, i, i + 1) if 0 <= j < len(transcript.messages)})
    for i in wanted:
        message = transcript.messages[i]
        yield from _message(i, message, len(message.text) if i in atom.at else SOURCE_CHARS)


def _heading(atom: Atom, place: str) -> Iterator[str]:
    yield ""
    yield f"{place}  {atom.id}  {atom.tag}, {atom.importance}, by {atom.by}"
    yield _filled(atom.text, "  ")
    yield f"  all: {printable(BETWEEN.join(atom.accept.all))}"
    if atom.accept.any:
        yield f"  any: {printable(BETWEEN.join(atom.accept.any))}"
    yield from (f"  stale until message {s.until}: {printable(s.match)}" for s in atom.stale)


def _message(i: int, message: Message, chars: int) -> Iterator[str]:
    yield f"  | message {i}, {message.author}:"
    yield from (_filled(line, "  | ") for line in clip(message.text, chars).splitlines() if line.strip())


def _filled(text: str, indent: str) -> str:
    return textwrap.fill(printable(text), WIDTH, initial_indent=indent, subsequent_indent=indent)


def _patterns(typed: str, before: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(p.strip() for p in typed.split(BETWEEN.strip() + " ") if p.strip()) if typed else before
