"""The first line of a handoff, by which a later compaction knows it: whose session, which handoff, after which.

    <!-- handoff: session=3f9c n=2 prev=1 -->

Reading also takes the older marker `compact-handoff`, so that handoffs of other tools are known in real sessions.
"""

from __future__ import annotations

import re

from msgspec import Struct

_MARKER = re.compile(
    r"<!--\s*(?:compact-)?handoff:\s*session=(\S{1,200})\s+n=([0-9]{1,9})\s+prev=([0-9]{1,9}|none)\s*-->"
)
"""Bounded, so that a hostile text of markers without an end costs no more than its length."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._:-]+")


class Lineage(Struct, frozen=True, kw_only=True):
    """The `n`-th handoff of a session (from 1), written over the `prev`-th; None where it is the first."""

    session: str
    n: int
    prev: int | None = None


def lineage_line(lineage: Lineage) -> str:
    """The marker as a line. A session id that could end the comment is written with underscores."""
    session = _UNSAFE.sub("_", lineage.session) or "unknown"
    return f"<!-- handoff: session={session} n={lineage.n} prev={'none' if lineage.prev is None else lineage.prev} -->"


def lineage_of(text: str) -> Lineage | None:
    """The first lineage that stands anywhere in `text`; None where there is none."""
    return _read(_MARKER.search(text))


def handoff_lineage_of(text: str) -> Lineage | None:
    """The lineage of a text that *is* a handoff, opening with its marker; None for one that only quotes a marker.

    Ask it of a message's own words, never of its tool results: a session that reads an old handoff is not one.
    """
    return _read(_MARKER.match(text.lstrip()))


def without_lineage(text: str) -> str:
    """`text` without the marker line it opens with: what a blind grader may see."""
    body = text.lstrip()
    found = _MARKER.match(body)
    return text if found is None else body[found.end() :].lstrip("\n")


def _read(found: re.Match[str] | None) -> Lineage | None:
    if found is None:
        return None
    session, n, prev = found.groups()
    return Lineage(session=session, n=int(n), prev=None if prev == "none" else int(prev))
