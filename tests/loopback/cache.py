"""The prompt cache, by the API's rules: what of a request is read, written, and charged in full.

A prompt is a chain of blocks: tools, then system, then messages. An entry stands for an exact prefix up to a
breakpoint. It is written by a request whose prefix has the minimum size, and can be read only once the writer's
response has begun; it lives for its TTL from the start of the last request that wrote or read it. A breakpoint looks
back over at most 20 blocks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

LOOK_BACK_BLOCKS = 20
MOST_BREAKPOINTS = 4
TTL_S = {"5m": 300.0, "1h": 3600.0}
MINIMUM_TOKENS = {"claude-haiku-4-5": 4096, "claude-opus-4-6": 4096, "claude-opus-4-5": 4096, "claude-opus-4-7": 2048}
"""Models that cache nothing below so many tokens; see also MINIMUM_DEFAULT."""
MINIMUM_DEFAULT = 512


@dataclass(frozen=True)
class Charge:
    """Prompt tokens of one request by class, and the entries that become readable when its response begins."""

    input: int
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    writes: tuple[tuple[str, str], ...] = ()
    """(prefix hash, ttl) of each entry that this request writes."""

    @property
    def prompt(self) -> int:
        return self.input + self.read + self.write_5m + self.write_1h


@dataclass
class Entry:
    ttl: str
    expires: float
    readable: bool = False


@dataclass
class PromptCache:
    """`charge` a request when it arrives, `begin` it when the first byte of its answer goes out."""

    clock: Callable[[], float]
    minimum: int | None = None
    """Overrides the model's minimum size, for tests with short prompts."""
    entries: dict[str, Entry] = field(default_factory=dict)

    def charge(self, body: Mapping[str, Any]) -> Charge:
        """What `body` costs now. Raises ValueError where the API would answer 400."""
        chain = prompt_chain(body)
        marks = _breakpoints(chain)
        now = self.clock()
        total = chain[-1].tokens if chain else 0
        hit = self._longest_hit(chain, marks, now)
        read = chain[hit].tokens if hit is not None else 0
        minimum = self.minimum if self.minimum is not None else _minimum(str(body.get("model")))
        written = {"5m": 0, "1h": 0}
        writes: list[tuple[str, str]] = []
        done = read
        for at in marks:
            link = chain[at]
            if link.tokens < minimum or link.tokens <= done:
                continue
            written[link.ttl or "5m"] += link.tokens - done
            done = link.tokens
            writes.append((link.prefix, link.ttl or "5m"))
        for prefix, ttl in writes:
            if prefix not in self.entries or self.entries[prefix].expires <= now:
                self.entries[prefix] = Entry(ttl, now + TTL_S[ttl])
        return Charge(total - done, read, written["5m"], written["1h"], tuple(writes))

    def begin(self, charge: Charge) -> None:
        """The response has begun: from now on its entries can be read."""
        for prefix, _ in charge.writes:
            if prefix in self.entries:
                self.entries[prefix].readable = True

    def _longest_hit(self, chain: list[Link], marks: list[int], now: float) -> int | None:
        for at in reversed(marks):
            for i in range(at, max(-1, at - LOOK_BACK_BLOCKS), -1):
                entry = self.entries.get(chain[i].prefix)
                if entry and entry.readable and entry.expires > now:
                    entry.expires = now + TTL_S[entry.ttl]
                    return i
        return None


@dataclass(frozen=True)
class Link:
    """One block of the prompt: hash of the prefix that ends with it, tokens up to and with it, its breakpoint's TTL."""

    prefix: str
    tokens: int
    ttl: str | None


def prompt_chain(body: Mapping[str, Any]) -> list[Link]:
    """The blocks of the prompt, tools first. Settings that change a part are hashed in where that part begins."""
    output = body.get("output_config") or {}
    chain: list[Link] = []
    hashed = hashlib.sha256(_canonical(body.get("model")))
    tokens = 0
    for settings, blocks in (
        (None, [("tool", t) for t in body.get("tools") or []]),
        ([output.get("format"), body.get("speed")], [("system", b) for b in _blocks(body.get("system"))]),
        (
            [body.get("thinking"), output.get("effort"), body.get("tool_choice")],
            [(m["role"], b) for m in body["messages"] for b in _blocks(m["content"])],
        ),
    ):
        hashed.update(_canonical(settings))
        for role, block in blocks:
            mark = block.get("cache_control")
            bare = {k: v for k, v in block.items() if k != "cache_control"}
            hashed.update(_canonical([role, bare]))
            tokens += block_tokens(bare)
            chain.append(Link(hashed.hexdigest(), tokens, None if mark is None else mark.get("ttl", "5m")))
    if body.get("cache_control") and chain:
        last = chain[-1]
        chain[-1] = Link(last.prefix, last.tokens, last.ttl or body["cache_control"].get("ttl", "5m"))
    return chain


def block_tokens(block: Mapping[str, Any]) -> int:
    """Tokens of one block: ceil(characters / 4) of its text, or of its JSON where it is no text."""
    text = block["text"] if block.get("type") == "text" else json.dumps(block, ensure_ascii=False)
    return -(-len(text) // 4)


def _breakpoints(chain: list[Link]) -> list[int]:
    marks = [i for i, link in enumerate(chain) if link.ttl]
    if len(marks) > MOST_BREAKPOINTS:
        raise ValueError(f"A maximum of 4 blocks with cache_control may be provided. Found {len(marks)}.")
    ttls = [chain[i].ttl for i in marks]
    if ttls != sorted(ttls, key=lambda t: t != "1h"):
        raise ValueError("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
    return marks


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content or [])


def _minimum(model: str) -> int:
    return next((n for name, n in MINIMUM_TOKENS.items() if model.startswith(name)), MINIMUM_DEFAULT)


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\x00"
