"""A plan as a table: one line per fixture, arm, model and step of a chain, then what needs no call."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bench.forks.cells import Cell
from bench.forks.plan import Plan, Sized
from bench.prices import Billing

COLUMNS = (
    "fixture", "arm", "model", "chain_step", "stale_by", "cells", "prompt_tokens", "tokens_source", "cached_tokens",
    "max_tokens", "billing", "expected_usd", "worst_usd", "outcome",
)  # fmt: skip

USUAL: dict[str, set[object]] = {"chain_step": {1}, "stale_by": {0}, "billing": {None, "direct"}}
"""Columns that are left out where they hold nothing else."""

AFTER = "after step"
PASS = "(commitments pass)"
"""Stands for the arm in the line of a fixture's passes, whose `cells` is how many there are."""


class PlanLine(Struct, kw_only=True):
    """Cells of one fixture, arm, model and step that go the same way. USD None where no price is known."""

    fixture: str
    arm: str
    model: str
    chain_step: int = 1
    stale_by: int = 0
    cells: int = 0
    prompt_tokens: int | None = None
    tokens_source: str | None = None
    cached_tokens: int | None = None
    max_tokens: int | None = None
    billing: Billing | None = None
    expected_usd: float | None = 0.0
    worst_usd: float | None = 0.0
    outcome: str | None = None
    """What is known without a call; None where the model is asked. `after step 1`: asked once that step is done."""

    def add(self, sized: Sized, *, pays: bool) -> None:
        """Take in one cell; of cells that share a reply only one pays."""
        self.cells += 1
        self.prompt_tokens, self.tokens_source = sized.count.tokens, sized.count.source
        self.cached_tokens, self.max_tokens = sized.cached_tokens, sized.fork.max_tokens
        if pays:
            self.expected_usd = _sum(self.expected_usd, sized.expected_usd)
            self.worst_usd = _sum(self.worst_usd, sized.worst_usd)


def plan_lines(plan: Plan) -> list[PlanLine]:
    """The lines of the table, in the order of the grid; a chain's later steps are estimates, and say so."""
    lines: dict[tuple[_Place, str | None], PlanLine] = {}

    def line(place: _Place, outcome: str | None) -> PlanLine:
        fixture, arm, model, step, stale_by = place
        asks = outcome is None or outcome.startswith(AFTER)
        billing: Billing | None = ("batch" if model in plan.batched else "direct") if asks else None
        new = PlanLine(
            fixture=fixture, arm=arm, model=model, chain_step=step, stale_by=stale_by, billing=billing, outcome=outcome
        )
        return lines.setdefault((place, outcome), new)

    for sized in plan.asked:
        if sized.fork.is_pass:
            cell = sized.fork.cells[0]
            line((sized.fork.fixture, PASS, sized.fork.model, cell.chain_step, cell.stale_by), None).add(
                sized, pays=True
            )
            continue
        for i, cell in enumerate(sized.fork.cells):
            line(_place(cell), None).add(sized, pays=i == 0)
    for sized in plan.later:
        fork, cell = sized.fork, sized.fork.cells[0]
        passes = (fork.fixture, PASS, fork.model, cell.chain_step, cell.stale_by)
        line(passes if fork.is_pass else _place(cell), _after(cell)).add(sized, pays=True)
    for place, outcome in _uncalled(plan):
        line(place, outcome).cells += 1
    return list(lines.values())


def columns(lines: Sequence[PlanLine]) -> tuple[str, ...]:
    """The columns of the table: step, staleness and billing only where they say something."""
    return tuple(c for c in COLUMNS if c not in USUAL or any(getattr(line, c) not in USUAL[c] for line in lines))


_Place = tuple[str, str, str, int, int]
"""Fixture, arm, model, step of a chain, staleness."""


def _uncalled(plan: Plan) -> list[tuple[_Place, str]]:
    decided = [(_place(d.cell), str(d.outcome)) for d in plan.decided]
    forks = [fork for fork in plan.answered if not fork.is_pass]
    answered = [(_place(cell), "reply on disk") for fork in forks for cell in fork.cells]
    built = [(_place(b.cell()), "no model") for b in plan.builds]
    later = [(_place(cell), f"no model, {_after(cell)}") for b in plan.later_builds for cell in (b.cell(),)]
    return decided + answered + built + later


def _place(cell: Cell) -> _Place:
    return cell.fixture, cell.arm, cell.model, cell.chain_step, cell.stale_by


def _after(cell: Cell) -> str:
    return f"{AFTER} {cell.chain_step - 1}"


def _sum(total: float | None, value: float | None) -> float | None:
    return None if total is None or value is None else total + value
