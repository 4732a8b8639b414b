"""Bootstrap of 10,000 resamples against scipy.stats.bootstrap: there is no bootstrap to measure yet."""

from __future__ import annotations

from benchmarks.line import Line, not_built


def run(size: float = 1.0) -> list[Line]:  # noqa: ARG001
    """One line without a figure."""
    what = "bootstrap of 10,000 resamples, 3 fixtures x 6 arms x 10 replicates x 82 atoms"
    return [not_built(what, "≤ 1 s", "the bench computes no intervals yet")]
