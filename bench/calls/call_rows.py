"""The row of one model call: its usage and what it cost, answered or not."""

from __future__ import annotations

import asyncio

from bench.calls.pricing import Pricing
from bench.models.protocol import Attempt, Count, Reply
from bench.prices import Billing
from bench.rows import CallRow, Purpose
from bench.text import estimate_tokens
from bench.transcripts.model import Usage

BROKEN_OFF = "broke off; it may have been billed up to its worst case"


def answered_call(
    call_id: str,
    model: str,
    cell_key: str,
    reply: Reply,
    count: Count,
    outcome: str,
    pricing: Pricing,
    billing: Billing = "direct",
    purpose: Purpose = "fork",
) -> CallRow:
    """The row of a call that was answered. Usage that a server did not report is estimated, and marked so."""
    estimated = Usage(input=count.tokens, output=estimate_tokens(reply.text))
    usage = reply.usage or estimated
    price = pricing.cost(usage, model, reply.started_at, billing=billing)
    return CallRow(
        call_id=call_id,
        purpose=purpose,
        model=model,
        cell_key=cell_key,
        outcome=outcome,
        started_at=reply.started_at,
        seconds=None if billing == "batch" else reply.seconds,
        first_token_seconds=reply.first_token_seconds,
        stop_reason=reply.stop_reason,
        request_id=reply.request_id,
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_5m_tokens=usage.cache_write_5m,
        cache_write_1h_tokens=usage.cache_write_1h,
        usage_source="reported" if reply.usage else "estimated",
        billing=billing,
        price_row=price.price_row,
        usd_api=price.usd_api,
        usd_subscription=price.usd_subscription,
        usd_reason=price.reason,
        cache_read_waived_usd=price.cache_read_waived_usd,
    )


def broken_off(error: BaseException, started_at: str, seconds: float) -> Attempt:
    """The attempt that an interrupt, or a failure of our own, ended."""
    detail = "interrupted" if isinstance(error, asyncio.CancelledError) else type(error).__name__
    return Attempt(outcome="aborted", detail=detail, started_at=started_at, seconds=seconds, retryable=False)


def failed_call(
    call_id: str,
    model: str,
    cell_key: str,
    attempt: Attempt,
    worst_usd: float | None,
    pricing: Pricing,
    billing: Billing = "direct",
    purpose: Purpose = "fork",
) -> CallRow:
    """The row of a call that brought nothing.

    Refused unread: it cost 0. Billed with its usage seen: that. Else its cost is unknown, and its worst case is kept as
    possibly billed.
    """
    usage = attempt.usage
    row = CallRow(
        call_id=call_id,
        purpose=purpose,
        model=model,
        cell_key=cell_key,
        outcome=attempt.outcome,
        detail=attempt.detail,
        started_at=attempt.started_at,
        seconds=attempt.seconds,
        billing=billing,
    )
    if usage is not None:
        row.input_tokens, row.output_tokens = usage.input, usage.output
        row.cache_read_tokens = usage.cache_read
        row.cache_write_5m_tokens, row.cache_write_1h_tokens = usage.cache_write_5m, usage.cache_write_1h
        row.usage_source = "reported"
    if attempt.billed == "no":
        row.usd_api = row.usd_subscription = 0.0
    elif attempt.billed == "yes" and usage is not None:
        price = pricing.cost(usage, model, attempt.started_at, billing=billing)
        row.price_row, row.usd_api, row.usd_subscription = price.price_row, price.usd_api, price.usd_subscription
        row.usd_reason, row.cache_read_waived_usd = price.reason, price.cache_read_waived_usd
    else:
        row.usd_reason, row.possibly_billed_usd = BROKEN_OFF, worst_usd
    return row
