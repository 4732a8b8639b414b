"""The arm table in a terminal: what arms carry, what that takes and what is missing, each at most 100 columns wide.

With short names, that is; a long one takes what it takes. `--json` and `--to` have every column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.level import LIKE_THESE
from bench.analysis.units import NO_MODEL, SERIES
from bench.frames import records
from bench.runs.words import in_words, points

if TYPE_CHECKING:
    import pandas as pd

Lines = list[dict[str, object]]

CARRIED = (
    "arm", "asked", "chain_step", "stale_by", "n", "of", "recall", "recall_low", "recall_high", "spread", "worst",
    "vital_recall", "stale", "wrong", "invented",
)  # fmt: skip
TAKEN = (
    "arm", "model", "chain_step", "stale_by", "handoff_tokens", "usd_write", "usd_carry", "usd_per_carried",
    "usd_per_carried_low", "usd_per_carried_high",
)  # fmt: skip
LACKING = (
    "arm", "asked", "chain_step", "stale_by", "cells", "missing", "recall_least", "recall_most", "not_handoff",
)  # fmt: skip
PRICES = "USD at API list prices"
LEGENDS = (
    "recall, spread, worst, vital: points of 100; stale, wrong: % of the atoms; invented: things a handoff",
    "tokens: characters / 4; to write, to carry: a handoff; an atom: all that was paid to write / all that was carried",
)


def arm_tables(title: str, name: str, part: pd.DataFrame) -> list[tuple[str, Lines]]:
    """The tables of the lines of an arm table that are of one way of grading; `name` begins the title of the second and
    the third."""
    told = part.assign(of=part["fixtures"], asked=part["model"].mask(part["model"] == NO_MODEL))
    taken = [{h.removeprefix("USD "): v for h, v in line.items()} for line in in_words(told, TAKEN)]
    tables = [(title, in_words(told, CARRIED)), (f"{name}: what a handoff takes, {PRICES}", taken)]
    open_ = told["not_handoff"].notna() | (told["gaps"].fillna(0) > 0) | (told["missing"].fillna(0) > 0)
    lacking = told[open_]
    return [*tables, (f"{name}: what is missing", in_words(lacking, LACKING))] if len(lacking) else tables


def arm_notes(frame: pd.DataFrame) -> list[str]:
    """What is to be known of the columns of such tables."""
    counts = frame.loc[frame["n"] > 0, "fixtures"].unique()
    notes = list(LEGENDS)
    if len(counts) == 1:
        n = int(counts[0])
        notes.append(f"n: handoffs with a recall, over {n} fixture{'s' * (n != 1)}")
    graded = frame[frame["recall"].notna()]
    unseen = [column for column in ("stale", "wrong", "invented") if graded[column].isna().any()]
    if unseen:
        notes.append(f"— under {', '.join(unseen)}: none could be seen; the lexical grader needs patterns in the key")
    if frame["recall_low"].notna().any():
        notes.append("from, to: the 95 % interval of an arm alone; two arms are told apart by 'bench compare'")
    if frame["usd_per_carried_low"].notna().any():
        over = (frame["usd_per_carried_target"] == LIKE_THESE).any()
        notes.append(f"95 % from, to: the interval of the cost of an atom, over {'fixtures' if over else 'runs'}")
    return [*notes, *_without_interval(frame), *_alone(frame)]


def _without_interval(frame: pd.DataFrame) -> list[str]:
    """Why the cost of an atom has no interval, of the arms that have such a cost."""
    paid = frame[(frame["usd_per_carried"] > 0).fillna(False) & frame["usd_per_carried_no_interval"].notna()]
    return [
        f"an atom, no interval for {', '.join(dict.fromkeys(map(str, part['arm'])))}: {why}"
        for why, part in paid.groupby("usd_per_carried_no_interval", sort=False)
    ]


def _alone(frame: pd.DataFrame) -> list[str]:
    """Of arms with one run in all and no other interval, what their atoms alone leave open."""
    alone = frame[frame["atoms_low"].notna() & frame["recall_low"].isna()].drop_duplicates(SERIES)
    told = [
        f"{line['arm']} {points(low)} to {points(high)}"
        for line in records(alone)
        if isinstance(low := line["atoms_low"], float) and isinstance(high := line["atoms_high"], float)
    ]
    if not told:
        return []
    return [f"one run in all, 95 % by its atoms alone (how runs vary is not in it): {', '.join(told)}"]
