"""The size guard: pinned turns give way so that a handoff does not come back larger than its ceiling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct


class Guarded(Struct, frozen=True, kw_only=True):
    """The texts as they may go on, and what it took."""

    texts: tuple[str, ...]
    trimmed_turns: int
    chars_before: int
    chars_after: int
    over_ceiling: bool
    """Still too large: the handoff's own text alone takes more, or nothing left could be made shorter."""


def guard(texts: Sequence[str], max_chars: int, pointer: Callable[[int, int], str]) -> Guarded:
    """`texts` within `max_chars` characters, the longest replaced by a pointer first; the first text never is.

    `texts[0]` is the handoff: a session that lost it lost what the compaction was for. `pointer(index, chars)` says in
    one line what stood there; one that is no shorter than the text it stands for is not used, so nothing grows.
    """
    out = list(texts)
    before = after = sum(map(len, texts))
    trimmed = 0
    for index in sorted(range(1, len(texts)), key=lambda i: -len(texts[i])):
        if after <= max_chars:
            break
        note = pointer(index, len(texts[index]))
        if len(note) < len(texts[index]):
            out[index] = note
            after += len(note) - len(texts[index])
            trimmed += 1
    return Guarded(
        texts=tuple(out),
        trimmed_turns=trimmed,
        chars_before=before,
        chars_after=after,
        over_ceiling=after > max_chars,
    )
