"""The offline grader against people, on documents held out of its fit: what the shipped weights say of themselves.

The labels are no part of the project. `bench calibrate --labels FILE --fit` works the figures out anew, and
`make shared` holds the shipped ones to a set of labels.
"""

from __future__ import annotations

from bench.grading.weights import Agreement, shipped
from benchmarks.line import Line, at_least

ACCURACY, KAPPA = 0.80, 0.60
ACCURACY_UNANIMOUS, KAPPA_UNANIMOUS = 0.86, 0.72


def run(size: float = 1.0) -> list[Line]:  # noqa: ARG001
    """Accuracy and kappa on all units, and on those that people were unanimous on."""
    known = shipped().fitted
    if known is None:
        raise ValueError("the shipped weights do not say what they were fitted on")
    return [
        *_lines("all units", known.all, ACCURACY, KAPPA),
        *_lines("unanimous units", known.unanimous, ACCURACY_UNANIMOUS, KAPPA_UNANIMOUS),
    ]


def _lines(units: str, found: Agreement, accuracy: float, kappa: float) -> list[Line]:
    what = f"offline grader against people, {units}"
    return [
        at_least(accuracy, found.accuracy, "", f"{what}: accuracy"),
        at_least(kappa, found.kappa or 0.0, "", f"{what}: kappa"),
    ]
