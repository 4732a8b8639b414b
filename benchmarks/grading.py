"""Lexical grading: verdicts a second, against the same patterns searched by `re` with IGNORECASE in the same run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from bench.grading.lexical import grade
from bench.keys import Key
from benchmarks.line import Line, exceeding
from benchmarks.made import SEED, answer_key, handoff
from benchmarks.measure import best

ATOMS = 82
OUTPUTS = 100
CHARS = 8_000
ROUNDS = 3
LEAST_RATIO = 10_000 / 3_100
"""10,000 verdicts a second, on a machine where `re` gives 3,100."""


def run(size: float = 1.0) -> list[Line]:
    """Atom verdicts a second of CPU; `re` searches whole texts for patterns and knows neither passage nor negation."""
    rng = Random(SEED)
    key = answer_key(rng, ATOMS)
    outputs = [handoff(rng, key, CHARS) for _ in range(max(1, round(OUTPUTS * size)))]
    verdicts = ATOMS * len(outputs)
    ours = best(ROUNDS, lambda: [grade(text, key) for text in outputs])
    peer = best(ROUNDS, lambda: _with_re(key, outputs))
    what = f"{verdicts:,} verdicts of 4 patterns on {CHARS / 1000:.0f} KB outputs, CPU"
    note = f"the target is 10,000/s where re gives 3,100; here it gives {verdicts / peer.cpu_s:,.0f}"
    return [exceeding(LEAST_RATIO, verdicts / ours.cpu_s, verdicts / peer.cpu_s, "re", "/s", what, ours, note)]


def _with_re(key: Key, outputs: Sequence[str]) -> int:
    """Atoms carried, by the standard library."""
    compiled = [
        (
            [re.compile(p, re.IGNORECASE) for p in atom.accept.all],
            [re.compile(p, re.IGNORECASE) for p in atom.accept.any],
        )
        for atom in key.atoms
    ]
    return sum(
        all(p.search(text) for p in every) and any(p.search(text) for p in some)
        for text in outputs
        for every, some in compiled
    )
