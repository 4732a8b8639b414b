"""What grading came to, a grader at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.calls.exits import EXIT_BUDGET, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, MOST_NAMED
from bench.calls.money import Money
from bench.text import printable


@dataclass(frozen=True)
class GraderResult:
    """One grader's outputs; a grade is of one pass over one output."""

    grader: str
    """Its folder."""
    asks: bool = False
    """Whether it asks somebody: a model, or people."""
    grades: int = 0
    """That there are to be, of all passes."""
    made: int = 0
    """That were made now."""
    missing: tuple[str, ...] = ()
    """Outputs and passes that stay without a grade."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Why calls were given up -> how many."""
    unanswered: Mapping[str, int] = field(default_factory=dict)
    """Why a judge's answer brought no verdict -> how many answers."""
    missing_verdicts: int = 0
    """Atoms without a verdict in the grades that were made now."""
    money: Money = field(default_factory=Money)
    """Of all this grader's calls in the run, earlier starts included."""
    calls: int = 0
    """Of these, made now."""
    skipped: str | None = None
    """Why the judge could not be asked at all, or what people have yet to fill in."""
    notes: tuple[str, ...] = ()
    """What is to be known of its verdicts, a line each."""
    stopped: str | None = None
    by_budget: bool = False
    interrupted: bool = False

    @property
    def exit_status(self) -> int:
        """0 complete, 1 with grades missing, 3 stopped by the cap, 130 interrupted.

        A judge that is not here, and people who are not done, are no failure.
        """
        if self.interrupted:
            return EXIT_INTERRUPTED
        if self.by_budget and self.missing:
            return EXIT_BUDGET
        return EXIT_FAILED if self.missing and not self.skipped else EXIT_DONE

    def lines(self) -> list[str]:
        """What a person reads, a line each."""
        there = self.grades - len(self.missing)
        out = [f"{self.grader}: {there} of {self.grades} grades are there, {self.made} of them new"]
        if self.skipped is not None:
            out.append(f"{'waiting' if self.grader.startswith('human') else 'skipped'} {self.grader}: {self.skipped}")
        if self.stopped is not None:
            out.append(f"stopped: {self.stopped}")
        if self.missing:
            out.append(f"missing: {len(self.missing)} grades; start again to make just these")
            out += [f"  {name}" for name in self.missing[:MOST_NAMED]]
            out += [f"  and {more} more" for more in [len(self.missing) - MOST_NAMED] if more > 0]
        out += [f"  given up {n} times: {why}" for why, n in self.failures.items()]
        if self.missing_verdicts:
            why = ", ".join(f"{n} {outcome}" for outcome, n in self.unanswered.items())
            out.append(f"without a verdict: {self.missing_verdicts} atoms{f' (answers: {why})' if why else ''}")
        out += self.notes
        if self.calls or self.money.spent_usd:
            out.append(f"judge: {self.calls} calls now, ${self.money.spent_usd:.4f} in all{self._possibly()}")
        return [printable(line) for line in out]

    def _possibly(self) -> str:
        money = self.money
        unpriced = f", {money.unpriced_calls} calls without a known price" if money.unpriced_calls else ""
        possibly = f"; possibly billed: {money.possibly_calls} calls, at most ${money.possibly_usd:.4f}"
        return unpriced + (possibly if money.possibly_calls else "")


class GradingInterrupted(KeyboardInterrupt):
    """Grading was interrupted; every answer is on the disk. `results` says what there is."""

    def __init__(self, results: Sequence[GraderResult]) -> None:
        super().__init__("interrupted; what was done is kept")
        self.results = tuple(results)
