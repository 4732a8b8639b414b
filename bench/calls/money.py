"""What calls cost in all: those that were answered, those that failed, and those that nobody saw the end of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.rows import CallRow


@dataclass(frozen=True)
class Money:
    """Of the whole run, all starts together. USD."""

    spent_usd: float = 0.0
    unpriced_calls: int = 0
    """Answered calls whose price is unknown; they are not in `spent_usd`."""
    possibly_usd: float = 0.0
    possibly_calls: int = 0
    """Calls that broke off or were never finished: billed until shown otherwise, with their worst case."""


def money_of(answered: Iterable[CallRow], failed: Iterable[CallRow], unfinished_usd: Sequence[float | None]) -> Money:
    """What a run spent: its answered calls, its failed ones, and the worst cases of those never finished."""
    answered, failed = list(answered), list(failed)
    priced = [c.usd_api for c in (*answered, *failed) if c.usd_api is not None]
    # a worst case of None is a call without a known price, one of 0 a local model's
    possibly = [*(c.possibly_billed_usd for c in failed if c.usd_api is None), *unfinished_usd]
    return Money(
        spent_usd=math.fsum(priced),
        unpriced_calls=sum(c.usd_api is None for c in answered),
        possibly_usd=math.fsum(usd for usd in possibly if usd is not None),
        possibly_calls=sum(usd != 0 for usd in possibly),
    )
