"""Cells and forks: what one output is made of, and what one request is, as pure descriptions.

A *cell* is fixture x arm x model x replicate x step x staleness; its result is one row and one handoff. A *fork* is one
request; cells that send the same bytes to the same model with the same settings share their replicate's fork.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct

from bench.rows import OutputRow

NO_MODEL = "none"
"""The model of arms without one, in rows and folders."""


class Cell(Struct, frozen=True, kw_only=True):
    """One output to be made. `arm` is the label with its version, as rows and folders carry it."""

    fixture: str
    arm: str
    kind: str
    model: str
    replicate: int
    chain_step: int = 1
    stale_by: int = 0
    context_sha256: str | None
    """The request prefix of a fork; the transcript's sha256 for arms without a model."""
    instruction_sha256: str | None = None
    commitments_sha256: str | None = None
    """The reply of the commitments pass that its handoff is built with; None where it is built with none."""
    options_sha256: str
    """Of the arm's settings as they act: see `arm_versions.options_bytes`."""
    key: str

    def __str__(self) -> str:
        return place(self)


def place(of: Cell | OutputRow) -> str:
    """Where an output stands in its run: `fixture/arm/model/s1-k0-r01` (step, staleness, replicate)."""
    return f"{of.fixture}/{of.arm}/{of.model}/{output_name(of)}"


def output_name(of: Cell | OutputRow) -> str:
    """The file name of an output, without suffix."""
    return f"s{of.chain_step}-k{of.stale_by}-r{of.replicate:02d}"


def make_cell(
    *,
    fixture: str,
    arm: str,
    kind: str,
    model: str,
    replicate: int,
    stale_by: int = 0,
    context_sha256: str | None,
    instruction_sha256: str | None = None,
    commitments_sha256: str | None = None,
    options: bytes,
    chain_step: int = 1,
) -> Cell:
    """A cell with its key: a hash of all that decides its result.

    Fixture and arm are in the key beside what they stand for: two labels over the same bytes are two outputs, each
    graded under a name of its own.
    """
    options_sha256 = hashlib.sha256(options).hexdigest()
    parts = (fixture, arm, kind, model, replicate, chain_step, stale_by, context_sha256, instruction_sha256)
    passed = () if commitments_sha256 is None else (commitments_sha256,)
    return Cell(
        fixture=fixture,
        arm=arm,
        kind=kind,
        model=model,
        replicate=replicate,
        chain_step=chain_step,
        stale_by=stale_by,
        context_sha256=context_sha256,
        instruction_sha256=instruction_sha256,
        commitments_sha256=commitments_sha256,
        options_sha256=options_sha256,
        key=digest(*parts, options_sha256, *passed),
    )


def digest(*parts: object) -> str:
    """A sha256 of the parts, in order; ("a", "b") and ("ab",) differ."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()
