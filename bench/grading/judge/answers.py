"""What a judge answered: its JSON taken apart. Whatever does not say what was asked is missing, never a zero."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast, get_args

from bench.models.protocol import Reply
from bench.models.usage import prompt_tokens
from bench.rows import Verdict

MISMATCH_SHARE = 0.5
"""A charged prompt below this share of the counted one: the judge did not read the whole of the output."""

Outcome = Literal["graded", "malformed", "refused", "truncated", "mismatch"]
"""Of an answered call. Only a malformed answer is worth asking again; all but `graded` leave verdicts missing."""


@dataclass(frozen=True)
class Said:
    """One answer: the verdict and the quote for an item."""

    verdict: Verdict
    quote: str


@dataclass(frozen=True)
class Answers:
    """The answers by item (from 1), and what the judge lists as invented: statement and quote."""

    by_item: Mapping[int, Said] = field(default_factory=dict)
    inventions: tuple[tuple[str, str], ...] = ()


def outcome_of(reply: Reply, items: int, counted_tokens: int) -> Outcome:
    """What came of a question about so many items, whose prompt has about `counted_tokens`."""
    if reply.stop_reason == "refusal":
        return "refused"
    if reply.usage is not None and prompt_tokens(reply.usage) < MISMATCH_SHARE * counted_tokens:
        return "mismatch"
    if reply.stop_reason in (None, "max_tokens", "model_context_window_exceeded"):
        return "truncated"
    if reply.tool_calls and not reply.text.strip():
        return "refused"
    return "malformed" if read_answers(reply.text, items) is None else "graded"


def read_answers(text: str, items: int) -> Answers | None:
    """The answers in a reply about `items` items; None where it is malformed: no such JSON, or no answer that counts.

    An answer to an item that was not asked, or with a verdict of its own making, is none; nor are two that differ.
    """
    data = _object(text)
    answers = (data or {}).get("answers")
    if data is None or not isinstance(answers, list):
        return None
    by_item = _by_item(answers, items)
    if items and not by_item:
        return None
    listed = data.get("inventions")
    return Answers(by_item, tuple(_inventions(listed if isinstance(listed, list) else [])))


def _object(text: str) -> dict[str, object] | None:
    """The JSON object in the text; a server without structured answers may put words or a fence around it."""
    first, last = text.find("{"), text.rfind("}")
    try:
        data = json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _by_item(answers: Iterable[object], items: int) -> dict[int, Said]:
    found: dict[int, Said] = {}
    unsure: set[int] = set()
    for answer in answers:
        if not isinstance(answer, dict):
            continue
        item, verdict, quote = _number(answer.get("item")), answer.get("verdict"), answer.get("evidence")
        if item is None or not 1 <= item <= items or verdict not in get_args(Verdict):
            continue
        said = Said(cast(Verdict, verdict), quote if isinstance(quote, str) else "")
        if found.setdefault(item, said).verdict != said.verdict:
            unsure.add(item)
    return {item: said for item, said in found.items() if item not in unsure}


def _inventions(listed: Iterable[object]) -> Iterable[tuple[str, str]]:
    for entry in listed:
        match entry:
            case {"statement": str(statement), "evidence": str(quote)} if statement.strip():
                yield statement.strip(), quote


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value) if len(value) < 10 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
