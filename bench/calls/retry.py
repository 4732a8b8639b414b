"""Whether and when a failed call is made again: the decisions of the one retry loop, pure.

Back-off doubles with jitter; `retry-after` is honoured up to a bound; a server that refuses work (429, 529) pauses
every fork; and a run has a budget of retries, so that a broken server ends it instead of being asked for ever.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from bench.models.protocol import Attempt


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How patient the loop is. Times in seconds."""

    calls: int = 5
    """Most calls for one fork in one run."""
    first_s: float = 1.0
    """Back-off after the first failure, doubled after each further one …"""
    most_s: float = 60.0
    """… up to this."""
    retry_after_most_s: float = 120.0
    """A server may ask for more (the SDK would sleep it); a run does not."""
    run_retries: int = 20
    """Least budget of retries of a whole run."""
    run_share: float = 0.25
    """Budget of retries of a whole run as a share of its forks."""


class Retries:
    """Retries of one run. `random` gives numbers in [0, 1)."""

    def __init__(self, policy: RetryPolicy, forks: int, random: Callable[[], float]) -> None:
        self._policy = policy
        self._random = random
        self.left = max(policy.run_retries, int(policy.run_share * forks))
        self._paused_until = float("-inf")

    def after(self, attempt: Attempt, calls: int, now: float) -> float | None:
        """Seconds until a fork that was called `calls` times is called again, None where it is given up."""
        if not attempt.retryable or attempt.stop_run or calls >= self._policy.calls or not self.left:
            return None
        self.left -= 1
        delay = self._delay(attempt, calls)
        if attempt.billed == "no":
            # refused before any work: the whole server is busy, not this one request
            self._paused_until = max(self._paused_until, now + delay)
        return delay

    def pause(self, now: float) -> float:
        """Seconds that any call waits now, because a server refused work; spread, so that not all wake at once."""
        left = self._paused_until - now
        return left + self._random() * self._policy.first_s if left > 0 else 0.0

    def _delay(self, attempt: Attempt, calls: int) -> float:
        if attempt.retry_after is not None:
            return (
                min(attempt.retry_after, self._policy.retry_after_most_s) + 0.1 * self._random() * self._policy.first_s
            )
        full = min(self._policy.most_s, self._policy.first_s * 2.0 ** (calls - 1))
        return full * (0.5 + 0.5 * self._random())
