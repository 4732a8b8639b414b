"""From a reply to the files of its cells: judged, assembled, written. Runs in the writer's thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from bench.arms.model import Arm
from bench.calls.journal import Finished
from bench.calls.pricing import Pricing
from bench.forks.cells import Cell
from bench.forks.grid import Fork
from bench.forks.outcomes import judge
from bench.forks.output_rows import fork_row
from bench.forks.store import Files, Store
from bench.handoff.assemble import Handoff, assemble
from bench.handoff.calls import subagent_ran
from bench.models.protocol import Context
from bench.rows import GRADED, OutputRow
from bench.sweepfile import Carry
from bench.transcripts.model import Transcript


@dataclass(frozen=True)
class Desk:
    """What every handoff of a run is assembled with."""

    store: Store
    contexts: Mapping[str, Context]
    arms: Mapping[str, Arm]
    """By the label with its version, as cells carry it."""
    transcripts: Mapping[str, Transcript]
    """Fixture -> its conversation as the model saw it, which pins are taken from."""
    windows: Mapping[str, int | None]
    """Model -> its window, which a ceiling is a share of."""
    carry: Carry | None
    pricing: Pricing
    _ran: dict[tuple[str, int], bool] = field(default_factory=dict)
    """Fixture and staleness -> whether a subagent ran: replicates ask the same of a whole transcript."""

    def outputs(
        self, fork: Fork, finished: Finished, text: str, *, attempts: int, ms_since_last_fork: int | None
    ) -> tuple[list[OutputRow], Files]:
        """The rows of the fork's cells, and all files in the order they must appear: the reply, then each output."""
        reply = replace(finished.reply, text=text)
        judged = judge(reply, finished.count, compaction=fork.compaction)
        rows: list[OutputRow] = []
        files: Files = [(self.store.reply_path(fork.reply_sha256), text.encode("utf-8", "replace"))]
        for cell in fork.cells:
            handoff = self._handoff(cell, text) if judged.outcome in GRADED else None
            row = fork_row(
                self.store.name,
                cell,
                self.contexts[fork.context_sha256],
                judged,
                reply,
                finished.call,
                reply_sha256=fork.reply_sha256,
                attempts=attempts,
                ms_since_last_fork=ms_since_last_fork,
                handoff=handoff,
                carry=self.carry,
                pricing=self.pricing,
            )
            row.subagent_ran_this_turn = self._subagent_ran(cell)
            rows.append(row)
            files += self.store.output_files(row, handoff)
        return rows, files

    def _subagent_ran(self, cell: Cell) -> bool:
        """Whether a subagent ran in the turn that the fork was asked at the end of."""
        key = (cell.fixture, cell.stale_by)
        if key not in self._ran:
            messages = self.transcripts[cell.fixture].messages
            self._ran[key] = subagent_ran(messages[: len(messages) - cell.stale_by])
        return self._ran[key]

    def _handoff(self, cell: Cell, text: str) -> Handoff:
        transcript = self.transcripts[cell.fixture]
        return assemble(text, self.arms[cell.arm], transcript, window=self.windows.get(cell.model))
