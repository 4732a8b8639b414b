"""The request body: the context's exact bytes, then the instruction, after the one cache breakpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from bench.models.known import Known
from bench.models.protocol import Request

DEFAULT_EFFORT = "high"
"""Sent where the arm names none: the API's own default differs by model (medium on Opus 5.5 and Haiku 5.5)."""

COMPACTION_BETA = "compact-2026-09-04"
"""Compaction on demand: the answer is one block with the summary, and nothing is sampled after it."""
MOST_COMPACTION_CHARS = 16_384
"""Of the instructions of a compaction."""

Body = dict[str, Any]


def request_body(request: Request, model_id: str, facts: Known | None, prefix: Mapping[str, Any]) -> Body:
    """Keyword arguments of `messages.create` but `stream`; of `beta.messages.create` for a
    compaction. `prefix` is the decoded context, shared and not changed.

    Never holds sampling parameters (400 since API version 2026-10-21) nor `tool_choice` (400 on some models if forced).
    """
    body: Body = {"model": model_id, "max_tokens": request.max_tokens}
    for part in ("system", "tools"):
        if prefix.get(part):
            body[part] = prefix[part]
    asked = "" if request.compaction else request.instruction
    body["messages"] = _with_instruction(
        prefix.get("messages") or [], asked, request.cache_ttl if request.cached else None
    )
    if request.compaction:
        own = {"instructions": request.instruction} if request.instruction.strip() else {}
        body["compaction"] = {"type": "summarize", **own}
        body["betas"] = [COMPACTION_BETA]
    if facts is not None:
        body["thinking"] = {"type": "disabled" if facts.thinking == "budget" else "adaptive"}
    output: Body = {}
    effort = asked_effort(request, facts)
    if effort is not None:
        output["effort"] = effort
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": json.loads(request.schema)}
    if output:
        body["output_config"] = output
    return body


def asked_effort(request: Request, facts: Known | None) -> str | None:
    """The effort that is sent; None for a model that takes none or is not known to."""
    if facts is None or not facts.takes_effort:
        return None
    return request.effort or DEFAULT_EFFORT


def asked_thinking(facts: Known | None) -> str | None:
    """What is asked about thinking, as rows record it: 'adaptive', 'off', or None where nothing is sent."""
    if facts is None:
        return None
    return "off" if facts.thinking == "budget" else "adaptive"


def as_counted(request: Request) -> Request:
    """The request that is counted in its place: a compaction, which may end with an answer, as a question to sum up."""
    if not request.compaction:
        return request
    return replace(request, compaction=False, instruction=request.instruction or "Summarize the conversation.")


def countable(body: Body) -> Body:
    """The part of a body that `count_tokens` takes."""
    return {k: v for k, v in body.items() if k != "max_tokens"}


def _with_instruction(messages: list[Body], instruction: str, ttl: str | None) -> list[Body]:
    said: list[Body] = [{"type": "text", "text": instruction}] if instruction.strip() else []
    if not messages:
        return [{"role": "user", "content": said}]
    *earlier, last = messages
    content = last["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
    mark = {} if ttl is None else {"cache_control": {"type": "ephemeral", "ttl": ttl}}
    blocks[-1] = {**{k: v for k, v in blocks[-1].items() if k != "cache_control"}, **mark}
    if last["role"] == "user" or not said:
        return [*earlier, {**last, "content": [*blocks, *said]}]
    return [*earlier, {**last, "content": blocks}, {"role": "user", "content": said}]
