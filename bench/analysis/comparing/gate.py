"""An arm against the same arm of an earlier run: has its recall fallen below a limit, as far as its interval can tell?

The two runs are a pair (`pairs`: same fixtures, same atoms), and the change has the interval that `bench compare` gives
a difference: from two fixtures on over fixtures (`over_fixtures`, transcripts like these), with one over runs
(`over_runs`, these facts). With a limit of -3:

- `fail` where the upper end is below -3: the arm has fallen by more than 3 points;
- `pass` where the lower end is not below -3: it has not;
- `cannot tell` where the limit lies inside, or there is no interval (one run on one fixture, say).

Where neither side varies, an arm without a model under the lexical grader, the change on these facts is exact, and it
alone decides. Intervals are 95 % each, not corrected for the number of arms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.level import LIKE_THESE, SAME_KEY
from bench.analysis.arms.spread import POINTS
from bench.analysis.comparing.pairs import pairs
from bench.analysis.credited import credited
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.over_runs import Pair, over_runs
from bench.analysis.units import GRADING, OUTPUT, SERIES
from bench.runs.words import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

FAIL, PASS, CANNOT_TELL = "fail", "pass", "cannot tell"
DIGITS = 9
"""Points are rounded to these: a change of exactly -3 must not come out below it by the rounding of a float."""
FIGURES = ["change", "low", "high", "these_low", "these_high"]
COUNTS = ["n", "baseline_n", "fixtures"]
WORDS = ["target", "verdict", "why"]


def gate(new: pd.DataFrame, old: pd.DataFrame, fail_below: float | None = None) -> pd.DataFrame:
    """One line a way of grading and series of `new`: change, low and high, these_low and these_high (those over runs;
    all points), n, baseline_n (runs), fixtures, target, verdict (NA without a limit), why.

    Both are grades, of ranked outputs only; a series that `old` does not have has no figures.
    """
    import pandas as pd

    keys = [*GRADING, *SERIES]
    earlier = dict(iter(old.groupby(keys, observed=True)))
    lines = []
    for key, table in new.groupby(keys, observed=True, sort=False):
        before = earlier.get(key, old.head(0))
        found = _line(table, before) if len(before) else {}
        verdict, why = _judged(found, fail_below)
        lines.append({**dict(zip(keys, key, strict=True)), **found, "verdict": verdict, "why": why})
    table = pd.DataFrame(lines, columns=[*keys, *FIGURES, *COUNTS, "exact", "no_interval", *WORDS])
    dtypes = dict.fromkeys(FIGURES, "Float64") | dict.fromkeys(COUNTS, "Int64") | dict.fromkeys(WORDS, "string")
    return table.astype(dtypes).drop(columns=["exact", "no_interval"])


def _line(new: pd.DataFrame, old: pd.DataFrame) -> dict[str, object]:
    """Everything about one change, in points."""
    fixtures = pairs(credited(old), credited(new)).fixtures
    these = over_runs(fixtures)
    across = len(fixtures) > 1
    exact = bool(fixtures) and _same_each_time(fixtures)
    main = over_fixtures([p.difference for p in fixtures]) if across else these
    return {
        "change": _points(main.difference),
        "low": _points(main.low), "high": _points(main.high),
        "these_low": _points(these.low), "these_high": _points(these.high),
        "n": len(new[OUTPUT].drop_duplicates()), "baseline_n": len(old[OUTPUT].drop_duplicates()),
        "fixtures": len(fixtures), "exact": exact, "no_interval": main.why,
        "target": SAME_KEY if exact or not across else LIKE_THESE,
    }  # fmt: skip


def _same_each_time(fixtures: Sequence[Pair]) -> bool:
    return all(side.sure for pair in fixtures for side in (pair.base, pair.other))


def _points(recall: float | None) -> float | None:
    """In points, cut at what two recalls can differ by."""
    return None if recall is None else round(POINTS * max(-1.0, min(1.0, recall)), DIGITS)


def _judged(line: dict[str, object], fail_below: float | None) -> tuple[str | None, str]:
    """The verdict on one series, None without a limit, and why."""
    change, low, high = line.get("change"), line.get("low"), line.get("high")
    if not isinstance(change, float):
        why = str(line["no_interval"]) if line else "the baseline has no such arm"
        return None if fail_below is None else CANNOT_TELL, why
    if line["exact"]:
        told = f"exact on {SAME_KEY}: the arm is the same each time"
        if fail_below is None:
            return None, told
        fallen = change < fail_below
        return (FAIL if fallen else PASS), f"{told}; {'below' if fallen else 'not below'} {fail_below:g}"
    if not isinstance(low, float) or not isinstance(high, float):
        return None if fail_below is None else CANNOT_TELL, f"no interval: {line['no_interval']}"
    told = f"95 % interval {signed(low)} to {signed(high)} on {line['target']}"
    if fail_below is None:
        return None, told
    if high < fail_below:
        return FAIL, f"{told}, all of it below {fail_below:g}"
    if low >= fail_below:
        return PASS, f"{told}, none of it below {fail_below:g}"
    return CANNOT_TELL, f"{told}, and {fail_below:g} lies in it{_these(line)}"


def _these(line: dict[str, object]) -> str:
    """What is known of these fixtures, where the verdict is about others like them."""
    low, high = line["these_low"], line["these_high"]
    if line["target"] != LIKE_THESE or not isinstance(low, float) or not isinstance(high, float):
        return ""
    return f"; on {SAME_KEY}, from run to run, it is {signed(low)} to {signed(high)}"
