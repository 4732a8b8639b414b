"""The price table: what its file holds, and which row applies to a request."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from bench.errors import BenchError
from bench.schema import load_toml, read_text

BUILT_IN = Path(__file__).with_name("prices.toml")
OWN_FILE = "prices.toml"
"""A project's own prices, beside its bench.toml."""

Speed = Literal["standard", "fast"]
Money = Annotated[float, Meta(ge=0)]


class Usd(Struct, frozen=True, forbid_unknown_fields=True):
    """USD per million tokens, by class."""

    input: Money
    output: Money
    cache_read: Money
    cache_write_5m: Money
    cache_write_1h: Money


class Prompt(Struct, frozen=True, forbid_unknown_fields=True):
    """Prompt sizes in tokens that a row holds for, both ends included."""

    min: int = 0
    max: int | None = None


class Row(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One row: prices of a model at a speed, for a time and a size of prompt. `batch`, `geo`: whether it is offered."""

    model: str
    usd: Usd
    id: str = ""
    also: tuple[str, ...] = ()
    speed: Speed = "standard"
    from_: date | None = field(name="from", default=None)
    to: date | None = None
    prompt: Prompt = Prompt()
    batch: bool = True
    geo: bool = True
    state: str | None = None
    sources: tuple[str, ...] = ()
    cache_sources: tuple[str, ...] = ()
    basis: dict[str, str] = {}
    note: str | None = None

    @property
    def name(self) -> str:
        return self.id or self.model

    def holds_on(self, when: date) -> bool:
        return (self.from_ or date.min) <= when <= (self.to or date.max)

    def holds_for(self, prompt_tokens: int) -> bool:
        return self.prompt.min <= prompt_tokens and (self.prompt.max is None or prompt_tokens <= self.prompt.max)


class Unpriced(Struct, frozen=True, forbid_unknown_fields=True):
    """Models without a price, and why."""

    models: tuple[str, ...]
    reason: str


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    date: str
    address: str | None = None


class Multipliers(Struct, frozen=True, forbid_unknown_fields=True):
    batch: Money = 1.0
    inference_geo_us: Money = 1.0
    cloud_region: Money = 1.0


class PriceFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A `prices.toml`. `extends`: its rows come before the built-in ones; else it stands alone."""

    version: Literal[1]
    extends: bool
    row: tuple[Row, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()
    sources: dict[str, Source] = {}
    multipliers: Multipliers | None = None


@dataclass(frozen=True)
class PriceTable:
    """The table in force. `layers`: the files' contents, the first one that prices a model wins."""

    layers: tuple[PriceFile, ...]
    sha256: str
    """Of the files' bytes, for run.json."""

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple(row for layer in self.layers for row in layer.row)

    @property
    def sources(self) -> dict[str, Source]:
        return {name: source for layer in reversed(self.layers) for name, source in layer.sources.items()}

    @property
    def multipliers(self) -> Multipliers:
        return next((layer.multipliers for layer in self.layers if layer.multipliers), Multipliers())

    @property
    def names(self) -> list[str]:
        """Every model that has a row, once."""
        return list(dict.fromkeys(row.model for row in self.rows))

    def candidates(self, model: str) -> Iterator[tuple[Row, ...]]:
        """The rows of exactly that model, a layer at a time; in a layer only those of the most specific spelling."""
        for layer in self.layers:
            fits = [(specificity, row) for row in layer.row if (specificity := _fit((row.model, *row.also), model))]
            best = max((s for s, _ in fits), default=0)
            if found := tuple(row for s, row in fits if s == best):
                yield found

    def why_unpriced(self, model: str) -> str | None:
        """The table's own reason for having no price of `model`."""
        entries = (e for layer in self.layers for e in layer.unpriced)
        return next((e.reason for e in entries if _fit(e.models, model)), None)


@cache
def built_in() -> PriceTable:
    """The table that comes with the bench."""
    return _table([BUILT_IN])


def load_prices(root: Path | None) -> PriceTable:
    """The built-in table, with the project's own `prices.toml` before it where `root` has one.

    Raises BenchError with file and line where that file is not right.
    """
    own = None if root is None else root / OWN_FILE
    if own is None or not own.is_file():
        return built_in()
    extends = load_toml(own, PriceFile).extends
    return _table([own, BUILT_IN] if extends else [own])


def _table(paths: list[Path]) -> PriceTable:
    texts = [read_text(path) for path in paths]
    parsed = (load_toml(path, PriceFile, text=text) for path, text in zip(paths, texts, strict=True))
    layers = tuple(_checked(layer, path) for path, layer in zip(paths, parsed, strict=True))
    return PriceTable(layers, hashlib.sha256("\0".join(texts).encode()).hexdigest())


def _checked(layer: PriceFile, path: Path) -> PriceFile:
    for row in layer.row:
        if row.from_ and row.to and row.from_ > row.to:
            raise BenchError(f"row '{row.name}': 'from' is after 'to'", path=path)
    for a, b in combinations(layer.row, 2):
        if a.speed == b.speed and _names(a) & _names(b) and _overlap(a, b):
            both = f"rows '{a.name}' and '{b.name}' price the same request"
            raise BenchError(f"{both}; part them by date or prompt", path=path)
    return layer


def _overlap(a: Row, b: Row) -> bool:
    """A day and a prompt size for which both hold."""
    day = max(a.from_ or date.min, b.from_ or date.min)
    size = max(a.prompt.min, b.prompt.min)
    return all(row.holds_on(day) and row.holds_for(size) for row in (a, b))


def _names(row: Row) -> set[str]:
    return {row.model, *row.also}


def _fit(spellings: Iterable[str], model: str) -> int:
    """How specifically a spelling fits the model: 0 not at all, more for an exact id than for any dated pattern."""
    return max((_specificity(s) for s in spellings if _pattern(s).fullmatch(model)), default=0)


def _specificity(spelling: str) -> int:
    return 1000 * ("{date}" not in spelling) + len(spelling)


@cache
def _pattern(spelling: str) -> re.Pattern[str]:
    return re.compile(re.escape(spelling).replace(re.escape("{date}"), r"\d{8}"))
