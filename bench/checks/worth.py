"""Which atoms of a key tell arms apart badly: any summary has them, none can, two ask the same, or they are false."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.checks.fixture import check_fixture
from bench.checks.parts import read_parts
from bench.drafting.everywhere import everywhere, in_last_request
from bench.drafting.merge import overlaps
from bench.drafting.turns import turns_of
from bench.drafting.typed import LAST, OPEN, is_open
from bench.fixtures import KEY, TRANSCRIPT
from bench.keys import Atom
from bench.transcripts import read
from bench.transcripts.model import Transcript


class Doubt(Struct, frozen=True):
    """What speaks against an atom."""

    atom: str
    kind: Literal["trivial", "unanswerable", "overlapping", "untrue"]
    why: str


def doubts(folder: Path) -> list[Doubt]:
    """The atoms of a fixture's key that are trivial, unanswerable, overlapping or untrue, in that order of kinds.

    Raises BenchError where transcript or key cannot be read as a whole.
    """
    transcript = read(folder / TRANSCRIPT)
    parts = read_parts(folder / KEY)
    told = [p.message for p in check_fixture(folder)]
    broken = {
        a.id: why for _, a in parts.atoms if (why := next((t for t in told if t.startswith(f"atom {a.id}: ")), ""))
    }
    sound = [a for _, a in parts.atoms if a.id not in broken]
    return [
        *trivial(sound, transcript),
        *(Doubt(id_, "unanswerable", why.split(": ", 1)[1]) for id_, why in broken.items()),
        *(Doubt(b.id, "overlapping", f"asks the same as {a.id}: {a.text}") for a, b in overlaps(sound)),
        *untrue(sound, transcript),
    ]


def trivial(atoms: list[Atom], transcript: Transcript) -> Iterator[Doubt]:
    """The atoms that no summary can miss: the last request holds them, or a large share of all messages does."""
    if not atoms:
        return
    held = everywhere(atoms, transcript)
    last = in_last_request(atoms, transcript)
    for atom in atoms:
        if n := held.get(atom.id):
            yield Doubt(atom.id, "trivial", f"{n} of {len(transcript.messages)} messages carry it on their own")
        elif atom.id in last:
            yield Doubt(atom.id, "trivial", "the last request carries it, which every handoff quotes")


def untrue(atoms: list[Atom], transcript: Transcript) -> Iterator[Doubt]:
    """The atoms that call a request the last one, or open, where the transcript shows another or an answer."""
    turns = turns_of(transcript)
    for atom in atoms:
        if not atom.text.startswith(LAST):
            continue
        if not turns or turns[-1].at not in atom.at:
            last = f"message {turns[-1].at} is" if turns else "there is none"
            yield Doubt(atom.id, "untrue", f"it is not the last request: {last}")
        elif atom.text.startswith(OPEN) and not is_open(turns[-1], transcript):
            yield Doubt(atom.id, "untrue", f"the last request is not open: message {turns[-1].report} answers it")
