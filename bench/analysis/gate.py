"""An arm against the same arm of an earlier run: has its recall fallen below a limit, whichever runs are looked at?

The change of an arm is the mean over fixtures of mean(new replicates) - mean(old replicates), in points. The gate has
no interval yet, so the replicates themselves say how sure it is: taking one of each run on every fixture, the change
lies between `least` (mean over fixtures of worst new - best old) and `most` (best new - worst old). With a limit of -3:

- `fail` where most < -3: on whichever runs, the arm has fallen by more than 3 points;
- `pass` where least >= -3: on no choice of runs has it;
- `cannot tell` in between: the replicates do not agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.spread import POINTS
from bench.analysis.units import GRADING, NO_MODEL, SERIES
from bench.frames import records
from bench.words import signed

if TYPE_CHECKING:
    import pandas as pd

FAIL, PASS, CANNOT_TELL = "fail", "pass", "cannot tell"
DIGITS = 9
"""Points are rounded to these: a change of exactly -3 must not come out below it by the rounding of a float."""


def gate(new: pd.DataFrame, old: pd.DataFrame, fail_below: float | None = None) -> pd.DataFrame:
    """One line a way of grading and series of `new`: change, least, most (points), n, baseline_n (runs), fixtures,
    verdict (NA without a limit), why.

    Both are from `run_recall`, every output with a recall; a series that `old` does not have has no figures.
    """
    import pandas as pd

    keys = [*GRADING, *SERIES, "fixture"]
    both = _fixtures(new).merge(_fixtures(old), on=keys, how="left", suffixes=("", "_old"))
    both = both.assign(
        change=POINTS * (both["mean"] - both["mean_old"]),
        least=POINTS * (both["worst"] - both["best_old"]),
        most=POINTS * (both["best"] - both["worst_old"]),
    )
    table = (
        both.groupby([*GRADING, *SERIES], observed=True, sort=False)
        .agg(
            **{column: (column, "mean") for column in ("change", "least", "most")},
            n=("n", "sum"),
            baseline_n=("n_old", "sum"),
            fixtures=("fixture", "nunique"),
            fewest=("n", "min"),
            fewest_old=("n_old", "min"),
        )
        .reset_index()
    )
    table = table.assign(**{column: table[column].round(DIGITS) for column in ("change", "least", "most")})
    told = [_judged(line, fail_below) for line in records(table)]
    table["verdict"] = pd.Series([verdict for verdict, _ in told], dtype="string")
    table["why"] = pd.Series([why for _, why in told], dtype="string")
    return table.drop(columns=["fewest", "fewest_old"])


def _fixtures(runs: pd.DataFrame) -> pd.DataFrame:
    grouped = runs.groupby([*GRADING, *SERIES, "fixture"], observed=True, sort=False)["recall"]
    return grouped.agg(mean="mean", worst="min", best="max", n="count").reset_index()


def _judged(line: dict[str, object], fail_below: float | None) -> tuple[str | None, str]:
    """The verdict on one series, None without a limit, and why."""
    least, most = line["least"], line["most"]
    if not isinstance(least, float) or not isinstance(most, float):
        return None if fail_below is None else CANNOT_TELL, "the baseline has no such arm"
    between = f"between {signed(least)} and {signed(most)}"
    if fail_below is None:
        return None, between
    once = 1 in (line["fewest"], line["fewest_old"]) and line["model"] != NO_MODEL
    alone = "; one run a fixture: chance is not ruled out" if once else ""
    if most < fail_below:
        return FAIL, f"every replicate says so: {between}, all below {fail_below:g}{alone}"
    if least >= fail_below:
        return PASS, f"every replicate says so: {between}, none below {fail_below:g}{alone}"
    return CANNOT_TELL, f"replicates do not agree: {between}, and the limit is {fail_below:g}"
