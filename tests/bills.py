"""What a server billed against what a run knows of it, after the run was killed and started again."""

from __future__ import annotations

from datetime import UTC, datetime

from fakes import PAID
from loopback import Billed

from bench.calls.journal import Finished, read_journal
from bench.calls.pricing import Pricing
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.pricetable import built_in
from bench.transcripts.model import Usage


def check_nothing_is_lost(path, server, first, cells):
    """Every answer is on disk or counted as possibly billed; the next start asks for the rest; totals are the bill."""
    store = Store(path.parent.parent / "results/s")
    answered = {e.reply_sha256 for e in read_journal(store.journal) if isinstance(e, Finished)}
    kept = {sha256 for sha256 in answered if store.reply_path(sha256).exists()}
    assert len(store.rows()) <= len(kept)  # a row rests on its reply
    asked_before = len(server.requests)

    summary = run_sweep(path, grade=False)
    assert (summary.exit_status, len(store.rows())) == (0, cells)
    assert len(server.requests) - asked_before == cells - len(kept)

    calls = store.calls()
    known = {c.request_id: c for c in calls if c.request_id is not None}
    unseen = [c for c in calls if c.request_id is None]
    assert all(c.possibly_billed_usd > 0 and c.detail == "the process that asked is gone" for c in unseen)
    bill = server.requests[first:]
    for asked in bill:
        if asked.request_id in known:
            assert tokens(known[asked.request_id]) == vars(asked.billed)
    lost = [asked for asked in bill if asked.request_id not in known]
    assert len(lost) <= len(unseen)
    assert summary.money.possibly_calls == len(unseen)
    prices = Pricing(built_in(), datetime.now(UTC).date())
    billed = [prices.cost(Usage(**vars(asked.billed)), PAID).usd_api for asked in bill]
    assert summary.money.spent_usd <= sum(billed) + 1e-9 <= summary.money.spent_usd + summary.money.possibly_usd + 2e-9


def tokens(call):
    """A call's tokens by class, as the server's bill has them."""
    return {name: getattr(call, f"{name}_tokens") for name in vars(Billed())}
