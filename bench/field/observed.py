"""Arms of a live split side by side, on observed rows.

These are observations: sessions differ in everything else too, a person may react to an arm, and long sessions give
more rows than short ones. A difference here is a reason to look, and to run the fork.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from bench.field.feedback import Feedback
from bench.field.live_rows import LiveReading, LiveRow, sessions_of
from bench.frames import frame

if TYPE_CHECKING:
    import pandas as pd

WARNING = "observations, not an experiment: sessions differ in more than the arm; compare forks before you conclude"


class Observed(Struct, frozen=True, kw_only=True):
    """One compaction of the split and what was seen after it. Null: not seen, or not told."""

    session: str
    time: str
    arm: str
    design: str | None
    model: str | None
    outcome: str | None
    handoff: bool
    first_turn_tokens: int | None
    """What the window held at the end of the first turn after it."""
    hours_to_next: float | None
    """Until the session's next compaction; null where there was none."""
    messages_out: int | None
    usd: float | None
    notes: int
    """Notes that its handoff lacked something or was wrong."""


def observed(
    rows: Iterable[LiveRow], readings: Sequence[LiveReading] = (), notes: Sequence[Feedback] = ()
) -> tuple[Observed, ...]:
    """Every compaction that the split gave an arm, by session and time."""
    return tuple(seen for _, own in sessions_of(rows) for seen in _session(own, readings, notes))


def observed_frame(seen: Sequence[Observed]) -> pd.DataFrame:
    """The same as a frame, a line a compaction."""
    return frame(list(seen), Observed)


def arms_observed(table: pd.DataFrame) -> pd.DataFrame:
    """One line a design and arm of `observed_frame`: compactions, sessions, handoffs (how many were delivered), medians
    of first_turn_tokens and hours_to_next, last (compactions that no other followed, left out of the hours), mean usd,
    and notes a compaction. An arm is what was drawn, whether or not its handoff was delivered."""
    import pandas as pd

    columns = [
        "design", "arm", "compactions", "sessions", "handoffs", "first_turn_tokens", "hours_to_next", "last", "usd",
        "notes",
    ]  # fmt: skip
    grouped = table.groupby(["design", "arm"], dropna=False, sort=True)
    lines = [
        (
            *key, len(own), own["session"].nunique(), int(own["handoff"].sum()), own["first_turn_tokens"].median(),
            own["hours_to_next"].median(), int(own["hours_to_next"].isna().sum()), own["usd"].mean(),
            own["notes"].mean(),
        )
        for key, own in grouped
    ]  # fmt: skip
    numbers = dict.fromkeys(("first_turn_tokens", "hours_to_next", "usd", "notes"), "Float64")
    return pd.DataFrame(lines, columns=columns).astype(numbers)


def _session(rows: Sequence[LiveRow], readings: Sequence[LiveReading], notes: Sequence[Feedback]) -> Iterator[Observed]:
    times = [_time(row.time) for row in rows]
    for row, begin, end in zip(rows, times, [*times[1:], None], strict=True):
        if row.arm is None:
            continue
        firsts = [
            r.tokens
            for r in sorted(readings, key=lambda r: r.time)
            if r.session == row.session and r.turn == 1 and r.phase != "fresh" and _within(r.time, begin, end)
        ]
        mine = [n for n in notes if _names(n.of, row.session) and _within(n.time, begin, end)]
        yield Observed(
            session=row.session,
            time=row.time,
            arm=row.arm,
            design=row.design,
            model=row.model,
            outcome=row.outcome,
            handoff=row.handoff,
            first_turn_tokens=next(iter(firsts), None),
            hours_to_next=None if begin is None or end is None else (end - begin).total_seconds() / 3600,
            messages_out=row.messages_out,
            usd=row.usd,
            notes=len(mine),
        )


def _names(of: str, session: str) -> bool:
    """Whether a note's source is the session: by its id, or by the file that is called so."""
    return of.rsplit(".", 1)[0] == session or of == session


def _within(time: str, begin: datetime | None, end: datetime | None) -> bool:
    at = _time(time)
    return at is not None and begin is not None and at >= begin and (end is None or at < end)


def _time(text: str) -> datetime | None:
    """The time with its zone; None for one that cannot be compared."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
