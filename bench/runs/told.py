"""A run's tables as people read them, in a terminal and in a notebook: one table a way of grading, never mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from bench.analysis.arms.arms_table import incomparable
from bench.analysis.atoms.by_distance import MOST_SAID
from bench.analysis.units import OUTPUT
from bench.runs.arm_words import arm_notes, arm_tables
from bench.runs.atoms import rekeyed, unreviewed
from bench.runs.factors import distractor_table
from bench.runs.left_out import arms_left_out
from bench.runs.steps import first_losses, survival_table
from bench.runs.stepwise import CONTEXTS_DIFFER
from bench.runs.versions import superseded
from bench.runs.view import (
    arm_table,
    compare,
    disputes,
    distance_table,
    fixture_table,
    gradings,
    lost,
    measures,
    speaker_table,
    tag_table,
    times_said_table,
    truncated_too,
)
from bench.runs.words import (
    BY_LEGENDS,
    COMPARED,
    FIRST_LOSSES,
    FIRST_LOSSES_SAY,
    LOST,
    in_words,
    matrix,
    measured,
    said,
    spread_of,
)
from bench.text import ABSENT, printable
from bench.texttable import table

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

Lines = Sequence[dict[str, object]]
TABLES_BY: dict[str, Callable[..., pd.DataFrame]] = {
    "tag": tag_table,
    "speaker": speaker_table,
    "distance": distance_table,
    "times-said": times_said_table,
    "distractors": distractor_table,
    "step": survival_table,
}
"""Property of the atoms -> the table of recall by it."""
SORTED = ("tag", "speaker")
"""Properties whose lines stand in the order of their names."""


@dataclass(frozen=True)
class Told:
    """Tables with a title each, what they come to, above them, and what is to be said under them.

    `str()` for a terminal; shows itself in notebooks. Text in it may come from transcripts: it is escaped in both.
    """

    tables: Sequence[tuple[str, Lines]]
    notes: Sequence[str]
    verdicts: Sequence[str] = ()

    def __str__(self) -> str:
        parts = [f"{printable(title)}\n{_text(lines)}" for title, lines in self.tables]
        above, under = ("\n".join(map(printable, lines)) for lines in (self.verdicts, self.notes))
        return "\n\n".join([above, *parts, under]).strip()

    def _repr_html_(self) -> str:
        import pandas as pd

        parts = [f"<p>{escape(printable(verdict))}</p>" for verdict in self.verdicts]
        for title, lines in self.tables:
            shown = [{k: ABSENT if v is None else printable(str(v)) for k, v in line.items()} for line in lines]
            rows = pd.DataFrame(shown).to_html(index=False, escape=True, border=0) if shown else "<p>none</p>"
            parts.append(f"<p><b>{escape(title)}</b></p>{rows}")
        return "".join([*parts, *(f"<p>{escape(note)}</p>" for note in self.notes)])


def show_arms(run: Run, *, by: str | None = None, with_truncated: bool = False, latest: bool = False) -> Told:
    """The arm table, or with `by="fixture"` that of each fixture; with `latest`, without superseded versions."""
    frame = (fixture_table if by == "fixture" else arm_table)(run, with_truncated=with_truncated)
    frame, hidden = without_superseded(run, frame) if latest else (frame, [])
    keys = ["grader", "scope", *(["fixture"] if by == "fixture" else [])]
    tables: list[tuple[str, Lines]] = []
    for key, part in _parts(frame, keys):
        tables += arm_tables(_title(run, key), _title(run, key).partition(":")[0], part)
    return Told(
        tables,
        [
            *_chained(frame),
            *arm_notes(frame),
            *incomparable(frame),
            *spread_of(frame),
            *_cut_off(run, with_truncated),
            *_disputed(run),
            *_old_keys(run),
            *hidden,
        ],
    )


def show_tags(run: Run, *, with_truncated: bool = False) -> Told:
    """Recall by tag, an arm a column."""
    return show_by(run, "tag", with_truncated=with_truncated)


def show_by(run: Run, by: str, *, with_truncated: bool = False, latest: bool = False) -> Told:
    """Recall by a property of the atoms (a name of `BY_LEGENDS`), an arm a column."""
    frame = TABLES_BY[by](run, with_truncated=with_truncated)
    frame, hidden = without_superseded(run, frame) if latest else (frame, [])
    tables = []
    for key, part in _parts(frame, ["grader", "scope"]):
        rows = part.assign(**{by: _row_names(part, by)})
        tables.append((_title(run, key), matrix(rows, by, sort=by in SORTED)))
    losses = first_losses(run, with_truncated=with_truncated) if by == "step" and len(frame) else None
    if losses is not None:
        kept = losses[losses["arm"].isin(frame["arm"])]
        for key, part in _parts(kept, ["grader", "scope"]):
            tables.append((f"{_title(run, key)}, first losses", in_words(part, FIRST_LOSSES)))
    none = ["No chain of compactions was run; set `chain` in the sweep."] if by == "step" and not tables else []
    notes = [
        *none,
        *_chained(frame),
        BY_LEGENDS[by],
        *(FIRST_LOSSES_SAY if losses is not None else []),
        *_cut_off(run, with_truncated),
    ]
    return Told(tables, [*notes, *_old_keys(run), *hidden])


def show_comparison(run: Run, *arms: str, with_truncated: bool = False, margin: float | None = None) -> Told:
    """Each arm beside the first of `arms` (without any: of the sweep), and what the design cannot tell."""
    from bench.analysis.comparing.compare import cannot_be_said

    tables: list[tuple[str, Lines]] = []
    notes: dict[str, None] = {}
    verdicts: list[str] = []
    ways = gradings(run)
    for grading in ways:
        frame = compare(run, *arms, grading=grading, with_truncated=with_truncated, margin=margin)
        tables.append((_title(run, grading), in_words(frame.assign(of=frame["fixtures"]), COMPARED)))
        costs = measured(measures(run, *arms, grading=grading, with_truncated=with_truncated))
        if costs:
            tables.append((f"{run.name}: what it takes, every output that was tried counted", said(costs)))
        by = f"{grading.grader} on the {grading.scope}: " if len(ways) > 1 else ""
        verdicts += [by + verdict for verdict in frame["verdict"].dropna()]
        told = [
            *_chained(frame),
            *([] if arms else arms_left_out(run, frame)),
            *_differences(frame),
            *spread_of(frame),
            *_cut_off(run, with_truncated),
            *cannot_be_said(frame),
        ]
        notes |= dict.fromkeys(told)
    return Told(tables, [*notes, *stopping_notes(run), *_old_keys(run)], verdicts)


def stopping_notes(run: Run) -> list[str]:
    """What a rule that stopped the run early means for its comparisons; empty where there is none."""
    from bench.sequential.rule import read_looks
    from bench.sequential.words import told_of

    looks = read_looks(run.root)
    return [] if looks is None else told_of(looks)


def show_lost(run: Run) -> Told:
    """The atoms that no arm carried, in no run and not even in part."""
    frame = lost(run)
    note = "" if len(frame) else "Every atom was carried by some arm in some run, at least in part."
    return Told([(_title(run, gradings(run)[0]), in_words(frame, LOST))], [note] if note else [])


def _row_names(part: pd.DataFrame, by: str) -> pd.Series:
    """What a line of a table by a property of the atoms is called."""
    match by:
        case "speaker":
            return part["by"]
        case "distance":
            ends = zip(part["from_tokens"], part["to_tokens"].fillna(0), strict=True)
            return _texts(part, [f"{low:,} to {high:,}" if high else f"{low:,} and more" for low, high in ends])
        case "times-said":
            return _texts(part, [f"{n} or more" if n == MOST_SAID else f"{n}" for n in part["times_said"]])
        case "distractors":
            return _texts(part, [f"{n}" for n in part["distractors"]])
        case "step":
            lines = part[["stretch", "chain_step"]].itertuples(index=False)
            return _texts(part, [f"stretch {stretch}, step {step}" for stretch, step in lines])
        case _:
            return part[by]


def _texts(part: pd.DataFrame, texts: list[str]) -> pd.Series:
    import pandas as pd

    return pd.Series(texts, index=part.index, dtype="string")


def _parts(frame: pd.DataFrame, keys: list[str]) -> list[tuple[tuple[str, ...], pd.DataFrame]]:
    return [
        (tuple(map(str, key)), part)
        for key, part in frame.fillna({"grader": ""}).groupby(keys, sort=False, dropna=False)
    ]


def _title(run: Run, key: tuple[str, ...]) -> str:
    grader, scope, *fixture = key
    told = f"graded by {grader} on the {scope}" if grader else f"nothing is graded yet; run 'bench grade {run.name}'"
    return f"{', fixture '.join([run.name, *fixture])}: {told}"


def _cut_off(run: Run, asked: bool) -> list[str]:
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


def _disputed(run: Run) -> list[str]:
    """That people disagree with verdicts of the run; `bench dispute RUN` lists them."""
    table = disputes(run)
    table = table[~table["agrees"].fillna(False).astype(bool)]
    n = len(table.drop_duplicates([*OUTPUT, "scope", "atom"]))
    what = "verdict is" if n == 1 else "verdicts are"
    return [f"{n} {what} disputed by a person, and counted all the same: 'bench dispute {run.name}'"] if n else []


def _old_keys(run: Run) -> list[str]:
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


def _base(frame: pd.DataFrame) -> str:
    """What the arms of a comparison are held against."""
    first = frame.iloc[0]
    bases = frame[frame["difference"].isna() & (frame["arm"] == first["arm"])]
    return f"{first['arm']} at the same step" if len(bases) > 1 else str(first["name"])


def _chained(frame: pd.DataFrame) -> list[str]:
    """What is to be known of a table with several steps of a chain."""
    return [CONTEXTS_DIFFER] if frame["chain_step"].nunique() > 1 else []


def _differences(frame: pd.DataFrame) -> list[str]:
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


def _text(lines: Lines) -> str:
    return table(lines, list(lines[0])) if lines else "none"
