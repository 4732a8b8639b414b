"""Two arms of a run, or two versions of one, atom by atom, with the passages behind each difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches, unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from bench.errors import BenchError
from bench.forks.runfile import ArmMark, RunFile, sha256_of
from bench.project import Project, find_project
from bench.runs.index import Run

if TYPE_CHECKING:
    import pandas as pd

OLD, NEW = "old", "new"
"""`inventory@old` is the first version of an arm in the run, `inventory@new` the newest."""


class Instruction(Struct, frozen=True, kw_only=True):
    """What one side asks. `chars` is null for arms that ask no model, and where nothing holds this version any more."""

    label: str
    sha256: str | None
    chars: int | None


class Passage(Struct, frozen=True, kw_only=True):
    """The words of one output that a verdict rests on."""

    arm: str
    replicate: int
    grading_pass: int
    verdict: str | None
    evidence: str


class AtomChange(Struct, frozen=True, kw_only=True):
    """An atom that was carried in more or in fewer runs. `carried` sums the runs' credits; a run's is 0..1."""

    change: str
    atom: str
    fixture: str
    tag: str
    importance: str
    text: str | None
    """Null where the key is no longer the one that was graded with."""
    carried_before: float
    runs_before: int
    carried_after: float
    runs_after: int
    passages: tuple[Passage, ...]


class Diff(Struct, frozen=True, kw_only=True):
    """One way of grading and one model: what the second side lost and gained, by fixture, vital atoms first."""

    grader: str
    scope: str
    model: str
    chain_step: int
    stale_by: int
    before: Instruction
    after: Instruction
    edit: tuple[str, ...]
    """The lines of a unified diff of the two instructions, where both are versions of one arm and their texts known."""
    points: float | None
    """Of recall that the second side has more."""
    lost: int
    gained: int
    alike: int
    atoms: tuple[AtomChange, ...]


def diff(run: Run, before: str, after: str, *, with_truncated: bool = False) -> list[Diff]:
    """One entry a way of grading, model, step and staleness that both sides have, on the atoms both were graded on.

    A side is named as tables name arms, or `arm@old`, `arm@new`, `arm@3f9c`. Raises BenchError where there is no such
    arm or version, or the two have nothing in common.
    """
    from bench.analysis.atoms.diff import PAIR, passages
    from bench.analysis.atoms.diff import diff as compared
    from bench.analysis.units import checked_grades, rankable
    from bench.runs.atoms import atom_texts
    from bench.runs.view import gradings, truncated_too

    gradings(run)
    file = run.store.run_json()
    labels = [version_label(file.arms, name) for name in (before, after)]
    if labels[0] == labels[1]:
        raise BenchError(_same(before, after, labels[0]), path=run.root)
    truncated = truncated_too(run, with_truncated)
    grades = checked_grades(rankable(run.grades, run.outputs, with_truncated=truncated))
    table = compared(grades, *labels)
    if table.empty:
        raise BenchError(f"'{labels[0]}' and '{labels[1]}' have no graded handoff on a common fixture", path=run.root)
    table = table.merge(atom_texts(run), on=["fixture", "atom"], how="left")
    said = passages(grades, *labels)
    asked = [_instruction(run, file, label) for label in labels]
    sides, texts = [side for side, _ in asked], [text for _, text in asked]
    edit = _edit(*texts) if labels[0].partition("@")[0] == labels[1].partition("@")[0] else ()
    return [_diff(key, part, said, sides, edit) for key, part in table.groupby(PAIR, observed=True, sort=False)]


def version_label(arms: Mapping[str, Sequence[ArmMark]], name: str) -> str:
    """What rows call the version that `name` means. Raises BenchError where the run has none or several such."""
    label, at, which = name.partition("@")
    marks = arms.get(label, ())
    if not marks:
        near = get_close_matches(label, list(arms), n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"its arms are {', '.join(arms)}"
        raise BenchError(f"the run has no arm '{label}'; {hint}")
    if not at:
        return marks[0].label
    if which in (OLD, NEW):
        return marks[0 if which == OLD else -1].label
    found = [m.label for m in marks if m.label == name] or [
        m.label for m in marks if which and m.version_sha256.startswith(which)
    ]
    if len(found) != 1:
        known = ", ".join(f"{m.label} ({m.version_sha256[:8]})" for m in marks)
        raise BenchError(f"{'several versions' if found else 'no version'} '{name}' in the run; there are {known}")
    return found[0]


def superseded(run: Run) -> tuple[str, ...]:
    """Versions of arms, as rows name them, that the project no longer has, in the order they came.

    Of each arm the version stays whose file is the one in the project; where none is, the newest.
    """
    gone: list[str] = []
    for arm, marks in run.store.run_json().arms.items():
        now = {sha256 for project in _projects(run.root) if (sha256 := _file_sha256(arm, project)) is not None}
        stays = next((mark for mark in reversed(marks) if mark.prompt_sha256 in now), marks[-1])
        gone += [mark.label for mark in marks if mark is not stays]
    return tuple(gone)


def _file_sha256(arm: str, project: Project) -> str | None:
    """Of the arm's file as it stands; None where there is none that can be read."""
    from bench.arms import find_arm

    try:
        path = find_arm(arm, project, project.root).path
    except BenchError:
        return None
    return None if path is None else sha256_of(path)


def _same(before: str, after: str, label: str) -> str:
    if {OLD, NEW} & {name.partition("@")[2] for name in (before, after)}:
        arm = label.partition("@")[0]
        return f"'{arm}' has one version in this run; edit its prompt and run the sweep again"
    return f"'{before}' and '{after}' are the same arm"


def _diff(
    key: tuple[Any, ...], part: pd.DataFrame, said: pd.DataFrame, sides: list[Instruction], edit: tuple[str, ...]
) -> Diff:
    from bench.analysis.atoms.diff import ALIKE, GAINED, LOST, points
    from bench.analysis.units import NO_MODEL

    grader, scope, model, step, stale = key
    mine = said[(said["grader"] == grader) & (said["scope"] == scope) & said["model"].isin([model, NO_MODEL])]
    mine = mine[(mine["chain_step"] == step) & (mine["stale_by"] == stale)]
    counts = part["change"].value_counts()
    return Diff(
        grader=grader,
        scope=scope,
        model=model,
        chain_step=step,
        stale_by=stale,
        before=sides[0],
        after=sides[1],
        edit=edit,
        points=points(part),
        lost=int(counts.get(LOST, 0)),
        gained=int(counts.get(GAINED, 0)),
        alike=int(counts.get(ALIKE, 0)),
        atoms=tuple(_changes(part[part["change"] != ALIKE], mine)),
    )


def _changes(changed: pd.DataFrame, said: pd.DataFrame) -> Iterator[AtomChange]:
    from bench.frames import records

    ordered = changed.sort_values(
        ["fixture", "change", "importance", "atom"], ascending=[True, False, False, True], kind="stable"
    )
    for line in records(ordered[[*_FIELDS]]):
        mine = said[(said["fixture"] == line["fixture"]) & (said["atom"] == line["atom"])]
        passages = tuple(Passage(**row) for row in records(mine[[*Passage.__struct_fields__]]))  # type: ignore[arg-type]
        yield AtomChange(**line, passages=passages)  # type: ignore[arg-type]


_FIELDS = tuple(name for name in AtomChange.__struct_fields__ if name != "passages")


def _instruction(run: Run, file: RunFile, label: str) -> tuple[Instruction, str | None]:
    """What that side asks, and its text where the run or a file of the project still holds it."""
    arm, mark = next((arm, mark) for arm, marks in file.arms.items() for mark in marks if mark.label == label)
    sha256 = mark.instruction_sha256
    if sha256 is None:
        return Instruction(label=label, sha256=None, chars=None), None
    text = run.store.instruction_text(sha256)
    if text is None:
        texts = (text for project in _projects(run.root) if (text := _asked(file, arm, project)) is not None)
        text = next((text for text in texts if _sha256(text) == sha256), None)
    return Instruction(label=label, sha256=sha256, chars=None if text is None else len(text)), text


def _edit(before: str | None, after: str | None) -> tuple[str, ...]:
    """The changed lines with one line around them; nothing where a text is not known."""
    if before is None or after is None:
        return ()
    lines = unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")
    return tuple(lines)[2:]  # without the two lines that name files


def _sha256(text: str) -> str:
    from bench.arms.instruction import instruction_sha256

    return instruction_sha256(text)


def _asked(file: RunFile, arm: str, project: Project) -> str | None:
    """What the arm's file asks for now; None where there is none that can be read."""
    from bench.arms import find_arm
    from bench.arms.instruction import instruction
    from bench.forks.resolve import RESTORE_PIECE
    from bench.schema import read_text

    try:
        found = find_arm(arm, project, project.root)
        restore = read_text(project.prompts / RESTORE_PIECE) if found.settings.restore else None
    except BenchError:  # another version's size is unknown, which is no reason to show nothing
        return None
    return instruction(found, file.sweep.instructions, restore)


def _projects(root: Path) -> Iterator[Project]:
    """The project of the run, and the caller's."""
    for start in (root, Path.cwd()):
        try:
            yield find_project(start)
        except BenchError:  # in no project
            continue
