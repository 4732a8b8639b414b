"""Prompt sizes without asking anybody: from the characters of a request and the model's tokenizer."""

from __future__ import annotations

import math

from bench.models.known import known
from bench.models.names import parse_name
from bench.models.protocol import Count, Request
from bench.text import CHARS_PER_TOKEN, estimate_tokens


def estimated(request: Request, model: str) -> Count:
    """The prompt's tokens by its characters; `model` as named in a sweep."""
    facts = known(parse_name(model).id)
    chars = CHARS_PER_TOKEN * (request.context.tokens + estimate_tokens(request.instruction))
    return Count(math.ceil(chars / (facts.chars_per_token if facts else CHARS_PER_TOKEN)), "estimated")
