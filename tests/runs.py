"""Small runs made from rows, for tests: verdicts as letters, outputs by arm.

C carried, P partial, L (lost) absent, S stale, W wrong, '.' not graded.
Atoms are a1, a2, … in the order of the letters.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec

from bench.atomic import write_bytes
from bench.forks.runfile import ArmMark, FixtureMark, RunFile, encode_run_file
from bench.forks.store import Store
from bench.frames import frame
from bench.grading.blind import seal, write_map
from bench.grading.files import AtomVerdict, GradeFile, grade_path
from bench.grading.model import Invention
from bench.rows import GRADED, SCORES, GradeRow, InventionRow, OutputRow
from bench.sweepfile import Carry, Sweep

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"

VERDICTS = {"C": "carried", "P": "partial", "L": "absent", "S": "stale", "W": "wrong", ".": None}


def output(arm="inventory", fixture="f1", replicate=1, **more) -> OutputRow:
    """One output row; what is not given is an ordinary handoff of a prompt arm that cost nothing."""
    usual = {
        "run": "tiny", "kind": "prompt", "model": "local", "outcome": "handoff", "handoff_chars": 400,
        "handoff_tokens": 100, "usd_api": 0.0, "usd_subscription": 0.0, "price_row": "local", "carry_usd": 0.001,
        "cell_key": f"{fixture}-{arm}-{replicate}",
    }  # fmt: skip
    return OutputRow(arm=arm, fixture=fixture, replicate=replicate, **(usual | more))


def grades(letters, arm="inventory", fixture="f1", replicate=1, grading_pass=1, weights=None, tags=None, **more):
    """The grade rows of one pass over one output, an atom a letter."""
    usual = {
        "run": "tiny", "model": "local", "grader": "lexical", "scope": "handoff", "grader_sha256": "g",
        "output_sha256": "o", "key_sha256": f"k-{fixture}", "by": "user",
    }  # fmt: skip
    importance = more.pop("importance", None)
    return [
        GradeRow(
            arm=arm, fixture=fixture, replicate=replicate, grading_pass=grading_pass, atom=f"a{i + 1}",
            tag=tags[i] if tags else "ask", importance=importance[i] if importance else "okay",
            weight=weights[i] if weights else 1.0, verdict=VERDICTS[letter],
            score=SCORES.get(VERDICTS[letter] or ""), **(usual | more),
        )
        for i, letter in enumerate(letters)
    ]  # fmt: skip


def graded(runs, **more):
    """Grades frame of {fixture: {arm: [run, …]}}, a run being its letters, or a list of letters, a pass each."""
    rows = [
        row
        for fixture, arms in runs.items()
        for arm, outputs in arms.items()
        for replicate, passes in enumerate(outputs, 1)
        for number, letters in enumerate([passes] if isinstance(passes, str) else passes, 1)
        for row in grades(letters, arm, fixture, replicate, number, **more)
    ]
    return frame(rows, GradeRow)


def outputs_of(runs, **more):
    """Outputs frame with a handoff for each run of {fixture: {arm: [run, …]}}."""
    rows = [
        output(arm, fixture, replicate, **more)
        for fixture, arms in runs.items()
        for arm, outputs in arms.items()
        for replicate in range(1, len(outputs) + 1)
    ]
    return frame(rows, OutputRow)


def invention(arm="inventory", fixture="f1", replicate=1, **more) -> InventionRow:
    usual = {
        "run": "tiny", "model": "local", "grader": "lexical", "scope": "handoff", "grading_pass": 1, "never": "n1",
        "text": "x",
    }  # fmt: skip
    return InventionRow(arm=arm, fixture=fixture, replicate=replicate, **(usual | more))


def invented(*rows):
    return frame(list(rows), InventionRow)


def project(folder: Path, **files: str) -> Path:
    """A project folder with nothing in it but the shipped notebooks (and `files`, by path)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.toml").write_text("version = 1\n")
    shutil.copytree(NOTEBOOKS, folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    (folder / "results").mkdir()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def write_run(root: Path, runs, *, rows=None, weights=None, inventions=(), **sweep) -> Store:
    """The files of a run as the runner and the grader leave them, from {fixture: {arm: [letters, …]}}.

    `rows` are the output rows where the ordinary ones will not do; `inventions` are (arm, replicate) that invent one
    thing; `sweep` overrides fields of the sweep.
    """
    store = Store(root)
    rows = rows or [
        output(arm, fixture, i, run=root.name)
        for fixture, arms in runs.items()
        for arm, outputs in arms.items()
        for i in range(1, len(outputs) + 1)
    ]
    labels = {row.arm: row.kind for row in rows}
    models = {row.model: row.model for row in rows if row.model != "none"}
    usual = {
        "fixtures": tuple(runs), "arms": tuple(labels), "models": tuple(models),
        "replicates": max((row.replicate for row in rows), default=1), "carry": Carry(40, "claude-sonnet-5-5"),
    }  # fmt: skip
    run_file = RunFile(
        run=root.name, sweep_file="sweeps/tiny.toml", sweep=Sweep(**(usual | sweep)), seed=7,
        fixtures={f: FixtureMark(folder=f"fixtures/{f}", transcript_sha256="t", key_sha256=f"k-{f}") for f in runs},
        arms={a: (ArmMark(label=a, kind=kind, version_sha256="v"),) for a, kind in labels.items()},
        models=models, started_at="2026-01-01T00:00:00Z", resumed_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    write_bytes(store.run_file, encode_run_file(run_file))
    for row in rows:
        write_bytes(store.output_path(row, ".json"), msgspec.json.encode(row))
        if row.outcome in GRADED:
            write_bytes(store.output_path(row, ".md"), b"the handoff")
    folder = store.grades_dir / "lexical"
    sealed = seal([row for row in rows if row.outcome in GRADED], 7)
    write_map(folder / "blind.json", root.name, "lexical", "handoff", 7, sealed)
    for one in sealed:
        row = one.row
        letters = runs[row.fixture][row.arm][row.replicate - 1]
        made = [Invention(never="n1", text="x")] if (row.arm, row.replicate) in inventions else []
        graded = GradeFile(
            output_sha256="o", key_sha256=f"k-{row.fixture}", grader_sha256="g", grader="lexical", scope="handoff",
            grading_pass=1, inventions=tuple(made),
            verdicts=tuple(
                AtomVerdict(
                    atom=g.atom, tag=g.tag, by=g.by, importance=g.importance, weight=g.weight, verdict=g.verdict,
                    position=i,
                )
                for i, g in enumerate(grades(letters, row.arm, row.fixture, weights=weights))
            ),
        )  # fmt: skip
        write_bytes(grade_path(folder, 1, one.id), msgspec.json.encode(graded))
    return store
