"""The figures of a run, as notebooks, commands and the report ask for them. Thin: a run in, a figure out.

Each is of one way of grading: the first, unless it is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.run_atoms import atom_texts
from bench.run_view import Grading, one_grading, ranked_grades, truncated_too

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bench.analysis.pareto import Axis
    from bench.index import Run


def plot_recall_vs_cost(run: Run, axis: Axis = "carry", *, grading: Grading | None = None) -> Figure:
    """Every run a dot: recall against the cost to carry, the cost to write, or the size in tokens."""
    from bench.analysis.output_table import output_table
    from bench.plots import recall_vs_cost

    one = one_grading(run, grading)
    return recall_vs_cost(
        output_table(one.outputs, one.grades, with_truncated=truncated_too(run)), axis, basis=_basis(run, axis)
    )


def plot_spread(run: Run, *, grading: Grading | None = None) -> Figure:
    """Every run a dot on one scale, an arm a row."""
    from bench.analysis.output_table import output_table
    from bench.plots import spread_strips

    one = one_grading(run, grading)
    return spread_strips(output_table(one.outputs, one.grades, with_truncated=truncated_too(run)))


def plot_lost_atoms(run: Run, *, grading: Grading | None = None) -> Figure:
    """Atoms against arms: which fact each arm carries."""
    from bench.analysis.lost import atom_arms
    from bench.plots import lost_atoms_map

    one = one_grading(run, grading)
    texts = atom_texts(run)
    cells = atom_arms(ranked_grades(one))
    return lost_atoms_map(cells, one.outputs, texts if len(texts) else None)


def keep(figure: Figure, run: Run, name: str) -> Figure:
    """The figure, which is now also `plots/<name>.png` in the run's folder."""
    from bench.plots import save

    save(figure, run.root / "plots" / f"{name}.png")
    return figure


def _basis(run: Run, axis: Axis) -> str:
    carry = run.store.run_json().sweep.carry
    if axis != "carry" or carry is None:
        return "API list prices; local models and arms without a model cost nothing" if axis == "write" else ""
    return f"{carry.turns} turns, the handoff read from cache on each, at list prices of {carry.model}"
