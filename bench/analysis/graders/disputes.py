"""A person's disputes beside the verdicts that they are about. Pure frames in and out.

Disputes are chosen by someone who disagreed, so agreement with them is no estimate of how often a grader errs; a sheet
of all atoms (`bench grade RUN --human`) is. They are shown as a reading of their own, and change no verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import OUTPUT

if TYPE_CHECKING:
    import pandas as pd

READER = "disputes"
"""The name under which disputes stand among the graders."""
COLUMNS = [
    *OUTPUT, "scope", "atom", "verdict", "note", "quote", "at", "outdated",
    "grader", "grading_pass", "grader_verdict", "evidence", "agrees",
]  # fmt: skip


def beside_verdicts(disputes: pd.DataFrame, grades: pd.DataFrame) -> pd.DataFrame:
    """One line a dispute and verdict of the same atom, output and scope; one with NA where nothing graded it.

    `disputes` has a column for each field of a dispute (the last one of each atom). verdict: the person's;
    grader_verdict and evidence: the grader's; agrees: whether they are the same (NA without one); outdated: whether
    the output or the key has changed since.
    """
    on = [*OUTPUT, "scope", "atom"]
    theirs = grades[[*on, "grader", "grading_pass", "verdict", "evidence", "output_sha256", "key_sha256"]].rename(
        columns={"verdict": "grader_verdict", "output_sha256": "output_now", "key_sha256": "key_now"}
    )
    table = disputes.merge(theirs, on=on, how="left")
    changed = (table["output_now"] != table["output_sha256"]) | (table["key_now"] != table["key_sha256"])
    table = table.assign(
        agrees=(table["grader_verdict"] == table["verdict"]).astype("boolean"), outdated=changed.astype("boolean")
    )
    return table[COLUMNS].sort_values([*on, "grader", "grading_pass"], ignore_index=True)


def with_readings(grades: pd.DataFrame, disputes: pd.DataFrame) -> pd.DataFrame:
    """The grades, with a person's disputes as those of one more grader, READER, of one pass. Where the output has
    changed since, the dispute is left out."""
    import pandas as pd

    if disputes.empty:
        return grades
    on = [*OUTPUT, "scope", "atom", "output_sha256"]
    atoms = grades.drop_duplicates(on).drop(columns=["verdict", "evidence"])
    read = atoms.merge(disputes[[*on, "verdict"]], on=on)
    return pd.concat([grades, read.assign(grader=READER, grading_pass=1)[[*grades.columns.drop("evidence")]]])
