"""Disputes beside the verdicts that an atom's view shows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bench.disputing.records import Dispute, Of
from bench.grading.views import AtomView, OutputVerdict


def with_disputes(views: Sequence[AtomView], disputes: Sequence[Dispute]) -> list[AtomView]:
    """The views, each disputed verdict with what the person says. An output that nobody graded can be disputed too."""
    by = {d.of: d for d in disputes}
    return [replace(view, outputs=tuple(_one(by, view, output) for output in view.outputs)) for view in views]


def _one(by: dict[Of, Dispute], view: AtomView, o: OutputVerdict) -> OutputVerdict:
    of = (view.fixture, o.arm, o.model, o.replicate, o.chain_step, o.stale_by, o.scope or "handoff", view.atom)
    found = by.get(of)
    return o if found is None else replace(o, disputed=found.verdict, note=found.note)
