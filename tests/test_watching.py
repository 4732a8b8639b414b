"""`bench run --watch`: a live table of cells, on a terminal and in Jupyter; runs inside a notebook's kernel."""

import asyncio
import io
from pathlib import Path

import nbformat
import pytest
from fakes import PAID, FakeModel, answering, outside, project, reply
from loopback import say
from nbclient import NotebookClient

from bench.calls.outside import Outside
from bench.cli import main
from bench.forks.run import run_sweep
from bench.forks.watching import LEGEND, Terminal, Watch, mark, watch_on


class Screen:
    def __init__(self):
        self.shown = []

    def show(self, lines):
        self.shown.append(list(lines))


class Clock:
    now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_a_table_has_a_line_for_each_arm_and_a_mark_for_each_cell(tmp_path):
    screen = Screen()
    answers = answering(reply(), reply("half", stop_reason="max_tokens"), reply(""), reply())
    path = project(tmp_path, sweep="replicates = 2\nconcurrency = 1")
    run_sweep(path, outside=outside(FakeModel(answers)), progress=Watch(screen, Clock()), grade=False)
    first, last = screen.shown[0], screen.shown[-1]
    assert first == [f"f1  inventory  {PAID}  ··  0/2", f"f1  short      {PAID}  ··  0/2", LEGEND]
    assert last[:2] == [f"f1  inventory  {PAID}  ✓E  2/2", f"f1  short      {PAID}  T✓  2/2"]
    assert last[2].startswith(f"{LEGEND}  $0.0")
    again = Screen()
    run_sweep(path, outside=outside(FakeModel()), progress=Watch(again, Clock()), grade=False)
    assert again.shown[0][:2] == last[:2]  # what is there already is shown as such


def test_batches_are_told_beneath_the_table_and_their_cells_are_marked_as_they_come(tmp_path, claude_server):
    claude_server(say("A handoff."))
    words = [{"role": "user", "content": "Please mend the flaky test. " * 100}]
    path, screen = project(tmp_path, messages=words, sweep="replicates = 2"), Screen()
    quick = Outside(sleep=lambda _: asyncio.sleep(0))
    run_sweep(path, outside=quick, progress=Watch(screen, Clock()), grade=False, batch=True)
    assert all("··  0/2" in line for line in screen.shown[0][:2])
    assert all("✓✓  2/2" in line for line in screen.shown[-1][:2])
    told = "\n".join(screen.shown[-1])
    assert "msgbatch_1: waiting for 1 answers" in told and "msgbatch_2: waiting for 3 answers" in told


@pytest.mark.parametrize(
    ("outcome", "sign"),
    [("handoff", "✓"), ("mismatch", "M"), ("no-summary", "N"), ("does-not-fit", "-"), ("instructed", "-")],
)
def test_each_outcome_has_a_sign(outcome, sign):
    assert mark(outcome) == sign


def test_failures_are_marked_and_told_without_escapes():
    screen = Screen()
    watch = Watch(screen, Clock())

    class Cell:
        fixture, arm, model = "f", "a\x1b[2J", "m"

        def __str__(self):
            return "f/a/m/s1-k0-r01"

    watch.planned([Cell()], dict)
    watch.failed("f/m", 1, "f/a/m/s1-k0-r01: timeout: \x1b[2Jgone")
    assert screen.shown[-1] == ["f  a\\x1b[2J  m  !  0/1", LEGEND, "f/a/m/s1-k0-r01: timeout: \\x1b[2Jgone"]


def test_a_terminal_is_drawn_over_and_a_table_longer_than_it_is_cut():
    stream = io.StringIO()
    terminal = Terminal(stream, height=lambda: 5)
    terminal.show(["a", "b"])
    terminal.show([str(n) for n in range(9)])
    first, second = stream.getvalue().split("\x1b[2A")  # two lines up
    assert first == "\ra\x1b[K\n\rb\x1b[K\n"
    assert second == "\r0\x1b[K\n\r1\x1b[K\n\r… and 7 more lines\x1b[K\n"


def test_where_nothing_can_be_drawn_over_there_are_plain_lines(tmp_path, monkeypatch, capsys):
    assert watch_on(io.StringIO()) is None
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/full.toml").write_text('kind = "full"\n')
    project(tmp_path, arms={}, more_arms=("full",), models=())
    monkeypatch.chdir(tmp_path)
    assert main(["run", "s", "--watch"]) == 0
    assert "f1/none  1/1 done" in capsys.readouterr().err


CELLS = [
    "import sys; sys.path.insert(0, {tests!r})\n"
    "import asyncio, os, signal, threading, time\n"
    "from fakes import FakeModel, outside\n"
    "from bench.forks.run import RunInterrupted, run_sweep\n"
    "asyncio.get_running_loop().is_running()",
    "run_sweep({path!r}, outside=outside(FakeModel()), grade=False, arms=['short']).outcomes",
    "run_sweep({path!r}, outside=outside(FakeModel()), grade=False, arms=['short']).done_before",
    "class Slow(FakeModel):\n"
    "    async def ask(self, *args, **more):\n"
    "        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    "        await asyncio.sleep(60)\n"
    "try:\n"
    "    run_sweep({path!r}, outside=outside(Slow()), grade=False)\n"
    "except RunInterrupted as stop:\n"
    "    status = stop.summary.exit_status\n"
    "status",
    "run_sweep({path!r}, outside=outside(FakeModel()), grade=False).exit_status",
]


def test_a_kernel_runs_a_sweep_inside_its_loop_twice_and_after_an_interrupt_with_a_live_table(tmp_path):
    path = project(tmp_path, sweep="replicates = 2")
    words = {"tests": str(Path(__file__).parent), "path": str(path)}
    sources = [
        cell.replace("{tests!r}", repr(words["tests"])).replace("{path!r}", repr(words["path"])) for cell in CELLS
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    values = [
        output.data["text/plain"] for cell in notebook.cells for output in cell.outputs
        if output.output_type == "execute_result"
    ]  # fmt: skip
    assert values == ["True", "{'handoff': 2}", "2", "130", "0"]
    (table,) = [o.data["text/plain"] for o in notebook.cells[1].outputs if o.output_type == "display_data"]
    assert table.splitlines()[0] == f"f1  short  {PAID}  ✓✓  2/2"
