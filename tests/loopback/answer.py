"""One answer on its way out: a stream or a whole message, broken where the script says so, billed as it goes."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from loopback import wire
from loopback.cache import Charge, PromptCache
from loopback.http import Responder
from loopback.record import Asked, Billed
from loopback.script import Behaviour

PING_EVERY_S = 0.02


class Answer:
    """One answer of status 200 on its way out."""

    def __init__(self, behaviour: Behaviour, charge: Charge, asked: Asked, out: Responder, cache: PromptCache) -> None:
        self.behaviour, self.charge, self.asked, self.out, self.cache = behaviour, charge, asked, out, cache
        self.sent_chars = 0

    async def send(self) -> None:
        if not self.asked.body.get("stream"):
            await self._whole()
            return
        await self.out.start_stream(self.behaviour.headers)
        self._begin()
        await self._start()
        await asyncio.sleep(self.behaviour.first_token_after)
        events = wire.content_events(self.behaviour.blocks)
        for n, event in enumerate(events):
            if n == self.behaviour.break_after:
                break
            await self.out.chunk(self._bytes(event))
            self._bill_output(event)
            await asyncio.sleep(self.behaviour.thinks_for if _opens_thinking(event) else self.behaviour.token_gap)
        if self.behaviour.break_after is not None:
            await self._break()
            return
        await self.out.chunk(self._bytes(self._delta()))
        if self.behaviour.drop_at_end:
            self.out.drop()
            return
        await self.out.chunk(self._bytes(wire.MESSAGE_STOP))
        await self.out.end_stream()
        self.asked.whole = True

    def _begin(self) -> None:
        charge, asked = self.charge, self.asked
        asked.status, asked.began_at = 200, time.monotonic()
        asked.billed = Billed(charge.input, 0, charge.read, charge.write_5m, charge.write_1h)
        self.cache.begin(charge)

    async def _start(self) -> None:
        if self.behaviour.no_start:
            return
        event = wire.message_start(f"msg_{self.asked.index}", str(self.asked.body["model"]), self._usage())
        message: Any = event["message"]
        if self.behaviour.no_usage:
            del message["usage"]
        if self.behaviour.bare_start:
            del message["usage"], message["content"]
        await self.out.chunk(self._bytes(event))

    async def _whole(self) -> None:
        content = [whole_block(b) for b in self.behaviour.blocks]
        self._begin()
        for event in wire.content_events(self.behaviour.blocks):
            self._bill_output(event)
        delta: Any = self._delta()
        usage = {**self._usage(), **delta["usage"]}
        reason = self.behaviour.stop_reason
        model = str(self.asked.body["model"])
        await self.out.json(200, wire.whole_message(f"msg_{self.asked.index}", model, content, reason, usage))
        self.asked.whole = True

    async def _break(self) -> None:
        match self.behaviour.break_with:
            case "drop":
                self.out.drop()
            case "stall":
                while True:
                    await self.out.chunk(self._bytes(wire.PING))
                    await asyncio.sleep(PING_EVERY_S)
            case "error":
                error = wire.error_body(self.behaviour.error_type, self.behaviour.message, "req_s")
                await self.out.chunk(self._bytes(error))
                await self.out.end_stream()
            case "garbage":
                await self.out.chunk(b"event: content_block_delta\ndata: {not json\n\n")
                await self.out.end_stream()
            case "end":
                await self.out.end_stream()

    def _usage(self) -> wire.Json:
        """What the start of a stream tells: of a compaction nothing yet, its pass is told at the end."""
        if self.asked.body.get("compaction"):
            return {"input_tokens": 0, "output_tokens": 0}
        return self._counters()

    def _counters(self) -> wire.Json:
        charge = self.charge
        return {
            "input_tokens": charge.input,
            "output_tokens": 1,
            "cache_read_input_tokens": charge.read,
            "cache_creation_input_tokens": charge.write_5m + charge.write_1h,
            "cache_creation": {
                "ephemeral_5m_input_tokens": charge.write_5m,
                "ephemeral_1h_input_tokens": charge.write_1h,
            },
        }

    def _delta(self) -> wire.Json:
        output = self.behaviour.output_tokens
        if output is not None:
            self.asked.billed.output = output
        details = self.behaviour.stop_details
        event = wire.message_delta(
            self.behaviour.stop_reason, self.asked.billed.output, None if details is None else dict(details)
        )
        if self.asked.body.get("compaction"):
            one = {"type": "compaction", **self._counters(), "output_tokens": self.asked.billed.output}
            event["usage"] = {"input_tokens": 0, "output_tokens": 0, "iterations": [one]}
        if self.behaviour.no_usage:
            del event["usage"]
        return event

    def _bill_output(self, event: wire.Json) -> None:
        delta: Any = event.get("delta") or {}
        block: Any = event.get("content_block") or {}
        self.sent_chars += len(delta.get("text") or delta.get("partial_json") or block.get("content") or "")
        self.asked.billed.output = -(-self.sent_chars // 4)

    def _bytes(self, event: wire.Json) -> bytes:
        data = wire.event_bytes(event)
        if self.behaviour.half_character and event["type"] == "content_block_delta":
            return data.replace(b'"text":"', b'"text":"\xe2\x82', 1)
        return data


async def fail(behaviour: Behaviour, asked: Asked, out: Responder) -> None:
    asked.status = behaviour.status
    await asyncio.sleep(behaviour.headers_after)
    if behaviour.html:
        page = b"<html><head><title>413</title></head><body>Request Entity Too Large</body></html>"
        await out.whole(behaviour.status, page, "text/html", behaviour.headers)
        return
    body = wire.error_body(behaviour.error_type, behaviour.message, f"req_{asked.index}", behaviour.error_code)
    await out.json(behaviour.status, body, behaviour.headers)


def _opens_thinking(event: wire.Json) -> bool:
    block: Any = event.get("content_block") or {}
    return bool(block.get("type") == "thinking")


def whole_block(block: wire.Block) -> wire.Json:
    deltas: list[Any] = list(block.deltas)
    if block.start["type"] == "text":
        return {"type": "text", "text": "".join(d["text"] for d in deltas)}
    if block.start["type"] == "tool_use":
        return {**block.start, "input": json.loads("".join(d["partial_json"] for d in deltas))}
    return dict(block.start)
