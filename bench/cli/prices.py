"""Print the price table, or the rows of one model: USD per million tokens, with dates and sources.

examples:
  bench prices                                  every row, with the dates it holds
  bench prices claude-sonnet-5-5                the rows of one model
  bench prices claude-sonnet-5-5 --on 2026-10-01
  bench prices --json

Your own prices: a prices.toml in the project folder (the built-in one says how). An unknown model is exit status 2
and the nearest names, never a guess.
"""

from __future__ import annotations

import argparse
from datetime import UTC, date, datetime

from bench.cli.output import emit
from bench.errors import BenchError
from bench.prices import FREE, is_local, price_of
from bench.pricetable import PriceTable, Row, load_prices

COLUMNS = (
    "row", "speed", "from", "to", "prompt", "input", "output", "cache_read", "cache_write_5m", "cache_write_1h",
    "state", "source",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a model's id, exactly as a sweep names it")
    parser.add_argument("--on", type=_day, metavar="DATE", help="only rows in force on that day (YYYY-MM-DD)")
    parser.add_argument("--json", action="store_true", help="print JSON, with the sources' titles and the notes")


def run(args: argparse.Namespace) -> int:
    from bench.project import find_project

    try:
        root = find_project().root
    except BenchError:
        root = None  # outside a project the built-in table is all there is
    table = load_prices(root)
    rows = table.rows if args.model is None else _rows_of(table, args.model, args.on)
    shown = [_shown(row, table) for row in rows if args.on is None or row.holds_on(args.on)]
    emit(shown, COLUMNS, as_json=args.json)
    return 0


def _rows_of(table: PriceTable, model: str, on: date | None) -> tuple[Row, ...]:
    """The model's rows. Raises BenchError with the reason where it has none (on that day)."""
    if is_local(model):
        return (Row(model=model, usd=FREE, state="runs on this machine"),)
    rows = next(table.candidates(model), ())
    if not any(on is None or row.holds_on(on) for row in rows):
        raise BenchError(str(price_of(model, on or datetime.now(UTC).date(), 0, table=table).reason))
    return rows


def _shown(row: Row, table: PriceTable) -> dict[str, object]:
    titles = [_title(table, name) for name in dict.fromkeys((*row.sources, *row.cache_sources))]
    return {
        "row": row.name,
        "model": row.model,
        "also": list(row.also),
        "speed": row.speed,
        "from": None if row.from_ is None else str(row.from_),
        "to": None if row.to is None else str(row.to),
        "prompt": _prompt(row),
        "input": row.usd.input,
        "output": row.usd.output,
        "cache_read": row.usd.cache_read,
        "cache_write_5m": row.usd.cache_write_5m,
        "cache_write_1h": row.usd.cache_write_1h,
        "state": row.state,
        "source": next(iter(row.sources), None),
        "sources": titles,
        "note": row.note,
    }


def _title(table: PriceTable, name: str) -> str:
    source = table.sources.get(name)
    return name if source is None else f"{source.title} ({source.date})"


def _prompt(row: Row) -> str | None:
    if row.prompt.max is not None:
        return f"{row.prompt.min:,} to {row.prompt.max:,}"
    return f"from {row.prompt.min:,}" if row.prompt.min else None


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no date; write YYYY-MM-DD") from None
