"""Blind sheets for people: a text and a table an output and pass, named by an opaque id, and the table read back.

A sheet says nothing of arm, model or run. What a person has written is never overwritten: where an output or its key
has changed since, the old table is kept under another name.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import cast, get_args

import msgspec

from bench.atomic import write_all
from bench.errors import BenchError, Problem, Problems
from bench.grading.blind import shuffled
from bench.grading.files import Hashes
from bench.grading.judge.hints import in_words
from bench.grading.judge.quotes import verbatim
from bench.grading.outputs import Due
from bench.keys import Key
from bench.rows import Verdict
from bench.schema import read_text

COLUMNS = ("output", "kind", "id", "statement", "stale_if", "wrong_if", "verdict", "evidence")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell must not begin with: spreadsheets run it. Statements come from transcripts, which may be hostile."""
Line = dict[str, str]
"""Column -> what a line of a sheet holds."""
OF_NEVER = ("carried", "absent")
FREE = "free"
"""Kind of a line that a person adds: something else that the text states and that is not so."""

README = """\
# How to fill in a sheet

Each .md file is a handoff: what a coding agent's next session gets in place of an earlier conversation. The .csv file
of the same name lists statements about that conversation. Read the handoff, then give every line a verdict:

- carried: the handoff states it, all of it, in these words or others.
- partial: a part of it that matters is missing, or is said so loosely that the reader would have to ask.
- absent: the handoff does not say it.
- stale: the handoff gives an older value as if it held now (`stale_if` shows one).
- wrong: the handoff says something that cannot be true if the statement is (`wrong_if` shows one).

Lines of the kind `never` hold statements that are not true: carried where the handoff states them, else absent.
`evidence` is optional: a passage of the handoff, copied. Leave a verdict empty where you cannot tell; it is missing
then. Add a line of the kind `free` (output, kind, statement, evidence) for anything else that the handoff states and
that is not so. Grade the text alone; do not look the name up in blind.json.
"""


def human_sha256() -> str:
    """A hash of what people are told."""
    return hashlib.sha256(README.encode()).hexdigest()


@dataclass(frozen=True)
class Filled:
    """What a person said of one output: verdict and quote by id, and what else is invented."""

    said: Mapping[str, tuple[Verdict | None, str | None]]
    free: tuple[tuple[str, str | None], ...]


def write_sheet(due: Due, folder: Path, seed: int) -> bool:
    """Write text and table of one output and pass; False where they are there and current."""
    stem = folder / due.sealed.id
    mark, table = stem.with_suffix(".json"), stem.with_suffix(".csv")
    if mark.is_file() and table.is_file():
        old = msgspec.json.decode(mark.read_bytes(), type=Hashes)
        if old == due.hashes:
            return False
        table.rename(stem.with_suffix(f".{old.output_sha256[:8]}-{old.key_sha256[:8]}.csv"))
    write_all(
        [
            (folder / "README.md", README.encode()),
            (stem.with_suffix(".md"), due.seen.text.encode("utf-8", "replace")),
            (mark, msgspec.json.encode(due.hashes)),
            (table, _table(due, seed)),
        ]
    )
    return True


def read_sheets(paths: Iterable[Path], dues: Mapping[str, Due], folder: Path) -> dict[str, Filled]:
    """What people said, by opaque id. Raises Problems that name each bad line; then nothing of it counts."""
    problems: list[Problem] = []
    said: dict[str, dict[str, tuple[Verdict | None, str | None]]] = {}
    free: dict[str, list[tuple[str, str | None]]] = {}
    for path in paths:
        for line, row in sheet_lines(path):
            try:
                due = _output(row, dues, folder)
                mine = said.setdefault(due.sealed.id, {})
                if row["kind"].strip() == FREE:
                    free.setdefault(due.sealed.id, []).append(_free(row, due))
                else:
                    id_, verdict = _verdict(row, due.fixture.key)
                    if id_ in mine:
                        raise BenchError(f"gives '{id_}' a second verdict; keep one line")
                    mine[id_] = verdict, _evidence(row, due)
            except BenchError as e:
                problems.append(Problem(e.problem.message, str(path), line))
    if problems:
        raise Problems(problems)
    return {id_: Filled(found, tuple(free.get(id_, ()))) for id_, found in said.items()}


def _table(due: Due, seed: int) -> bytes:
    key, opaque = due.fixture.key, due.sealed.id
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for atom in shuffled(key.atoms, [a.id for a in key.atoms], seed, opaque):
        stale, wrong = _example(s.match for s in atom.stale), _example(atom.wrong)
        writer.writerow(map(cell, (opaque, "atom", atom.id, atom.text, stale, wrong, "", "")))
    for never in shuffled(key.never, [n.id for n in key.never], seed, opaque):
        writer.writerow(map(cell, (opaque, "never", never.id, never.text, "", "", "", "")))
    return out.getvalue().encode("utf-8-sig")  # with a mark, which Excel needs to read it as UTF-8


def _example(patterns: Iterable[str]) -> str:
    return " / ".join(dict.fromkeys(words for p in patterns if (words := in_words(p))))


def cell(text: str) -> str:
    """The text as a spreadsheet may hold it."""
    return f"'{text}" if text.startswith(FORMULA) else text


def sheet_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """The lines of a table with the number each begins at. Raises BenchError where it has not the sheets' columns."""
    text = read_text(path)
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if head.count(";") > head.count(",") else ",")
    missing = [c for c in ("output", "kind", "id", "verdict", "evidence") if c not in (reader.fieldnames or ())]
    if missing:
        raise BenchError(f"has no column {', '.join(missing)}; keep the sheet's first line", path=path, line=1)
    first = 2
    for row in reader:
        yield first, {name: value if isinstance(value, str) else "" for name, value in row.items() if name}
        first = reader.line_num + 1


def _output(row: dict[str, str], dues: Mapping[str, Due], folder: Path) -> Due:
    id_ = row["output"].strip()
    due = dues.get(id_)
    if due is None:
        raise BenchError(f"is of output '{id_}', which this run has not; write sheets again with --human")
    mark = folder / f"{id_}.json"
    if not mark.is_file() or msgspec.json.decode(mark.read_bytes(), type=Hashes) != due.hashes:
        raise BenchError(f"is of an older text or key of output '{id_}'; write sheets again with --human")
    return due


def allowed(kind: str) -> Sequence[str]:
    """The verdicts that a line of this kind can have."""
    return OF_NEVER if kind == "never" else get_args(Verdict)


def _verdict(row: dict[str, str], key: Key) -> tuple[str, Verdict | None]:
    kind, id_, told = row["kind"].strip(), row["id"].strip(), row["verdict"].strip().casefold()
    ids = {"atom": [a.id for a in key.atoms], "never": [n.id for n in key.never]}
    if kind not in ids:
        raise BenchError(f"is of kind '{kind}'; atom, never or {FREE}")
    if id_ not in ids[kind]:
        raise BenchError(f"names the {kind} '{id_}', which the key has not")
    may = allowed(kind)
    if told and told not in may:
        close = get_close_matches(told, may, n=1)
        meant = f"; did you mean '{close[0]}'?" if close else ""
        raise BenchError(f"has the verdict '{row['verdict'].strip()}'; one of {', '.join(may)}{meant}")
    return id_, cast(Verdict, told) if told else None


def _evidence(row: dict[str, str], due: Due) -> str | None:
    """The quote in the output's own words; None where there is none."""
    quote = row["evidence"].strip()
    if not quote:
        return None
    shown = verbatim(quote, due.seen.text) or verbatim(quote.removeprefix("'"), due.seen.text)
    found = None if shown is None else due.seen.restore(shown)
    if found is None:
        raise BenchError("quotes what does not stand in the text; copy it from the .md file, or leave it empty")
    return found


def _free(row: dict[str, str], due: Due) -> tuple[str, str | None]:
    statement = row.get("statement", "").strip()
    if not statement:
        raise BenchError(f"is of kind {FREE} and states nothing; say in `statement` what the text makes up")
    return statement, _evidence(row, due)
