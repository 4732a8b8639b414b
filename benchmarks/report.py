"""One kernel that executes the whole report of 1,000 outputs: there is no report notebook to measure yet."""

from __future__ import annotations

from benchmarks.line import Line, not_built


def run(size: float = 1.0) -> list[Line]:  # noqa: ARG001
    """One line without a figure."""
    what = "one kernel that executes the whole report of 1,000 outputs"
    return [not_built(what, "≤ 8 s beyond kernel start", "there is no report notebook yet")]
