"""How many forks of a run are in flight at once."""

from __future__ import annotations

from bench.calls.batching import BATCH_LIFETIME_S, BATCHED_AT_ONCE
from bench.calls.schedule import Schedule
from bench.forks.planning import Laid
from bench.models import family

LOCAL_AT_ONCE = 1
"""Forks of a local model in flight: it has one slot, where two contexts would push each other out of the cache."""


def schedule_of(laid: Laid) -> Schedule:
    """The schedule of one start: a batch takes all that is ready, other calls keep to the sweep's concurrency."""
    most, local = laid.resolved.sweep.concurrency, {n: LOCAL_AT_ONCE for n in laid.models if family(n) == "local"}
    if not laid.batches:
        return Schedule(concurrency=most, limits=local)
    direct = dict.fromkeys(laid.models.keys() - laid.batches.keys(), most)
    return Schedule(concurrency=BATCHED_AT_ONCE, limits=direct | local, lifetime_s=BATCH_LIFETIME_S)
