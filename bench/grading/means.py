"""What grading may use: models, clocks, money, and how much of each at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.calls.outside import Outside
from bench.calls.pricing import Pricing
from bench.errors import BenchError
from bench.models import family
from bench.models.batches import takes_batches
from bench.models.protocol import ModelMissing
from bench.prices import Billing
from bench.pricetable import PriceTable, built_in, load_prices
from bench.project import find_project
from bench.sweepfile import GraderSpec, Sweep


@dataclass(frozen=True)
class Means:
    """`budget_usd` caps the whole run, forks included; with neither it nor `no_budget`, nothing paid is asked."""

    outside: Outside = field(default_factory=Outside)
    budget_usd: float | None = None
    no_budget: bool = False
    concurrency: int = 8
    timeout_s: float = 300.0
    prices: PriceTable = field(default_factory=built_in)
    batch: bool = False
    """Ask judges through Message Batches, where they take them; local ones are asked directly."""

    def batches(self, model: str) -> bool:
        """Whether that judge is asked in batches."""
        return self.batch and takes_batches(model)

    def pricing(self, model: str) -> Pricing:
        """Prices of that judge's calls."""
        billing: Billing = "batch" if self.batches(model) else "direct"
        return Pricing(self.prices, self.outside.now().date(), billing=billing)


def means_of(
    sweep: Sweep,
    root: Path,
    *,
    outside: Outside | None = None,
    budget_usd: float | None = None,
    no_budget: bool = False,
    batch: bool = False,
) -> Means:
    """The means of a run's sweep, its budget replaced where one is given; prices are of the project around `root`."""
    return Means(
        outside=outside or Outside(),
        budget_usd=None if no_budget else sweep.budget_usd if budget_usd is None else budget_usd,
        no_budget=no_budget,
        concurrency=sweep.concurrency,
        timeout_s=sweep.timeout_s,
        prices=_prices(root),
        batch=batch,
    )


def check_payable(spec: GraderSpec, means: Means) -> None:
    """Nothing where the judge may be paid for; raises BenchError, before the first call, where it may not."""
    model = spec.model or ""
    worst = means.pricing(model).worst(model, 0, 0)
    if means.batch and not means.batches(model) and family(model) != "local":
        raise BenchError(f"the judge '{model}' takes no batches; leave out --batch")
    if means.budget_usd is None and not means.no_budget and worst != 0:
        raise BenchError(
            f"the judge '{spec.model}' is paid for and there is no budget; use --budget-usd or --no-budget"
        )
    if means.budget_usd is not None and worst is None:
        raise BenchError(f"no price is known for the judge '{spec.model}', so a budget cannot hold; use --no-budget")


async def check_judges(graders: Iterable[GraderSpec], means: Means) -> None:
    """Nothing where every judge among the graders could be asked and paid for; raises BenchError where one could not.

    A local model that is not on this machine is no hindrance: its grades will be missing, and that is said then.
    """
    for spec in graders:
        if spec.kind != "judge" or spec.model is None:
            continue
        check_payable(spec, means)
        if family(spec.model) != "local":
            with contextlib.suppress(ModelMissing):
                async with means.outside.open_model(spec.model):
                    pass


def _prices(root: Path) -> PriceTable:
    for start in (root, Path.cwd()):
        try:
            project = find_project(start)
        except BenchError:  # this place is in no project
            continue
        return load_prices(project.root)
    return built_in()
