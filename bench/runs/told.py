"""A run's tables as people read them, in a terminal and in a notebook: one table a way of grading, never mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from bench.analysis.arms.arms_table import incomparable
from bench.analysis.atoms.by_distance import MOST_SAID
from bench.runs.arm_words import arm_notes, arm_tables
from bench.runs.factors import distractor_table
from bench.runs.left_out import arms_left_out
from bench.runs.notes import chained, cut_off, differences, disputed, of_keys, stopping_notes, without_superseded
from bench.runs.steps import first_losses, survival_table
from bench.runs.view import (
    arm_table,
    compare,
    distance_table,
    fixture_table,
    gradings,
    lost,
    measures,
    speaker_table,
    tag_table,
    times_said_table,
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
        tables += arm_tables(_title(run, key), _name(run, key), part)
    return Told(
        tables,
        [
            *chained(frame),
            *arm_notes(frame),
            *incomparable(frame),
            *spread_of(frame),
            *cut_off(run, with_truncated),
            *disputed(run),
            *of_keys(run),
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
        *chained(frame),
        BY_LEGENDS[by],
        *(FIRST_LOSSES_SAY if losses is not None else []),
        *cut_off(run, with_truncated),
    ]
    return Told(tables, [*notes, *of_keys(run), *hidden])


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
            *chained(frame),
            *([] if arms else arms_left_out(run, frame)),
            *differences(frame),
            *spread_of(frame),
            *cut_off(run, with_truncated),
            *cannot_be_said(frame),
        ]
        notes |= dict.fromkeys(told)
    return Told(tables, [*notes, *stopping_notes(run), *of_keys(run)], verdicts)


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
    grader, scope, *_ = key
    told = f"graded by {grader} on the {scope}" if grader else f"nothing is graded yet; run 'bench grade {run.name}'"
    return f"{_name(run, key)}: {told}"


def _name(run: Run, key: tuple[str, ...]) -> str:
    """The run, and the fixture where the key has one."""
    _, _, *fixture = key
    return ", fixture ".join([run.name, *fixture])


def _text(lines: Lines) -> str:
    return table(lines, list(lines[0])) if lines else "none"
