"""What a run's requests cost: the price table in force, and the day each request started on."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

from bench.calls.guard import worst_case_tokens
from bench.prices import Billing, Cost, carry_cost, cost, worst_case
from bench.pricetable import PriceTable
from bench.sweepfile import Carry
from bench.transcripts.model import Usage


@dataclass(frozen=True)
class Pricing:
    """Prices of one run. `today` stands in where a start is not known."""

    table: PriceTable
    today: date
    billing: Billing = "direct"
    """How requests are billed unless told otherwise."""
    _costs: dict[tuple[Usage, str, date, Billing], Cost] = field(default_factory=dict)
    """Replicates of one arm are charged alike, and a look into the table costs more than all else of a fork's row."""
    _worst: dict[tuple[str, int, int], float | None] = field(default_factory=dict)

    @property
    def ttl(self) -> Literal["5m", "1h"]:
        """The lifetime of cache entries: a batch may take longer than five minutes."""
        return "1h" if self.billing == "batch" else "5m"

    def cost(self, usage: Usage, model: str, started_at: str | None = None, *, billing: Billing | None = None) -> Cost:
        """What a request of that usage costs on the day it started, UTC."""
        asked = (usage, model, self._day(started_at), billing or self.billing)
        if asked not in self._costs:
            self._costs[asked] = cost(usage, model, asked[2], billing=asked[3], table=self.table)
        return self._costs[asked]

    def caching_pays(self, model: str, tokens: int, requests: int) -> bool:
        """Whether so many batched requests over a prefix of so many tokens cost less with a cache entry than without.

        One request then writes it for the hour, at twice the input's price, and the others read it. Always True of what
        is asked directly: the next start, minutes later, reads it, too.
        """
        if self.billing != "batch":
            return True
        plain = self.cost(Usage(input=tokens), model).usd_api
        written = self.cost(Usage(cache_write_1h=tokens), model).usd_api
        read = self.cost(Usage(cache_read=tokens), model).usd_api
        if plain is None or written is None or read is None:
            return tokens > 0 and requests > 1
        return written + (requests - 1) * read < requests * plain

    def worst(self, model: str, counted_tokens: int, max_tokens: int) -> float | None:
        """The most that a request counted so may cost, USD; None where no price is known."""
        asked = (model, counted_tokens, max_tokens)
        if asked not in self._worst:
            prompt = worst_case_tokens(counted_tokens)
            self._worst[asked] = worst_case(
                model, self.today, prompt, max_tokens, cache_ttl=self.ttl, billing=self.billing, table=self.table
            )
        return self._worst[asked]

    def carry(self, handoff_tokens: int, carry: Carry, started_at: str | None = None) -> float | None:
        """What carrying a handoff costs the next window, USD; None where no price is known."""
        return carry_cost(handoff_tokens, carry.turns, carry.model, self._day(started_at), table=self.table).usd_api

    def _day(self, started_at: str | None) -> date:
        try:
            return datetime.fromisoformat(started_at or "").date()
        except ValueError:
            return self.today
