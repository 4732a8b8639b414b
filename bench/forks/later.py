"""The steps of a chain that cannot be asked yet, sized by what is known of them: an estimate, and marked as one.

Such a step's conversation is its stretch and a handoff that is not written yet. It is expected to be of ordinary
length; at most it is as long as the arm's answer may be, with all that its assembly puts beside it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

import msgspec

from bench.arms.model import Arm
from bench.calls.pricing import Pricing
from bench.chains.windows import window_of
from bench.contexts.subjects import ContextId, context_mode, context_of
from bench.fixtures import Fixture
from bench.forks.cells import Cell
from bench.forks.fork import Fork, request_of
from bench.forks.grid import Grid
from bench.forks.pass_layout import Limits, PassLayout
from bench.forks.plan import EXPECTED_OUTPUT_TOKENS, Sized, sized
from bench.forks.resolve import Resolved
from bench.handoff.assemble import assemble
from bench.handoff.commitments_pass import passed_chars
from bench.models.estimate import estimated
from bench.models.protocol import Count
from bench.text import CHARS_PER_TOKEN, tokens_of_chars
from bench.transcripts.model import Transcript

STAND_IN = "x"
"""What an unwritten handoff is made of, as many times as it has characters."""


class Later:
    """Sizes forks of later steps; each fixture's stretch and each arm's parts are looked at once."""

    def __init__(self, resolved: Resolved, labels: Mapping[str, str], pricing: Pricing) -> None:
        self._resolved = resolved
        self._fixtures = {f.name: f for f in resolved.fixtures}
        self._arms_as_run = {labels[a.arm.label]: a for a in resolved.arms}
        self._arms = {label: a.arm for label, a in self._arms_as_run.items()}
        self._talks: dict[tuple[str, int], Transcript] = {}
        self._pricing = pricing
        self._counts: dict[tuple[object, ...], Count] = {}
        self._beside: dict[tuple[str, str, int], int] = {}

    def of(self, grid: Grid, limits: Mapping[str, Limits]) -> tuple[Sized, ...]:
        """The forks, each alone over a context of its own, then passes, over the models in `limits`.

        USD None where a price is unknown.
        """
        forks = [f for f in grid.later if f.model in limits]
        cells = [*(f.cells[0] for f in forks), *(b.cell() for b in grid.later_builds)]
        return (*map(self._sized, forks), *self._passes(cells, limits))

    def _passes(self, cells: Iterable[Cell], limits: Mapping[str, Limits]) -> tuple[Sized, ...]:
        """The commitments passes of those cells, each once for all that share it. They read what the assistant said in
        a stretch, whatever opens it, so that their size is known.
        """
        layout = PassLayout(limits)
        for cell in cells:
            fixture, arm = self._fixtures[cell.fixture], self._arms_as_run[cell.arm]
            talk = self._talk(fixture, cell.chain_step)
            promised = layout.reply(talk, fixture, arm.commitments, cell.model, cell.replicate, cell.stale_by)
            layout.wait(msgspec.structs.replace(cell, commitments_sha256=promised))
        contexts = {p.context.sha256: p.context for p in layout.contexts}
        return tuple(
            sized(f, estimated(request_of(f, contexts[f.context_sha256]), f.model), self._pricing, warm=False)
            for f in layout.forks()
        )

    def _talk(self, fixture: Fixture, step: int) -> Transcript:
        if (fixture.name, step) not in self._talks:
            self._talks[fixture.name, step] = window_of(fixture, step, STAND_IN)
        return self._talks[fixture.name, step]

    def _sized(self, fork: Fork) -> Sized:
        usual = min(EXPECTED_OUTPUT_TOKENS, fork.max_tokens)
        beside = self._beside_tokens(fork)
        count = self._count(fork, usual + beside)
        most = count.tokens + fork.max_tokens - usual
        worst = self._pricing.worst(fork.model, most, fork.max_tokens)
        low = sized(fork, self._count(fork, 0), self._pricing, warm=False).low_usd
        return dataclasses.replace(sized(fork, count, self._pricing, warm=False), low_usd=low, worst_usd=worst)

    def _count(self, fork: Fork, opener_tokens: int) -> Count:
        cell = fork.cells[0]
        which = ContextId(context_mode(self._resolved.sweep.context, fork.model), cell.stale_by)
        key = fork.fixture, fork.model, which, cell.chain_step, opener_tokens, fork.instruction
        if key not in self._counts:
            fixture = self._fixtures[fork.fixture]
            window = window_of(fixture, cell.chain_step, STAND_IN * (CHARS_PER_TOKEN * opener_tokens))
            prepared = context_of(fixture, window, which)
            count = estimated(request_of(fork, prepared.context), fork.model) if prepared else Count(0, "estimated")
            self._counts[key] = count
        return self._counts[key]

    def _beside_tokens(self, fork: Fork) -> int:
        """What the assembly of the step before puts beside its reply."""
        cell = fork.cells[0]
        key = fork.fixture, cell.arm, cell.chain_step - 1
        if key not in self._beside:
            self._beside[key] = beside_tokens(self._fixtures[fork.fixture], self._arms[cell.arm], cell.chain_step - 1)
        return self._beside[key]


def beside_tokens(fixture: Fixture, arm: Arm, step: int) -> int:
    """Estimated tokens of an arm's handoff at a step, its reply aside: pins, ledger, state, restored files."""
    return tokens_of_chars(len(assemble("", arm, window_of(fixture, step)).text) + passed_chars(arm))
