"""The restored files of a handoff: chosen, read, clipped, fitted to the room that is left, and written as text."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bench.handoff.disk import Disk
from bench.handoff.restore import (
    TOTAL_CHARS,
    Refused,
    Restored,
    RestoreRow,
    Source,
    choose,
    clipped,
    fitted,
    read,
    restore_pair,
    restore_row,
)
from bench.handoff.restore_request import Request
from bench.handoff.sources import Sources
from bench.transcripts.render import render

HEADING = "## Files, opened again"
PREFACE = (
    "The reads below were made for this handoff, so that these files are open before the work goes on. There is no "
    "need to read them once more."
)
JOINT = "\n\n"
UNCUT = 2**62
"""Characters of a file that are rendered: it is clipped already."""


class Restores(Struct, frozen=True, kw_only=True):
    """The section as text (empty where nothing came back), who chose, and a row for every file."""

    text: str
    source: Source
    files: tuple[RestoreRow, ...]
    refused: tuple[Refused, ...]

    @property
    def count(self) -> int:
        """Files that came back."""
        return sum(row.came in ("disk", "transcript") for row in self.files)


def restore(sources: Sources, requests: Sequence[Request], *, room: int, disk: Disk | None = None) -> Restores:
    """The files that `requests` ask for, else those touched last; the section takes at most `room` characters.

    All files together take at most TOTAL_CHARS of it. `disk`: where files are read anew; without one, their text is
    what the transcript holds.
    """
    exists = (lambda path: not disk.gone(path)) if disk is not None else (lambda _: True)
    # without a disk, a file of which no text is known would only take another one's place
    fallback = [file for file in sources.touched if disk is not None or file.known is not None]
    chosen = choose(requests, sources.touched, sources.mentions, exists=exists, fallback=fallback)
    whole = [clipped(read(file, disk)) for file in chosen.files]
    within = fitted(whole, TOTAL_CHARS)
    as_shown = {file.path: _shown(file) for file in within if file.text is not None}
    files = fitted(
        within,
        room - len(HEADING) - len(JOINT) - len(PREFACE),
        lambda file: len(JOINT) + len(as_shown[file.path]),
    )
    shown = [as_shown[file.path] for file in files if file.text is not None]
    return Restores(
        text=JOINT.join([HEADING, PREFACE, *shown]) if shown else "",
        source=chosen.source,
        files=tuple(map(restore_row, files)),
        refused=chosen.refused,
    )


def _shown(file: Restored) -> str:
    """The read and what it printed, as a conversation is rendered; above it what is to be known of the text."""
    pair = render(restore_pair(file, "restored"), UNCUT).rstrip("\n")
    return f"({file.detail})\n{pair}" if file.detail else pair
