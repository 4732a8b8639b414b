"""A plan as a table: one line per fixture, arm and model, then what needs no call."""

from __future__ import annotations

from msgspec import Struct

from bench.forks.cells import NO_MODEL, Cell
from bench.forks.plan import Plan, Sized

COLUMNS = (
    "fixture", "arm", "model", "cells", "prompt_tokens", "tokens_source", "cached_tokens", "max_tokens",
    "expected_usd", "worst_usd", "outcome",
)  # fmt: skip


class PlanLine(Struct, kw_only=True):
    """Cells of one fixture, arm and model that go the same way. USD None where no price is known."""

    fixture: str
    arm: str
    model: str
    cells: int = 0
    prompt_tokens: int | None = None
    tokens_source: str | None = None
    cached_tokens: int | None = None
    max_tokens: int | None = None
    expected_usd: float | None = 0.0
    worst_usd: float | None = 0.0
    outcome: str | None = None
    """What is known without a call; None where the model is asked."""

    def add(self, sized: Sized, *, pays: bool) -> None:
        """Take in one cell; of cells that share a reply only one pays."""
        self.cells += 1
        self.prompt_tokens, self.tokens_source = sized.count.tokens, sized.count.source
        self.cached_tokens, self.max_tokens = sized.cached_tokens, sized.fork.max_tokens
        if pays:
            self.expected_usd = _sum(self.expected_usd, sized.expected_usd)
            self.worst_usd = _sum(self.worst_usd, sized.worst_usd)


def plan_lines(plan: Plan) -> list[PlanLine]:
    """The lines of the table, in the order of the grid."""
    asked: dict[tuple[str, str, str], PlanLine] = {}
    for sized in plan.asked:
        for i, cell in enumerate(sized.fork.cells):
            line = asked.setdefault(_place(cell), PlanLine(fixture=cell.fixture, arm=cell.arm, model=cell.model))
            line.add(sized, pays=i == 0)
    known: dict[tuple[str, str, str, str], PlanLine] = {}
    for place, outcome in _uncalled(plan):
        fixture, arm, model = place
        line = known.setdefault((*place, outcome), PlanLine(fixture=fixture, arm=arm, model=model, outcome=outcome))
        line.cells += 1
    return [*asked.values(), *known.values()]


def _uncalled(plan: Plan) -> list[tuple[tuple[str, str, str], str]]:
    decided = [(_place(d.cell), str(d.outcome)) for d in plan.decided]
    answered = [(_place(cell), "reply on disk") for fork in plan.answered for cell in fork.cells]
    built = [((b.fixture.name, b.label, NO_MODEL), "no model") for b in plan.builds]
    return decided + answered + built


def _place(cell: Cell) -> tuple[str, str, str]:
    return cell.fixture, cell.arm, cell.model


def _sum(total: float | None, value: float | None) -> float | None:
    return None if total is None or value is None else total + value
