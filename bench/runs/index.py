"""The tables of a run: Parquet, rebuilt from its files. The files are the truth; a table is never older than they are.

`outputs.parquet` is written last and carries a fingerprint of the files that the tables were made from (path, size,
time), so that a changed, added or deleted file is noticed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bench import __version__
from bench.atomic import write_bytes
from bench.errors import BenchError, shown
from bench.frames import dtypes, frame
from bench.notebook import located
from bench.project import find_project
from bench.rows import CallRow, GradeRow, InventionRow, OutputRow

if TYPE_CHECKING:
    import msgspec
    import pandas as pd

    from bench.forks.runfile import ArmMark, RunFile
    from bench.forks.store import Store

TABLES: dict[str, type[msgspec.Struct]] = {
    "grades": GradeRow,
    "inventions": InventionRow,
    "calls": CallRow,
    "outputs": OutputRow,
}
"""Table -> its rows; the order in which they are written."""
FINGERPRINT = b"bench.files"
"""Key of the fingerprint in the metadata of outputs.parquet."""
RESULTS = ("outputs/*/*/*/*.json", "grades/**/*.json*", "attempts.jsonl")
SOURCES = (*RESULTS, "journal.jsonl", "run.json")
"""The files that the tables are made from; journal and run.json are touched by every start of the sweep."""


@dataclass(frozen=True)
class Run:
    """A run as its tables tell it: nullable frames, one line an output, a verdict, an invention, a call."""

    store: Store
    outputs: pd.DataFrame
    grades: pd.DataFrame
    inventions: pd.DataFrame
    calls: pd.DataFrame
    kept: dict[object, pd.DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Tables worked out of these, which several tables and figures ask for."""

    def once(self, asked: object, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """The table of that name, made when it is first asked for."""
        if asked not in self.kept:
            self.kept[asked] = make()
        return self.kept[asked]

    @property
    def name(self) -> str:
        return self.store.name

    @property
    def root(self) -> Path:
        return self.store.root

    @cached_property
    def planned(self) -> pd.DataFrame:
        """The cells of the sweep as it was last started, one line each: fixture, arm, model, chain_step, stale_by,
        replicate, kind. Of an edited arm, its newest version."""
        return frame(list(planned_cells(self.store)), OutputRow)[PLAN]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Every cell, planned or there, with its one state: see `cell_states`."""
        from bench.analysis.arms.states import cell_states

        return cell_states(self.planned, self.outputs)


PLAN = ["fixture", "arm", "model", "chain_step", "stale_by", "replicate", "kind"]


def open_run(run: str | Path | None = None, results_dir: str | Path | None = None) -> Run:
    """The run: a folder, a name in the project's `results/` (or in `results_dir`), or None for the newest one.

    Tables that are missing or older than the run's files are rebuilt first. Raises BenchError where there is no such
    run, or the folder holds none.
    """
    import pandas as pd

    store = find_run(run, results_dir)
    if not is_indexed(store):
        build_index(store)
    tables = {
        name: pd.read_parquet(table_path(store, name), dtype_backend="numpy_nullable").astype(dtypes(row))
        for name, row in TABLES.items()
    }
    return Run(store=store, **tables)


def find_run(run: str | Path | None = None, results_dir: str | Path | None = None) -> Store:
    """The store of a run, found as `open_run` says."""
    from bench.forks.store import Store

    if run is not None and (isinstance(run, Path) or "/" in run or run.startswith(("~", "."))):
        folder = located(run)
    else:
        results = located(results_dir) if results_dir is not None else find_project().results
        folder = newest_run(results) if run is None else results / run
        if not folder.is_dir():
            raise BenchError(_no_run(folder.name, results), path=results)
    store = Store(folder)
    store.run_json()
    return store


def newest_run(results: Path) -> Path:
    """The run in `results` that was started (or resumed) last. Raises BenchError where there is none."""
    runs = {path.parent: path.stat().st_mtime_ns for path in results.glob("*/run.json")}
    if not runs:
        raise BenchError("holds no run yet; run 'bench sweep sweeps/quickstart.toml'", path=results)
    return max(runs, key=lambda folder: (runs[folder], folder.name))


def build_index(store: Store) -> None:
    """Write outputs, grades, inventions and calls as Parquet, each whole. BenchError names a file that is no row."""
    from bench.grading.run import read_grades

    fingerprint = _fingerprint(store)
    grades, inventions = read_grades(store)
    tables = {
        "grades": frame(grades, GradeRow),
        "inventions": frame(inventions, InventionRow),
        "calls": frame(store.calls(), CallRow),
        "outputs": frame(store.rows(), OutputRow),
    }
    for name in TABLES:
        metadata = {FINGERPRINT: fingerprint} if name == "outputs" else {}
        write_bytes(table_path(store, name), _parquet(tables[name], metadata))


def is_indexed(store: Store) -> bool:
    """Whether the tables are there and were made from the files as they are now, by this version of the bench."""
    import pyarrow.parquet as pq

    if not all(table_path(store, name).is_file() for name in TABLES):
        return False
    metadata = pq.read_schema(table_path(store, "outputs")).metadata or {}
    return bool(metadata.get(FINGERPRINT) == _fingerprint(store))


def content_sha256(store: Store) -> str:
    """A hash of all that the run's tables and figures depend on; a further start that finds nothing to do keeps it."""
    import msgspec

    run = store.run_json()
    made_of = msgspec.json.encode((run.sweep, run.fixtures, run.arms, run.models))
    return hashlib.sha256(_fingerprint(store, RESULTS) + made_of).hexdigest()


def table_path(store: Store, name: str) -> Path:
    """The Parquet file of a table."""
    return store.root / f"{name}.parquet"


def planned_cells(store: Store) -> Iterator[OutputRow]:
    """A row a planned cell, of which only what names the cell is filled in."""
    from bench.arms.model import MODEL_KINDS
    from bench.forks.runfile import replicates_of

    run = store.run_json()
    stale_by = run.sweep.stale_by if isinstance(run.sweep.stale_by, tuple) else ()
    for fixture, mark in run.fixtures.items():
        for label, versions in run.arms.items():
            arm = versions[-1]
            models = _models_of(arm, run)
            asks = models != ("none",)
            for model in models:
                for stale in mark.stale_by or stale_by if arm.kind in MODEL_KINDS else (0,):
                    for step in range(1, run.sweep.chain + 1):
                        for replicate in range(1, (replicates_of(run, label, model) if asks else 1) + 1):
                            yield OutputRow(
                                run=run.run, fixture=fixture, arm=arm.label, kind=arm.kind, model=model, cell_key="",
                                replicate=replicate, chain_step=step, stale_by=stale, outcome="handoff",
                            )  # fmt: skip


def _models_of(arm: ArmMark, run: RunFile) -> tuple[str, ...]:
    """The models that an arm's cells have: who writes its summary, else who is asked for its commitments."""
    from bench.arms.model import MODEL_KINDS

    if arm.kind in MODEL_KINDS or arm.every_model:
        return tuple(run.models)
    return ("none",) if arm.commitments_model is None else (arm.commitments_model,)


def _fingerprint(store: Store, sources: Sequence[str] = SOURCES) -> bytes:
    columns = {name: dtypes(row) for name, row in TABLES.items()}
    digest = hashlib.sha256(f"{__version__} {columns}".encode())
    for path in sorted(p for pattern in sources for p in store.root.glob(pattern)):
        stat = path.stat()
        digest.update(f"{path.relative_to(store.root)}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest().encode()


def _parquet(table: pd.DataFrame, metadata: dict[bytes, bytes]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow = pa.Table.from_pandas(table, preserve_index=False)
    buffer = BytesIO()
    pq.write_table(arrow.replace_schema_metadata((arrow.schema.metadata or {}) | metadata), buffer)
    return buffer.getvalue()


def _no_run(name: str, results: Path) -> str:
    names = sorted(path.parent.name for path in results.glob("*/run.json"))
    close = get_close_matches(name, names, n=1)
    if close:
        return f"no run '{name}' in it; did you mean '{close[0]}'?"
    return f"no run '{name}' in it; " + (f"runs there: {', '.join(names[:8])}" if names else "there are no runs yet")


__all__ = ["Run", "build_index", "find_run", "is_indexed", "newest_run", "open_run", "shown"]
