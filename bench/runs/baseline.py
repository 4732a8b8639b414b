"""A run against an earlier one, arm by arm: what a gate in CI asks. Both must have measured the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bench.analysis.units import GRADING, NO_MODEL, OUTPUT, SERIES
from bench.errors import BenchError
from bench.rows import BEFORE_CALL, GRADED
from bench.runs.index import Run
from bench.runs.view import gradings, truncated_too

if TYPE_CHECKING:
    import pandas as pd

    from bench.forks.runfile import RunFile

KEY = [*SERIES, "fixture"]
Key = tuple[object, ...]
"""A series on a fixture: values of `KEY`."""


def against_baseline(
    run: Run, baseline: Run, *arms: str, fail_below: float | None = None, with_truncated: bool = False
) -> pd.DataFrame:
    """One line a way of grading and arm of `run` (or of `arms`): its name, and what `comparing.gate.gate` gives.

    Of an arm with several versions, the newest of each run counts. Raises BenchError, in one line, where the two did
    not measure the same: other fixtures, transcripts, contexts, keys or graders, or cells without a graded handoff.
    """
    from bench.analysis.comparing.gate import gate
    from bench.analysis.units import named

    if run.root.resolve() == baseline.root.resolve():
        raise BenchError("the baseline is this run itself; name the run to hold against it", path=run.root)
    new, old = _side(run, with_truncated), _side(baseline, with_truncated)
    _check_fixtures(new, old)
    wanted = _wanted(new, old, arms)
    new, old = _only(new, wanted), _only(old, wanted)
    keys = _comparable(new, old)
    _check_graders(new, old)
    return named(gate(_graded(new, keys), _graded(old, keys), fail_below))


@dataclass(frozen=True)
class Side:
    """One of the two runs: verdicts and cells of the newest version of each arm, under the arm's name in the sweep."""

    run: Run
    file: RunFile
    grades: pd.DataFrame
    cells: pd.DataFrame
    whole: tuple[str, ...]
    """Outcomes that count as a handoff."""


def _side(run: Run, with_truncated: bool) -> Side:
    from bench.analysis.units import checked_grades, rankable

    gradings(run)
    file = run.store.run_json()
    truncated = truncated_too(run, with_truncated)
    newest = {marks[-1].label: arm for arm, marks in file.arms.items()}

    def renamed(table: pd.DataFrame) -> pd.DataFrame:
        kept = table[table["arm"].isin(list(newest))]
        return kept.assign(arm=kept["arm"].map(newest).astype("string"))

    grades = checked_grades(rankable(run.grades, run.outputs, with_truncated=truncated))
    return Side(run, file, renamed(grades), renamed(run.cells), GRADED if truncated else ("handoff",))


def _only(side: Side, arms: Collection[str]) -> Side:
    grades, cells = (table[table["arm"].isin(list(arms))] for table in (side.grades, side.cells))
    return replace(side, grades=grades, cells=cells)


def _wanted(new: Side, old: Side, arms: tuple[str, ...]) -> Collection[str]:
    """The arms to hold against each other: those named, else all of the new run, which may have more than the old."""
    for side in (new, old):
        unknown = [arm for arm in arms if arm not in side.file.arms]
        if unknown:
            known = ", ".join(side.file.arms)
            raise BenchError(f"has no arm '{unknown[0]}'; its arms are {known}", path=side.run.root)
    if arms:
        return arms
    gone = [arm for arm in old.file.arms if arm not in new.file.arms]
    if gone:
        raise BenchError(f"has no arm '{gone[0]}', which the baseline has; run it, or name the arms", path=new.run.root)
    return list(new.file.arms)


def _check_fixtures(new: Side, old: Side) -> None:
    """Nothing where both runs forked the same conversations."""
    mine, theirs = new.file.fixtures, old.file.fixtures
    for name in sorted(mine.keys() ^ theirs.keys()):
        side = new if name in theirs else old
        raise BenchError(f"has no fixture '{name}', which the other run has; run both on the same", path=side.run.root)
    for name, mark in mine.items():
        if mark.transcript_sha256 != theirs[name].transcript_sha256:
            raise BenchError(f"the transcript of fixture '{name}' is not the baseline's", path=new.run.root)
        differing = [k for k, sha in mark.contexts.items() if theirs[name].contexts.get(k, sha) != sha]
        if differing:
            raise BenchError(
                f"the {differing[0]} context of fixture '{name}' is not the baseline's; make a new baseline",
                path=new.run.root,
            )


def _check_graders(new: Side, old: Side) -> None:
    """Nothing where both runs were graded by the same graders, on the same scope, with the same keys."""
    for what, columns, mend in (
        ("by the same graders, models and scopes", ["grader", "grader_model", "scope"], "use the same sweep"),
        ("by the same version of each grader", ["grader", "scope", "grader_sha256"], "run 'bench grade' on both"),
        ("with the same answer keys", ["fixture", "key_sha256"], "run 'bench grade' on both"),
    ):
        mine, theirs = (_combinations(side.grades, columns) for side in (new, old))
        if mine != theirs:
            told = _told(columns, min(mine ^ theirs))
            raise BenchError(f"was not graded {what} as '{old.run.name}' ({told}); {mend}", path=new.run.root)


def _combinations(table: pd.DataFrame, columns: list[str]) -> set[tuple[str, ...]]:
    from bench.frames import records

    return {tuple(str(value or "") for value in line.values()) for line in records(table[columns].drop_duplicates())}


def _told(columns: list[str], values: tuple[str, ...]) -> str:
    """The values without the hashes, which tell nobody anything."""
    return ", ".join(v for c, v in zip(columns, values, strict=True) if v and not c.endswith("sha256"))


def _comparable(new: Side, old: Side) -> list[Key]:
    """The series and fixtures to compare; where neither run made a request (nothing to fork, say) there is nothing to.

    Raises BenchError for the first cell that is no handoff: nobody knows what it would have carried.
    """
    mine, theirs = _states(new), _states(old)
    found = []
    for key in mine | theirs:
        sides = [(new, mine.get(key)), (old, theirs.get(key))]
        if key[0] not in old.file.arms:
            sides = sides[:1]
        if all(states and set(states) <= set(BEFORE_CALL) for _, states in sides):
            continue
        for side, states in sides:
            _check_whole(side, key, states)
        found.append(key)
    if not found:
        raise BenchError("has no handoff to hold against the baseline's; see 'bench table'", path=new.run.root)
    return found


def _states(side: Side) -> dict[Key, list[str]]:
    found: dict[Key, list[str]] = {}
    for *key, state in side.cells[[*KEY, "state"]].itertuples(index=False, name=None):
        found.setdefault(tuple(key), []).append(state)
    return found


def _check_whole(side: Side, key: Key, states: list[str] | None) -> None:
    """Nothing where every cell of the series on the fixture is a handoff."""
    arm, model, *_, fixture = key
    what = f"{arm}{'' if model == NO_MODEL else f' · {model}'} on {fixture}"
    if states is None:
        raise BenchError(f"{what} was not run, but is in the other run; run both grids to the end", path=side.run.root)
    odd = Counter(state for state in states if state not in side.whole)
    if odd:
        told = ", ".join(f"{n} {state}" for state, n in sorted(odd.items()))
        raise BenchError(
            f"{what}: {odd.total()} of {len(states)} cells are no handoff ({told}); run them again, or name other arms",
            path=side.run.root,
        )


def _graded(side: Side, keys: list[Key]) -> pd.DataFrame:
    """The verdicts on those keys. Raises BenchError where an output, or an atom of one, has none."""
    import pandas as pd

    kept = side.grades[pd.MultiIndex.from_frame(side.grades[KEY]).isin(keys)]
    wanted = sum(len(states) for key, states in _states(side).items() if key in keys)
    for grading, lines in kept.groupby(GRADING, observed=True):
        atoms = lines.groupby([*OUTPUT, "atom"], observed=True)["verdict"].count()
        missing = int((atoms == 0).sum())
        ungraded = wanted - len(lines[OUTPUT].drop_duplicates())
        if missing or ungraded:
            grader, scope = map(str, grading)
            raise BenchError(
                f"{ungraded} handoffs and {missing} atoms of others have no verdict by {grader} on the {scope};"
                f" run 'bench grade {side.run.name}'",
                path=side.run.root,
            )
    return kept
