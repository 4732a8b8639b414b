"""How large a handoff may be: a share of the next window, capped; or a number set by hand, which is never clamped."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

from bench.text import CHARS_PER_TOKEN, tokens_of_chars

DEFAULT_FRACTION = 0.25
"""Of the next window: a larger handoff leaves too little of it for work."""
DEFAULT_CAP_TOKENS = 150_000
SAFE_CAP_TOKENS = 200_000
"""No cap goes above it, or little of the next window would be left for anything else."""
UNKNOWN_WINDOW_CHARS = 400_000
"""Ceiling in characters where the window is not known."""

Decider = Literal["chars", "fraction", "cap", "window unknown"]


class HandoffCeiling(Struct, frozen=True, kw_only=True):
    """The ceiling in characters and what set it; fraction and cap are absent where `chars` was set by hand."""

    chars: int
    decider: Decider
    window: int | None = None
    fraction: float | None = None
    cap_tokens: int | None = None
    over_safe_cap_chars: int = 0
    """How far a hand-set ceiling passes the safe cap; it is said, not clamped."""

    @property
    def over_safe_cap_tokens(self) -> int:
        return tokens_of_chars(self.over_safe_cap_chars)


def handoff_ceiling(
    *,
    window: float | None = None,
    chars: float | None = None,
    fraction: float | None = None,
    cap_tokens: float | None = None,
) -> HandoffCeiling:
    """min(fraction x window, cap) in characters; `chars` overrides both. What is no positive number is unset."""
    known = _whole(window)
    by_hand = _whole(chars)
    if by_hand is not None:
        over = max(0, by_hand - SAFE_CAP_TOKENS * CHARS_PER_TOKEN)
        return HandoffCeiling(chars=by_hand, decider="chars", window=known, over_safe_cap_chars=over)
    share = fraction if _positive(fraction) and fraction is not None and fraction <= 1 else DEFAULT_FRACTION
    cap = min(_whole(cap_tokens) or DEFAULT_CAP_TOKENS, SAFE_CAP_TOKENS)
    if known is None:
        size = min(UNKNOWN_WINDOW_CHARS, cap * CHARS_PER_TOKEN)
        return HandoffCeiling(chars=size, decider="window unknown", fraction=share, cap_tokens=cap)
    wanted = math.floor(known * share)
    decider: Decider = "fraction" if wanted <= cap else "cap"
    size = min(wanted, cap) * CHARS_PER_TOKEN
    return HandoffCeiling(chars=size, decider=decider, window=known, fraction=share, cap_tokens=cap)


def _whole(value: float | None) -> int | None:
    return int(value) if _positive(value) and value is not None else None


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
