"""What a run's comparison comes to, as the page begins: a sentence on the whole, then one an arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.comparing.compare import cannot_be_said
from bench.analysis.units import CONTROLS, SERIES
from bench.frames import records
from bench.runs.conclusion import CANNOT_TELL
from bench.runs.view import Grading
from bench.runs.words import points

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Verdict:
    """One arm against the first: the sentence, cut after its first part."""

    name: str
    said: str
    more: str
    found: bool


@dataclass(frozen=True)
class Verdicts:
    """Of one way of grading: who is held against whom, how it went over all, each arm, and what cannot be said."""

    grading: Grading
    first: str
    whole: str
    arms: Sequence[Verdict]
    limits: Sequence[str]


def verdicts(
    table: pd.DataFrame,
    grading: Grading,
    series: Mapping[tuple[object, ...], str],
    kinds: Mapping[str, str],
    dropped: Sequence[str] = (),
) -> Verdicts:
    """The verdicts of `table`, the run's `compare` by that way of grading.

    `series` maps a series to its name on the page, `kinds` that to its kind; `dropped` tells of arms without a line.
    """
    first, *others = records(table)
    for line in (first, *others):
        line["name"] = series[tuple(line[column] for column in SERIES)]
    arms = [_verdict(line) for line in others if line["verdict"] is not None]
    return Verdicts(grading, str(first["name"]), _whole(first, others, kinds), arms, [*dropped, *cannot_be_said(table)])


def _verdict(line: Mapping[str, object]) -> Verdict:
    said, _, more = str(line["verdict"]).partition("; ")
    return Verdict(str(line["name"]), said, more, _is_told_apart(line))


def _is_told_apart(line: Mapping[str, object]) -> bool:
    return not str(line["verdict"]).startswith(CANNOT_TELL)


def _whole(first: Mapping[str, object], others: Sequence[Mapping[str, object]], kinds: Mapping[str, str]) -> str:
    """`inventory carries 79.4 points of 100. Of 6 other arms, controls aside, 1 carries more, …`."""
    recall = first["recall"]
    told = f"{first['name']} carries {points(recall)} points of 100." if isinstance(recall, float) else ""
    rivals = [line for line in others if line["verdict"] is not None and kinds[str(line["name"])] not in CONTROLS]
    apart = [line for line in rivals if line["difference"] and _is_told_apart(line)]
    found = [line["difference"] for line in apart]
    more = sum(isinstance(d, float) and d > 0 for d in found)
    counts = ((more, "more"), (len(found) - more, "fewer"))
    parts = [f"{n} {'carries' if n == 1 else 'carry'} {which}" for n, which in counts if n]
    open_ = len(rivals) - len(found)
    if open_:
        parts.append(f"{open_} cannot be told apart from it")
    if not rivals:
        return told
    of = f"Of {len(rivals)} other arms" if len(rivals) > 1 else "Of the one other arm"
    facts = "" if all(line["found"] is True for line in apart) else " on these facts"
    return f"{told} {of}, controls aside, {', '.join(parts)}{facts}."
