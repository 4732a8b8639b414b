"""The files of one run: results/<run>/. Files are the truth; tables are rebuilt from them.

An output is `outputs/<fixture>/<arm>/<model>/<s1-k0-r01>`: `.md` the handoff, `.parts.json` what it was built from,
`.json` its row, which is written last and means "done". The store says where files lie and what is in them; who writes
them, and when, is the runner's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.beside import Beside
from bench.calls.journal import Finished, read_journal
from bench.errors import BenchError
from bench.forks.cells import NO_MODEL, Cell, output_name, place
from bench.forks.runfile import RunFile, read_run_file
from bench.handoff.assemble import JOINT, Failure, Handoff
from bench.handoff.commitments_pass import Commitments
from bench.handoff.ledger_rows import Row
from bench.handoff.restore_request import asked_in
from bench.handoff.restores import Restores
from bench.handoff.scratchpad import without_scratchpad
from bench.models import slug
from bench.rows import CallRow, OutputRow

T = TypeVar("T")
Files = list[tuple[Path | str, bytes]]

ROW, PARTS, TEXT = ".json", ".parts.json", ".md"


class PartSpan(Struct, frozen=True):
    """Where a part stands in the handoff, in characters."""

    name: str
    start: int
    end: int


class Parts(Struct, frozen=True, kw_only=True):
    """What a handoff was built from: a .parts.json."""

    parts: tuple[PartSpan, ...] = ()
    failures: tuple[Failure, ...] = ()
    sizes: dict[str, int | float | bool | str | None] = {}
    ceiling_chars: int | None = None
    rows: tuple[Row, ...] = ()
    """The ledger's rows, where the arm has one."""
    restores: Restores | None = None
    """What was brought back, and what was not; the text itself is the part `restored`."""
    commitments: Commitments | None = None
    """What came of the commitments pass, where the arm has one."""
    subscribers: tuple[Beside, ...] = ()
    """Who worked beside the fork, and what came of it."""


class Store:
    """One run's folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = str(root)

    @property
    def name(self) -> str:
        return self.root.name

    # where things lie

    @property
    def run_file(self) -> Path:
        return self.root / "run.json"

    @property
    def journal(self) -> Path:
        return self.root / "journal.jsonl"

    @property
    def attempts(self) -> Path:
        return self.root / "attempts.jsonl"

    @property
    def grades_dir(self) -> Path:
        return self.root / "grades"

    def lock_path(self, group: str) -> Path:
        """The lock of a fixture/model group."""
        fixture, _, model = group.partition("/")
        return self.root / "locks" / f"{fixture}--{_folder(model)}.lock"

    def context_path(self, sha256: str) -> Path:
        return self.root / "contexts" / f"{sha256}.json"

    def instruction_path(self, sha256: str) -> Path:
        return self.root / "instructions" / f"{sha256}.md"

    def reply_path(self, sha256: str) -> Path:
        return Path(f"{self._root}/replies/{sha256}.md")

    def keep_reply(self, sha256: str, text: str) -> int:
        """A paid answer out of this process, before the journal calls it finished: SIGKILL loses none of it.

        Returns the bytes of its file. Whole, but not fsynced; the writer does that with the output's other files.
        """
        path = self.reply_path(sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{sha256}.tmp")
        written = part.write_bytes(text.encode("utf-8", "replace"))
        part.replace(path)
        return written

    def holds_reply(self, answered: Finished) -> bool:
        """Whether the reply to an answered call is on disk, as long as it was when it came."""
        try:
            size = self.reply_path(answered.reply_sha256).stat().st_size
        except FileNotFoundError:
            return False
        return answered.reply_bytes in (None, size)

    def output_path(self, of: Cell | OutputRow, suffix: str) -> Path:
        """The `.md`, `.parts.json` or `.json` of an output."""
        return Path(self._output(of) + suffix)

    def _output(self, of: Cell | OutputRow) -> str:
        """Its path without suffix, as text: a run makes thousands, and a Path costs as much as writing a row."""
        return f"{self._root}/outputs/{of.fixture}/{of.arm}/{_folder(of.model)}/{output_name(of)}"

    # what is in them

    def run_json(self) -> RunFile:
        """What the run was made from. Raises BenchError where the folder holds no run."""
        return read_run_file(self.run_file)

    def rows(self) -> list[OutputRow]:
        """Every output's row, by fixture, arm, model, step, staleness, replicate."""
        decoder = msgspec.json.Decoder(OutputRow)
        rows = [_decoded(path, decoder) for path in self._row_paths()]
        return sorted(rows, key=lambda r: (r.fixture, r.arm, r.model, r.chain_step, r.stale_by, r.replicate))

    def done(self, group: str | None = None) -> dict[str, str]:
        """Place of each output that has a row -> the key of its cell; of one fixture/model group, or of all."""
        fixture, _, model = (group or "*").partition("/")
        pattern = f"{fixture}/*/{_folder(model) if group else '*'}/*{ROW}"
        decoder = msgspec.json.Decoder(OutputRow)
        rows = (_decoded(path, decoder) for path in self._row_paths(pattern))
        return {place(row): row.cell_key for row in rows}

    def row_of(self, cell: Cell) -> OutputRow | None:
        """The row at the cell's place, of whatever it was made; None where none is written yet."""
        path = self.output_path(cell, ROW)
        return _decoded(path, msgspec.json.Decoder(OutputRow)) if path.exists() else None

    def handoff_text(self, row: OutputRow) -> str:
        """The handoff as the next window would receive it; empty for outcomes without one."""
        path = self.output_path(row, TEXT)
        return _text(path) if path.exists() else ""

    def summary_text(self, row: OutputRow) -> str:
        """What the prompt did: the model's reply without its scratchpad and without the files it asks to have restored.

        Of an arm without a model, its text alone.
        """
        spans = [p for p in self.parts(row).parts if p.name == "summary"]
        if spans:
            text = self.handoff_text(row)
            return JOINT.join(text[p.start : p.end] for p in spans)
        if row.reply_sha256 is None:
            return ""
        reply = self.reply_text(row.reply_sha256)
        return without_scratchpad(asked_in(reply).text if _restoring(row) else reply).text

    def parts(self, row: OutputRow) -> Parts:
        """What the handoff was built from; empty for outcomes without one."""
        path = self.output_path(row, PARTS)
        return _decoded(path, msgspec.json.Decoder(Parts)) if path.exists() else Parts()

    def instruction_text(self, sha256: str) -> str | None:
        """What a version of an arm asked; None in a run that was made before these were kept."""
        path = self.instruction_path(sha256)
        return _text(path) if path.exists() else None

    def reply_text(self, sha256: str) -> str:
        """A model's raw reply. Raises BenchError where it is gone."""
        path = self.reply_path(sha256)
        if not path.exists():
            raise BenchError("the reply is gone; its row cannot be read without it", path=path)
        return _text(path)

    def calls(self) -> list[CallRow]:
        """Every model call: answered forks, attempts that brought nothing, and the graders' calls, by start."""
        finished = [e.call for e in read_journal(self.journal) if isinstance(e, Finished)]
        calls = [*finished, *self.failed_calls()]
        for path in sorted(self.grades_dir.glob("*/calls.jsonl")):
            calls += _lines(path)
        return sorted(calls, key=lambda c: (c.started_at, c.call_id))

    def failed_calls(self) -> list[CallRow]:
        """The rows of attempts.jsonl: paid or failed attempts that were not final."""
        return _lines(self.attempts)

    def _row_paths(self, pattern: str = f"*/*/*/*{ROW}") -> Iterator[Path]:
        return (p for p in (self.root / "outputs").glob(pattern) if not p.name.endswith(PARTS))

    # what to write

    def output_files(self, row: OutputRow, handoff: Handoff | None, beside: Sequence[Beside] = ()) -> Files:
        """The files of one output in the order they must appear: handoff, parts, and last the row."""
        out: Files = []
        stem = self._output(row)
        if handoff is not None:
            out.append((stem + TEXT, handoff.text.encode("utf-8", "replace")))
            out.append((stem + PARTS, msgspec.json.encode(parts_of(handoff, beside))))
        out.append((stem + ROW, msgspec.json.encode(row)))
        return out

    def clear_output(self, cell: Cell) -> None:
        """Take an output away before another is built in its place: first the row, so that a half one is not done."""
        for suffix in (ROW, PARTS, TEXT):
            self.output_path(cell, suffix).unlink(missing_ok=True)


def append_line(path: Path, row: Struct) -> None:
    """Add a row to a file of lines, closing a line that a dying process left unfinished."""
    line = msgspec.json.encode(row) + b"\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+", buffering=0) as file:
        if file.seek(0, 2):
            file.seek(-1, 2)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)


def open_run(results_dir: Path, run: str) -> Store:
    """The store of a run that exists. Raises BenchError where the folder holds none."""
    store = Store(results_dir / run)
    store.run_json()
    return store


def parts_of(handoff: Handoff, beside: Sequence[Beside] = ()) -> Parts:
    """The contents of a .parts.json."""
    spans: list[PartSpan] = []
    at = 0
    for name, text in handoff.parts:
        spans.append(PartSpan(name, at, at + len(text)))
        at += len(text) + len(JOINT)
    return Parts(
        parts=tuple(spans),
        failures=handoff.failures,
        sizes=handoff.sizes(),
        ceiling_chars=handoff.ceiling_chars,
        rows=handoff.rows,
        restores=replace(handoff.restores, text="") if handoff.restores else None,
        commitments=handoff.commitments,
        subscribers=tuple(beside),
    )


def _restoring(row: OutputRow) -> bool:
    """Whether the reply was asked to name files to restore."""
    return row.restore_source is not None or "restored" in (row.parts_failed or "").split(",")


def _folder(model: str) -> str:
    return model if model == NO_MODEL else slug(model)


def _text(path: Path) -> str:
    """The file's text as it was written: no line break is translated, so that spans and hashes hold."""
    return path.read_bytes().decode("utf-8")


def _lines(path: Path) -> list[CallRow]:
    """The calls in a file of lines; one that a dying process left unfinished is skipped (the journal knows of it)."""
    if not path.exists():
        return []
    decoder = msgspec.json.Decoder(CallRow)
    out: list[CallRow] = []
    for line in path.read_bytes().splitlines():
        try:
            out.append(decoder.decode(line))
        except msgspec.MsgspecError:
            continue
    return out


def _decoded(path: Path, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(path.read_bytes())
    except msgspec.MsgspecError as e:
        raise BenchError(f"cannot be read: {e}; delete it and run the sweep again", path=path) from None
