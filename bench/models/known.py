"""What is known of Claude's models: window, longest answer, thinking, effort. An id not listed gets no settings."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from bench.models.names import parse_name

Thinking = Literal["always", "adaptive", "budget"]
"""always: cannot be turned off. adaptive: on unless disabled. budget: off unless given a budget (4.5 and older)."""

NEW_TOKENIZER_CHARS = 2.5
"""Characters a token, Opus 4.7 and later: the vendor's '1M tokens is roughly 2.5M characters'."""
OLD_TOKENIZER_CHARS = 3.25
"""Before that, about 30 % fewer tokens for the same text."""


class Known(NamedTuple):
    """Facts of one model. Windows and answers in tokens; `chars_per_token` is for estimates where counting fails."""

    window: int
    max_output: int
    thinking: Thinking
    takes_effort: bool
    chars_per_token: float = NEW_TOKENIZER_CHARS
    compacts: bool = True
    """Whether the server compacts a conversation on demand."""


_LARGE = (1_000_000, 128_000)
_SMALL = (200_000, 64_000)

KNOWN: dict[str, Known] = {
    **dict.fromkeys(
        (
            "claude-fable-5-2", "claude-mythos-5-2", "claude-fable-5-1", "claude-mythos-5-1", "claude-fable-5",
            "claude-mythos-5", "claude-opus-5-5",
        ),
        Known(*_LARGE, "always", True),
    ),
    **dict.fromkeys(
        (
            "claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5", "claude-sonnet-5", "claude-opus-4-8",
            "claude-opus-4-7",
        ),
        Known(*_LARGE, "adaptive", True),
    ),
    **dict.fromkeys(
        ("claude-opus-4-6", "claude-sonnet-4-6"),
        Known(*_LARGE, "adaptive", True, OLD_TOKENIZER_CHARS),
    ),
    "claude-opus-4-5": Known(*_SMALL, "budget", True, OLD_TOKENIZER_CHARS, False),
    **dict.fromkeys(
        ("claude-haiku-4-5", "claude-sonnet-4-5"),
        Known(*_SMALL, "budget", False, OLD_TOKENIZER_CHARS, False),
    ),
}  # fmt: skip

_ID = re.compile(
    r"(?:[a-z]+\.)?(?:anthropic\.|anthropic/)?"  # a cloud's region and vendor
    r"(?P<id>claude-[a-z]+-\d+(?:-\d{1,2})?)"
    r"(?:[-@]\d{8})?(?:-v\d+(?::\d+)?)?"  # a dated snapshot, a cloud's revision
)


def known(model_id: str) -> Known | None:
    """The facts of that exact model, by its id on the API, Bedrock or Vertex; None where the id is not in the table."""
    found = _ID.fullmatch(model_id)
    return KNOWN.get(found["id"]) if found else None


def compacts(name: str) -> bool:
    """Whether the model of that name, as sweeps write it, can be asked for its own compaction; Bedrock has none."""
    parsed = parse_name(name)
    facts = known(parsed.id)
    return facts is not None and facts.compacts and parsed.kind != "bedrock"
