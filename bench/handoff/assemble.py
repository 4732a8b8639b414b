"""A handoff as the next window receives it: lineage line, the parts in the arm's order, restored files, pinned turns.

Each part may fail alone: the others still stand, and the handoff says which failed and why. Pinned turns give way to
the ceiling first; restored files share what is left under it then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from msgspec import Struct

from bench.arms.model import Arm, Ceiling, Part
from bench.handoff.ceiling import handoff_ceiling
from bench.handoff.commitments_pass import Commitments, PassFailed, told
from bench.handoff.disk import Disk
from bench.handoff.guard import guard
from bench.handoff.ledger_rows import Row
from bench.handoff.lineage import Lineage, lineage_line
from bench.handoff.pins import pin_skip_counts, pinned, pointer, render_pins
from bench.handoff.restore_request import Request, asked_in
from bench.handoff.restores import Restores, restore
from bench.handoff.scratchpad import without_scratchpad
from bench.handoff.sources import Sources, sources_of
from bench.text import clip, estimate_tokens, printable
from bench.transcripts.model import Transcript

T = TypeVar("T")
JOINT = "\n\n"
REASON_CHARS = 200
"""Most of an exception's text that a failed part keeps."""


class Failure(Struct, frozen=True):
    """A part that could not be written, and why."""

    part: str
    reason: str


class Handoff(Struct, frozen=True, kw_only=True):
    """The assembled text, what it was built from, and how large each part is (characters; None: does not apply)."""

    text: str
    parts: tuple[tuple[str, str], ...]
    """Name and text of each part that stands in `text`, in order: lineage, summary, …, restored, pins."""
    summary: str
    """The reply alone, without scratchpad and tags; empty where there is nothing to hand up."""
    summary_chars: int | None
    analysis_chars: int | None
    """Scratchpad dropped from a model's reply; None for arms without a model, whose text is taken as it is."""
    ledger_chars: int | None = None
    commitments_chars: int | None = None
    state_chars: int | None = None
    restored_chars: int | None = None
    pinned_chars: int | None = None
    pins: int | None = None
    pins_skipped: int | None = None
    trimmed_turns: int | None = None
    over_ceiling: bool
    ceiling_chars: int
    rows: tuple[Row, ...] = ()
    """The ledger's rows, all of them, where the arm has one."""
    restores: Restores | None = None
    commitments: Commitments | None = None
    """What came of its commitments pass, where the arm has one."""
    failures: tuple[Failure, ...] = ()

    @property
    def parts_failed(self) -> str | None:
        """Names of the failed parts, comma-separated; None where all stand."""
        return ",".join(f.part for f in self.failures) or None

    def sizes(self) -> dict[str, int | float | bool | str | None]:
        """The columns of an output's row that the assembly fills, by their names."""
        return {
            "handoff_chars": len(self.text),
            "handoff_tokens": estimate_tokens(self.text),
            "summary_chars": self.summary_chars,
            "analysis_chars": self.analysis_chars,
            "ledger_chars": self.ledger_chars,
            "commitments_chars": self.commitments_chars,
            "commitments_usd": self.commitments.usd_api if self.commitments else None,
            "state_chars": self.state_chars,
            "restored_chars": self.restored_chars,
            "restore_source": self.restores.source if self.restores else None,
            "restored_files": self.restores.count if self.restores else None,
            "pinned_chars": self.pinned_chars,
            "pins": self.pins,
            "pins_skipped": self.pins_skipped,
            "trimmed_turns": self.trimmed_turns,
            "over_ceiling": self.over_ceiling,
            "parts_failed": self.parts_failed,
        }


class Pins(Struct, frozen=True):
    """The pinned section as it fits under the ceiling."""

    text: str
    count: int
    skipped: int
    trimmed: int


def assemble(
    summary: str | None,
    arm: Arm,
    transcript: Transcript,
    *,
    lineage: Lineage | None = None,
    window: int | None = None,
    disk: Disk | None = None,
    commitments: Commitments | None = None,
) -> Handoff:
    """The handoff of `arm` around a reply (or a text built without a model); `summary` is None where there is no reply.

    `window`: tokens of the next context window, which the ceiling is a share of; None where unknown. `disk`: where
    restored files are read anew; without one, their text is what the transcript holds. `commitments`: what came of the
    arm's commitments pass; without one, the part of that name fails.
    """
    settings, sources = arm.settings, sources_of(transcript)
    failures = [Failure("summary", "there is no reply")] if summary is None else []
    reply, analysis_chars, requests = _reply(summary, arm)
    written: list[tuple[str, str]] = []
    if lineage is not None:
        written.append(("lineage", _attempt("lineage", lambda: lineage_line(lineage), failures) or ""))
    write = partial(_part, reply=reply, sources=sources, commitments=commitments)
    parts = {part: _attempt(part, partial(write, part), failures) for part in settings.parts}
    written += [(part, text or "") for part, text in parts.items()]
    limit = _limit(arm, window)
    above = _joined(written)
    pins = _attempt("pins", lambda: _pins(above, transcript, limit), failures) if settings.pins else None
    restores = None
    if settings.restore:
        room = limit - len(_joined([("", above), ("", pins.text if pins else "")])) - len(JOINT)
        restores = _attempt("restored", lambda: restore(sources, requests, room=room, disk=disk), failures)
    written += [("restored", restores.text if restores else ""), ("pins", pins.text if pins else "")]
    text = _joined(written)
    return Handoff(
        text=text,
        parts=tuple((name, part) for name, part in written if part),
        summary=reply,
        summary_chars=None if summary is None else len(reply),
        analysis_chars=analysis_chars,
        ledger_chars=_chars(parts.get("ledger")),
        commitments_chars=_chars(parts.get("commitments")),
        state_chars=_chars(parts.get("state")),
        restored_chars=len(restores.text) if restores else None,
        pinned_chars=len(pins.text) if pins else None,
        pins=pins.count if pins else None,
        pins_skipped=pins.skipped if pins else None,
        trimmed_turns=pins.trimmed if pins else None,
        over_ceiling=len(text) > limit,
        ceiling_chars=limit,
        rows=sources.rows if parts.get("ledger") is not None else (),
        restores=restores,
        commitments=commitments if "commitments" in parts else None,
        failures=tuple(failures),
    )


def _reply(summary: str | None, arm: Arm) -> tuple[str, int | None, tuple[Request, ...]]:
    """The reply alone, how much scratchpad was dropped, and the files it asks for.

    A text that no model wrote is taken as it is: what looks like a scratchpad or a request in it is quoted.
    """
    if not arm.asks_model:
        return (summary or "").strip(), None, ()
    asked = asked_in(summary or "") if arm.settings.restore else None
    kept = without_scratchpad(asked.text if asked else summary or "")
    return kept.text, kept.analysis_chars, asked.requests if asked else ()


def _part(part: Part, reply: str, sources: Sources, commitments: Commitments | None) -> str:
    match part:
        case "summary":
            return reply
        case "ledger":
            return sources.ledger
        case "state":
            return sources.state
        case "commitments":
            return told(commitments)


def _chars(text: str | None) -> int | None:
    return None if text is None else len(text)


def _pins(above: str, transcript: Transcript, limit: int) -> Pins:
    """The pinned turns below `above`, the longest ones replaced by pointers until all is within `limit` characters."""
    turns = pinned(transcript.messages)
    frame = len(render_pins(turns)) + len(JOINT) - sum(map(len, turns))
    fitted = guard((above, *turns), max(0, limit - frame), pointer)
    return Pins(
        text=render_pins(fitted.texts[1:]),
        count=len(turns),
        skipped=sum(pin_skip_counts(transcript.messages).values()),
        trimmed=fitted.trimmed_turns,
    )


def _limit(arm: Arm, window: int | None) -> int:
    own = arm.settings.ceiling or Ceiling()
    return handoff_ceiling(window=window, chars=own.chars, fraction=own.fraction, cap_tokens=own.cap_tokens).chars


def _joined(written: Iterable[tuple[str, str]]) -> str:
    return JOINT.join(text for _, text in written if text)


def _attempt(part: str, write: Callable[[], T], failures: list[Failure]) -> T | None:
    """What `write` gives; None, with the failure noted, where it raises: no part may cost the others."""
    try:
        return write()
    except Exception as e:
        why = str(e) if isinstance(e, PassFailed) else f"{type(e).__name__}: {e}"
        failures.append(Failure(part, clip(printable(why), REASON_CHARS)))
        return None
