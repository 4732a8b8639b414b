"""What judging will cost of outputs that are not there yet, so that forks leave the money for it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence

from bench.arms.build import build
from bench.calls.pricing import Pricing
from bench.chains.windows import at_step
from bench.forks.fork import Fork
from bench.forks.grid import Build
from bench.forks.plan import EXPECTED_OUTPUT_TOKENS, Plan, Sized
from bench.forks.planning import Laid
from bench.grading.judge.cost import Expense, Prompt, added, chars_per_token, expense, total
from bench.grading.judge.plan import estimated_count, work_of
from bench.grading.judge.questions import Question, Sheet
from bench.grading.judge.wording import HANDOFF, SYSTEM
from bench.grading.outputs import sealed_outputs
from bench.handoff.assemble import assemble
from bench.handoff.commitments_pass import passed_chars
from bench.keys import Key
from bench.sweepfile import GraderSpec
from bench.text import CHARS_PER_TOKEN


class Reserve:
    """Prices the grading of a laid-out sweep."""

    def __init__(self, laid: Laid) -> None:
        self._laid = laid
        self._judges = [_Judge(spec, laid.fork_pricing) for spec in laid.resolved.sweep.graders if spec.kind == "judge"]
        self._fixtures = {f.name: f for f in laid.resolved.fixtures}
        self._arms = {laid.labels[a.arm.label]: a.arm for a in laid.resolved.arms}
        self._assembled: dict[tuple[str, str, int], int] = {}

    def with_grading(self, plan: Plan) -> Plan:
        """The plan, each fork with what grading its outputs costs, those of later steps too."""
        if not self._judges:
            return plan
        asked, later = (tuple(map(self._with_grading, forks)) for forks in (plan.asked, plan.later))
        return dataclasses.replace(plan, asked=asked, later=later)

    def expected_usd(self, plan: Plan) -> float:
        """What grading is expected to cost of outputs that are there without a grade, or come without a call.

        A judge without a known price counts nothing: it is asked only where there is no budget.
        """
        answered = (self._of_fork(fork).expected_usd for fork in plan.answered if not fork.is_pass)
        built = (self._of_build(one).expected_usd for one in (*plan.builds, *plan.later_builds))
        return math.fsum(usd or 0.0 for usd in (*self._there(), *answered, *built))

    def _with_grading(self, sized: Sized) -> Sized:
        if sized.fork.is_pass:
            return sized  # a part of outputs whose forks reserve it
        costs = self._of_fork(sized.fork)
        return dataclasses.replace(sized, grading_usd=costs.expected_usd, grading_worst_usd=costs.worst_usd)

    def _of_fork(self, fork: Fork) -> Expense:
        """Of all outputs of a fork: expected for a reply of ordinary length, worst for the longest there can be."""
        step = fork.cells[0].chain_step
        key, density = self._fixtures[fork.fixture].key_at(step), chars_per_token(fork.model)
        usual, longest = min(EXPECTED_OUTPUT_TOKENS, fork.max_tokens), fork.max_tokens
        return added(
            Expense(
                judge.expense(key, usual, density, self._beside(fork.fixture, cell.arm, step)).expected_usd,
                judge.expense(key, longest, density, self._beside(fork.fixture, cell.arm, step)).worst_usd,
            )
            for cell in fork.cells
            for judge in self._judges
        )

    def _of_build(self, one: Build) -> Expense:
        """Of an arm without a model: of its text where that can be known beforehand, else of one of ordinary length."""
        arm, fixture = one.arm.arm, one.fixture
        if arm.kind == "command" or one.arm.like or (one.step > 1 and one.opener is None):
            tokens, beside = EXPECTED_OUTPUT_TOKENS, self._beside(fixture.name, one.label, one.step)
        else:
            window = self._laid.conversations.window(fixture, one.step, one.opener)
            text = build(arm, at_step(fixture, one.step, window)).text
            tokens, beside = 0, len(assemble(text, arm, window).text) + passed_chars(arm)
        key = fixture.key_at(one.step)
        return added(judge.expense(key, tokens, CHARS_PER_TOKEN, beside) for judge in self._judges)

    def _there(self) -> Iterator[float | None]:
        store, seed = self._laid.store, self._laid.resolved.sweep.seed
        for judge in self._judges if store.run_file.exists() else ():
            spec, model = judge.spec, judge.model
            work = work_of(store, spec, sealed_outputs(store, spec, seed), seed, self._fixtures)
            yield total(s.expense(estimated_count(s, model), model, self._laid.fork_pricing).expected_usd for s in work)

    def _beside(self, name: str, label: str, step: int) -> int:
        """Characters of an arm's handoff beside the reply: pins, ledger, restored files."""
        if (name, label, step) not in self._assembled:
            window = self._laid.conversations.window(self._fixtures[name], step)
            text = assemble("", self._arms[label], window).text
            self._assembled[name, label, step] = len(text) + passed_chars(self._arms[label])
        return self._assembled[name, label, step]


class _Judge:
    """One judge of the sweep."""

    def __init__(self, spec: GraderSpec, pricing: Pricing) -> None:
        self.spec = spec
        self.model = spec.model or ""
        self._pricing = pricing
        self._questions: dict[Key, Sequence[Question]] = {}

    def expense(self, key: Key, reply_tokens: int, reply_density: float, beside_chars: int) -> Expense:
        """Of one output: a reply of so many tokens of its own model, and what stands beside it in the handoff."""
        density = chars_per_token(self.model)
        beside = 0 if self.spec.scope == "summary" else beside_chars
        # a token of the fork's may be several of the judge's, never less than one
        tokens = reply_tokens * max(1.0, reply_density / density)
        prefix = math.ceil(tokens + (beside + len(SYSTEM) + len(HANDOFF)) / density)
        questions = self._asked(key)
        longest = max(len(q.instruction) for q in questions)
        prompt = Prompt(prefix=prefix, most=prefix + math.ceil(longest / density))
        return expense(questions, prompt, self.spec.passes, self.model, self._pricing)

    def _asked(self, key: Key) -> Sequence[Question]:
        if key not in self._questions:
            self._questions[key] = Sheet("", key, seed=0, cell_key="", grading_pass=1).questions()
        return self._questions[key]
