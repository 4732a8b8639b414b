"""Figures: frames of `bench.analysis` in, a figure out. PNG in notebooks; `save` writes PNG or SVG."""

from bench.plots.added_parts import added_parts_lines
from bench.plots.chain_survival import chain_survival
from bench.plots.counts import DISTANCE, DISTRACTORS, TIMES_SAID, count_curves
from bench.plots.differences import differences
from bench.plots.frontier import frontier_map
from bench.plots.lost_atoms import lost_atoms_map
from bench.plots.noise import noise_bars
from bench.plots.recall_vs_cost import recall_vs_cost
from bench.plots.save import save
from bench.plots.spread_strips import spread_strips

__all__ = [
    "DISTANCE", "DISTRACTORS", "TIMES_SAID", "added_parts_lines", "chain_survival", "count_curves", "differences",
    "frontier_map", "lost_atoms_map",
    "noise_bars", "recall_vs_cost", "save", "spread_strips",
]  # fmt: skip
