"""A pattern over every stored handoff and the transcripts behind them: how to find what a handoff did not carry."""

from __future__ import annotations

from msgspec import Struct

from bench.errors import BenchError
from bench.field.stored import MATCHES, Section, Shelf, texts
from bench.text import clip, estimate_tokens

HIT_CHARS = 300


class Hit(Struct, frozen=True, kw_only=True):
    """A line that matches; `line` is what `bench handoffs show … --from` takes, of that handoff and section."""

    handoff: int
    name: str
    section: Section
    line: int
    text: str


class Found(Struct, frozen=True):
    """The first matches, how many there are in all, and what reading these costs."""

    hits: tuple[Hit, ...]
    total: int
    tokens: int


def search(shelf: Shelf, pattern: str, limit: int = MATCHES, *, ignore_case: bool = False) -> Found:
    """Every line that matches the pattern (RE2). Raises BenchError for one that does not compile."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = not ignore_case
    try:
        regex = re2.compile(pattern, options=options)
    except re2.error as e:
        why = e.args[0].decode("utf-8", "replace") if e.args and isinstance(e.args[0], bytes) else str(e)
        raise BenchError(f"the pattern '{pattern}' does not compile: {why}; patterns use RE2's syntax") from None
    hits: list[Hit] = []
    total = 0
    for stored, section, name, text in texts(shelf):
        for number, line in enumerate(text.splitlines(), 1):
            if regex.search(line):
                total += 1
                if len(hits) < limit:
                    around = clip(line.strip(), HIT_CHARS)
                    hits.append(Hit(handoff=stored.number, name=name, section=section, line=number, text=around))
    return Found(tuple(hits), total, sum(estimate_tokens(hit.text) for hit in hits))
