"""How large a session's branch is for a context: tokens by kind of record, the projection, and where it would be cut.

A pi session is taken record by record, as its own budget cut does, with compactions, checkpoints and hidden ranges.
Other formats keep no such records: there a record is a message, and a compaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.arms.projection import Marks, first_kept, projected
from bench.arms.records import Record, entries_of, estimate
from bench.arms.window import cut_exact, cut_seed, parity_budget, request_overhead
from bench.transcripts import read
from bench.transcripts.model import Message, Transcript
from bench.transcripts.pi import NAME as PI
from bench.transcripts.pi import branch_in
from bench.transcripts.pi_entries import Entry
from bench.transcripts.pi_turns import chars_of
from bench.transcripts.values import dicts_of, text_of

RESERVE = 16_384
"""Tokens that a harness keeps free for the answer; pi's default."""
Rule = Literal["exact", "seed"]
_CUTS: dict[Rule, Callable[[Sequence[Record], int], int | None]] = {"exact": cut_exact, "seed": cut_seed}


class Kind(Struct, frozen=True, kw_only=True):
    """The records of one kind. Tokens are estimated: ceil(characters / 4)."""

    kind: str
    records: int
    tokens: int
    """What their own text takes."""
    projected: int
    """What they take in the context of the whole branch: dropped and covered ones nothing, hidden ones a marker."""


class Cut(Struct, frozen=True, kw_only=True):
    """Where a rule cuts the branch for the budget."""

    rule: Rule
    at: int | None
    """Index of the oldest record that is kept; None where all fits."""
    id: str | None
    kept: int
    """How many records are kept."""
    tokens: int
    """What a context of the kept records holds. The seed's rule can keep more than the budget."""


class Estimate(Struct, frozen=True, kw_only=True):
    """A branch's size, and its cuts for a budget."""

    format: str
    records: int
    projection: int
    """Tokens that a context of the whole branch holds."""
    overhead: int
    """Tokens of the system prompt and the tool definitions, where the file holds them: no part of the projection."""
    budget: int
    kinds: tuple[Kind, ...]
    cuts: tuple[Cut, ...]


def estimate_file(
    path: Path, budget: int | None = None, *, window: int | None = None, reserve: int = RESERVE, leaf: str | None = None
) -> Estimate:
    """The estimate of the session's branch for a budget, or for what a context window leaves of it.

    `window`: then the budget is the one at parity, window - overhead - reserve. `leaf`: another branch than that to
    the newest leaf. Raises BenchError where the file cannot be read or holds no message.
    """
    transcript = read(path, leaf=leaf)
    branch = records_of_pi(*branch_in(path, leaf)) if transcript.format == PI else records_of(transcript)
    overhead = overhead_of(transcript)
    if budget is None:
        budget = parity_budget(window or 0, overhead, reserve)
    return estimated(branch, budget, transcript.format, overhead)


def estimated(branch: Sequence[Record], budget: int, format_: str, overhead: int = 0) -> Estimate:
    """The estimate of a branch of records."""
    return Estimate(
        format=format_,
        records=len(branch),
        projection=projected(branch),
        overhead=overhead,
        budget=budget,
        kinds=_kinds(branch),
        cuts=tuple(_cut(rule, branch, budget) for rule in _CUTS),
    )


def records_of(transcript: Transcript) -> list[Record]:
    """A transcript as records: its messages, and its compactions with what they kept."""
    return [entry.record for entry in entries_of(transcript, _chars)]


def records_of_pi(branch: Sequence[Entry], kept_from: dict[int, int]) -> list[Record]:
    """The entries of a pi branch as records. `kept_from`: place of a compaction -> place of its first kept entry."""
    ids = [entry.id or f"entry-{entry.index}" for entry in branch]
    return [_record(entry, ids[i], ids[kept_from.get(i, i)]) for i, entry in enumerate(branch)]


def overhead_of(transcript: Transcript) -> int:
    """Estimated tokens of the system prompt and the tools that the file holds."""
    tools = msgspec.json.decode(transcript.tools_json) if transcript.tools_json else []
    return request_overhead(transcript.system or "", dicts_of(tools))


def _record(entry: Entry, id_: str, first_kept_id: str) -> Record:
    match entry.kind:
        case "compaction":
            return Record(
                kind="compaction", id=id_, chars=len(text_of(entry.data.summary) or ""), first_kept=first_kept_id
            )
        case "compact_checkpoint":
            return Record(kind="checkpoint", id=id_, chars=len(text_of(entry.data.text) or ""), ids=entry.covers)
        case "hidden_range":
            return Record(kind="hidden", id=id_, ids=entry.hides)
        case "custom_message" | "branch_summary" as kind:
            return Record(kind=kind, id=id_, chars=chars_of(entry))
        case "message":
            return Record(kind="message", id=id_, chars=chars_of(entry))
    return Record(kind="other", id=id_)


def _chars(message: Message) -> int:
    return message.chars


def _kinds(branch: Sequence[Record]) -> tuple[Kind, ...]:
    held = branch[first_kept(branch) :]
    marks = Marks(held)
    return tuple(
        Kind(
            kind=kind,
            records=sum(r.kind == kind for r in branch),
            tokens=sum(estimate(r) for r in branch if r.kind == kind),
            projected=sum(marks.price(r) for r in held if r.kind == kind),
        )
        for kind in dict.fromkeys(r.kind for r in branch)
    )


def _cut(rule: Rule, branch: Sequence[Record], budget: int) -> Cut:
    at = _CUTS[rule](branch, budget)
    kept = branch[at or 0 :]
    return Cut(rule=rule, at=at, id=None if at is None else branch[at].id, kept=len(kept), tokens=projected(kept))
