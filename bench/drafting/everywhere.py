"""Atoms that no summary can miss, so that they tell nothing: a large share of all messages carries them on their own,
or the last request does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.drafting.turns import typed_text
from bench.grading.lexical import grade
from bench.keys import Atom, Key
from bench.transcripts.model import Transcript

EVERYWHERE = 0.2
"""Share of the messages that carry an atom on their own, from which on no summary can miss it."""
FEWEST_HOLDERS = 5
"""Messages that this must be at least: a fifth of a short session is one or two."""


def everywhere(atoms: Sequence[Atom], transcript: Transcript) -> Mapping[str, int]:
    """The atoms that are everywhere, by id, and how many messages carry each."""
    key = Key(version=1, atoms=tuple(atoms))
    held = dict.fromkeys((a.id for a in atoms), 0)
    for message in transcript.messages if atoms else ():
        for atom, finding in zip(atoms, grade(message.text, key)[0], strict=True):
            held[atom.id] += finding.verdict == "carried"
    enough = max(FEWEST_HOLDERS, EVERYWHERE * len(transcript.messages))
    return {id_: n for id_, n in held.items() if n >= enough}


def in_last_request(atoms: Sequence[Atom], transcript: Transcript) -> frozenset[str]:
    """The ids of the atoms that the last typed turn carries, which every handoff quotes; not of what it established."""
    typed = [(i, text) for i, m in enumerate(transcript.messages) if (text := typed_text(m)).strip()]
    asked = [a for a in atoms if a.tag != "ask" and typed and a.at != (typed[-1][0],)]
    if not asked:
        return frozenset()
    findings, _ = grade(typed[-1][1], Key(version=1, atoms=tuple(asked)))
    return frozenset(a.id for a, f in zip(asked, findings, strict=True) if f.verdict == "carried")
