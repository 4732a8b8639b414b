"""The spend guard: a pure state machine over money. No clock, no disk, no network.

A call may start only while spent + possibly billed + reserved + its worst case stay within the budget, so spending
never passes the cap whatever the answers cost, as long as a bill stays within its reservation; a bill above it stops
all launching and is named. Beside a fork the worst case of grading what it brings is reserved; once it is answered,
what grading is expected to cost is kept, so that forks do not spend it. The later steps of a chain are held like it.
"""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

COUNT_FACTOR = 1.05
"""Counts of tokens are estimates: a worst case takes this share more …"""
COUNT_SLACK_TOKENS = 500
"""… and this many tokens beside."""

Answer = Literal["start", "wait", "stop"]


class Overbill(Struct, frozen=True):
    """A call that cost more than was reserved for it, in USD."""

    call_id: str
    reserved: float
    billed: float


class Verdict(Struct, frozen=True):
    """Whether a call may start, must wait for others to settle, or nothing may start any more; and why not."""

    answer: Answer
    reason: str = ""


def worst_case_tokens(counted: int) -> int:
    """The prompt tokens that a worst case is priced with: 1.05 x count + 500."""
    return math.ceil(counted * COUNT_FACTOR) + COUNT_SLACK_TOKENS


class Guard:
    """What a run has spent and reserved, in USD. `budget_usd` None: no cap, everything starts.

    A worst case of None (no price known) counts nothing; the plan refuses it where there is a budget.
    """

    def __init__(self, budget_usd: float | None = None) -> None:
        self.budget_usd = budget_usd
        self.spent_usd = 0.0
        self.possibly_usd = 0.0
        """Worst cases of calls that broke off: billed until shown otherwise."""
        self.reserved: dict[str, float] = {}
        """Call -> the worst case held for it while it is in flight."""
        self.grading: dict[str, float] = {}
        """Call in flight -> the worst case of grading what it brings."""
        self.kept_usd = 0.0
        """Expected cost of grading the outputs that are there."""
        self.overbilled: list[Overbill] = []

    @property
    def committed_usd(self) -> float:
        """All that may turn out to have been spent."""
        held = (*self.reserved.values(), *self.grading.values())
        return math.fsum((self.spent_usd, self.possibly_usd, self.kept_usd, *held))

    def judge(self, worst_usd: float | None, *, own_in_flight: bool, grading_usd: float = 0.0) -> Verdict:
        """Whether a call of this worst case may start; it changes nothing. 'wait' only where own calls will settle.

        `grading_usd`: the worst case of grading what it brings.
        """
        if self.budget_usd is None:
            return Verdict("start")
        if self.overbilled:
            over = self.overbilled[0]
            reason = f"call {over.call_id} was billed ${over.billed:.4f} where ${over.reserved:.4f} was reserved"
            return Verdict("stop", reason)
        worst = (worst_usd or 0.0) + grading_usd
        if self.committed_usd + worst <= self.budget_usd:
            return Verdict("start")
        with_grading = f" with what follows it (${grading_usd:.4f})" if grading_usd else ""
        taken = f"${self.committed_usd:.4f} of ${self.budget_usd:.2f} is taken"
        reason = f"the next call may cost ${worst:.4f}{with_grading}, and {taken}"
        settled = math.fsum((self.spent_usd, self.possibly_usd, self.kept_usd, worst))
        return Verdict("wait" if own_in_flight and settled <= self.budget_usd else "stop", reason)

    def reserve(self, call_id: str, worst_usd: float | None, grading_usd: float = 0.0) -> None:
        """A call has started: its worst case is held, and that of grading what it brings."""
        self.reserved[call_id] = worst_usd or 0.0
        if grading_usd:
            self.grading[call_id] = grading_usd

    def keep(self, grading_usd: float) -> None:
        """There is something to grade: what that is expected to cost is kept for it. Below 0: some of it is paid."""
        self.kept_usd = max(0.0, math.fsum((self.kept_usd, grading_usd)))

    def settle(self, call_id: str, *, billed_usd: float | None, possibly_usd: float | None = None) -> Overbill | None:
        """A call has ended: its reservation is freed, what it cost (or may have cost) is kept.

        Returns the overbilling where it cost more than was reserved for it.
        """
        reserved = self.reserved.pop(call_id, None)
        self.grading.pop(call_id, None)
        self.spent_usd = math.fsum((self.spent_usd, billed_usd or 0.0))
        self.possibly_usd = math.fsum((self.possibly_usd, possibly_usd or 0.0))
        if billed_usd is None or reserved is None or billed_usd <= reserved:
            return None
        over = Overbill(call_id, reserved, billed_usd)
        self.overbilled.append(over)
        return over
