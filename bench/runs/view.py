"""What notebooks and commands ask of a run: tables and comparisons. Thin: a run in, a frame out.

Where a run was graded in several ways (graders, scopes), tables of all of them stand under one another; a comparison
and a figure are of one: the first, unless it is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from bench.errors import BenchError
from bench.runs.atoms import atom_places, atom_texts
from bench.runs.index import Run
from bench.runs.stepwise import step_by_step

if TYPE_CHECKING:
    import pandas as pd


class Grading(NamedTuple):
    """One way of grading."""

    grader: str
    scope: str


def gradings(run: Run) -> list[Grading]:
    """The ways in which the run was graded, in the order of its sweep. Raises BenchError where it was not at all."""
    pairs = run.grades[["grader", "scope"]].drop_duplicates()
    found = [Grading(*pair) for pair in pairs.itertuples(index=False, name=None)]
    if not found:
        raise BenchError(f"nothing in it is graded yet; run 'bench grade {run.name}'", path=run.root)
    order = [(spec.kind, spec.scope) for spec in run.store.run_json().sweep.graders]
    return sorted(found, key=lambda g: (order.index(g) if g in order else len(order), g))


def arm_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm (a way of grading, model, step and staleness), best recall first: see `arms_table`."""
    from bench.analysis.arms.arms_table import arms_table

    return arms_table(
        run.outputs, run.grades, run.inventions, run.cells, with_truncated=truncated_too(run, with_truncated)
    )


def fixture_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """The arm table of each fixture alone."""
    from bench.analysis.arms.arms_table import by_fixture

    return by_fixture(
        run.outputs, run.grades, run.inventions, run.cells, with_truncated=truncated_too(run, with_truncated)
    )


def tag_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and tag: recall (0..1), n, fixtures, atoms, missing."""
    from bench.analysis.atoms.by_tag import by_tag
    from bench.analysis.units import named

    gradings(run)
    return named(by_tag(ranked_grades(run, with_truncated)))


def distance_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and distance from the end of the transcript (tokens), nearest first: see `by_distance`.

    Raises BenchError where no fixture stands as the run found it, since the key and transcript tell the distance.
    """
    from bench.analysis.atoms.by_distance import by_distance
    from bench.analysis.units import named

    return named(by_distance(ranked_grades(run, with_truncated), _places(run)))


def times_said_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and number of messages that say a fact: see `by_times_said`; raises like `distance_table`."""
    from bench.analysis.atoms.by_distance import by_times_said
    from bench.analysis.units import named

    return named(by_times_said(ranked_grades(run, with_truncated), _places(run)))


def speaker_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and speaker (`by`): recall (0..1), n, fixtures, atoms, missing."""
    from bench.analysis.atoms.by_speaker import by_speaker
    from bench.analysis.units import named

    gradings(run)
    return named(by_speaker(ranked_grades(run, with_truncated)))


def recall(run: Run) -> pd.DataFrame:
    """One line an output: recall (0..1), atoms, missing, weight, carried, coverage, effective_atoms, and the interval
    of its recall from its atoms alone (atoms_low, atoms_high): see `run_interval`."""
    from bench.analysis.arms.single_run import run_interval
    from bench.analysis.recall import run_recall

    return run_interval(run_recall(ranked_grades(run)))


def spread(run: Run) -> pd.DataFrame:
    """One line an arm and fixture: n, mean, worst, best (0..1), range and sd (points); absent where n is 1."""
    from bench.analysis.arms.spread import fixture_spread

    return fixture_spread(recall(run))


def lost(run: Run) -> pd.DataFrame:
    """One line an atom that no arm carried: fixture, atom, tag, importance, runs, arms, and its text."""
    from bench.analysis.atoms.lost import lost_atoms

    one = one_grading(run, None)
    atoms = lost_atoms(ranked_grades(one), one.outputs)
    return atoms.merge(atom_texts(run), on=["fixture", "atom"], how="left")


def compare(
    run: Run,
    *arms: str,
    grading: Grading | None = None,
    with_truncated: bool = False,
    margin: float | None = None,
) -> pd.DataFrame:
    """One line an arm: recall, n, fixtures, spread, the difference (points) to the first of `arms`, paired, with its
    interval and all else of `comparing.compare.compare`, usd_write, usd_per_more (`further_atom`), grader_moves
    (points) and a `verdict` in words.

    With a `margin` (points) also whether an arm is no worse than the first by as much. Without `arms`, all of them
    against the first of the sweep. An arm is named as tables name it: `inventory`,
    `inventory@3f9c`, or `inventory · model` where several models were asked. In a chain arms are compared at each step
    alone, one step under the other; `inventory · step 2` names one of them.
    """
    asked = (arms, grading or gradings(run)[0], with_truncated, margin)
    return run.once(asked, lambda: _compared(run, arms, grading, with_truncated, margin)).copy()


def _compared(
    run: Run, arms: tuple[str, ...], grading: Grading | None, with_truncated: bool, margin: float | None
) -> pd.DataFrame:
    from bench.analysis.arms.measures import measure_table
    from bench.analysis.comparing.compare import compare as compared
    from bench.analysis.comparing.further_atom import further_atom
    from bench.analysis.graders.grader_noise import grader_noise
    from bench.analysis.recall import run_recall
    from bench.analysis.units import SERIES, named
    from bench.runs.conclusion import conclusions

    one = one_grading(run, grading)

    def compared_at(ranked: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
        first, others = _chosen(run, ranked, arms)
        kept = ranked[ranked["name"].isin([first, *others])]
        series = tuple(kept.loc[kept["name"] == first, SERIES].iloc[0])
        names = ranked[[*SERIES, "name"]].drop_duplicates()
        runs = run_recall(kept)
        table = compared(kept.drop(columns="name"), series, cells=one.cells, runs=runs, margin=margin).merge(
            names, on=SERIES, how="left"
        )
        measured = measure_table(one.outputs, series)
        costs = measured.loc[measured["measure"] == "usd_write", [*SERIES, "mean"]]
        table = table.merge(costs.rename(columns={"mean": "usd_write"}), on=SERIES, how="left")
        table = table.merge(further_atom(one.outputs, runs, series), on=SERIES, how="left")
        table = table.assign(grader_moves=grader_noise(kept)["moves"].iloc[0])
        return table.assign(verdict=conclusions(table, measured))

    return step_by_step(named(ranked_grades(one, with_truncated)), arms, compared_at)


def measures(run: Run, *arms: str, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and measure (output tokens, seconds, USD to write): level, spread, worst run, and the difference
    to the first of `arms`, with their intervals: see `measure_table`; and USD per carried atom, of which only the mean
    is known with its interval. Arms as for `compare`."""
    import pandas as pd

    from bench.analysis.arms.measures import atom_lines, measure_table
    from bench.analysis.recall import run_recall
    from bench.analysis.units import SERIES, named

    one = one_grading(run, grading)

    def measured_at(ranked: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
        first, others = _chosen(run, ranked, arms)
        series = tuple(ranked.loc[ranked["name"] == first, SERIES].iloc[0])
        names = ranked[[*SERIES, "name"]].drop_duplicates()
        table = measure_table(one.outputs, series)
        runs = run_recall(ranked.drop(columns="name"))
        table = pd.concat([table, atom_lines(one.outputs, runs, table)], ignore_index=True)
        table = table.merge(names, on=SERIES, how="inner")
        return table[table["name"].isin([first, *others])].reset_index(drop=True)

    return step_by_step(named(ranked_grades(one, with_truncated)), arms, measured_at)


def _places(run: Run) -> pd.DataFrame:
    gradings(run)
    places = atom_places(run)
    if not len(places):
        raise BenchError("no fixture stands as the run found it, and only that tells where a fact is", path=run.root)
    return places


def disputes(run: Run) -> pd.DataFrame:
    """One line a disputed atom of an output and verdict on it, the last dispute of each: fixture, arm, model,
    chain_step, stale_by, replicate, scope, atom, verdict (the person's), note, quote, at (ISO 8601 UTC), outdated
    (output or key changed since), grader, grading_pass, grader_verdict, evidence, agrees. Empty without disputes.
    """
    from bench.analysis.graders.disputes import beside_verdicts

    return beside_verdicts(_disputes(run), run.grades)


def read_grades(run: Run) -> pd.DataFrame:
    """The run's verdicts, and a person's disputes as those of one more grader, `disputes`."""
    from bench.analysis.graders.disputes import with_readings

    return with_readings(run.grades, _disputes(run))


def _disputes(run: Run) -> pd.DataFrame:
    from bench.disputing import Dispute, read_disputes
    from bench.frames import frame

    return frame(read_disputes(run.root), Dispute)


def one_grading(run: Run, grading: Grading | None = None) -> Run:
    """The run with the verdicts of one way of grading only: that one, or the first."""
    ways = gradings(run)
    chosen = grading or ways[0]
    if chosen not in ways:
        raise BenchError(f"it was not graded by {chosen.grader} on the {chosen.scope}", path=run.root)
    kept = [t[(t["grader"] == chosen.grader) & (t["scope"] == chosen.scope)] for t in (run.grades, run.inventions)]
    return replace(run, grades=kept[0], inventions=kept[1])


def ranked_grades(run: Run, with_truncated: bool = False) -> pd.DataFrame:
    """The verdicts on the outputs that are ranked, all by one key and one version of each grader; else BenchError."""
    from bench.analysis.units import checked_grades, rankable

    return checked_grades(rankable(run.grades, run.outputs, with_truncated=truncated_too(run, with_truncated)))


def ranked_of(run: Run, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """The same of one way of grading, that one or the first. Kept: many tables of a run begin with them."""
    asked = ("ranked", grading or gradings(run)[0], with_truncated)
    return run.once(asked, lambda: ranked_grades(one_grading(run, grading), with_truncated))


def _chosen(run: Run, ranked: pd.DataFrame, arms: Sequence[str]) -> tuple[str, list[str]]:
    """Names of the first and the other series; a plain arm means each model, step and staleness of it."""
    there = ranked[["name", "arm"]].drop_duplicates()
    wanted: list[str] = []
    for arm in arms:
        found = there.loc[(there["name"] == arm) | (there["arm"] == arm), "name"].tolist()
        if not found:
            raise BenchError(
                f"no graded handoff of an arm '{arm}'; there are {', '.join(there['name'])}", path=run.root
            )
        wanted += [name for name in found if name not in wanted]
    if not wanted:
        order = list(run.store.run_json().arms)
        pairs = [(str(name), str(arm)) for name, arm in there.itertuples(index=False)]
        pairs.sort(key=lambda pair: order.index(pair[1]) if pair[1] in order else len(order))
        wanted = [name for name, _ in pairs]
    if not wanted:
        raise BenchError("no handoff of it is graded; see its outcomes with 'bench table'", path=run.root)
    return wanted[0], wanted[1:]


def truncated_too(run: Run, asked: bool = False) -> bool:
    """Whether handoffs that were cut off are ranked: asked for in this call, or by the run's sweep."""
    return asked or run.store.run_json().sweep.rank_truncated
