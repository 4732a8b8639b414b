"""From a reply to the files of its cells: judged, assembled, written. Runs in the writer's thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from bench.arms.model import Arm
from bench.beside import Beside, told
from bench.calls.journal import Finished
from bench.calls.pricing import Pricing
from bench.forks.cells import Cell
from bench.forks.chain import Talks
from bench.forks.fork import Fork
from bench.forks.outcomes import judge
from bench.forks.output_rows import fork_row
from bench.forks.passes import Passes
from bench.forks.planning import Laid
from bench.forks.store import Files, Store
from bench.handoff.assemble import Handoff, assemble
from bench.handoff.calls import subagent_ran
from bench.handoff.commitments_pass import Commitments
from bench.models.protocol import Context
from bench.rows import GRADED, OutputRow
from bench.sweepfile import Carry


@dataclass(frozen=True)
class Desk:
    """What every handoff of a run is assembled with."""

    store: Store
    contexts: Mapping[str, Context]
    arms: Mapping[str, Arm]
    """By the label with its version, as cells carry it."""
    talks: Talks
    """What each cell's handoff stands for, which pins and all other parts are taken from."""
    windows: Mapping[str, int | None]
    """Model -> its window, which a ceiling is a share of."""
    carry: Carry | None
    pricing: Pricing
    passes: Passes
    """What came of the commitments passes that handoffs are built with."""
    _ran: dict[tuple[str, int, int], bool] = field(default_factory=dict)
    """Fixture, step and staleness -> whether a subagent ran: replicates ask the same of a whole transcript."""

    def outputs(
        self,
        fork: Fork,
        finished: Finished,
        text: str,
        *,
        attempts: int,
        ms_since_last_fork: int | None,
        beside: Sequence[Beside] = (),
    ) -> tuple[list[OutputRow], Files]:
        """The rows of the fork's cells, and all files in the order they must appear: the reply, then each output.

        `beside`: who worked beside the fork. Only for cells whose commitments pass is settled.
        """
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
            row.detail = with_note(row.detail, self.talks.note(cell))
            row.subscribers = told(beside)
            if self.arms[cell.arm].has_commitments:
                row.commitments_usd = self.passes.of(cell).usd_api
            rows.append(row)
            files += self.store.output_files(row, handoff, beside)
        return rows, files

    def _subagent_ran(self, cell: Cell) -> bool:
        """Whether a subagent ran in the turn that the fork was asked at the end of."""
        key = (cell.fixture, cell.chain_step, cell.stale_by)
        if key not in self._ran:
            messages = self.talks.of(cell).messages
            self._ran[key] = subagent_ran(messages[: len(messages) - cell.stale_by])
        return self._ran[key]

    def commitments(self, cell: Cell) -> Commitments | None:
        """What the cell's handoff is built with; None where its arm has no such part."""
        return self.passes.of(cell) if self.arms[cell.arm].has_commitments else None

    def _handoff(self, cell: Cell, text: str) -> Handoff:
        return assemble(
            text,
            self.arms[cell.arm],
            self.talks.of(cell),
            lineage=self.talks.lineage(cell),
            window=self.windows.get(cell.model),
            commitments=self.commitments(cell),
        )


def desk_of(laid: Laid, passes: Passes) -> Desk:
    """What the handoffs of a laid-out sweep are assembled with."""
    return Desk(
        store=laid.store,
        contexts={sha: p.context for sha, p in laid.grid.contexts.items()},
        arms={laid.labels[a.arm.label]: a.arm for a in laid.resolved.arms},
        talks=Talks(laid.conversations, {f.name: f for f in laid.resolved.fixtures}, laid.grid.openers),
        windows={name: m.window for name, m in laid.models.items()},
        carry=laid.resolved.sweep.carry,
        pricing=laid.pricing,
        passes=passes,
    )


def with_note(detail: str | None, note: str | None) -> str | None:
    """The row's detail and what else a reader should know."""
    return "; ".join(filter(None, (detail, note))) or None
