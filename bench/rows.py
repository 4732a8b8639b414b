"""The rows of the tables, as they stand in the files. Column meanings: docs/formats.md.

Null means "not known" or "does not apply", never zero. `nullable dtypes of these structs` are the frames' columns.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

BEFORE_CALL = ("nothing-to-fork", "does-not-fit", "too-stale", "budget", "instructed")
"""Outcomes that made no request."""
FINAL = ("handoff", "empty-reply", "empty", "truncated", "refused", "mismatch", "no-summary")
"""Final outcomes after a request (or after an arm without a model built its handoff); all priced."""
NOT_FINAL = ("api-error", "timeout", "aborted", "expired")
"""Attempts; their cells run again on resume."""
GRADED = ("handoff", "truncated")
"""Outcomes whose text is graded; truncated ones are left out of rankings unless asked for."""
MOST_STALE = 60
"""Messages a handoff may lag behind; further behind, a pipeline hands the compaction back to the harness."""

Outcome = Literal[
    "nothing-to-fork", "does-not-fit", "too-stale", "budget", "instructed",
    "handoff", "empty-reply", "empty", "truncated", "refused", "mismatch", "no-summary",
    "api-error", "timeout", "aborted", "expired",
]  # fmt: skip
Purpose = Literal["fork", "judge", "commitments", "draft", "count", "warm"]
"""What a model call was made for."""
Verdict = Literal["carried", "partial", "absent", "stale", "wrong"]
SCORES: dict[str, float] = {"carried": 1.0, "partial": 0.5, "absent": 0.0, "stale": 0.0, "wrong": 0.0}


class OutputRow(Struct, kw_only=True, forbid_unknown_fields=True):
    """One output: one cell's final outcome. Times ISO 8601 UTC; seconds, tokens, characters, USD as the name says."""

    run: str
    fixture: str
    arm: str
    kind: str
    model: str
    """The model as named in the sweep; 'none' for arms without a model."""
    replicate: int
    chain_step: int = 1
    stale_by: int = 0
    outcome: Outcome
    detail: str | None = None
    context_mode: Literal["native", "rendered"] | None = None
    context_sha256: str | None = None
    context_tokens: int | None = None
    instruction_sha256: str | None = None
    reply_sha256: str | None = None
    effort: str | None = None
    thinking: str | None = None
    started_at: str | None = None
    deterministic: bool = False
    seconds: float | None = None
    first_token_seconds: float | None = None
    ms_since_last_fork: int | None = None
    subagent_ran_this_turn: bool | None = None
    stop_reason: str | None = None
    request_id: str | None = None
    attempts: int = 0
    tool_calls_attempted: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    usage_source: Literal["reported", "estimated"] | None = None
    charged_input_tokens: int | None = None
    matches_context: bool | None = None
    billing: Literal["direct", "batch"] | None = None
    price_row: str | None = None
    usd_api: float | None = None
    usd_subscription: float | None = None
    usd_reason: str | None = None
    cache_read_waived_usd: float | None = None
    commitments_usd: float | None = None
    carry_usd: float | None = None
    cell_key: str
    handoff_chars: int | None = None
    handoff_tokens: int | None = None
    summary_chars: int | None = None
    analysis_chars: int | None = None
    ledger_chars: int | None = None
    commitments_chars: int | None = None
    state_chars: int | None = None
    restored_chars: int | None = None
    pinned_chars: int | None = None
    pins: int | None = None
    pins_skipped: int | None = None
    restore_source: Literal["model", "recency", "none"] | None = None
    restored_files: int | None = None
    trimmed_turns: int | None = None
    over_ceiling: bool | None = None
    parts_failed: str | None = None
    """Names of the parts that failed, comma-separated."""
    subscribers: str | None = None


class GradeRow(Struct, kw_only=True, forbid_unknown_fields=True):
    """One verdict: output x pass x atom. `verdict` and `score` are null where the grade is missing."""

    run: str
    fixture: str
    arm: str
    model: str
    replicate: int
    chain_step: int = 1
    stale_by: int = 0
    grader: str
    grader_model: str | None = None
    scope: Literal["handoff", "summary"]
    grader_sha256: str
    output_sha256: str
    key_sha256: str
    grading_pass: int
    atom: str
    tag: str
    by: str
    importance: str
    weight: float
    verdict: Verdict | None
    score: float | None
    evidence: str | None = None
    evidence_found: bool | None = None
    position: int | None = None
    call_id: str | None = None
    inventions_known: bool = True
    """Of the whole pass over the output: whether inventions were looked for in full; else none found says nothing."""
    stale_known: bool = True
    """Of the whole pass, too: whether an old value could be seen at all; the lexical grader needs patterns of some."""
    wrong_known: bool = True
    """The same of false values."""


class InventionRow(Struct, kw_only=True, forbid_unknown_fields=True):
    """One thing never said that an output states."""

    run: str
    fixture: str
    arm: str
    model: str
    replicate: int
    chain_step: int = 1
    stale_by: int = 0
    grader: str
    scope: Literal["handoff", "summary"]
    grading_pass: int
    never: str
    """Id of the key's `never` entry, or null-free text id 'free-1' … for inventions outside the list."""
    text: str
    evidence: str | None = None


class CallRow(Struct, kw_only=True, forbid_unknown_fields=True):
    """One model call, of a fork or a judge, also one that failed."""

    call_id: str
    purpose: Purpose
    model: str
    cell_key: str | None = None
    outcome: str
    detail: str | None = None
    """Why it brought nothing, where it did not."""
    started_at: str
    seconds: float | None = None
    first_token_seconds: float | None = None
    stop_reason: str | None = None
    request_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    usage_source: Literal["reported", "estimated"] | None = None
    billing: Literal["direct", "batch"] | None = None
    price_row: str | None = None
    usd_api: float | None = None
    usd_subscription: float | None = None
    usd_reason: str | None = None
    cache_read_waived_usd: float | None = None
    possibly_billed_usd: float | None = None
    """Worst case of a call that broke off without usage: billed until shown otherwise."""
