"""What carrying a handoff costs: each answer of the window it opened reads it again, from the cache.

The handoff weighs what the first prompt after the compaction holds above the first fresh prompt (the floor), see
`bench.handoff.window.weights`. That is all that came back, restored files and pins too, and the person's first words.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from bench.handoff.window import Reading, weights
from bench.prices import carry_cost

TURNS = 10
"""Turns that are looked at by default."""


class Carried(Struct, frozen=True, kw_only=True):
    """One turn after a compaction. Null: the file does not tell, or the price is not known."""

    compaction: int
    turn: int
    answers: int | None
    weight: int | None
    """Tokens that the handoff weighs."""
    tokens: int | None
    """Weight x answers of this turn."""
    tokens_so_far: int | None
    usd_so_far: float | None
    """List price of reading them from the cache."""
    share: float | None
    """Of the turn's first prompt, percent."""


def carried(found: Sequence[Reading], turns: int, model: str | None, when: date) -> tuple[Carried, ...]:
    """The first `turns` turns after every compaction, from the session's window readings."""
    lines: list[Carried] = []
    for weight in weights(found):
        own = [r for r in found if r.compaction == weight.compaction and r.phase == weight.phase][:turns]
        # a first prompt below the floor says that the floor was no floor
        weighs = weight.tokens if weight.tokens is not None and weight.tokens >= 0 else None
        so_far: int | None = 0
        for reading in own:
            here = None if weighs is None or reading.answers is None else weighs * reading.answers
            so_far = None if so_far is None or here is None else so_far + here
            lines.append(
                Carried(
                    compaction=weight.compaction,
                    turn=reading.turn,
                    answers=reading.answers,
                    weight=weighs,
                    tokens=here,
                    tokens_so_far=so_far,
                    usd_so_far=_usd(weighs, so_far, model, when),
                    share=_share(weighs, reading.first_prompt),
                )
            )
    return tuple(lines)


def _usd(weight: int | None, tokens: int | None, model: str | None, when: date) -> float | None:
    if not weight or tokens is None or model is None:
        return None
    return carry_cost(weight, tokens // weight, model, when).usd_api


def _share(weight: int | None, prompt: int | None) -> float | None:
    return None if weight is None or not prompt else round(100 * weight / prompt, 1)
