"""A handoff as the next window receives it: lineage line, the parts in the arm's order, then the pinned turns.

Each part may fail alone: the others still stand, and the handoff says which failed and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from msgspec import Struct

from bench.arms.model import Arm, Ceiling, Part
from bench.handoff.ceiling import handoff_ceiling
from bench.handoff.guard import guard
from bench.handoff.lineage import Lineage, lineage_line
from bench.handoff.pins import pin_skip_counts, pinned, pointer, render_pins
from bench.handoff.scratchpad import without_scratchpad
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
    """Name and text of each part that stands in `text`, in order: lineage, summary, …, pins."""
    summary: str
    """The reply alone, without scratchpad and tags; empty where there is nothing to hand up."""
    summary_chars: int | None
    analysis_chars: int | None
    """Scratchpad dropped from a model's reply; None for arms without a model, whose text is taken as it is."""
    pinned_chars: int | None = None
    pins: int | None = None
    pins_skipped: int | None = None
    trimmed_turns: int | None = None
    over_ceiling: bool
    ceiling_chars: int
    failures: tuple[Failure, ...] = ()

    @property
    def parts_failed(self) -> str | None:
        """Names of the failed parts, comma-separated; None where all stand."""
        return ",".join(f.part for f in self.failures) or None

    def sizes(self) -> dict[str, int | bool | str | None]:
        """The columns of an output's row that the assembly fills, by their names."""
        return {
            "handoff_chars": len(self.text),
            "handoff_tokens": estimate_tokens(self.text),
            "summary_chars": self.summary_chars,
            "analysis_chars": self.analysis_chars,
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
) -> Handoff:
    """The handoff of `arm` around a reply (or a text built without a model); `summary` is None where there is no reply.

    `window`: tokens of the next context window, which the ceiling is a share of; None where unknown.
    """
    failures = [Failure("summary", "there is no reply")] if summary is None else []
    reply, analysis_chars = _reply(summary, arm)
    written: list[tuple[str, str]] = []
    if lineage is not None:
        written.append(("lineage", _attempt("lineage", lambda: lineage_line(lineage), failures) or ""))
    written += [(part, _attempt(part, partial(_part, part, reply), failures) or "") for part in arm.settings.parts]
    limit = _limit(arm, window)
    pins = None
    if arm.settings.pins:
        above = _joined(written)
        pins = _attempt("pins", lambda: _pins(above, transcript, limit), failures)
        written.append(("pins", pins.text if pins else ""))
    text = _joined(written)
    return Handoff(
        text=text,
        parts=tuple((name, part) for name, part in written if part),
        summary=reply,
        summary_chars=None if summary is None else len(reply),
        analysis_chars=analysis_chars,
        pinned_chars=len(pins.text) if pins else None,
        pins=pins.count if pins else None,
        pins_skipped=pins.skipped if pins else None,
        trimmed_turns=pins.trimmed if pins else None,
        over_ceiling=len(text) > limit,
        ceiling_chars=limit,
        failures=tuple(failures),
    )


def _reply(summary: str | None, arm: Arm) -> tuple[str, int | None]:
    """The reply alone and how much scratchpad was dropped; a text that no model wrote is taken as it is."""
    if not arm.asks_model:
        return (summary or "").strip(), None
    kept = without_scratchpad(summary or "")
    return kept.text, kept.analysis_chars


def _part(part: Part, reply: str) -> str:
    if part == "summary":
        return reply
    raise NotImplementedError("not built yet")


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
        failures.append(Failure(part, clip(printable(f"{type(e).__name__}: {e}"), REASON_CHARS)))
        return None
