"""A blind sheet that is being filled in: every verdict is in its table at once, so that nothing is lost on the way."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.grading.human_sheets import COLUMNS, FREE, Line, allowed, cell, sheet_lines
from bench.grading.judge.quotes import verbatim
from bench.schema import read_text


class SheetFile:
    """The table at `path` with the text beside it. Each change reads the table anew and writes it whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = read_text(path.with_suffix(".md"))

    @property
    def name(self) -> str:
        """The opaque id of output and pass; it says nothing of the arm."""
        return self.path.stem

    def lines(self) -> list[Line]:
        """The table's lines in their order, people's own (`free`) behind the statements."""
        return sorted((line for _, line in sheet_lines(self.path)), key=lambda line: line["kind"].strip() == FREE)

    @property
    def left(self) -> int:
        """Statements without a verdict."""
        return sum(not line["verdict"].strip() for line in self.lines() if line["kind"].strip() != FREE)

    def next_open(self, after: int = -1) -> int | None:
        """The first statement without a verdict behind that place, or else before it; None where all have one."""
        lines = self.lines()
        places = [*range(after + 1, len(lines)), *range(min(after + 1, len(lines)))]
        return next((i for i in places if lines[i]["kind"].strip() != FREE and not lines[i]["verdict"].strip()), None)

    def set(self, place: int, verdict: str, evidence: str = "") -> None:
        """Write the verdict on the statement at that place (empty takes it back). Raises BenchError, and writes
        nothing, for a verdict that its kind cannot have, and for evidence that does not stand in the text."""
        lines = self.lines()
        kind = lines[place]["kind"].strip()
        if verdict and verdict not in allowed(kind):
            raise BenchError(f"a line of the kind {kind} takes {', '.join(allowed(kind))}", path=self.path)
        lines[place] |= {"verdict": verdict, "evidence": self._quote(evidence)}
        self._write(lines)

    def add(self, statement: str, evidence: str = "") -> None:
        """Add a line of the kind `free`: something else that the text states and that is not so."""
        if not statement.strip():
            raise BenchError("say what the text makes up", path=self.path)
        line = dict.fromkeys(COLUMNS, "") | {"output": self.name, "kind": FREE, "statement": cell(statement.strip())}
        self._write([*self.lines(), line | {"evidence": self._quote(evidence)}])

    def _quote(self, evidence: str) -> str:
        quote = evidence.strip()
        if quote and verbatim(quote, self.text) is None:
            quote = quote.removeprefix("'")  # as `cell` had to write it
        if quote and verbatim(quote, self.text) is None:
            raise BenchError("the evidence does not stand in the text; copy a passage of it", path=self.path)
        return cell(quote)

    def _write(self, lines: list[Line]) -> None:
        out = io.StringIO()
        names = [*COLUMNS, *(name for name in lines[0] if name not in COLUMNS)]
        writer = csv.DictWriter(out, names, restval="")
        writer.writeheader()
        writer.writerows(lines)
        write_bytes(self.path, out.getvalue().encode("utf-8-sig"))
