"""What a run's pipelines hand up as a whole, beside what their answered forks score: frames, and a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.delivered import WAYS
from bench.frames import records
from bench.runs.told import Told
from bench.runs.view import truncated_too
from bench.runs.words import points, signed
from bench.text import Figure

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

LEGEND = (
    "answered: recall of the forks that were answered; delivered: of all that the pipeline hands up, in points of 100",
    "where a fork fails: its stored handoff (at most 60 messages behind), else the harness's own summary, else nothing",
)


def delivered_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm (a way of grading, model and step): see `bench.analysis.arms.delivered.delivered_arms`."""
    from bench.analysis.arms.delivered import delivered_arms

    truncated = truncated_too(run, with_truncated)
    lines = delivered_cells(run, with_truncated=with_truncated)
    return delivered_arms(lines, run.grades, run.outputs, with_truncated=truncated)


def delivered_cells(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line a way of grading and cell asked at the moment of compaction: what was handed up, its recall (0..1)."""
    from bench.analysis.arms.delivered import delivered

    truncated = truncated_too(run, with_truncated)
    return delivered(run.cells, run.outputs, run.grades, _with_own(run), with_truncated=truncated)


def show_delivered(run: Run, *, with_truncated: bool = False) -> Told:
    """The arms, then every cell whose fork failed, and what was handed up in its place."""
    arms, lines = (f(run, with_truncated=with_truncated) for f in (delivered_table, delivered_cells))
    tables = []
    for key, part in arms.groupby(["grader", "scope"], sort=False, dropna=False):
        title = f"{run.name}: graded by {key[0]} on the {key[1]}" if isinstance(key[0], str) else run.name
        chained = bool((part["chain_step"] > 1).any())
        tables.append((title, [_arm(line, chained=chained) for line in records(part)]))
        failed = lines[(lines["delivered"] != "fork") & _same(lines, key)]
        if len(failed):
            tables.append((f"{run.name}: handed up where the fork failed", [_cell(line) for line in records(failed)]))
    if not len(lines):
        return Told([], ["No handoff was asked for at the moment of compaction; add 0 to stale_by."])
    notes = list(LEGEND)
    unknown = int(((lines["delivered"] == "harness's own") & lines["recall"].isna()).sum())
    if unknown:
        told = "the harness's own summary was handed up and is not graded here; add the arm 'stock' to the sweep"
        notes.append(f"{unknown} times {told}. Until then these cells are in no mean.")
    return Told(tables, notes)


def _with_own(run: Run) -> list[str]:
    """The fixtures that hold a summary of the harness's own; one that is gone from the project is left out."""
    from bench.analysis.arms.delivered import OWN_ARM
    from bench.arms.build import replay_path
    from bench.errors import BenchError
    from bench.grading.subjects import fixtures_of

    found = []
    file = run.store.run_json()
    for name in file.fixtures:
        try:
            fixture = fixtures_of(file, run.root, [name])[name]
        except BenchError:  # a run can be read without its fixtures; its own rows still tell what they hold
            continue
        if not fixture.cuts and replay_path(fixture, OWN_ARM).is_file():
            found.append(name)
    return found


def _same(lines: pd.DataFrame, key: tuple[object, ...]) -> pd.Series:
    grader, scope = key
    if not isinstance(grader, str):
        return lines["grader"].isna()
    return (lines["grader"] == grader) & (lines["scope"] == scope)


def _arm(line: dict[str, object], *, chained: bool) -> dict[str, object]:
    names = ("arm", "model", *(["chain_step"] if chained else []), "cells", *WAYS)
    difference = line["difference"]
    return {name.replace("chain_step", "step"): line[name] for name in names} | {
        "answered": _told(line["answered_recall"]),
        "delivered": _told(line["delivered_recall"]),
        "difference": Figure(signed(difference)) if isinstance(difference, float) else None,
    }


def _cell(line: dict[str, object]) -> dict[str, object]:
    names = ("fixture", "arm", "model", "chain_step", "replicate", "state", "delivered", "behind")
    return {name.replace("chain_step", "step"): line[name] for name in names} | {"recall": _told(line["recall"])}


def _told(recall: object) -> Figure | None:
    return Figure(points(recall)) if isinstance(recall, float) else None
