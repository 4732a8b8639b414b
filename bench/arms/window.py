"""The budget cut: how much of a branch's newest end fits into a token budget. Two rules, and the budget at parity.

`cut_exact` keeps the longest suffix whose projection fits. `cut_seed` walks back from the newest record and stops at
the first that would cross the budget; everything older than a compaction costs it nothing, also the records that the
compaction kept, so what it keeps may project over the budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from bench.arms.projection import Marks, Tally, first_kept, newest_compaction, projected
from bench.arms.records import Record
from bench.text import tokens_of_chars


def cut_seed(branch: Sequence[Record], budget: int) -> int | None:
    """Index of the oldest record to keep by the seed's backward walk, never past the newest; None where all fits."""
    marks = Marks()
    tokens = 0
    for i in range(len(branch) - 1, -1, -1):
        record = branch[i]
        price = marks.price(record)
        if tokens + price > budget and i < len(branch) - 1:
            return i + 1
        tokens += price
        marks.see(record)
        if record.kind == "compaction":
            return None  # all that is older counts as free
    return None


def cut_exact(branch: Sequence[Record], budget: int) -> int | None:
    """Index of the oldest record of the longest suffix whose projection is at most `budget`; None where all fits.

    At least the newest record stays, whatever it takes. One walk over the branch.
    """
    if not branch or projected(branch) <= budget:
        return None
    newest = newest_compaction(branch)
    if newest is not None and projected(branch[newest:]) <= budget:
        # a suffix that begins after the first kept record keeps nothing before the compaction: all cost the same
        return first_kept(branch) + 1
    fits = len(branch) - 1
    tally = Tally()
    for i in range(len(branch) - 1, -1 if newest is None else newest, -1):
        tally.add(branch[i])
        if tally.tokens <= budget:
            fits = i
    return fits


def request_overhead(system: str, tools: Sequence[Mapping[str, object]]) -> int:
    """Estimated tokens of a request besides its messages: the system prompt and each tool's name, text and schema."""
    chars = len(system)
    for tool in tools:
        schema = msgspec.json.encode(tool.get("input_schema", {})).decode()
        chars += len(str(tool.get("name", ""))) + len(str(tool.get("description", ""))) + len(schema)
    return tokens_of_chars(chars)


def parity_budget(window: int, overhead: int, reserve: int) -> int:
    """Tokens left for a branch in a context window: window - overhead - reserve, never below 0."""
    return max(0, window - overhead - reserve)
