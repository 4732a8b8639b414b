"""What one output, one arm and one way of grading are: the columns that every analysis groups by.

One owner, so that recall, spread, cost and counts can never disagree about what a replicate is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.groups import groups_of
from bench.errors import BenchError
from bench.rows import GRADED

if TYPE_CHECKING:
    import pandas as pd

SERIES = ["arm", "model", "chain_step", "stale_by"]
"""What is compared: an arm asked of a model, at one step of a chain and one staleness."""
OUTPUT = ["fixture", *SERIES, "replicate"]
"""One output: a replicate of a series on a fixture."""
GRADING = ["grader", "scope"]
"""One way of grading. No aggregate ever mixes two of them."""

NO_MODEL = "none"
"""The model of arms that ask none."""

CEILING = ("full",)
"""Kinds that hold the transcript itself: they carry every atom by construction."""
CONTROLS = ("full", "nothing", "tail")
"""Kinds that are there to compare with: the ceiling, the floor, and what a plain tail of the same size would carry."""

NO_CHOICE = ("full", "nothing")
"""Kinds that are on no frontier: the whole transcript is no compaction, an empty handoff no handoff."""


def named(table: pd.DataFrame) -> pd.DataFrame:
    """`table` with a column `name`: the arm, and its model, step or staleness where the table holds several of them."""
    name = table["arm"].astype("string")
    asked = table.loc[table["model"] != NO_MODEL, "model"]
    if asked.nunique() > 1:
        name = name.where(table["model"] == NO_MODEL, name + " · " + table["model"])
    for column, words in (("chain_step", " · step "), ("stale_by", " · stale by ")):
        if table[column].nunique() > 1:
            name = name + words + table[column].astype("string")
    return table.assign(name=name)


def rankable(table: pd.DataFrame, outputs: pd.DataFrame, *, with_truncated: bool = False) -> pd.DataFrame:
    """The lines of `table` (grades, inventions) whose output is a whole handoff; truncated ones only when asked."""
    import pandas as pd

    wanted = GRADED if with_truncated else ("handoff",)
    whole = outputs.loc[outputs["outcome"].isin(wanted), OUTPUT]
    groups = groups_of(table, OUTPUT)
    there = pd.MultiIndex.from_frame(table.iloc[groups.first][OUTPUT]).isin(pd.MultiIndex.from_frame(whole))
    chosen = np.append(there, False)[groups.of]  # a line without an output has the group -1
    return (table if chosen.all() else table[chosen]).reset_index(drop=True)


def checked_grades(grades: pd.DataFrame) -> pd.DataFrame:
    """`grades` if every fixture was graded with one key and one version of each grader.

    Raises BenchError otherwise: verdicts against two keys are no replicates of each other.
    """
    for what, column in (("answer keys", "key_sha256"), ("versions of the grader", "grader_sha256")):
        kinds = grades[[*GRADING, "fixture", column]].drop_duplicates()
        counts = kinds.groupby([*GRADING, "fixture"], observed=True)[column].nunique()
        mixed = counts[counts > 1]
        if len(mixed):
            grader, scope, fixture = mixed.index[0]
            raise BenchError(
                f"fixture '{fixture}' was graded with {mixed.iloc[0]} {what} ({grader}, scope {scope});"
                " run 'bench grade' on this run to grade all of it alike"
            )
    return grades
