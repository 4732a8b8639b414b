"""Figures: frames of `bench.analysis` in, a figure out. PNG in notebooks; `save` writes PNG or SVG."""

from bench.plots.lost_atoms import lost_atoms_map
from bench.plots.recall_vs_cost import recall_vs_cost
from bench.plots.save import save
from bench.plots.spread_strips import spread_strips

__all__ = ["lost_atoms_map", "recall_vs_cost", "save", "spread_strips"]
