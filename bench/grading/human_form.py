"""Blind grading as a form in JupyterLab: a handoff, its statements one by one, each verdict in the sheet at once.

The same sheets as `bench grade RUN --human` writes; the form shows their opaque ids and nothing of arm or model. It
holds nothing itself: a kernel that dies, or a notebook that is run again, goes on at the next statement without a
verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bench.errors import BenchError
from bench.forms import Action, Field, Form, Part, Place, Shown
from bench.forms.form import Fields
from bench.forms.shown import pieces
from bench.grading.human_grades import human_run, read_human, sheets_folder
from bench.grading.human_sheets import FREE, Line, allowed
from bench.grading.judge.quotes import verbatim
from bench.grading.sheet_file import SheetFile
from bench.grading.subjects import fixtures_of
from bench.runs.index import find_run
from bench.sweepfile import GraderSpec, Scope
from bench.text import printable

CLEAR = ""
"""The verdict of a statement that has none."""


class GradingForm:
    """The form over the sheets of a folder. `widget` is what a notebook shows; `read` makes grades of full sheets."""

    def __init__(self, folder: Path, read: Callable[[list[Path]], str]) -> None:
        self.sheets = [SheetFile(path) for path in sorted(folder.glob("*.csv")) if path.with_suffix(".md").is_file()]
        if not self.sheets:
            raise BenchError("holds no sheets; everything is graded", path=folder)
        self._read = read
        self._free = ""  # typed and not added yet: it outlasts a verdict
        self._before: list[tuple[SheetFile, int, str, str]] = []
        self.sheet = next((s for s in self.sheets if s.left), self.sheets[0])
        self.at = self.sheet.next_open() or 0
        self.widget = Form(self._act)
        self._show()

    def _act(self, action: str, fields: Fields) -> str | None:
        told, self._free = None, fields["free"]
        match action:
            case "clear" | "carried" | "partial" | "absent" | "stale" | "wrong":
                told = self._decide(CLEAR if action == "clear" else action, fields["evidence"])
            case "back" | "skip":
                self._stay(fields)
                self._go(self.at + (1 if action == "skip" else -1))
            case "go":
                self._stay(fields)
                self._turn_to(next(sheet for sheet in self.sheets if sheet.name == fields["to"]))
            case "undo":
                told = self._undo()
            case "add":
                self.sheet.add(fields["free"], fields["evidence"])
                told, self._free = f"added to the sheet: {self._free.strip()}", ""
            case "finish":
                told = self._finish()
            case _:
                raise BenchError(f"there is no action '{action}'")
        self._show()
        return told

    def _decide(self, verdict: str, evidence: str) -> str | None:
        """Write the verdict and go on: to the next open statement, or at the end of a sheet to the next open sheet."""
        line = self._statements()[self.at]
        self.sheet.set(self.at, verdict, evidence)
        self._before.append((self.sheet, self.at, line["verdict"], line["evidence"]))
        if verdict == CLEAR:
            return None
        following = self.sheet.next_open(self.at)
        if following is not None:
            self.at = following
            return None
        waiting = next((sheet for sheet in self.sheets if sheet.left), None)
        if waiting is None:
            return "that was the last statement; make grades of the sheets (g)"
        self._turn_to(waiting)
        return "that sheet is full; this is another text"

    def _stay(self, fields: Fields) -> None:
        """Raises BenchError where going on would lose a typed passage."""
        if fields["evidence"].strip() != self._statements()[self.at]["evidence"].strip():
            raise BenchError("the passage is not in the sheet yet: give the verdict that it goes with")

    def _undo(self) -> str:
        if not self._before:
            raise BenchError("there is nothing to undo since this form was opened")
        sheet, place, verdict, evidence = self._before.pop()
        sheet.set(place, verdict, evidence)
        self.sheet, self.at = sheet, place
        return "the last verdict is taken back"

    def _finish(self) -> str:
        full = [sheet.path for sheet in self.sheets if not sheet.left]
        if not full:
            raise BenchError("no sheet is full yet")
        return self._read(full)

    def _go(self, to: int) -> None:
        self.at = min(max(to, 0), len(self._statements()) - 1)

    def _turn_to(self, sheet: SheetFile) -> None:
        self.sheet = sheet
        self.at = sheet.next_open() or 0

    def _statements(self) -> list[Line]:
        return [line for line in self.sheet.lines() if line["kind"].strip() != FREE]

    def _show(self) -> None:
        lines = self._statements()
        line = lines[self.at]
        left = {sheet.name: sheet.left for sheet in self.sheets}
        full = sum(not n for n in left.values())
        kind = line["kind"].strip()
        never = "; this is not so: carried where the text states it" if kind == "never" else ""
        evidence = line["evidence"]
        self.widget.show(
            Shown(
                title=printable(line["statement"]),
                status=f"{self.at + 1} of {len(lines)}{never}",
                progress=f"{left[self.sheet.name]} left here · {full} of {len(self.sheets)} texts done",
                done=len(lines) - left[self.sheet.name],
                of=len(lines),
                notes=tuple(f"{name}: {printable(line[c])}" for c, name in _HINTS if line.get(c, "").strip()),
                places=tuple(
                    Place(name, f"{'○' if n else '●'} text {i} ({name}), {n} left")
                    for i, (name, n) in enumerate(left.items(), 1)
                ),
                at=self.sheet.name,
                fields=_fields(evidence, self._free),
                rows=_rows(allowed(kind), line["verdict"].strip().casefold()),
                reading=(Part(head="", pieces=pieces(self.sheet.text, _place_of(evidence, self.sheet.text))),),
                reading_label="the text to grade",
            )
        )


_HINTS = (("stale_if", "stale if it says"), ("wrong_if", "wrong if it says"))
_KEYS = {"carried": "c", "partial": "p", "absent": "a", "stale": "t", "wrong": "w"}


def _fields(evidence: str, free: str) -> tuple[Field, ...]:
    about = "evidence, if you like: a passage of the text; mark it there and press e"
    other = "something else that the text states and that is not so"
    return (
        Field(name="evidence", label=about, kind="text", value=evidence),
        Field(name="free", label=other, kind="text", value=free),
    )


def _rows(may: Sequence[str], verdict: str) -> tuple[tuple[Action, ...], ...]:
    return (
        tuple(
            Action(name=name, label=name, key=key, off=name not in may, chosen=name == verdict)
            for name, key in _KEYS.items()
        ),
        (
            Action(name="clear", label="no verdict", key="x", look="quiet", off=not verdict),
            Action(name="back", label="Back", key="b", look="quiet"),
            Action(name="skip", label="Skip", key="s", look="quiet"),
            Action(name="undo", label="Undo", key="u", look="quiet"),
            Action(name="quote", label="take as evidence", key="e", look="quiet", takes="evidence"),
        ),
        (
            Action(name="else", label="something else", key="f", look="quiet", focus="free"),
            Action(name="add", label="Add it", key="+"),
            Action(name="finish", label="Make grades of the full sheets", key="g"),
        ),
    )


def _place_of(evidence: str, text: str) -> tuple[int, int] | None:
    """Where the text has the evidence of a verdict that was given before."""
    quote = verbatim(evidence.strip().removeprefix("'"), text) if evidence.strip() else None
    at = text.find(quote) if quote else -1
    return (at, at + len(quote)) if quote and at >= 0 else None


def grade_by_hand(
    run: str | None = None, results_dir: str | None = None, *, scope: Scope = "handoff", passes: int | None = None
) -> Form:
    """The form over the run's blind sheets, which are written first where there are none: a widget, for a notebook.

    `passes`: how many people grade each output; as in the sweep's human grader where it has one, else 1.

    Raises BenchError where there is no such run, or nothing of it is left to grade.
    """
    store = find_run(run, results_dir)
    made = store.run_json()
    fixtures = fixtures_of(made, store.root)
    planned = next((g.passes for g in made.sweep.graders if (g.kind, g.scope) == ("human", scope)), 1)
    spec = GraderSpec(kind="human", scope=scope, passes=passes or planned)
    human_run(store, spec, made.seed, fixtures)

    def read(paths: list[Path]) -> str:
        result = read_human(store, spec, made.seed, fixtures, paths)
        return f"{result.lines()[0]}{'; the other sheets are not full yet' if result.missing else ''}"

    return GradingForm(sheets_folder(store, spec), read).widget
