"""One dispute, from what a person types to a line of the run and a proposed mend of the key."""

from __future__ import annotations

import hashlib
from pathlib import Path

from bench.calls.outside import Outside
from bench.disputing.mending import Mend, mend
from bench.disputing.outputs import output_named
from bench.disputing.records import Dispute, read_disputes, record
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.forks.store import Store
from bench.grading.run import read_grades
from bench.grading.subjects import fixtures_of
from bench.rows import GradeRow, OutputRow, Verdict
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

    Raises BenchError, and records nothing, where run, atom or output is not there or not clear, the quote is not in the
    output, or every verdict on it is the person's already (unless that takes an earlier dispute back).
    """
    store, fixtures = named(run, atom, fixture)
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
    _refuse_agreement(store, made)
    record(store.root, made)
    return made, _mend(row, one, made, text)


def named(run: str | Path, atom: str, fixture: str | None = None) -> tuple[Store, dict[str, Fixture]]:
    """The run's store, and its fixtures (or `fixture` alone) whose key has that atom, by name. Raises BenchError where
    none has it."""
    store = find_run(run)
    fixtures = {
        name: one
        for name, one in fixtures_of(store.run_json(), store.root).items()
        if fixture in (None, name) and any(a.id == atom for a in one.key.atoms)
    }
    if not fixtures:
        where = f"fixture '{fixture}'" if fixture else "any fixture of this run"
        raise BenchError(f"no atom '{atom}' in {where}", path=store.root)
    return store, fixtures


def _refuse_agreement(store: Store, made: Dispute) -> None:
    of = ("fixture", "arm", "model", "replicate", "chain_step", "stale_by", "scope", "atom")

    def same(other: Dispute | GradeRow) -> bool:
        return all(getattr(other, f) == getattr(made, f) for f in of)

    said = {g.verdict for g in read_grades(store)[0] if same(g) and g.output_sha256 == made.output_sha256}
    # the last word counts, so the grader's own verdict is how a person takes an earlier dispute back
    if said == {made.verdict} and not any(same(d) for d in read_disputes(store.root)):
        raise BenchError(f"the grader says {made.verdict}, too: nothing to dispute")


def _mend(row: OutputRow, fixture: Fixture, made: Dispute, text: str) -> Mend:
    at = next(a.at for a in fixture.key.atoms if a.id == made.atom)
    messages = fixture.transcript.messages
    source = "\n".join(messages[i].text for i in at if 0 <= i < len(messages))
    return mend(text, fixture.key_at(row.chain_step), made.atom, made.verdict, quote=made.quote, source=source)
