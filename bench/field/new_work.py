"""The first new work after a compaction, and the tokens that went by until it."""

from __future__ import annotations

from msgspec import Struct

from bench.field.again import command_of
from bench.field.stretches import Session, Stretch
from bench.text import clip

TEXT_CHARS = 200


class NewWork(Struct, frozen=True, kw_only=True):
    """The first call that wrote a file, or ran a command that does more than look and had not been run before."""

    at: int
    tokens: int
    """Estimated tokens of the messages between the pivot and it."""
    text: str


def first_new_work(session: Session, stretch: Stretch) -> NewWork | None:
    """The first new work after the pivot; None where the stretch holds none."""
    run: set[str] = set()
    for call in session.calls:
        kind, key = command_of(call)
        new = kind == "command" and key not in run and not call.outcome.bad
        if stretch.ahead(call.at) and (call.writes or new):
            went_by = session.messages[stretch.start : call.at]
            text = call.target or call.name
            return NewWork(at=call.at, tokens=sum(m.tokens for m in went_by), text=clip(text, TEXT_CHARS))
        if kind == "command" and call.at < stretch.end:
            run.add(key)
    return None
