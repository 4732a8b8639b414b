"""Whatever a model does with its answers and its bills, a run never spends more than its cap."""

import asyncio
import random
import threading

import pytest
from fakes import NOW, PAID, FakeModel, attempt, outside, project, reply

from bench.calls.guard import worst_case_tokens
from bench.calls.pricing import Pricing
from bench.forks.run import run_sweep
from bench.models.protocol import Count
from bench.pricetable import built_in
from bench.transcripts.model import Usage

PRICES = Pricing(built_in(), NOW.date())
MAX_TOKENS = 4000


class Adverse(FakeModel):
    """Bills up to the worst case of every call, also of those that break off unseen; keeps the true bill."""

    def __init__(self, seed):
        super().__init__()
        self.chance = random.Random(seed)
        self.bill = 0.0

    async def ask(self, request, *, timeout_s, on_first):  # noqa: ARG002
        self.asked.append(request)
        await asyncio.sleep(self.chance.random() * 0.002)
        on_first()
        counted = (await self.count(request)).tokens
        share = self.chance.choice([0.1, 0.9, 1.0, 1.0])
        usage = Usage(cache_write_5m=int(share * worst_case_tokens(counted)), output=int(share * MAX_TOKENS))
        self.bill += PRICES.cost(usage, PAID).usd_api
        match self.chance.randrange(5):
            case 0:
                return attempt(detail="dropped")  # billed, and nobody is told
            case 1:
                return attempt("timeout", detail="too slow", usage=usage, billed="yes")
        return reply(usage=usage, started_at="2026-11-30T12:00:00.000Z")


@pytest.mark.parametrize("seed", range(6))
def test_under_adverse_usage_spending_never_passes_the_cap(tmp_path, seed):
    arms = {"short": f"+++\nmax_tokens = {MAX_TOKENS}\n+++\nSay it."}
    path = project(tmp_path, arms=arms, sweep="replicates = 40\nconcurrency = 8\nbudget_usd = 0.4")
    model = Adverse(seed)
    summary = run_sweep(path, outside=outside(model), grade=False)
    assert model.bill <= 0.4
    assert summary.money.spent_usd <= model.bill + 1e-9
    assert summary.money.spent_usd + summary.money.possibly_usd <= 0.4
    # a call's worst case is about 0.042, so 9 fit at least; and as many calls again would not
    assert (summary.exit_status, len(model.asked) >= 9, len(summary.missing) > 0) == (3, True, True)
    again = run_sweep(path, outside=outside(model), grade=False)  # a further start has no money of its own
    assert model.bill <= 0.4
    assert again.exit_status == 3


def test_one_line_says_how_far_the_estimate_was_off(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 2")
    usage = Usage(input=100, output=1000)  # 100 x 2 + 1000 x 10 per million = 0.0102 a call

    class Longer(FakeModel):
        async def count(self, _request):
            return Count(100, "counted")

    model = Longer(lambda *_: reply(usage=usage))
    summary = run_sweep(path, outside=outside(model), grade=False)
    # expected: 100 tokens at 2 (too few to be cached), 2000 at 10: 0.0202 a call
    assert summary.lines()[-1] == "estimate: $0.0404 expected, $0.0204 billed (-50 %)"


def test_who_waits_for_money_does_not_wait_for_a_batch_that_nobody_looks_at_any_more(tmp_path):
    class KeyGone(FakeModel):
        """Takes batches; from then on its key is refused."""

        async def submit(self, requests):
            self.asked += requests.values()
            return f"msgbatch_{len(self.asked)}"

        async def collect(self, _batch_id, _requests):
            return attempt(detail="401", billed="no", retryable=False, stop_run=True)

        async def listed(self, _since):
            return []

    path = project(tmp_path, arms={"short": "+++\nmax_tokens = 4000\n+++\nSay it."}, sweep="budget_usd = 0.1")
    model, ended = KeyGone(), []

    def run():
        ended.append(run_sweep(path, outside=outside(model), grade=False, batch=True, replicates=20))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(20)
    assert ended, "it waits for ever"
    # what is in the batch stays reserved, about 0.021 a call: 4 fit and no fifth
    assert (ended[0].exit_status, len(ended[0].missing), len(model.asked)) == (3, 20, 4)
