"""Message Batches: answered when they are handed in, shown as in progress for some looks, results in reversed order."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from loopback import wire
from loopback.answer import whole_block
from loopback.cache import PromptCache
from loopback.record import Asked, Billed
from loopback.rules import COMPACTION_BETA, refusal
from loopback.script import Behaviour

BATCHES = "/v1/messages/batches"
NOT_IN_BATCHES = ("stream", "speed")


@dataclass
class Batch:
    """One batch: its items by custom id, and how often it will yet be found in progress."""

    id: str
    polls_left: int
    items: dict[str, Asked] = field(default_factory=dict)
    lines: list[wire.Json] = field(default_factory=list)
    created_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def answer(self, behaviour_of: Callable[[Asked], Behaviour], cache: PromptCache) -> None:
        """Answer and bill every item. All are sent together: none reads what another of this batch writes."""
        begun = []
        for custom_id, asked in self.items.items():
            behaviour = behaviour_of(asked)
            why = refusal(asked.body)
            if why is not None:
                result = _errored("invalid_request_error", why)
            elif behaviour.status != 200:
                result = _errored(behaviour.error_type, behaviour.message)
            elif behaviour.expires or behaviour.cancelled:
                result = {"type": "expired" if behaviour.expires else "canceled"}
            else:
                charge = cache.charge(asked.body)
                begun.append(charge)
                content = [whole_block(b) for b in behaviour.blocks]
                text = "".join(str(b.get("text") or b.get("content") or "") for b in content)
                asked.billed = Billed(charge.input, -(-len(text) // 4), charge.read, charge.write_5m, charge.write_1h)
                result = {"type": "succeeded", "message": _message(asked, behaviour, content)}
                asked.status, asked.whole = 200, True
            self.lines.insert(0, {"custom_id": custom_id, "result": result})
        for charge in begun:
            cache.begin(charge)

    def shown(self, url: str) -> wire.Json:
        ended = self.polls_left < 0
        kinds = ("processing", "succeeded", "errored", "canceled", "expired")
        counts = dict.fromkeys(kinds, 0) | {"succeeded" if ended else "processing": len(self.items)}
        return {
            "id": self.id, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts, "created_at": self.created_at, "expires_at": self.created_at,
            "ended_at": self.created_at if ended else None, "cancel_initiated_at": None, "archived_at": None,
            "results_url": f"{url}{BATCHES}/{self.id}/results" if ended else None,
        }  # fmt: skip

    def results(self) -> bytes:
        return b"".join(json.dumps(line).encode() + b"\n" for line in self.lines)


def list_of(batches: list[Batch], url: str) -> wire.Json:
    """A page of all batches, newest first."""
    data = [batch.shown(url) for batch in reversed(batches)]
    ends = (data[0]["id"], data[-1]["id"]) if data else (None, None)
    return {"data": data, "has_more": False, "first_id": ends[0], "last_id": ends[1]}


def batch_refusal(body: Mapping[str, Any], beta: str = "") -> str | None:
    """Why the API would answer 400 to a batch, or None. `beta`: the header's value."""
    if any("compaction" in one["params"] for one in body.get("requests") or []) and COMPACTION_BETA not in beta:
        return "compaction: Extra inputs are not permitted"
    ids = [str(one.get("custom_id")) for one in body.get("requests") or []]
    if not ids or len(set(ids)) < len(ids):
        return "requests: at least one, each with a custom_id of its own"
    if any(not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", i) for i in ids):
        return "requests: custom_id must match ^[a-zA-Z0-9_-]{1,64}$"
    if any(name in one["params"] for one in body["requests"] for name in NOT_IN_BATCHES):
        return "requests: not allowed in a batch"
    return None


def _errored(kind: str, message: str) -> wire.Json:
    return {"type": "errored", "error": wire.error_body(kind, message, "req_b")}


def _message(asked: Asked, behaviour: Behaviour, content: list[wire.Json]) -> wire.Json:
    billed = asked.billed
    usage: wire.Json = {
        "input_tokens": billed.input,
        "output_tokens": billed.output,
        "cache_read_input_tokens": billed.cache_read,
        "cache_creation_input_tokens": billed.cache_write_5m + billed.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": billed.cache_write_5m,
            "ephemeral_1h_input_tokens": billed.cache_write_1h,
        },
        "service_tier": "batch",
    }
    if asked.body.get("compaction"):
        one = {"type": "compaction", **usage, "output_tokens": billed.output}
        usage = {"input_tokens": 0, "output_tokens": 0, "iterations": [one]}
    model = str(asked.body["model"])
    return wire.whole_message(f"msg_b{asked.index}", model, content, behaviour.stop_reason, usage)
