"""What a run needs of the world outside: models, clocks, chance. Tests hand in their own."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bench.calls.batch_size import BatchLimits
from bench.calls.retry import RetryPolicy
from bench.models import open_model
from bench.models.protocol import Model
from bench.plugins import Subscriber, subscribers


@dataclass(frozen=True)
class Outside:
    """The world as a run sees it. `clock` counts seconds from anywhere; `random` gives numbers in [0, 1)."""

    open_model: Callable[[str], Model] = open_model
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: Callable[[], float] = field(default_factory=lambda: random.Random().random)
    """Only spreads retries out; nothing that is measured rests on it."""
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    batch: BatchLimits = field(default_factory=BatchLimits)
    subscribers: Callable[[], Mapping[str, Subscriber]] = subscribers
    """Who works beside forks; by default whoever installed packages offer."""

    def stamp(self) -> str:
        """Now, ISO 8601 UTC to the millisecond."""
        return self.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
