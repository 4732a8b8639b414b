"""What a handoff failed to carry, read off the session that went on after it: one row a compaction, and the messages.

Things are done again in any session. So each measure is also taken over a stretch of the same length that nothing
cut (`bench.field.stretches.Cut.base`), and the excess over it is what speaks of the handoff. That stretch has half as
much behind it that could be repeated, so the base errs low. All of it is observation: no two compactions are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from msgspec import Struct

from bench.field.again import commands_again, files_again
from bench.field.new_work import NewWork, first_new_work
from bench.field.stretches import LEAST_COMPARED, Cut, Session, Stretch, cuts
from bench.field.talk import corrections, questions_again
from bench.transcripts.model import Transcript

Measure = Literal["files", "commands", "looks", "questions", "corrections"]
MEASURES: tuple[Measure, ...] = ("files", "commands", "looks", "questions", "corrections")
TOLD: dict[Measure, str] = {
    "files": "files read again",
    "commands": "commands run again",
    "looks": "looks taken again",
    "questions": "questions asked again",
    "corrections": "corrections",
}


class Evidence(Struct, frozen=True, kw_only=True):
    """One thing that was counted: the message it stands in, and the earlier one that it repeats."""

    compaction: int
    measure: Measure
    at: int
    before: int | None
    tokens: int | None
    """What was printed again, estimated; None where nothing was."""
    text: str
    soon: bool
    """Whether it lies in the stretch that is compared with the base."""


class AfterRow(Struct, frozen=True, kw_only=True):
    """One compaction. A measure alone counts the whole window after it; `_soon` its first `compared` messages, `_base`
    as many before it, `_excess` soon less base. Null: not known, see `why`."""

    session: str | None
    compaction: int
    at: int
    phase: Literal["post-compact", "stock-compact"]
    trigger: str | None
    messages: int
    """Messages of the window after it."""
    compared: int | None
    files: int
    files_soon: int
    files_base: int | None
    files_excess: int | None
    commands: int
    commands_soon: int
    commands_base: int | None
    commands_excess: int | None
    looks: int
    looks_soon: int
    looks_base: int | None
    looks_excess: int | None
    questions: int
    questions_soon: int
    questions_base: int | None
    questions_excess: int | None
    corrections: int
    corrections_soon: int
    corrections_base: int | None
    corrections_excess: int | None
    again_tokens: int
    """Estimated tokens that files, commands and looks printed again."""
    again_tokens_soon: int
    again_tokens_base: int | None
    again_tokens_excess: int | None
    new_work_at: int | None
    """Message of the first new work after the compaction; null where there was none."""
    new_work_tokens: int | None
    new_work_tokens_base: int | None
    new_work_tokens_excess: int | None
    why: str | None = None
    """Why there is no base."""


class After(Struct, frozen=True):
    """One compaction: its row, and what was counted."""

    row: AfterRow
    evidence: tuple[Evidence, ...]


class _Hit(NamedTuple):
    measure: Measure
    at: int
    before: int | None
    tokens: int | None
    text: str


def after(transcript: Transcript) -> tuple[After, ...]:
    """Every full compaction of the session, in order; empty where it has none."""
    session = Session(transcript)
    return tuple(_after(session, cut) for cut in cuts(session))


def _after(session: Session, cut: Cut) -> After:
    whole, soon = (list(_hits(session, stretch)) for stretch in (cut.whole, cut.soon))
    base = None if cut.base is None else list(_hits(session, cut.base))
    work = first_new_work(session, cut.whole)
    base_work = None if cut.base is None else first_new_work(session, cut.base)
    counts: dict[str, int | None] = {}
    for measure in MEASURES:
        counts |= _counted(measure, whole, soon, base, partial(_count, measure))
    counts |= _counted("again_tokens", whole, soon, base, lambda hits: sum(h.tokens or 0 for h in hits))
    row = AfterRow(
        session=session.transcript.session_id,
        compaction=cut.number,
        at=cut.compaction.at,
        phase="post-compact" if cut.handoff else "stock-compact",
        trigger=cut.compaction.trigger,
        messages=cut.whole.end - cut.whole.start,
        compared=None if cut.base is None else cut.compared,
        new_work_at=None if work is None else work.at,
        new_work_tokens=None if work is None else work.tokens,
        new_work_tokens_base=None if base_work is None else base_work.tokens,
        new_work_tokens_excess=_less(work, base_work),
        why=None if cut.base else f"fewer than {LEAST_COMPARED} messages after it, or in half of the window before",
        **counts,  # type: ignore[arg-type]  # the names of AfterRow's fields, made from MEASURES
    )
    near = {(h.measure, h.at, h.text) for h in soon}
    return After(row, tuple(_evidence(cut, h, soon=(h.measure, h.at, h.text) in near) for h in whole))


def _counted(
    name: str,
    whole: Sequence[_Hit],
    soon: Sequence[_Hit],
    base: Sequence[_Hit] | None,
    count: Callable[[Sequence[_Hit]], int],
) -> dict[str, int | None]:
    before = None if base is None else count(base)
    return {
        name: count(whole),
        f"{name}_soon": count(soon),
        f"{name}_base": before,
        f"{name}_excess": None if before is None else count(soon) - before,
    }


def _count(measure: Measure, hits: Sequence[_Hit]) -> int:
    """How often it was done again; a file counts once, however many readings it took."""
    of = [h.text for h in hits if h.measure == measure]
    return len(set(of)) if measure == "files" else len(of)


def _hits(session: Session, stretch: Stretch) -> Iterator[_Hit]:
    for again in files_again(session, stretch):
        yield _Hit("files", again.at, again.before, again.tokens, again.text)
    for again in commands_again(session, stretch):
        yield _Hit("looks" if again.kind == "look" else "commands", again.at, again.before, again.tokens, again.text)
    for asked in questions_again(session, stretch):
        yield _Hit("questions", asked.at, asked.before, None, asked.text)
    for correction in corrections(session, stretch):
        text = f"{correction.how}: {correction.text}" if correction.text else correction.how
        yield _Hit("corrections", correction.at, None, None, text)


def _evidence(cut: Cut, hit: _Hit, *, soon: bool) -> Evidence:
    return Evidence(
        compaction=cut.number, measure=hit.measure, at=hit.at, before=hit.before, tokens=hit.tokens, text=hit.text,
        soon=soon,
    )  # fmt: skip


def _less(work: NewWork | None, base: NewWork | None) -> int | None:
    return None if work is None or base is None else work.tokens - base.tokens
