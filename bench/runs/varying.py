"""What else a run tells of its variation: single atoms, spreads of arms, readings of passes, what a key would take."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.frames import number, records
from bench.runs.index import Run
from bench.runs.sources import noise
from bench.runs.view import Grading, ranked_of
from bench.runs.words import points
from bench.text import Figure

if TYPE_CHECKING:
    import pandas as pd

Line = dict[str, object]

RELIABLE = "how reliable single atoms are"
SPREADS = "whether arms vary alike"
READINGS = "several passes read as one verdict"
KEY = "what a key would take"
ABOUT = {
    RELIABLE: "atoms: % of the weight that an arm carries in one run, in one at least of k, in all k; unsure: atoms"
    " that some of its runs carry and others do not",
    SPREADS: "vary alike: the SD of an arm's runs over the first's, and Levene's p (Holm); below 10 runs an arm it"
    " hardly ever finds anything, so that a large p says nothing",
    READINGS: "passes: recall in points as it is, the mean over passes, and by the majority, the best and the worst"
    " verdict of each atom",
    KEY: "key: independent atoms that see 5 points four times in five, what those there are see, and how many"
    " independent ones they count as; for planning only, a test has runs or fixtures as its units",
}
"""Title of a table -> what is said under it."""


def atom_reliability(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm with several runs of a fixture: see `bench.analysis.atoms.reliability`."""
    from bench.analysis.atoms.reliability import reliability
    from bench.analysis.units import named

    return named(reliability(ranked_of(run, grading, with_truncated)))


def arm_spreads(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm with several runs of a fixture, the sweep's first on top: see `alike_spread`."""
    from bench.analysis.comparing.alike_spread import alike_spread
    from bench.analysis.recall import run_recall
    from bench.analysis.units import SERIES, named

    runs = run_recall(ranked_of(run, grading, with_truncated))
    order = list(run.store.run_json().arms)
    known = [tuple(s) for s in runs[SERIES].drop_duplicates().itertuples(index=False)]
    again = runs[runs.duplicated([*SERIES, "fixture"])]
    repeated = {tuple(s) for s in again[SERIES].itertuples(index=False)}
    firsts = [s for s in known if s in repeated]
    firsts.sort(key=lambda s: order.index(s[0]) if s[0] in order else len(order))
    return named(alike_spread(runs, firsts[0] if firsts else ()))


def pass_readings(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm, of a grader with several passes: see `bench.analysis.graders.pass_readings`."""
    from bench.analysis.graders.pass_readings import pass_readings as of
    from bench.analysis.units import named

    return named(of(ranked_of(run, grading, with_truncated)))


def key_sizes(
    run: Run, worth_seeing: float = 5.0, *, grading: Grading | None = None, with_truncated: bool = False
) -> pd.DataFrame:
    """One line a number of replicates: atoms needed to see `worth_seeing` points, what the atoms there are see
    (points), how many independent ones these count as: see `bench.analysis.comparing.key_size`."""
    import pandas as pd

    from bench.analysis.comparing.key_size import KeySize
    from bench.analysis.comparing.key_size import key_sizes as of

    if not worth_seeing > 0:
        raise BenchError(f"a difference worth seeing is above 0 points, is {worth_seeing:g}")
    ranked = ranked_of(run, grading, with_truncated)
    split = records(noise(run, grading=grading, with_truncated=with_truncated))
    variances = {str(r["source"]): number(r["variance"]) for r in split}
    atoms = ranked[["fixture", "atom"]].drop_duplicates()
    lines = of(variances, len(atoms), atoms["fixture"].nunique(), worth_seeing)
    table = pd.DataFrame(lines, columns=KeySize._fields)
    return table.astype({"replicates": "Int64"} | dict.fromkeys(KeySize._fields[1:], "Float64"))


def varying_tables(run: Run, grading: Grading, with_truncated: bool) -> tuple[list[tuple[str, list[Line]]], list[str]]:
    """The tables that have a line, each with its title, and what is said under them."""
    tables = []
    for title, table, words in VARYING.values():
        found = table(run, grading=grading, with_truncated=with_truncated)
        if len(found) and (title != SPREADS or found["ratio"].notna().any()):  # else there is nothing to vary like
            tables.append((title, [words(line) for line in records(found)]))
    return tables, [ABOUT[title] for title, _ in tables]


def _reliable(line: Line) -> Line:
    shares = {"in one run": "one_run", "in one of k": "any_run", "in all k": "every_run"}
    told = {heading: _figure(line[c], points) for heading, c in shares.items()}
    return {"arm": line["name"], "k": line["k"], "atoms": line["atoms"], **told, "unsure": line["unsure"]}


def _spread(line: Line) -> Line:
    told = {
        h: _figure(line[c], _two) for h, c in (("ratio", "ratio"), ("95 % from", "ratio_low"), ("to", "ratio_high"))
    }
    sd = _figure(line["sd"], lambda v: f"{v:.1f}")
    return {"arm": line["name"], "SD": sd, "df": line["df"], **told, "p": _figure(line["p_holm"], lambda v: f"{v:.2g}")}


def _reading(line: Line) -> Line:
    return {"arm": line["name"], **{c: _figure(line[c], points) for c in ("recall", "majority", "best", "worst")}}


def _key(line: Line) -> Line:
    sees = _figure(line["sees"], lambda v: f"{v:.1f}")
    needed, counts_as = (_figure(line[c], lambda v: f"{v:,.0f}") for c in ("needed", "counts_as"))
    told = {"atoms for 5 points": needed, "those there are see": sees, "and count as": counts_as}
    return {"replicates": line["replicates"], **told}


def _two(value: float) -> str:
    return f"{value:.2f}"


def _figure(value: object, words: Callable[[float], str]) -> Figure | None:
    return Figure(words(value)) if isinstance(value, float) else None


VARYING: dict[str, tuple[str, Callable[..., pd.DataFrame], Callable[[Line], Line]]] = {
    "reliability": (RELIABLE, atom_reliability, _reliable),
    "spreads": (SPREADS, arm_spreads, _spread),
    "readings": (READINGS, pass_readings, _reading),
    "key": (KEY, key_sizes, _key),
}
"""Name in JSON -> title, table, and a line of it as people read it."""
