"""What drafting with a model would ask and cost, before anything is paid."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.calls.pricing import Pricing
from bench.contexts.context import text_context
from bench.errors import BenchError
from bench.models.estimate import estimated
from bench.models.protocol import Count, Model, Request
from bench.proposing.stretches import STRETCH_CHARS, stretches
from bench.proposing.wording import SCHEMA, instruction
from bench.text import estimate_tokens
from bench.transcripts.model import Transcript, Usage

MOST_ATOMS = 48
"""Asked for over a whole transcript."""
LEAST, MOST = 6, 16
"""Atoms asked for of one stretch."""
MAX_TOKENS = 12_000
"""Of an answer: thinking, and the atoms with their quotations."""
ATOM_TOKENS, BESIDE_TOKENS = 160, 800
"""Of an atom, and of all else in an answer; only the expected cost rests on them."""
EFFORT = "medium"
CHARS_A_TOKEN = 3
"""Of a small model's tokenizer at the least: what its window surely holds."""
SMALLEST_ROOM = 2_000
"""Characters of a stretch that is worth asking about."""
COUNTS_AT_ONCE = 8


@dataclass(frozen=True)
class DraftPlan:
    """The requests, one a stretch, and their prompt tokens. USD are None where no price is known."""

    model: str
    requests: tuple[Request, ...]
    counts: tuple[Count, ...]
    expected_usd: float | None
    worst_usd: float | None

    @property
    def prompt_tokens(self) -> int:
        return sum(c.tokens for c in self.counts)

    def line(self) -> str:
        """What will be asked, and what it comes to, on one line."""
        cost = (
            "no price is known"
            if self.expected_usd is None or self.worst_usd is None
            else f"expected ${self.expected_usd:.4f}, at most ${self.worst_usd:.4f}"
        )
        source = "estimated" if any(c.source == "estimated" for c in self.counts) else "counted"
        return f"{self.model}: {len(self.requests)} call(s), {self.prompt_tokens:,} prompt tokens ({source}), {cost}"


def requests_of(transcript: Transcript, window: int | None, max_output: int | None) -> tuple[Request, ...]:
    """One request a stretch. Raises BenchError where nothing is said, or the window is too small to ask about it."""
    max_tokens = min(MAX_TOKENS, max_output or MAX_TOKENS, MAX_TOKENS if window is None else window // 3)
    parts = stretches(transcript.messages, _room(window, max_tokens))
    if not parts:
        raise BenchError("holds no text to draft atoms from")
    most = min(max(math.ceil(MOST_ATOMS / len(parts)), LEAST), MOST)
    return tuple(
        Request(
            context=text_context(part.text).context,
            instruction=instruction(most),
            max_tokens=max_tokens,
            effort=EFFORT,
            schema=SCHEMA,
            cached=False,
        )
        for part in parts
    )


def plan_of(requests: Sequence[Request], counts: Sequence[Count], model: str, pricing: Pricing) -> DraftPlan:
    """The plan for these requests, of so many prompt tokens each."""
    expected = [pricing.cost(_usual(r, c), model).usd_api for r, c in zip(requests, counts, strict=True)]
    worst = [pricing.worst(model, c.tokens, r.max_tokens) for r, c in zip(requests, counts, strict=True)]
    return DraftPlan(model, tuple(requests), tuple(counts), _sum(expected), _sum(worst))


async def counted(requests: Sequence[Request], model: Model) -> list[Count]:
    """The prompt tokens of each request, as the model (entered) counts them."""
    at_once = asyncio.Semaphore(COUNTS_AT_ONCE)

    async def one(request: Request) -> Count:
        async with at_once:
            return await model.count(request)

    return list(await asyncio.gather(*map(one, requests)))


def estimated_counts(requests: Sequence[Request], model: str) -> list[Count]:
    """The same, estimated without asking anybody."""
    return [estimated(r, model) for r in requests]


def _room(window: int | None, max_tokens: int) -> int:
    if window is None:
        return STRETCH_CHARS
    left = window - max_tokens - estimate_tokens(instruction(MOST)) - estimate_tokens(SCHEMA.decode())
    room = min(STRETCH_CHARS, left * CHARS_A_TOKEN)
    if room < SMALLEST_ROOM:
        raise BenchError(f"a window of {window:,} tokens is too small to draft atoms from a transcript")
    return room


def _usual(request: Request, count: Count) -> Usage:
    atoms = int(request.instruction.split("at most ", 1)[1].split()[0])
    return Usage(input=count.tokens, output=min(request.max_tokens, BESIDE_TOKENS + atoms * ATOM_TOKENS))


def _sum(values: Sequence[float | None]) -> float | None:
    return None if None in values else math.fsum(v for v in values if v is not None)
