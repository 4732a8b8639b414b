"""papermill over a sweep's grid: notebooks that a person can open, in worker processes."""

from bench.sweeps.run import SweepResult, sweep

__all__ = ["SweepResult", "sweep"]
