"""What a text denies: "Redis was not ruled out" does not say that Redis was ruled out.

The rules, over folded text:

1. A *cue* is a grammatical negation: not, n't, no, never, cannot, without, neither, nor, nobody, nothing, "none of".
   "Not only", "no doubt", "no more than", "not exceed" and the like deny nothing; nor does `--no-verify` or "No. 5".
2. A cue denies what follows it in its clause: up to SCOPE_WORDS words, not past a sign that ends a clause (, ; : . ! ?
   brackets, dashes), a word that begins another (but, and, because, so, …), or a new list item, heading or paragraph.
   Two commas right after the cue are an aside: "do not, at any time, use Redis".
3. A hit is *denied* where it begins in that stretch, or where a cue stands inside it and reaches its end.
4. A pattern that itself holds a negation ('not (use|want)', 'no redis', 'don.?t') means the cue that it matches. Such a
   cue denies nothing else of its pattern set either: "do not use Redis" carries all of ['redis'], any of ['not use'].
5. A pattern that stands alone (stale, wrong, never) states something by itself. It is denied too as the subject of a
   negated verb ("Kubernetes is not used") and after "instead of" or "rather than". In an accept the subject is the
   topic, and what is said about it carries the statement; so these two do not apply there.

Only English is read. A negation in another language is not seen; its keys should hold it in their patterns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import re2

from bench.grading.fold import Folded, fold

SCOPE_WORDS = 6
"""Words after a cue that it can deny: the reach that clinical negation rules (NegEx) settled on."""
SUBJECT_WORDS = 3
"""Most words between a lone hit and the negated verb whose subject it is."""
_FAR = 400
"""Bytes: no cue reaches further; bounds the look back from a hit."""

_AUX = r"(?:is|are|was|were|be|been|has|have|had|do|does|did|will|would|can|could|should|shall|may|might|must|need)"
_NT = r"(?:[a-z]+n't|(?:do|does|did|is|are|was|were|has|have|had|wo|ca|could|would|should|must)nt)"
_CLAUSE_WORDS = (
    "but and however although though because since so therefore except unless while whereas which who then hence"
)
_FIRM = rf"not|never|cannot|{_NT}"
_MILD = "no|nor|neither|nobody|nothing|none|without"
_CONTRAST = "instead of|rather than"
_LIKELY = re2.compile(rf"\b(?:{_FIRM}|{_MILD}|{_CONTRAST})\b")
"""The words of a cue, found by RE2 in a tenth of the time that `re` takes; what stands around them is asked then."""
_CUE = re.compile(
    rf"(?<![\w$@/.-])(?:(?P<firm>{_FIRM})|(?P<contrast>{_CONTRAST})|(?:{_MILD}))(?![\w/=-])"
    r"(?<!\bno(?=\. ?\d))(?<!\bnone(?! of ))".encode()
)
_HOLLOW = re.compile(
    rb" (?:(?:only|just|merely|simply|necessarily|least|null|doubt|matter|wonder|to mention|other than)\b"
    rb"|(?:more|less|fewer|later|earlier|longer|higher|lower|greater|further) than\b|(?:to )?exceed)"
)
"""What after a cue makes it deny nothing."""
_WHETHER = re.compile(rb"\b(?:whether or|if) $")
_ASIDE = re.compile(rb", [^,.;:!?]{1,60},")
_WORD = re.compile(rb" ([^ ]+)")
_ENDS = re.compile(r"""[.,;:!?)\]]+["']*$|—|\|""".encode())
_BEGINS = frozenset(_CLAUSE_WORDS.encode().split()) | {b"-", b"--", b"*", b"|", b"->", b"=>"}
_SUBJECT = re.compile(
    rf"[\w-]*(?: (?!(?:{_CLAUSE_WORDS.replace(' ', '|')})\b)[\w'/.-]+(?<!\.)){{0,{SUBJECT_WORDS}}}"
    rf" (?:{_AUX}(?: \w+)? (?:not|never|no longer)|{_NT}|cannot|never)\b".encode()
)
_IN_PATTERN = re.compile(
    rf"(?<![a-z])(?:not|no|never|cannot|nor|neither|nobody|nothing|none|without|instead|rather|{_NT}|n't|nt)(?![a-z])"
)


@dataclass(frozen=True)
class Cue:
    """One negation: where it stands, and up to where it denies. Byte offsets into the folded text."""

    start: int
    end: int
    reach: int
    contrast: bool = False
    """"instead of", "rather than": denies only hits of patterns that stand alone."""


class Reading:
    """A folded text with its negations, found when first asked for."""

    def __init__(self, text: str) -> None:
        self.folded: Folded = fold(text)
        self.data: bytes = self.folded.data

    @cached_property
    def cues(self) -> tuple[Cue, ...]:
        return tuple(_cues(self.folded))

    @cached_property
    def _cue_starts(self) -> list[int]:
        return [c.start for c in self.cues]

    def cues_in(self, start: int, end: int) -> list[Cue]:
        """The cues that overlap data[start:end]."""
        return [c for c in self._near(start, end) if c.end > start]

    def denied(self, start: int, end: int, *, held: frozenset[Cue] = frozenset(), alone: bool = False) -> bool:
        """Whether the hit at data[start:end] is denied; `held` cues are meant by the pattern set and deny nothing."""
        if self.denier(start, end, held=held, alone=alone):
            return True
        return alone and bool(_SUBJECT.match(self.data, end))

    def denier(self, start: int, end: int, *, held: frozenset[Cue] = frozenset(), alone: bool = False) -> Cue | None:
        """The first cue that denies the hit at data[start:end]."""
        for cue in self._near(start, end):
            if cue in held or (cue.contrast and not alone):
                continue
            if cue.end <= start < cue.reach or (cue.end > start and cue.reach >= end):
                return cue
        return None

    def _near(self, start: int, end: int) -> list[Cue]:
        first = bisect_right(self._cue_starts, start - _FAR)
        return list(self.cues[first : bisect_right(self._cue_starts, end - 1)])


def holds_negation(pattern: str) -> bool:
    """Whether a pattern's own words hold a negation: 'not (use|want)', 'don.?t', '\\bno\\b', 'rather than'."""
    words = re.sub(r"\\[bBsSdDwWAzQE]", " ", pattern.lower())
    words = re.sub(r"n(?:'|’|\.|\[[^\]]*\])[?*]?t(?![a-z])", "n't", words)
    return bool(_IN_PATTERN.search(words))


def _cues(folded: Folded) -> list[Cue]:
    data = folded.data
    found = []
    for likely in _LIKELY.finditer(data):
        cue = _CUE.match(data, likely.start())
        if cue is None:
            continue
        start, end = cue.span()
        if _HOLLOW.match(data, end) or _WHETHER.search(data, max(0, start - 12), start):
            continue
        aside = _ASIDE.match(data, end) if cue["firm"] else None
        reach = min(_reach(folded, aside.end() if aside else end), start + _FAR)
        found.append(Cue(start, end, reach, cue["contrast"] is not None))
    return found


def _reach(folded: Folded, at: int) -> int:
    """Where the stretch that a cue denies ends: SCOPE_WORDS words from `at`, or the end of the clause."""
    for _ in range(SCOPE_WORDS):
        word = _WORD.match(folded.data, at)
        if not word or word.start(1) in folded.blocks or word[1] in _BEGINS or word[1][:1] in b"([":
            break
        ends = _ENDS.search(word[1])
        if ends:
            return word.start(1) + ends.start()
        at = word.end()
    return at
