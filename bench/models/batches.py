"""Message Batches: requests handed in together at half price, answers fetched within a day, in any order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bench.models.body import Body, asked_effort, asked_thinking
from bench.models.failures import FINAL_TYPES, STOPPING_TYPES, attempt_of
from bench.models.known import Known
from bench.models.names import parse_name
from bench.models.protocol import Attempt, Listed, Reply, Request
from bench.models.redact import Redactor
from bench.models.usage import usage_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

SUBMIT_S = 600.0
"""A batch carries its context once a request: tens of megabytes."""
POLL_S = 60.0
RESULTS_S = 600.0
PAGE = 100
"""Batches in one page of the list."""
SKEW_S = 120.0
"""What two clocks may differ by, in seconds."""


def takes_batches(name: str) -> bool:
    """Whether a model of that name may be asked in batches; Bedrock, Vertex and local models may not."""
    return parse_name(name).kind in ("claude", "server")


async def submit(client: AsyncAnthropic, bodies: Mapping[str, Body], redactor: Redactor) -> str | Attempt:
    """The id of the batch, or the attempt that brought none. `bodies`: by custom id.

    Betas are headers of the whole batch: one that any request names is named for all.
    """
    betas = sorted({beta for body in bodies.values() for beta in body.get("betas", ())})
    requests: list[Any] = [
        {"custom_id": name, "params": {k: v for k, v in body.items() if k != "betas"}} for name, body in bodies.items()
    ]
    started_at, began = _now(), time.monotonic()
    try:
        async with asyncio.timeout(SUBMIT_S):
            if betas:
                return (await client.beta.messages.batches.create(requests=requests, betas=betas)).id
            return (await client.messages.batches.create(requests=requests)).id
    except Exception as error:
        return _attempt(error, redactor, started_at, time.monotonic() - began)


async def collect(
    client: AsyncAnthropic, batch_id: str, requests: Mapping[str, Request], facts: Known | None, redactor: Redactor
) -> dict[str, Reply | Attempt] | Attempt | None:
    """What came of each request of a batch; None while it is worked on, an Attempt where it cannot be asked for.

    `requests`: by custom id; results of others are left out.
    """
    started_at, began = _now(), time.monotonic()
    try:
        async with asyncio.timeout(POLL_S):
            batch = await client.messages.batches.retrieve(batch_id)
        if batch.processing_status != "ended":
            return None
        created = batch.created_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        out: dict[str, Reply | Attempt] = {}
        async with asyncio.timeout(RESULTS_S):
            async for item in await client.messages.batches.results(batch_id):
                if item.custom_id in requests:
                    out[item.custom_id] = _result(item.result, requests[item.custom_id], facts, redactor, created)
        return out
    except Exception as error:
        return _attempt(error, redactor, started_at, time.monotonic() - began)


async def listed(client: AsyncAnthropic, since: str, redactor: Redactor) -> list[Listed] | Attempt:
    """The account's batches of which the server says that they came since then, or the attempt that brought none.

    `since`: ISO 8601 UTC by the clock of this machine; the server's may be `SKEW_S` behind it.
    """
    earliest = datetime.fromisoformat(since) - timedelta(seconds=SKEW_S)
    started_at, began = _now(), time.monotonic()
    out: list[Listed] = []
    try:
        async with asyncio.timeout(RESULTS_S):
            async for batch in client.messages.batches.list(limit=PAGE):
                if batch.created_at < earliest:
                    break  # newest first
                counts = batch.request_counts
                requests = sum((counts.processing, counts.succeeded, counts.errored, counts.canceled, counts.expired))
                out.append(Listed(batch.id, requests, batch.processing_status == "ended"))
        return out
    except Exception as error:
        return _attempt(error, redactor, started_at, time.monotonic() - began)


def _result(result: Any, request: Request, facts: Known | None, redactor: Redactor, created: str) -> Reply | Attempt:
    match result.type:
        case "succeeded":
            return _reply(result.message, request, facts, created)
        case "errored":
            error = result.error.error
            return Attempt(
                outcome="api-error",
                detail=redactor.detail(f"in the batch: {error.type}: {error.message}"),
                started_at=created,
                seconds=0.0,
                billed="no",
                retryable=error.type not in FINAL_TYPES | STOPPING_TYPES,
                stop_run=error.type in STOPPING_TYPES,
            )
        case "expired":
            return Attempt(
                outcome="expired", detail="the batch expired before this request was answered",
                started_at=created, seconds=0.0, billed="no", retryable=False,
            )  # fmt: skip
    return Attempt(
        outcome="aborted", detail=f"the batch was {redactor.detail(str(result.type))}",
        started_at=created, seconds=0.0, billed="no", retryable=False,
    )  # fmt: skip


def _reply(message: Any, request: Request, facts: Known | None, created: str) -> Reply:
    parts = {"text": "text", "compaction": "content"}
    texts = [getattr(block, parts[block.type]) for block in message.content if block.type in parts]
    details = getattr(message, "stop_details", None)
    usage = message.usage.model_dump(exclude_none=True, warnings=False) if message.usage else None
    return Reply(
        text="\n".join(text for text in texts if text),
        stop_reason=message.stop_reason,
        usage=usage_of(usage, request.cache_ttl),
        tool_calls=sum(block.type.endswith("tool_use") for block in message.content),
        started_at=created,
        thinking=asked_thinking(facts),
        effort=asked_effort(request, facts),
        refusal=getattr(details, "category", None),
    )


def _attempt(error: Exception, redactor: Redactor, started_at: str, seconds: float) -> Attempt:
    return attempt_of(error, redactor, started_at=started_at, seconds=seconds, usage=None, listening=True)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
