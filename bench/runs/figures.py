"""The figures of a run, as notebooks, commands and the report ask for them. Thin: a run in, a figure out.

Each is of one way of grading: the first, unless it is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.runs.atoms import atom_places, atom_texts
from bench.runs.factors import atom_distractors
from bench.runs.sources import left_out, noise
from bench.runs.steps import survival_table
from bench.runs.view import Grading, compare, one_grading, ranked_grades, ranked_of, truncated_too

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bench.analysis.arms.pareto import Axis
    from bench.runs.index import Run


def plot_recall_vs_cost(run: Run, axis: Axis = "carry", *, grading: Grading | None = None) -> Figure:
    """Every run a dot: recall against the cost to carry, the cost to write, or the size in tokens."""
    from bench.analysis.arms.output_table import output_table
    from bench.plots import recall_vs_cost

    one = one_grading(run, grading)
    return recall_vs_cost(
        output_table(one.outputs, one.grades, with_truncated=truncated_too(run)), axis, basis=_basis(run, axis)
    )


def plot_spread(run: Run, *, grading: Grading | None = None) -> Figure:
    """Every run a dot on one scale, an arm a row."""
    from bench.analysis.arms.output_table import output_table
    from bench.plots import spread_strips

    one = one_grading(run, grading)
    return spread_strips(output_table(one.outputs, one.grades, with_truncated=truncated_too(run)))


def plot_lost_atoms(run: Run, *, grading: Grading | None = None) -> Figure:
    """Atoms against arms: which fact each arm carries."""
    from bench.analysis.atoms.lost import atom_arms
    from bench.plots import lost_atoms_map

    one = one_grading(run, grading)
    texts = atom_texts(run)
    cells = atom_arms(ranked_grades(one))
    return lost_atoms_map(cells, one.outputs, texts if len(texts) else None)


def plot_added_parts(run: Run, *, grading: Grading | None = None) -> Figure:
    """Recall against tokens for each part that arms of one family add. Raises BenchError where none differ so."""
    from bench.analysis.arms.added_parts import families
    from bench.analysis.arms.output_table import output_table
    from bench.plots import added_parts_lines

    one = one_grading(run, grading)
    if not families(dict.fromkeys(one.outputs["arm"].astype(str))):
        told = "no two of its arms differ only by a part, as inventory-alone and inventory-ledger do"
        raise BenchError(told, path=run.root)
    return added_parts_lines(output_table(one.outputs, one.grades, with_truncated=truncated_too(run)))


def plot_frontier(run: Run, axis: Axis = "carry", *, grading: Grading | None = None) -> Figure:
    """Recall against cost with 95 % intervals on both axes and each arm's chance to be on the frontier."""
    from bench.analysis.arms.frontier import frontier_table
    from bench.analysis.arms.output_table import output_table
    from bench.plots import frontier_map

    one = one_grading(run, grading)
    table = output_table(one.outputs, one.grades, with_truncated=truncated_too(run))
    return frontier_map(frontier_table(table, axis), series_kinds(run), axis, basis=_basis(run, axis))


def plot_differences(run: Run, *arms: str, grading: Grading | None = None) -> Figure:
    """Each arm's paired difference to the first of `arms` (without any: of the sweep), with its interval."""
    from bench.plots import differences

    return differences(compare(run, *arms, grading=grading), series_kinds(run))


def plot_noise(run: Run, *, grading: Grading | None = None) -> Figure:
    """Where the variation of recall comes from: fixtures, arms, replicates, passes, atoms."""
    from bench.plots import noise_bars

    return noise_bars(noise(run, grading=grading), left_out(run, grading))


def plot_distance(run: Run, *, grading: Grading | None = None) -> Figure:
    """Recall by how far from the end of the transcript a fact stands; empty where no fixture is there to tell."""
    from bench.analysis.atoms.by_distance import by_distance
    from bench.plots import DISTANCE, count_curves

    table = by_distance(ranked_of(run, grading), atom_places(run))
    return count_curves(table, DISTANCE, series_kinds(run))


def plot_times_said(run: Run, *, grading: Grading | None = None) -> Figure:
    """Recall by how many messages establish a fact; empty where no fixture is there to tell."""
    from bench.analysis.atoms.by_distance import by_times_said
    from bench.plots import TIMES_SAID, count_curves

    table = by_times_said(ranked_of(run, grading), atom_places(run))
    return count_curves(table, TIMES_SAID, series_kinds(run))


def plot_distractors(run: Run, *, grading: Grading | None = None) -> Figure:
    """Recall by how many near misses stand beside a fact; empty where no made-up fixture is there to tell."""
    from bench.analysis.atoms.by_distance import by_distractors
    from bench.plots import DISTRACTORS, count_curves

    table = by_distractors(ranked_of(run, grading), atom_distractors(run))
    return count_curves(table, DISTRACTORS, series_kinds(run))


def plot_survival(run: Run, *, grading: Grading | None = None) -> Figure:
    """What a chain of compactions leaves. Raises BenchError where the run has no chain."""
    from bench.plots import chain_survival

    table = survival_table(one_grading(run, grading))
    if not len(table):
        raise BenchError("no chain ran in it: set chain = 2 or more in the sweep", path=run.root)
    return chain_survival(table, dict(run.outputs[["arm", "kind"]].astype(str).itertuples(index=False, name=None)))


def keep(figure: Figure, run: Run, name: str) -> Figure:
    """The figure, which is now also `plots/<name>.png` in the run's folder."""
    from bench.plots import save

    save(figure, run.root / "plots" / f"{name}.png")
    return figure


def series_kinds(run: Run) -> dict[str, str]:
    """Name of each series of the run -> its kind."""
    from bench.analysis.units import named

    return dict(named(run.outputs)[["name", "kind"]].astype(str).itertuples(index=False, name=None))


def _basis(run: Run, axis: Axis) -> str:
    carry = run.store.run_json().sweep.carry
    if axis != "carry" or carry is None:
        return "API list prices; local models and arms without a model cost nothing" if axis == "write" else ""
    return f"{carry.turns} turns, the handoff read from cache on each, at list prices of {carry.model}"
