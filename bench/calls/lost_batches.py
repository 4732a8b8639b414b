"""Finds a batch whose id was never noted: whoever handed it in died, or lost the connection, before it had the id.

The account's list shows when a batch came and how large it is; whose requests it holds stands in its results only. So
one that fits is waited for, and is taken for ours where it holds a custom id of ours.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping

from bench.calls.journal import Handing
from bench.models.protocol import Attempt, BatchModel, Listed, Request

LOOKS = 4
LOOK_AGAIN_S = 10.0
"""A batch stands in the list once the server has read it: it is looked for so often, with this pause, in seconds."""
MOST_FAILED_LOOKS = 30


class Unlisted(Exception):
    """The account's batches are not told; `attempt` says why."""

    def __init__(self, attempt: Attempt) -> None:
        super().__init__(attempt.detail)
        self.attempt = attempt


async def find_batch(
    model: BatchModel,
    handing: Handing,
    request: Mapping[str, Request],
    noted: Callable[[], Collection[str]],
    sleep: Callable[[float], Awaitable[None]],
) -> str | None:
    """The id of the batch that holds these calls, None where the account has none.

    `request`: one of its requests by custom id. `noted`: ids of batches that are known to hold other calls. Raises
    Unlisted where the list cannot be had.
    """
    others: set[str] = set()
    looks = failed = 0
    while True:
        listed = await model.listed(handing.at)
        if isinstance(listed, Attempt):
            failed += 1
            if not listed.retryable or failed >= MOST_FAILED_LOOKS:
                raise Unlisted(listed)
        else:
            looks += 1
            fitting = [b for b in listed if _fits(b, handing) and b.batch_id not in others | set(noted())]
            for one in (b for b in fitting if b.ended):
                held = await model.collect(one.batch_id, request)
                if isinstance(held, Mapping):
                    if held:
                        return one.batch_id
                    others.add(one.batch_id)
            if looks >= LOOKS and all(b.batch_id in others for b in fitting):
                return None
        await sleep(LOOK_AGAIN_S)


def _fits(batch: Listed, handing: Handing) -> bool:
    return batch.requests == len(handing.calls)
