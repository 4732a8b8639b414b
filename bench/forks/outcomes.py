"""What came of a reply: one outcome of the closed set, and why."""

from __future__ import annotations

from typing import NamedTuple

from bench.handoff.scratchpad import without_scratchpad
from bench.models.protocol import Count, Reply
from bench.rows import Outcome
from bench.transcripts.model import Usage

MISMATCH_SHARE = 0.5
"""A charged prompt below this share of the counted one: the model did not read this conversation."""
CUT = {
    "max_tokens": "max_tokens reached",
    "model_context_window_exceeded": "the context window ran out",
    None: "the stream ended without a stop reason",
}


class Judged(NamedTuple):
    """The outcome of a reply. `matches` says whether the model read the context; None where no usage was reported."""

    outcome: Outcome
    detail: str | None
    charged_input: int | None
    matches: bool | None


def charged_input(usage: Usage) -> int:
    """Prompt tokens of a call: input, cache reads and cache writes."""
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def judge(reply: Reply, count: Count, *, compaction: bool = False) -> Judged:
    """The outcome of a reply to a prompt of `count` tokens; `compaction`: the server was asked to compact it itself.

    Refusals first (they may be charged nothing), then a prompt that was not read, then what the text is.
    Text beside a tool call is a handoff; a tool call without text is refused.
    """
    charged = None if reply.usage is None else charged_input(reply.usage)
    matches = None if charged is None else charged >= MISMATCH_SHARE * count.tokens
    outcome, detail = _outcome(reply, matches, charged, count)
    if compaction and outcome in ("empty-reply", "truncated") and not reply.text.strip():
        outcome, detail = "no-summary", f"the server brought no summary ({reply.stop_reason or 'no stop reason'})"
    return Judged(outcome, detail, charged, matches)


def _outcome(reply: Reply, matches: bool | None, charged: int | None, count: Count) -> tuple[Outcome, str | None]:
    if reply.stop_reason == "refusal":
        return "refused", f"the model refused: {reply.refusal}" if reply.refusal else "the model refused"
    if matches is False:
        return "mismatch", f"charged for {charged} prompt tokens where {count.tokens} were {count.source}"
    text = reply.text.strip()
    if not text and reply.tool_calls:
        return "refused", f"{_calls(reply)} and no text"
    if reply.stop_reason is None:
        return (
            ("truncated", "the stream ended without a stop reason") if text else ("empty-reply", "the stream broke off")
        )
    if reply.stop_reason in CUT:
        return "truncated", CUT[reply.stop_reason]
    if not text:
        return "empty-reply", None
    if not without_scratchpad(reply.text).text:
        return "empty", "nothing is left once the scratchpad is gone"
    return "handoff", f"{_calls(reply)} beside the text" if reply.tool_calls else None


def _calls(reply: Reply) -> str:
    return "1 tool call" if reply.tool_calls == 1 else f"{reply.tool_calls} tool calls"
