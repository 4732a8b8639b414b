"""One dispute, from what a person types to a line of the run and a proposed mend of the key."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bench.calls.outside import Outside
from bench.disputing.mending import Mend, mend
from bench.disputing.outputs import output_named
from bench.disputing.records import Dispute, record
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.grading.subjects import fixtures_of
from bench.rows import OutputRow, Verdict
from bench.runs.index import find_run


def dispute(
    run: str | Path,
    atom: str,
    output: str,
    *,
    verdict: Verdict,
    note: str,
    quote: str | None = None,
    fixture: str | None = None,
    scope: str = "handoff",
    outside: Outside | None = None,
) -> tuple[Dispute, Mend]:
    """The dispute, recorded in the run's folder, and how the key could be mended.

    Raises BenchError, and records nothing, where run, atom or output is not there or not clear, or the quote is not in
    the output.
    """
    store = find_run(run)
    fixtures = {
        name: one
        for name, one in fixtures_of(store.run_json(), store.root).items()
        if fixture in (None, name) and any(a.id == atom for a in one.key.atoms)
    }
    if not fixtures:
        where = f"fixture '{fixture}'" if fixture else "any fixture of this run"
        raise BenchError(f"no atom '{atom}' in {where}", path=store.root)
    row = output_named(store, output, [*fixtures])
    text = store.handoff_text(row) if scope == "handoff" else store.summary_text(row)
    if quote is not None and " ".join(quote.split()) not in " ".join(text.split()):
        raise BenchError("the quote is not in that output; copy its words as they stand there")
    one = fixtures[row.fixture]
    made = Dispute(
        at=(outside or Outside()).stamp(), fixture=row.fixture, arm=row.arm, model=row.model,
        replicate=row.replicate, chain_step=row.chain_step, stale_by=row.stale_by, scope=scope, atom=atom,
        verdict=verdict, note=note, quote=quote, key_sha256=one.key_sha256,
        output_sha256=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
    )  # fmt: skip
    record(store.root, made)
    return made, _mend(row, one, made, text)


def _mend(row: OutputRow, fixture: Fixture, made: Dispute, text: str) -> Mend:
    at = next(a.at for a in fixture.key.atoms if a.id == made.atom)
    messages = fixture.transcript.messages
    source = "\n".join(messages[i].text for i in at if 0 <= i < len(messages))
    return mend(text, fixture.key_at(row.chain_step), made.atom, made.verdict, quote=made.quote, source=source)
