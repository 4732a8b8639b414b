"""Which of the candidates are drafted: none twice, none that is everywhere, and no kind at the cost of all others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from bench.drafting.candidates import Candidate
from bench.drafting.everywhere import everywhere, in_last_request
from bench.drafting.merge import carries, overlaps
from bench.transcripts.model import Transcript

SAME = 0.6
"""Share of the words of the shorter of two statements from which on the first stands for both."""
FEWEST_WORDS = 3
"""Content words that two statements must have for their share to say anything."""

SPARE = 10
"""Candidates looked at beyond those that there is room for, since some say what others say."""


@dataclass(frozen=True)
class Kind:
    """One kind of candidates, the best first."""

    candidates: Iterable[Candidate]
    most: int
    """As many as are drafted of it."""
    share: int = 0
    """As many as are taken of it in a round; none: all of it is taken before the rounds begin."""
    last: bool = False
    """Whether it is looked at only where the others leave room."""


@dataclass
class _Draft:
    """What was taken so far."""

    transcript: Transcript
    most: int
    taken: list[Candidate] = field(default_factory=list)

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Take those that ask for something new and are not everywhere, as long as there is room."""
        new = [c for c in candidates if self._is_new(c)]
        named = {f"c{n}": c for n, c in enumerate([*self.taken, *new])}
        atoms = [c.atom(id_) for id_, c in named.items()]
        asked: dict[str, set[str]] = defaultdict(set)
        for earlier, later in overlaps(atoms):
            asked[later.id].add(earlier.id)
        added = atoms[len(self.taken) :]
        known = {*everywhere(added, self.transcript), *in_last_request(added, self.transcript)}
        kept = set(list(named)[: len(self.taken)])
        for id_, candidate in list(named.items())[len(self.taken) :]:
            if id_ in known or asked[id_] & kept or self.is_full:
                continue
            if self._is_new(candidate) and not (candidate.slight and self._holds(candidate)):
                self.taken.append(candidate)
                kept.add(id_)

    def _is_new(self, candidate: Candidate) -> bool:
        """Whether nothing that was taken has its text or most of its words."""
        return not any(_same(candidate, c) for c in self.taken)

    def _holds(self, candidate: Candidate) -> bool:
        """Whether the text of one that was taken carries the candidate."""
        return any(carries(c.text, candidate.atom("c")) for c in self.taken)

    @property
    def is_full(self) -> bool:
        return len(self.taken) >= self.most


def choose(kinds: Sequence[Kind], transcript: Transcript, most: int) -> list[Candidate]:
    """At most so many candidates: all of the kinds without a share, then round by round of each kind its share."""
    draft = _Draft(transcript, most)
    draft.take(c for kind in kinds if not kind.share for c in islice(kind.candidates, kind.most))
    for last in (False, True):
        queue = _rounds([kind for kind in kinds if kind.share and kind.last is last])
        # by as many as there is room for, since looking at all messages is what takes the time
        while not draft.is_full and (some := list(islice(queue, most - len(draft.taken) + SPARE))):
            draft.take(some)
    return draft.taken


def _rounds(kinds: Sequence[Kind]) -> Iterator[Candidate]:
    """The candidates of several kinds, round by round of each its share."""
    left = [(kind.share, islice(kind.candidates, kind.most)) for kind in kinds]
    while left:
        taken = [(share, own, list(islice(own, share))) for share, own in left]
        yield from (c for _, _, some in taken for c in some)
        left = [(share, own) for share, own, some in taken if some]


def _same(candidate: Candidate, other: Candidate) -> bool:
    if candidate.text == other.text:
        return True
    words, others = candidate.words_said, other.words_said
    fewer = min(len(words), len(others))
    return fewer >= FEWEST_WORDS and len(words & others) >= SAME * fewer
