"""The row of one output: what was asked, what came back, what it cost, how large the handoff is."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from bench.arms.build import Built
from bench.calls.pricing import Pricing
from bench.forks.cells import NO_MODEL, Cell
from bench.forks.outcomes import Judged
from bench.handoff.assemble import Handoff
from bench.models.protocol import Context, Reply
from bench.rows import CallRow, Outcome, OutputRow
from bench.sweepfile import Carry


def decided_row(run: str, cell: Cell, outcome: Outcome, detail: str, context: Context | None = None) -> OutputRow:
    """The row of a cell that made no request: it cost nothing, and that is known."""
    row = _row(run, cell, outcome, detail)
    if context is not None:
        row.context_mode, row.context_sha256, row.context_tokens = context.mode, context.sha256, context.tokens
    row.usd_api = row.usd_subscription = 0.0
    return row


def fork_row(
    run: str,
    cell: Cell,
    context: Context,
    judged: Judged,
    reply: Reply,
    call: CallRow,
    *,
    reply_sha256: str,
    attempts: int,
    ms_since_last_fork: int | None,
    handoff: Handoff | None,
    carry: Carry | None,
    pricing: Pricing,
) -> OutputRow:
    """The row of a cell whose fork was answered; `handoff` is None for outcomes without one.

    Usage and cost are the whole fork's, also where cells share it.
    """
    row = _row(run, cell, judged.outcome, judged.detail)
    row.context_mode, row.context_sha256, row.context_tokens = context.mode, context.sha256, context.tokens
    row.reply_sha256 = reply_sha256
    row.effort, row.thinking = reply.effort, reply.thinking
    row.tool_calls_attempted = reply.tool_calls
    row.attempts = attempts
    row.ms_since_last_fork = ms_since_last_fork
    row.charged_input_tokens, row.matches_context = judged.charged_input, judged.matches
    _take(row, call)
    return row if handoff is None else _sized(row, handoff, carry, pricing)


def built_row(
    run: str, cell: Cell, built: Built, handoff: Handoff | None, *, started_at: str, seconds: float,
    carry: Carry | None, pricing: Pricing,
) -> OutputRow:  # fmt: skip
    """The row of an arm without a model: it costs nothing. Of a command that says what it used, no price is known."""
    row = _row(run, cell, built.outcome, built.detail)
    row.started_at, row.seconds = started_at, seconds
    if built.usage is None:
        row.usd_api = row.usd_subscription = 0.0
    else:
        row.input_tokens, row.output_tokens = built.usage.input, built.usage.output
        row.cache_read_tokens = built.usage.cache_read
        row.cache_write_5m_tokens, row.cache_write_1h_tokens = built.usage.cache_write_5m, built.usage.cache_write_1h
        row.usage_source = "reported"
        row.usd_reason = "a command's usage names no model"
    return row if handoff is None else _sized(row, handoff, carry, pricing)


def _row(run: str, cell: Cell, outcome: Outcome, detail: str | None) -> OutputRow:
    return OutputRow(
        run=run,
        fixture=cell.fixture,
        arm=cell.arm,
        kind=cell.kind,
        model=cell.model,
        replicate=cell.replicate,
        chain_step=cell.chain_step,
        stale_by=cell.stale_by,
        outcome=outcome,
        detail=detail,
        deterministic=cell.model == NO_MODEL,
        instruction_sha256=cell.instruction_sha256,
        cell_key=cell.key,
    )


_FROM_CALL = (
    "started_at", "seconds", "first_token_seconds", "stop_reason", "request_id", "input_tokens", "output_tokens",
    "cache_read_tokens", "cache_write_5m_tokens", "cache_write_1h_tokens", "usage_source", "billing", "price_row",
    "usd_api", "usd_subscription", "usd_reason", "cache_read_waived_usd",
)  # fmt: skip
"""Columns that an output has from the call that brought its reply."""


def _take(row: OutputRow, call: CallRow) -> None:
    for name in _FROM_CALL:
        setattr(row, name, getattr(call, name))


def _sized(row: OutputRow, handoff: Handoff, carry: Carry | None, pricing: Pricing) -> OutputRow:
    sizes: Mapping[str, int | float | bool | str | None] = handoff.sizes()
    row = replace(row, **sizes)
    if carry is not None and row.handoff_tokens is not None:
        row.carry_usd = pricing.carry(row.handoff_tokens, carry, row.started_at)
    return row
