"""Blind grading as a form in JupyterLab: a handoff, its statements one by one, each verdict in the sheet at once.

The same sheets as `bench grade RUN --human` writes; the form shows their opaque ids and nothing of arm or model. It
holds nothing itself: a kernel that dies, or a notebook that is run again, goes on at the next statement without a
verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as w

from bench.errors import BenchError
from bench.grading.human_grades import human_run, read_human, sheets_folder
from bench.grading.human_sheets import FREE, allowed
from bench.grading.sheet_file import SheetFile
from bench.grading.subjects import fixtures_of
from bench.reviewing.panes import escaped, pane
from bench.runs.index import find_run
from bench.sweepfile import GraderSpec, Scope

HEIGHT = "560px"
OPEN = "no verdict"


class GradingForm:
    """The form over the sheets of a folder. `widget` is what a notebook shows; `read` makes grades of full sheets."""

    def __init__(self, folder: Path, read: Callable[[list[Path]], str]) -> None:
        self.sheets = [SheetFile(path) for path in sorted(folder.glob("*.csv")) if path.with_suffix(".md").is_file()]
        if not self.sheets:
            raise BenchError("holds no sheets; everything is graded", path=folder)
        self._read = read
        self.sheet = next((s for s in self.sheets if s.left), self.sheets[0])
        self.at = self.sheet.next_open() or 0
        self._showing = False
        wide = w.Layout(width="99%")
        self.which = w.Dropdown(layout=wide)
        self.statement, self.told, self.text = w.HTML(), w.HTML(), w.HTML()
        self.verdict = w.ToggleButtons()
        self.evidence = w.Textarea(rows=2, layout=wide, placeholder="evidence: a passage of the text (optional)")
        self.free = w.Textarea(rows=2, layout=wide, placeholder="something else that the text states and is not so")
        self.keep = self._button("Keep", "success", self._keep)
        self.back = self._button("◀", "", lambda: self._go(self.at - 1))
        self.skip = self._button("▶", "", lambda: self._go(self.at + 1))
        self.add = self._button("Add", "", self._add)
        self.finish = self._button("Make grades of the full sheets", "info", self._finish)
        self.which.observe(self._chosen, names="value")
        rows = [
            self.which, self.statement, self.verdict, self.evidence, w.HBox([self.back, self.keep, self.skip]),
            self.free, w.HBox([self.add, self.finish]), self.told,
        ]  # fmt: skip
        self.widget = w.HBox(
            [w.VBox(rows, layout=w.Layout(width="45%")), w.Box([self.text], layout=w.Layout(width="55%"))]
        )
        self._show()

    def _button(self, name: str, style: str, act: Callable[[], str | None]) -> Any:
        button = w.Button(description=name, button_style=style, layout=w.Layout(width="auto"))
        button.on_click(lambda _: self._do(act))
        return button

    def _do(self, act: Callable[[], str | None]) -> None:
        """Act, then show what is there now; what cannot be done is told, and the typed words stay."""
        try:
            told = act()
        except BenchError as error:
            self.told.value = f'<span style="color:#b00020">{escaped(str(error))}; nothing changed</span>'
            return
        self._show()
        self.told.value = escaped(told or "")

    def _keep(self) -> None:
        chosen = "" if self.verdict.value == OPEN else self.verdict.value
        self.sheet.set(self.at, chosen, self.evidence.value)
        following = self.sheet.next_open(self.at)
        self.at = self.at if following is None else following

    def _add(self) -> str:
        self.sheet.add(self.free.value, self.evidence.value)
        self.free.value = ""
        return "added"

    def _finish(self) -> str:
        full = [sheet.path for sheet in self.sheets if not sheet.left]
        if not full:
            raise BenchError("no sheet is full yet")
        return self._read(full)

    def _go(self, to: int) -> None:
        self.at = min(max(to, 0), len(self._statements()) - 1)

    def _chosen(self, change: dict[str, Any]) -> None:
        if not self._showing and change["new"] not in (None, self.sheet.name):
            self._do(lambda: self._turn_to(change["new"]))

    def _turn_to(self, name: str) -> None:
        self.sheet = next(sheet for sheet in self.sheets if sheet.name == name)
        self.at = self.sheet.next_open() or 0

    def _statements(self) -> list[dict[str, str]]:
        return [line for line in self.sheet.lines() if line["kind"].strip() != FREE]

    def _show(self) -> None:
        lines = self._statements()
        line = lines[self.at]
        self._showing = True  # new options choose the first of themselves
        self.which.options = [(f"{'●' if not s.left else '○'} {s.name} ({s.left} left)", s.name) for s in self.sheets]
        self.which.value = self.sheet.name
        self._showing = False
        hints = [f"<br>{name}: {escaped(line[c])}" for c, name in _HINTS if line.get(c, "").strip()]
        place = f"{self.at + 1} of {len(lines)}, {line['kind'].strip()}"
        self.statement.value = f"<b>{escaped(line['statement'])}</b> ({place}){''.join(hints)}"
        self.verdict.options = [OPEN, *allowed(line["kind"].strip())]
        self.verdict.value = line["verdict"].strip().casefold() or OPEN
        self.evidence.value = line["evidence"]
        body = f'<pre style="white-space:pre-wrap;font-size:12px">{escaped(self.sheet.text)}</pre>'
        self.text.value = pane(body, HEIGHT)


_HINTS = (("stale_if", "stale if it says"), ("wrong_if", "wrong if it says"))


def grade_by_hand(
    run: str | None = None, results_dir: str | None = None, *, scope: Scope = "handoff", passes: int | None = None
) -> Any:
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
        return " ".join(read_human(store, spec, made.seed, fixtures, paths).lines())

    return GradingForm(sheets_folder(store, spec), read).widget
