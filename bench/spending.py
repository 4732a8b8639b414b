"""What a session cost, by model and day: its usage, merged right, at the list prices of each day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from msgspec import Struct

from bench.prices import Cost, cost
from bench.transcripts import read_all
from bench.transcripts.model import Transcript, Usage
from bench.transcripts.usage import Use, uses

NO_USAGE = "the file does not tell what these answers used"
NO_MODEL = "the file does not name the model"
NO_DAY = "the file does not tell the day, and prices have dates"


class Spend(Struct, frozen=True, kw_only=True):
    """One row: what a model used on one day, and what that cost. A None is not known, and `reason` says why."""

    day: date | None
    model: str | None
    answers: int
    untold: int
    """Answers without usage: they cost something that is in no figure here."""
    placeholders: int
    """Answers whose output count is a placeholder: output, and its cost, are at least what stands here."""
    beside: int
    """Answers beside the main line (subagents, rewound branches)."""
    input: int | None
    output: int | None
    cache_read: int | None
    cache_write_5m: int | None
    cache_write_1h: int | None
    usd_api: float | None
    usd_subscription: float | None
    cache_read_waived_usd: float | None
    reason: str | None


def spending(path: Path) -> tuple[Spend, ...]:
    """What the sessions of the file cost, a row for each model on each day. Raises BenchError like `read_all`."""
    return spent_by(read_all(path))


def spent_by(sessions: Sequence[Transcript]) -> tuple[Spend, ...]:
    """What the sessions cost, a row for each model on each day."""
    return tuple(_row(use) for use in uses(sessions))


def total(rows: Sequence[Spend]) -> Spend:
    """The sum of the rows. A price that one row lacks is lacking here, and so is a count that every row lacks."""
    counts = {name: _sum(rows, name) for name in Usage.__struct_fields__}
    priced = [r for r in rows if r.usd_api is not None]
    lacking = [r for r in rows if r.usd_api is None]
    usd = {name: _sum(priced, name) for name in ("usd_api", "usd_subscription", "cache_read_waived_usd")}
    known = rows and not lacking
    return Spend(
        day=None,
        model=None,
        answers=sum(r.answers for r in rows),
        untold=sum(r.untold for r in rows),
        placeholders=sum(r.placeholders for r in rows),
        beside=sum(r.beside for r in rows),
        **counts,  # type: ignore[arg-type]
        **(usd if known else dict.fromkeys(usd)),
        reason=None if known else f"{len(lacking)} of {len(rows)} rows have no price",
    )


def _sum(rows: Sequence[Spend], name: str) -> float | None:
    values = [v for r in rows if (v := getattr(r, name)) is not None]
    return sum(values) if values else None


def _row(use: Use) -> Spend:
    usage, priced = use.usage, _cost(use)
    return Spend(
        day=use.day,
        model=use.model,
        answers=use.answers,
        untold=use.untold,
        placeholders=use.placeholders,
        beside=use.beside,
        **{name: None if usage is None else getattr(usage, name) for name in Usage.__struct_fields__},
        usd_api=priced.usd_api,
        usd_subscription=priced.usd_subscription,
        cache_read_waived_usd=priced.cache_read_waived_usd,
        reason=priced.reason,
    )


def _cost(use: Use) -> Cost:
    """The answers priced one by one, since a tier goes by the size of one prompt."""
    if not use.usages:
        return Cost(reason=NO_USAGE)
    if use.model is None:
        return Cost(reason=NO_MODEL)
    if use.day is None:
        return Cost(reason=NO_DAY)
    costs = [cost(usage, use.model, use.day) for usage in use.usages]
    unknown = next((c for c in costs if c.usd_api is None), None)
    if unknown is not None:
        return unknown
    return Cost(
        usd_api=sum(c.usd_api or 0.0 for c in costs),
        usd_subscription=sum(c.usd_subscription or 0.0 for c in costs),
        cache_read_waived_usd=sum(c.cache_read_waived_usd or 0.0 for c in costs),
        price_row=costs[0].price_row,
    )
