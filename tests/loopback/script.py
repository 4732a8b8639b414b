"""How the server behaves on a request: one frozen `Behaviour`, and short names for the ones tests ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from loopback.wire import Block, compaction_block, text_block, thinking_block, tool_block


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """An answer and what goes wrong with it. Times in seconds; the defaults are a plain, instant, whole answer."""

    blocks: tuple[Block, ...] = ()
    stop_reason: str = "end_turn"
    stop_details: Mapping[str, object] | None = None
    output_tokens: int | None = None
    """None = one for each four characters sent."""
    status: int = 200
    error_type: str = "api_error"
    error_code: str | None = None
    message: str = "scripted failure"
    headers: Mapping[str, str] | None = None
    html: bool = False
    """The error is a page of the edge proxy, not JSON."""

    headers_after: float = 0.0
    """Time to the first byte: until then the response has not begun."""
    first_token_after: float = 0.0
    thinks_for: float = 0.0
    """Silence inside each thinking block."""
    token_gap: float = 0.0
    """Between content events."""

    break_after: int | None = None
    """After so many content events: see `break_with`."""
    break_with: str = "drop"
    """drop | stall (pings until the client goes) | error (an SSE error event) | end (a clean end) | garbage."""
    drop_at_end: bool = False
    """The socket closes after `message_delta`, before `message_stop`."""
    no_start: bool = False
    bare_start: bool = False
    """message_start without usage and content."""
    no_usage: bool = False
    charged: Mapping[str, int] | None = None
    """Counters to report (and bill) in place of the cache's own."""
    cancelled: bool = False
    """In a batch: cancelled before it was answered."""
    expires: bool = False
    """In a batch: not answered within its day."""
    half_character: bool = False
    """The first delta's text is cut inside a character."""


def say(text: str = "A handoff.", **more: object) -> Behaviour:
    """A whole answer."""
    return replace(Behaviour(blocks=(text_block(text),)), **more)  # type: ignore[arg-type]


def think_and_say(text: str = "A handoff.", **more: object) -> Behaviour:
    """A thinking block without text, then the answer."""
    return say(text, blocks=(thinking_block(), text_block(text)), **more)


def rate_limited(retry_after: str | None = "0.05") -> Behaviour:
    """429, with or without `retry-after`."""
    headers = None if retry_after is None else {"retry-after": retry_after}
    return Behaviour(status=429, error_type="rate_limit_error", message="slow down", headers=headers)


def overloaded() -> Behaviour:
    return Behaviour(status=529, error_type="overloaded_error", message="Overloaded")


def failed(status: int, type_: str = "api_error", message: str = "scripted failure", **more: object) -> Behaviour:
    """Any error status."""
    return replace(Behaviour(status=status, error_type=type_, message=message), **more)  # type: ignore[arg-type]


def spend_limit() -> Behaviour:
    """429 that never heals by waiting."""
    return failed(429, "rate_limit_error", "usage threshold reached", error_code="enforced_spend_limit_reached")


def html_413() -> Behaviour:
    """Too large, said by the edge proxy as a page."""
    return failed(413, html=True)


def stream_error(type_: str = "overloaded_error", after: int = 2) -> Behaviour:
    """An SSE `error` event at status 200, after so many content events."""
    return say(break_after=after, break_with="error", error_type=type_, message="Overloaded")


def dropped(after: int = 2) -> Behaviour:
    """The socket closes in the middle of the stream."""
    return say(break_after=after, break_with="drop")


def unfinished() -> Behaviour:
    """All of the text, then a clean end without `message_delta`."""
    return say(break_after=1_000_000, break_with="end")


def stalled(after: int = 0) -> Behaviour:
    """Pings only, for ever, after so many content events."""
    return say(break_after=after, break_with="stall")


def garbage(after: int = 0) -> Behaviour:
    """A data line that is no JSON."""
    return say(break_after=after, break_with="garbage")


def empty() -> Behaviour:
    """A whole answer without content."""
    return Behaviour()


def refused(category: str = "frontier_llm") -> Behaviour:
    return Behaviour(stop_reason="refusal", stop_details={"type": "refusal", "category": category})


def cut(text: str = "A handoff that stops in the mid") -> Behaviour:
    """Stopped by max_tokens."""
    return say(text, stop_reason="max_tokens")


def tool_call(text: str | None = None) -> Behaviour:
    """A tool call, alone or after some text."""
    call = tool_block("Bash", {"command": "make test"}, 1)
    blocks = (call,) if text is None else (text_block(text), call)
    return Behaviour(blocks=blocks, stop_reason="tool_use")


def compacted(summary: str | None = "A summary of the server's own.") -> Behaviour:
    """The answer to a compaction on demand; None: the server has no summary."""
    return Behaviour(blocks=(compaction_block(summary),), stop_reason="compaction")


def mischarged(prompt_tokens: int) -> Behaviour:
    """Usage that cannot be of this conversation."""
    return say(charged={"input_tokens": prompt_tokens})
