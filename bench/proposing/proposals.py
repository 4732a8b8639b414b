"""What a model proposed, checked: quotations against the transcript, patterns by the rules of `bench check`. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.checks.key import key_faults
from bench.checks.parts import KeyParts
from bench.checks.source import Asked
from bench.drafting.candidates import LONGEST_TEXT, Candidate, carried, is_carried
from bench.drafting.merge import carries
from bench.drafting.patterns import ways
from bench.drafting.words import Words, plain
from bench.grading.judge.quotes import verbatim
from bench.keys import Atom, By, Importance, Patterns, Stale, Tag
from bench.text import clip
from bench.transcripts.model import Message, Transcript

SHORTEST_QUOTE = 8
"""Characters: a shorter one stands anywhere."""
MOST_PATTERNS = 6

Fate = Literal["kept", "unsupported", "unusable"]
"""`unsupported`: no quotation stands in the transcript. `unusable`: no pattern carries it there, or not in form."""


class Evidence(Struct, frozen=True):
    message: int
    quote: str


class Proposed(Struct, frozen=True):
    """One atom as the model wrote it."""

    kind: Tag
    text: str
    evidence: tuple[Evidence, ...]
    importance: Importance = "okay"
    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    stale: tuple[Stale, ...] = ()


class Checked(Struct, frozen=True):
    """The atoms that stand, and how many of each fate there were; `repatterned` of those kept got our own patterns."""

    atoms: tuple[Atom, ...]
    fates: dict[Fate, int]
    repatterned: int


def read_proposals(text: str) -> tuple[list[Proposed], int] | None:
    """The atoms of a reply and how many were not in form; None where the reply holds no list of atoms at all."""
    first, last = text.find("{"), text.rfind("}")
    try:
        data = json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        return None
    listed = data.get("atoms") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        return None
    found = []
    for item in listed:
        try:
            found.append(msgspec.convert(item, Proposed))
        except msgspec.ValidationError:
            continue
    return found, len(listed) - len(found)


def checked(proposed: Iterable[Proposed], malformed: int, transcript: Transcript) -> Checked:
    """The proposals that the transcript bears out, as drafted atoms under ids of their own."""
    words = Words(transcript)
    sources = [Asked(m.text) for m in transcript.messages]
    fates: Counter[Fate] = Counter({"unusable": malformed})
    atoms: list[Atom] = []
    repatterned = 0
    for one in proposed:
        at = _quoted_at(one.evidence, transcript.messages)
        if not at or not one.text.strip():
            fates["unsupported"] += 1
            continue
        atom, own = _usable(one, at, words, transcript, sources)
        fates["unusable" if atom is None else "kept"] += 1
        if atom is not None:
            repatterned += not own
            atoms.append(replace(atom, id=f"m{len(atoms) + 1:03}"))
    return Checked(tuple(atoms), dict(fates), repatterned)


def _quoted_at(evidence: Sequence[Evidence], messages: Sequence[Message]) -> tuple[int, ...]:
    """The messages that hold the quotations; one that stands in a single other message is taken to be from there."""
    found = set()
    for one in evidence:
        if len(one.quote.strip()) < SHORTEST_QUOTE:
            continue
        if 0 <= one.message < len(messages) and verbatim(one.quote, messages[one.message].text):
            found.add(one.message)
            continue
        others = [i for i, m in enumerate(messages) if verbatim(one.quote, m.text)]
        found.update(others if len(others) == 1 else ())
    return tuple(sorted(found))


def _usable(
    one: Proposed, at: tuple[int, ...], words: Words, transcript: Transcript, sources: Sequence[Asked]
) -> tuple[Atom | None, bool]:
    """The atom with patterns that hold, the model's or ours, and whether they are the model's; None without any."""
    author = transcript.messages[at[0]].author
    by: By = "user" if author == "person" else "assistant" if author == "assistant" else "tool"
    text = clip(plain(one.text), LONGEST_TEXT)
    candidate = Candidate(one.kind, text, one.importance, by, at, Patterns(one.all[:MOST_PATTERNS], one.any))
    own = candidate.accept and is_carried(candidate, transcript) and _holds(candidate.atom("m"), sources)
    if not own:
        tried = (p for i in at for p in ways(words, text, i))
        refound = carried(candidate, tried, transcript)
        if refound is None or not _holds(refound.atom("m"), sources):
            return None, False
        candidate = refound
    atom = candidate.atom("m")
    stale = tuple(s for s in one.stale if _is_stale(s, atom, sources))
    return replace(atom, stale=stale), bool(own)


def _holds(atom: Atom, sources: Sequence[Asked]) -> bool:
    """Whether the atom keeps the rules of a key, and its own text carries it: a handoff may say just that."""
    return not _faults(atom, sources) and carries(atom.text, atom)


def _is_stale(stale: Stale, atom: Atom, sources: Sequence[Asked]) -> bool:
    """Whether an older value may stand in the key: it was said before it was changed, and the text does not say it."""
    tried = replace(atom, stale=(stale,))
    if _faults(tried, sources):
        return False
    part = replace(atom, accept=Patterns(all=(stale.match,)), stale=())
    return any(carries(source.text, part) for source in sources[: stale.until])


def _faults(atom: Atom, sources: Sequence[Asked]) -> bool:
    parts = KeyParts(path=Path("key.yaml"), lines={}, atoms=((0, atom),), nevers=(), faults=())
    return any(True for _ in key_faults(parts, sources))
