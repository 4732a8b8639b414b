"""Small runs made from rows, for tests: verdicts as letters, outputs by arm.

C carried, P partial, L (lost) absent, S stale, W wrong, '.' not graded.
Atoms are a1, a2, … in the order of the letters.
"""

from __future__ import annotations

from bench.frames import frame
from bench.rows import SCORES, GradeRow, InventionRow, OutputRow

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
