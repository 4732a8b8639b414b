"""Blinding: which opaque id stands for which output, and what of an output a grader gets to see.

Only this module knows the map. An id is the HMAC-SHA256 of cell and pass under the seed, and outputs are taken in the
order of their ids: adding cells reshuffles nothing, and neither order nor id tells an arm. From the text go the lineage
line and the arm's label, unless the conversation itself uses that word, for then it is content. Atoms come in an order
of their own for each output.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.handoff.lineage import without_lineage
from bench.rows import OutputRow
from bench.sweepfile import Scope

T = TypeVar("T")
ID_DIGITS = 16
"""Hexadecimal digits of an opaque id: 64 bits, so that a run's outputs never share one by chance."""
MASK = "[…]"
"""What stands where an arm's label stood."""


class BlindCell(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The output, and the pass over it, that an opaque id stands for."""

    fixture: str
    arm: str
    model: str
    replicate: int
    chain_step: int
    stale_by: int
    cell_key: str
    grading_pass: int


class BlindMap(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """blind.json of one grader: opaque id -> cell."""

    version: Literal[1] = 1
    run: str
    grader: str
    scope: Scope
    seed: int
    outputs: dict[str, BlindCell]


@dataclass(frozen=True)
class Sealed:
    """An output as it is handed out for grading."""

    id: str
    row: OutputRow
    grading_pass: int


@dataclass(frozen=True)
class Seen:
    """What a grader sees of an output: `text`, made of these spans of the original with MASK between them."""

    text: str
    original: str
    spans: tuple[tuple[int, int], ...]

    def restore(self, evidence: str) -> str | None:
        """The verbatim words of the output behind `evidence`; None where the grader did not see them."""
        start = self.text.find(evidence)
        if start < 0 or not evidence:
            return None
        return self.original[self._covered(start)[0] : self._covered(start + len(evidence) - 1)[1]]

    def _covered(self, at: int) -> tuple[int, int]:
        """The span of the original behind the character at `at`: one character, or all that a mask covers."""
        nexts = (*(first for first, _ in self.spans[1:]), len(self.original))
        for (first, last), following in zip(self.spans, nexts, strict=True):
            if at < last - first:
                return first + at, first + at + 1
            at -= last - first
            if at < len(MASK):
                return last, following
            at -= len(MASK)
        raise IndexError(at)


def seal(rows: Iterable[OutputRow], seed: int, passes: int = 1) -> list[Sealed]:
    """Every pass over every row under its opaque id, in the order of the ids."""
    sealed = [
        Sealed(opaque_id(seed, row.cell_key, grading_pass), row, grading_pass)
        for row in rows
        for grading_pass in range(1, passes + 1)
    ]
    return sorted(sealed, key=lambda s: s.id)


def opaque_id(seed: int, cell_key: str, grading_pass: int) -> str:
    """16 hexadecimal digits of the HMAC-SHA256 of cell key and pass under the seed."""
    return keyed_hash(seed, cell_key, str(grading_pass))[:ID_DIGITS]


def shuffled(atoms: Sequence[T], ids: Sequence[str], seed: int, opaque: str) -> list[T]:
    """The atoms (named by `ids`) in this output's own order: by the HMAC of their id and the output's."""
    ranked = sorted(zip(ids, atoms, strict=True), key=lambda pair: keyed_hash(seed, opaque, pair[0]))
    return [atom for _, atom in ranked]


def telling_labels(arm: str, conversation: str) -> tuple[str, ...]:
    """The arm's label, with and without its version, where the conversation does not hold that word."""
    return tuple(name for name in dict.fromkeys((arm, arm.partition("@")[0])) if not _word(name).search(conversation))


def seen(text: str, labels: Sequence[str]) -> Seen:
    """The text without its lineage line and without the labels."""
    start = len(text) - len(without_lineage(text))
    spans = []
    for found in re.compile("|".join(_word(label).pattern for label in labels) or r"(?!)").finditer(text, start):
        spans.append((start, found.start()))
        start = found.end()
    spans.append((start, len(text)))
    return Seen(MASK.join(text[a:b] for a, b in spans), text, tuple(spans))


def write_map(path: Path, run: str, grader: str, scope: Scope, seed: int, sealed: Iterable[Sealed]) -> None:
    """Writes blind.json where it differs from what is there."""
    outputs = {
        s.id: BlindCell(
            fixture=s.row.fixture,
            arm=s.row.arm,
            model=s.row.model,
            replicate=s.row.replicate,
            chain_step=s.row.chain_step,
            stale_by=s.row.stale_by,
            cell_key=s.row.cell_key,
            grading_pass=s.grading_pass,
        )
        for s in sealed
    }
    blind = BlindMap(run=run, grader=grader, scope=scope, seed=seed, outputs=outputs)
    data = msgspec.json.format(msgspec.json.encode(blind), indent=1) + b"\n"
    if not path.is_file() or path.read_bytes() != data:
        write_bytes(path, data)


def read_map(path: Path) -> BlindMap:
    """The blind.json at `path`. Raises BenchError where it is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=BlindMap)
    except msgspec.MsgspecError as e:
        raise BenchError(f"is no blind map: {e}; delete it and run 'bench grade'", path=path) from None


def _word(label: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w@-]){re.escape(label)}(?![\w@-])")


def keyed_hash(seed: int, *parts: str) -> str:
    """The HMAC-SHA256 of the parts under the seed, hexadecimal."""
    return hmac.new(str(seed).encode(), "\0".join(parts).encode(), hashlib.sha256).hexdigest()
