"""What requests cost, from the one price table. Pure: usage, model and date in, dollars out.

Two bases, both always computed: `api`, the list price; `subscription`, where cache reads are free and what they would
have cost is kept as waived. An unknown price is None with the reason, never a guess; a local model costs a true 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from difflib import get_close_matches
from typing import Literal

from msgspec import Struct

from bench.models.usage import prompt_tokens as prompt_of
from bench.pricetable import PriceTable, Row, Speed, Usd, built_in
from bench.transcripts.model import Usage

PER = 1_000_000
"""Prices are per million tokens."""
NEAREST = 3
NEAR_ENOUGH = 0.5
"""Likeness (difflib's ratio) of a name that is offered as what was perhaps meant."""
A_SLIP = 0.85
"""How like a priced name a model must be to be a slip of the pen rather than a new model."""
FREE = Usd(0.0, 0.0, 0.0, 0.0, 0.0)

Billing = Literal["direct", "batch"]
Place = Literal["inference_geo_us", "cloud_region"]
"""Where a request runs, if that is billed: names of the table's multipliers."""


class Price(Struct, frozen=True, kw_only=True):
    """USD per million tokens by class, all multipliers in; or all None and the `reason`."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write_5m: float | None = None
    cache_write_1h: float | None = None
    row: str | None = None
    reason: str | None = None


class Cost(Struct, frozen=True, kw_only=True):
    """What something cost in USD on both bases; all None and the `reason` where the price is not known."""

    usd_api: float | None = None
    usd_subscription: float | None = None
    cache_read_waived_usd: float | None = None
    price_row: str | None = None
    reason: str | None = None


def price_of(
    model: str,
    when: date,
    prompt_tokens: int,
    *,
    billing: Billing = "direct",
    speed: Speed = "standard",
    place: Place | None = None,
    table: PriceTable | None = None,
) -> Price:
    """The price of a request with that prompt (input + cache writes + cache reads) on that day."""
    if is_local(model):
        return _price(FREE, 1.0, "local")
    table = table or built_in()
    row = _row(table, model, when, prompt_tokens, speed)
    if isinstance(row, str):
        return Price(reason=row)
    if billing == "batch" and not row.batch:
        return Price(reason=f"'{row.name}' is not offered in batches")
    if place == "inference_geo_us" and not row.geo:
        return Price(reason=f"'{row.name}' does not take inference_geo")
    factors = table.multipliers
    batch = factors.batch if billing == "batch" else 1.0
    return _price(row.usd, batch * (getattr(factors, place) if place else 1.0), row.name)


def cost(
    usage: Usage | None,
    model: str,
    when: date,
    *,
    billing: Billing = "direct",
    speed: Speed = "standard",
    place: Place | None = None,
    table: PriceTable | None = None,
) -> Cost:
    """What a request of that usage costs; a tier is chosen by the whole prompt and prices every token of it."""
    if usage is None:
        return Cost(reason="the server reported no usage")
    price = price_of(model, when, prompt_of(usage), billing=billing, speed=speed, place=place, table=table)
    return _cost(usage, price)


def cost_of_passes(passes: Iterable[Usage], model: str, when: date, *, table: PriceTable | None = None) -> Cost:
    """What a request of several sampling passes costs (server-side compaction): each pass priced by its own prompt."""
    parts = [cost(usage, model, when, table=table) for usage in passes]
    unknown = next((p for p in parts if p.usd_api is None), None)
    if not parts or unknown:
        return unknown or Cost(reason="no pass was reported")
    return Cost(
        usd_api=sum(p.usd_api or 0.0 for p in parts),
        usd_subscription=sum(p.usd_subscription or 0.0 for p in parts),
        cache_read_waived_usd=sum(p.cache_read_waived_usd or 0.0 for p in parts),
        price_row=parts[0].price_row,
    )


def worst_case(
    model: str,
    when: date,
    prompt_tokens: int,
    max_tokens: int,
    *,
    cache_ttl: Literal["5m", "1h"] = "5m",
    billing: Billing = "direct",
    table: PriceTable | None = None,
) -> float | None:
    """The most one such request can cost: its prompt in the dearest class that may be charged, its output in full.

    None where the price is not known. The prompt may be written to the cache with the lifetime `cache_ttl`.
    """
    price = price_of(model, when, prompt_tokens, billing=billing, table=table)
    if price.row is None:
        return None
    write = price.cache_write_1h if cache_ttl == "1h" else price.cache_write_5m
    dearest = max(p for p in (price.input, write, price.cache_read) if p is not None)
    return (prompt_tokens * dearest + max_tokens * (price.output or 0.0)) / PER


def carry_cost(handoff_tokens: int, turns: int, model: str, when: date, *, table: PriceTable | None = None) -> Cost:
    """What a handoff costs the next window: its tokens, read from the cache on each of that window's `turns`.

    The one write into the cache is left out, as every arm's first turn has one of its own, and the tier is that of a
    prompt of the handoff's size, as the rest of the window is not known.
    """
    carried = Usage(cache_read=handoff_tokens * turns)
    return _cost(carried, price_of(model, when, handoff_tokens, table=table))


def is_local(model: str) -> bool:
    """Whether the model runs on this machine, which nobody bills."""
    return model == "local" or model.startswith("local:")


def unpriced_carry(model: str, table: PriceTable | None = None) -> str | None:
    """Why nothing can be said of the cost of carrying a handoff in that model, in one line; None where it can."""
    table = table or built_in()
    if is_local(model) or next(table.candidates(model), None) is not None:
        return None
    near = nearest(model, table)
    own_row = "add its price to prices.toml in the project"
    return f"no price is known for '{model}', so carry_usd stays empty; " + (
        f"did you mean '{near[0]}'?" if near else own_row
    )


def nearest(model: str, table: PriceTable | None = None) -> list[str]:
    """Names of priced models that look like `model`, the likest first."""
    return get_close_matches(model, (table or built_in()).names, n=NEAREST, cutoff=NEAR_ENOUGH)


def meant(model: str, table: PriceTable | None = None) -> str | None:
    """The priced name that a model without a price is most likely a slip of; None where it has one or none is close."""
    table = table or built_in()
    if is_local(model) or next(table.candidates(model), None) is not None:
        return None
    return next(iter(get_close_matches(model, table.names, n=1, cutoff=A_SLIP)), None)


def _row(table: PriceTable, model: str, when: date, prompt_tokens: int, speed: Speed) -> Row | str:
    """The row that applies, or why none does."""
    why = None
    for rows in table.candidates(model):
        of_speed = [r for r in rows if r.speed == speed]
        in_force = [r for r in of_speed if r.holds_on(when)]
        if found := next((r for r in in_force if r.holds_for(prompt_tokens)), None):
            return found
        if in_force:
            why = why or f"no price of '{model}' for a prompt of {prompt_tokens:,} tokens"
        elif of_speed:
            why = why or f"no price of '{model}' on {when}; its rows hold {_dates(of_speed)}"
        else:
            why = why or f"no {speed} price of '{model}'"
    if why is None and (unpriced := table.why_unpriced(model)):
        why = f"no price of '{model}': {unpriced}"
    return why or _unknown(model, table)


def _unknown(model: str, table: PriceTable) -> str:
    own_row = f'add a row with model = "{model}" to prices.toml in the project'
    if model.startswith(("http://", "https://")):
        return f"what an own server costs is not in the table; {own_row}"
    if model.startswith(("bedrock:", "vertex:")):
        return f"a cloud's prices differ by region and are not in the table; {own_row}"
    near = nearest(model, table)
    return f"no price of '{model}' in the table" + (f"; nearest: {', '.join(near)}" if near else "")


def _dates(rows: list[Row]) -> str:
    return ", ".join((f"from {r.from_}" if r.from_ else "") + (f" to {r.to}" if r.to else " on") for r in rows)


def _price(usd: Usd, factor: float, row: str) -> Price:
    return Price(
        input=usd.input * factor,
        output=usd.output * factor,
        cache_read=usd.cache_read * factor,
        cache_write_5m=usd.cache_write_5m * factor,
        cache_write_1h=usd.cache_write_1h * factor,
        row=row,
    )


def _cost(usage: Usage, price: Price) -> Cost:
    if price.row is None:
        return Cost(reason=price.reason)
    classes = ("input", "output", "cache_write_5m", "cache_write_1h")
    paid = sum(getattr(usage, c) * getattr(price, c) for c in classes) / PER
    reads = usage.cache_read * (price.cache_read or 0.0) / PER
    return Cost(usd_api=paid + reads, usd_subscription=paid, cache_read_waived_usd=reads, price_row=price.row)
