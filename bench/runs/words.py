"""Tables in words for people: points with one decimal, costs without exponents, a dash for what is not known.

One atom of 82 is 1.2 points of a run's recall: more than one decimal would be a promise nobody can keep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from bench.frames import records
from bench.text import ABSENT, Figure

if TYPE_CHECKING:
    import pandas as pd

ARMS = (
    "arm", "kind", "model", "chain_step", "stale_by", "n", "fixtures", "missing", "recall", "recall_low", "recall_high",
    "spread", "worst", "best", "vital_recall", "stale", "wrong", "invented", "handoff_tokens", "usd_write", "usd_carry",
    "usd_per_carried", "recall_least", "recall_most", "not_handoff",
)  # fmt: skip
"""Columns of the arm table on a page, which may be wide."""
COMPARED = (
    "name", "recall", "recall_low", "recall_high", "n", "of", "spread", "worst_at", "difference", "low", "high",
    "sees", "least", "most",
)  # fmt: skip
FIRST_LOSSES = (
    "arm", "model", "stale_by", "compactions", "at_risk", "losses", "survival", "se", "stay", "came_back", "reappeared",
)  # fmt: skip
FIRST_LOSSES_SAY = (
    "survival: % of the atoms never lost so far (Kaplan-Meier), SE after Greenwood, of these runs alone; partial stays",
    "stays, comes back: % from one compaction to the next; reappeared: atoms of the arm that came back at all; where"
    " many do, first losses are slips of the grader: read recall",
)
LOST = ("fixture", "atom", "tag", "importance", "text", "runs", "arms")
LEGENDS = (
    "recall, spread, worst, best, vital: points of 100; stale, wrong: % of the atoms; invented: things a handoff",
    "from, to: the 95 % interval of an arm's recall alone; two arms are told apart by their difference",
    "tokens: characters / 4; USD: a handoff, or an atom that it carries, at API list prices",
)
BY_LEGENDS = {
    "tag": "recall in points of 100, by the kind of fact that an atom is",
    "speaker": "recall in points of 100, by who established the fact",
    "distance": "recall in points of 100, by tokens (characters / 4) after the last message that establishes the fact",
    "times-said": "recall in points of 100, by how many messages establish the fact",
    "distractors": "recall in points of 100, by how many near misses of the fact stand in the transcript",
    "step": "recall in points of 100, at each step of the chain, of the atoms of each earlier stretch",
}
"""What a table by a property of the atoms shows, under it."""


class Word(NamedTuple):
    """How a column is said: its heading, and a value in words."""

    heading: str
    told: Callable[[float], str]


def points(recall: float) -> str:
    """A recall of 0..1 in points: 0.7317 is 73.2."""
    return f"{100 * recall:.1f}"


def usd(value: float) -> str:
    """USD in cents from 1 on, below with three significant digits, never with an exponent: 1.50, 0.0000123, 0."""
    return f"{value:,.2f}" if value >= 1 else f"{Decimal(f'{value:.3g}'):f}"


def signed(value: float) -> str:
    """Points with their sign: +6.2, -1.0, 0.0."""
    return f"{value:+.1f}" if round(value, 1) else "0.0"


def whole(value: float) -> str:
    return f"{value:,.0f}"


WORDS: dict[str, Word] = {
    "chain_step": Word("step", whole),
    "stale_by": Word("stale by", whole),
    "n": Word("n", whole),
    "fixtures": Word("fixtures", whole),
    "missing": Word("missing", whole),
    "recall": Word("recall", points),
    "survival": Word("survival", points),
    "se": Word("SE", points),
    "stay": Word("stays", points),
    "came_back": Word("comes back", points),
    "spread": Word("spread", lambda value: f"{value:.1f}"),
    "worst": Word("worst", points),
    "best": Word("best", points),
    "vital_recall": Word("vital", points),
    "stale": Word("stale", points),
    "wrong": Word("wrong", points),
    "invented": Word("invented", lambda value: f"{value:.2f}".removesuffix(".00")),
    "handoff_tokens": Word("tokens", whole),
    "usd_write": Word("USD to write", usd),
    "usd_carry": Word("USD to carry", usd),
    "usd_per_carried": Word("USD an atom", usd),
    "usd_per_carried_low": Word("95 % from", usd),
    "usd_per_carried_high": Word("to", usd),
    "difference": Word("difference", signed),
    "low": Word("95 % from", signed),
    "high": Word("to ", signed),
    "recall_low": Word("from", points),
    "recall_high": Word("to", points),
    "worst_at": Word("worst of n", points),
    "recall_least": Word("at least", points),
    "recall_most": Word("at most", points),
    "least": Word("at least", signed),
    "most": Word("at most", signed),
    "sees": Word("sees", lambda value: f"{value:.1f}" if value <= 100 else "nothing"),
}
HEADINGS = {"name": "arm", "not_handoff": "not handoff", "asked": "model", "of": "fixtures"}
ONLY_WHERE_IT_VARIES = ("chain_step", "stale_by", "asked", "of")
ONLY_WITH_GAPS = ("recall_least", "recall_most")
ONLY_WHERE_ANY = ("missing", "least", "most")
ONLY_WHERE_KNOWN = (
    "recall_low", "recall_high", "spread", "worst_at", "vital_recall", "low", "high", "sees", "usd_per_carried",
    "usd_per_carried_low", "usd_per_carried_high",
)  # fmt: skip


def in_words(table: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, object]]:
    """The table's lines for people: heading -> words. Columns that would say the same everywhere are left out."""
    columns = [
        c
        for c in columns
        if c in table
        and not (c in ONLY_WHERE_IT_VARIES and table[c].nunique() < 2)
        and not (c in ONLY_WHERE_KNOWN and table[c].isna().all())
        and not (c in ONLY_WHERE_ANY and not table[c].fillna(0).any())
        and not (c in ONLY_WITH_GAPS and not table["gaps"].fillna(0).any())
    ]
    return [{_heading(c): _told(c, line[c]) for c in columns} for line in records(table[columns])]


MEASURES = {
    "output_tokens": ("output tokens", whole),
    "seconds": ("seconds", lambda value: f"{value:,.1f}"),
    "usd_write": ("USD to write", usd),
    "usd_per_carried": ("USD an atom", usd),
}
"""Measure of `measure_table` -> what it is called, and a value in words."""


def measured(table: pd.DataFrame) -> list[dict[str, object]]:
    """The lines of `bench.measures` for people: what arms take; no measure that is told as 0, or unknown, for all."""
    told = []
    for measure, (title, words) in MEASURES.items():
        lines = records(table[table["measure"] == measure])
        figures = [v for line in lines for v in (line["mean"], line["worst"]) if isinstance(v, float)]
        if any(words(v) != words(0.0) for v in figures):
            told += [_measured(line, title, words) for line in lines]
    return told


def _measured(line: dict[str, object], title: str, words: Callable[[float], str]) -> dict[str, object]:
    def signed_words(value: float) -> str:
        told = words(abs(value))
        return told if told == words(0.0) else f"{'+' if value > 0 else '-'}{told}"

    own = {c: _figure(line[c], words) for c in ("mean", "spread", "worst")}
    ends = {heading: _figure(line[c], words) for heading, c in (("from", "low"), ("to", "high"))}
    apart = ("difference", "difference_low", "difference_high")
    headings = ("difference", "95 % from", "to ")
    difference = {h: _figure(line[c], signed_words) for h, c in zip(headings, apart, strict=True)}
    return {"measure": title, "arm": line["name"], "n": line["n"], "mean": own.pop("mean"), **ends, **own, **difference}


def said(lines: list[dict[str, object]]) -> list[dict[str, object]]:
    """The lines without the columns of which nothing is known in any of them."""
    known = [h for h in (lines[0] if lines else ()) if any(line[h] not in (None, ABSENT) for line in lines)]
    return [{h: line[h] for h in known} for line in lines]


def matrix(table: pd.DataFrame, row: str, value: str = "recall", *, sort: bool = True) -> list[dict[str, object]]:
    """Lines of `row` (a tag, say) by arm: its atoms, "2 to 3" where arms differ in them, and each arm's `value` in
    words; in the table's order where not sorted."""
    names = list(dict.fromkeys(table["name"]))
    wide = table.pivot_table(index=row, columns="name", values=value, aggfunc="first", dropna=False, sort=sort)
    told = WORDS[value].told
    atoms = {str(key): _range(part["atoms"]) for key, part in table.groupby(row, sort=False)}
    return [
        {row: line[row], "atoms": atoms[str(line[row])], **{name: _figure(line.get(name), told) for name in names}}
        for line in records(wide.reset_index())
    ]


def _range(counts: pd.Series) -> Figure:
    return Figure(" to ".join(dict.fromkeys(f"{n}" for n in (counts.min(), counts.max()))))


def spread_of(table: pd.DataFrame) -> list[str]:
    """What the spread column is; nothing where no arm has one."""
    known = table["spread_of"].dropna()
    return [f"spread: best - worst of {int(m)} runs of a fixture, mean over fixtures" for m in known.unique()]


def _heading(column: str) -> str:
    return WORDS[column].heading if column in WORDS else HEADINGS.get(column, column)


def _told(column: str, value: object) -> object:
    if column in WORDS:
        return _figure(value, WORDS[column].told)
    return "" if value is None and column == "not_handoff" else value


def _figure(value: object, told: Callable[[float], str]) -> Figure:
    return Figure(told(value) if isinstance(value, int | float) else ABSENT)
