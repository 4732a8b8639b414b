"""What came of one commitments pass, as a handoff is built with it and as a .parts.json keeps it."""

from __future__ import annotations

from msgspec import Struct

from bench.arms.model import Arm
from bench.handoff.commitments import RENDERED_CHARS, Finding, Hit, judged, render_commitments


class Commitments(Struct, frozen=True, kw_only=True):
    """The findings of a pass, or why there are none. `usd_api` is its cost; None where that is not known."""

    model: str
    reply_sha256: str
    failed: str | None = None
    """Why it brought nothing that can be read; None where it did."""
    hit_cap: Hit | None = None
    """How the reply shows that it stopped at its cap: findings may be missing then."""
    findings: tuple[Finding, ...] = ()
    usd_api: float | None = None


class PassFailed(Exception):
    """There is nothing to build the part from; the text says why."""


def told(commitments: Commitments | None) -> str:
    """The part as it stands in a handoff, empty where nothing was found. Raises PassFailed where there is none."""
    if commitments is None:
        raise PassFailed("no model was asked for it")
    if commitments.failed is not None:
        raise PassFailed(commitments.failed)
    return render_commitments(commitments.findings)


def passed_chars(arm: Arm) -> int:
    """Most characters that the part takes in a handoff of the arm, before anybody was asked."""
    return RENDERED_CHARS if arm.has_commitments else 0


def commitments_of(
    reply: str, stop_reason: str | None, max_tokens: int, *, model: str, reply_sha256: str, usd_api: float | None
) -> Commitments:
    """What a reply of at most `max_tokens` tokens says. A reply without a row that can be read has failed."""
    read = judged(reply, max_tokens, stop_reason)
    return Commitments(
        model=model,
        reply_sha256=reply_sha256,
        failed=None if read.rows else "no line of the reply is a row",
        hit_cap=read.hit_cap,
        findings=read.findings,
        usd_api=usd_api,
    )
