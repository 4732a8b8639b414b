"""What is said under a run's tables: what was cut off, disputed, drafted, left out, and what the columns are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import OUTPUT
from bench.runs.atoms import rekeyed, unreviewed
from bench.runs.stepwise import CONTEXTS_DIFFER
from bench.runs.versions import superseded
from bench.runs.view import disputes, truncated_too

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


def stopping_notes(run: Run) -> list[str]:
    """What a rule that stopped the run early means for its comparisons; empty where there is none."""
    from bench.sequential.rule import read_looks
    from bench.sequential.words import told_of

    looks = read_looks(run.root)
    return [] if looks is None else told_of(looks)


def cut_off(run: Run, asked: bool) -> list[str]:
    """A warning where handoffs that were cut off are ranked."""
    cut = int((run.outputs["outcome"] == "truncated").sum()) if truncated_too(run, asked) else 0
    return (
        [f"{cut} handoff{'s' * (cut > 1)} of {len(run.outputs)} cut off at the cap, ranked all the same"] if cut else []
    )


def without_superseded(run: Run, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The lines whose version of an arm the project still has, and a note on those that are left out."""
    hidden = [label for label in superseded(run) if (frame["arm"] == label).any()]
    note = f"left out, since the project no longer has these versions: {', '.join(hidden)}"
    return frame[~frame["arm"].isin(hidden)].reset_index(drop=True), [note] if hidden else []


def disputed(run: Run) -> list[str]:
    """That people disagree with verdicts of the run; `bench dispute RUN` lists them."""
    table = disputes(run)
    table = table[~table["agrees"].fillna(False).astype(bool)]
    n = len(table.drop_duplicates([*OUTPUT, "scope", "atom"]))
    what = "verdict is" if n == 1 else "verdicts are"
    return [f"{n} {what} disputed by a person, and counted all the same: 'bench dispute {run.name}'"] if n else []


def of_keys(run: Run) -> list[str]:
    """A warning where numbers are of a key that has changed since, and where they are of a draft."""
    changed = [
        f"the key of fixture '{name}' has changed since these verdicts were given; 'bench grade {run.name}' renews them"
        for name in rekeyed(run)
    ]
    drafted = [
        f"{drafted} of {atoms} atoms of fixture '{name}' are drafted, and nobody has reviewed them: 'bench key review"
        f" {name}'; extract arms pick by the structure that they were drafted from"
        for name, (drafted, atoms) in unreviewed(run).items()
    ]
    return [*changed, *drafted]


def chained(frame: pd.DataFrame) -> list[str]:
    """What is to be known of a table with several steps of a chain."""
    return [CONTEXTS_DIFFER] if frame["chain_step"].nunique() > 1 else []


def differences(frame: pd.DataFrame) -> list[str]:
    """What the columns of a comparison are."""
    told = []
    if frame["recall_low"].notna().any():
        why = (
            ", wider than that of a difference: fixtures differ" if (frame["fixtures"] > 1).any() else ", over its runs"
        )
        told.append(f"from, to: the 95 % interval of an arm's recall{why}")
    if frame["worst_at"].notna().any():
        told.append("worst of n: the worst of as many runs as spread is of, mean over fixtures")
    if frame["least"].notna().any():
        told.append("at least, at most: the difference, had every missing handoff and verdict carried nothing, or all")
    known = ", with the 95 % interval" if frame["low"].notna().any() else ""
    told += [f"difference: points more (+) or fewer (-) than {_base(frame)}{known}"]
    if frame["sees"].notna().any():
        told.append("sees: the smallest difference in points that this design finds four times in five")
    return told


def _base(frame: pd.DataFrame) -> str:
    """What the arms of a comparison are held against."""
    first = frame.iloc[0]
    bases = frame[frame["difference"].isna() & (frame["arm"] == first["arm"])]
    return f"{first['arm']} at the same step" if len(bases) > 1 else str(first["name"])
