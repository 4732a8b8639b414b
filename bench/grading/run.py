"""Grading a run: every output that has no grade yet for its text, its key and this grader; blind, in opaque order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.grading.files import read_grades
from bench.grading.graders import grader_folder
from bench.grading.lexical_grades import lexical_run
from bench.grading.means import Means
from bench.grading.outputs import GradedStore
from bench.grading.results import GraderResult, GradingInterrupted
from bench.models.names import parse_name
from bench.plugins import open_grader
from bench.sweepfile import BUILT_IN, GraderSpec, grader_faults

__all__ = ["GradedStore", "Progress", "grade_run", "grader_folder", "read_grades"]

Progress = Callable[[str, int, int], None]
"""Called with the grader's folder name, how many grades are there, and how many there are to be."""


def grade_run(
    store: GradedStore,
    graders: Sequence[GraderSpec],
    seed: int,
    fixtures: Mapping[str, Fixture],
    progress: Progress | None = None,
    *,
    means: Means | None = None,
) -> tuple[GraderResult, ...]:
    """What each grader came to over the outputs of `fixtures`; those with a grade for text, key and grader keep it.

    Only outcomes with a text to grade are graded. `means`: what judges may use and spend. Raises BenchError, before any
    grading, for a grader that cannot be, and GradingInterrupted (a KeyboardInterrupt) after an interrupt.
    """
    check_graders(graders)
    results: list[GraderResult] = []
    for spec in graders:
        results.append(_grade(store, spec, seed, fixtures, progress, means or Means()))
        if results[-1].interrupted:
            raise GradingInterrupted(results)
    return tuple(results)


def check_graders(graders: Sequence[GraderSpec]) -> None:
    """Nothing where these graders can grade; raises BenchError for the first that cannot."""
    for fault in grader_faults(tuple(graders)):
        raise BenchError(fault.message)
    for spec in graders:
        if spec.model is not None:
            parse_name(spec.model)
        if spec.kind not in BUILT_IN:
            open_grader(spec.kind)


def _grade(
    store: GradedStore,
    spec: GraderSpec,
    seed: int,
    fixtures: Mapping[str, Fixture],
    progress: Progress | None,
    means: Means,
) -> GraderResult:
    def tell(done: int, total: int) -> None:
        if progress:
            progress(grader_folder(spec), done, total)

    if spec.kind == "judge":
        from bench.grading.judge.run import judge_run

        return judge_run(store, spec, seed, fixtures, means, tell)
    if spec.kind == "human":
        from bench.grading.human_grades import human_run

        return human_run(store, spec, seed, fixtures)
    if spec.kind != "lexical":
        from bench.grading.plugin_grades import plugin_run

        return plugin_run(store, spec, seed, fixtures, tell)
    return lexical_run(store, spec, seed, fixtures, tell)
