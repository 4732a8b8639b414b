"""Fixtures made of another bench's file, one a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.keys import Key
from bench.project import checked_label
from bench.questions.keyed import Posed, key_of
from bench.questions.locomo import samples_of
from bench.questions.longmemeval import records_of
from bench.synth.write import write_made

SPLIT: Literal["holdout"] = "holdout"
"""Both benches publish questions for testing alone; nothing may be tuned on them."""
Source = Literal["locomo", "longmemeval"]


class Made(Struct, frozen=True, kw_only=True):
    """One fixture; `folder` is None where no question could be asked. `left_out` says what is not asked, and why."""

    name: str
    folder: Path | None
    messages: int
    atoms: int
    left_out: tuple[str, ...]


def make_fixtures(
    source: Source, file: Path, to: Path, *, only: tuple[str, ...] = (), first: int | None = None
) -> Iterator[Made]:
    """Write a fixture of each conversation of the file into `to`, as it is asked for.

    Raises BenchError for a file of another form, an unknown id, and a folder that is filled already.
    """
    posed = samples_of(file, only) if source == "locomo" else records_of(file, only, first)
    for one in islice(posed, first):
        yield _made(one, to)


def _made(posed: Posed, to: Path) -> Made:
    found = key_of(posed)
    name = checked_label(re.sub(r"[^A-Za-z0-9._-]+", "-", posed.name), "fixture")
    folder = to / name if found.atoms else None
    if folder is not None:
        write_made(
            folder,
            posed.transcript,
            Key(version=1, atoms=found.atoms),
            title=posed.title,
            source=posed.source,
            licence=posed.licence,
            split=SPLIT,
        )
    return Made(
        name=name,
        folder=folder,
        messages=len(posed.transcript.messages),
        atoms=len(found.atoms),
        left_out=(*posed.unasked, *found.left_out),
    )
