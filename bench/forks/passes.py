"""What came of the commitments passes of a run: conclusions wait for theirs."""

from __future__ import annotations

from msgspec.structs import replace

from bench.calls.journal import Finished
from bench.forks.cells import Cell
from bench.forks.fork import Fork
from bench.forks.outcomes import judge
from bench.handoff.commitments_pass import Commitments, commitments_of
from bench.rows import GRADED


class Passes:
    """Filled as passes are answered or given up. Read by the writer's thread, written in the loop's."""

    def __init__(self) -> None:
        self._settled: dict[str, Commitments] = {}

    def answered(self, fork: Fork, finished: Finished, text: str) -> None:
        """The pass has its reply."""
        came = judge(replace(finished.reply, text=text), finished.count)
        usd = finished.call.usd_api
        if came.outcome not in GRADED:
            why = came.outcome if came.detail is None else f"{came.outcome}: {came.detail}"
            self._settled[fork.reply_sha256] = _lost(fork, why, usd)
            return
        self._settled[fork.reply_sha256] = commitments_of(
            text,
            finished.reply.stop_reason,
            fork.max_tokens,
            model=fork.model,
            reply_sha256=fork.reply_sha256,
            usd_api=usd,
        )

    def lost(self, fork: Fork, why: str, usd_api: float | None) -> None:
        """The pass will bring nothing; handoffs are built without it."""
        self._settled[fork.reply_sha256] = _lost(fork, why, usd_api)

    def ready(self, cell: Cell) -> bool:
        """Whether all is there that the cell's handoff is built with."""
        return cell.commitments_sha256 is None or cell.commitments_sha256 in self._settled

    def of(self, cell: Cell) -> Commitments:
        """What came of the pass of a cell that is ready; a pass over nothing said found nothing, at no cost."""
        if cell.commitments_sha256 is None:
            return Commitments(model=cell.model, reply_sha256="", usd_api=0.0)
        return self._settled[cell.commitments_sha256]


def _lost(fork: Fork, why: str, usd_api: float | None) -> Commitments:
    return Commitments(model=fork.model, reply_sha256=fork.reply_sha256, failed=why, usd_api=usd_api)
