"""Notebooks and report over a made run of 1,000 outputs: each notebook's cells in a fresh process, imports included.

That is what a notebook takes beyond the start of its kernel. Figures and tables are turned into what a notebook keeps
of them (PNG, HTML) as well.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import yaml

from benchmarks.line import Line, at_most
from benchmarks.made import SEED, answer_key, messages_session
from benchmarks.measure import MB, MEMORY_DISK, Took, in_child, timed
from benchmarks.world import ROOT

NOTEBOOKS = ("compare_arms", "recall_vs_cost", "lost_atoms")
FIXTURES, REPLICATES, ATOMS, SESSION_BYTES = 4, 50, 82, 200_000
ARMS = {
    "inventory": ("prompt", 0.8), "two-copy": ("prompt", 0.75), "nine-sections": ("prompt", 0.65),
    "short": ("prompt", 0.45), "my-prompt": ("prompt", 0.6), "full": ("full", 1.0), "nothing": ("nothing", 0.0),
}  # fmt: skip
"""Five arms of 50 replicates on four fixtures are 1,000 outputs; the controls come on top."""
MOST_S, MOST_MB = 8.0, 3.0


def run(size: float = 1.0) -> list[Line]:
    """A line a notebook, one on all of them in one kernel, and two on the report: its time and its size."""
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as folder:
        root = Path(folder) / "project"
        outputs = in_child(_make, root, max(2, round(REPLICATES * size)), max(4, round(ATOMS * size)))
        lines = []
        for names in (*((name,) for name in NOTEBOOKS), NOTEBOOKS):
            took = in_child(_execute, root, names)
            what = f"{names[0]}.ipynb" if len(names) == 1 else f"all {len(names)} in one kernel"
            lines.append(at_most(MOST_S, took.wall_s, "s", f"{what} over {outputs:,} outputs", took))
        written, took = in_child(_report, root)
        what = f"bench report over {outputs:,} outputs"
        lines.append(
            Line(what=what, target="no promise", value=took.wall_s, unit="s", wall_s=took.wall_s, cpu_s=took.cpu_s)
        )
        lines.append(at_most(MOST_MB, written / MB, "MB", f"report.html of {outputs:,} outputs"))
        return lines


def _make(root: Path, replicates: int, atoms: int) -> int:
    """Make project and run, tables included; returns the number of outputs."""
    from bench.fixtures import load_fixture
    from bench.runs.index import open_run
    from benchmarks.made_run import made_run

    (root / "results").mkdir(parents=True)
    (root / "bench.toml").write_text("version = 1\n")
    fixtures = {}
    for n in range(FIXTURES):
        folder = root / "fixtures" / f"made-{n}"
        folder.mkdir(parents=True)
        (folder / "transcript.jsonl").write_text(messages_session(SESSION_BYTES, SEED + n))
        key = msgspec.to_builtins(answer_key(Random(SEED + n), atoms))
        (folder / "key.yaml").write_text(yaml.safe_dump(key))
        (folder / "fixture.yaml").write_text(
            "version: 1\ntitle: Made\nharness: anthropic-messages\nsource: made from a seed\nlicence: Apache-2.0\n"
            'language: en\nsplit: dev\ntokens: 0\nsha256: ""\n'
        )
        fixtures[folder.name] = load_fixture(folder)
    made_run(root / "results" / "made", fixtures, ARMS, replicates)
    return len(open_run(root / "results" / "made").outputs)


def _execute(root: Path, names: Sequence[str]) -> Took:
    """Execute the notebooks' code cells as a kernel does; what each shows is turned into PNG or HTML."""
    books = [json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_bytes()) for name in names]
    cells = [["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"] for book in books]
    os.chdir(root)
    return timed(lambda: [_run_all(one) for one in cells])[1]


def _run_all(cells: list[str]) -> None:
    names: dict[str, object] = {}
    for cell in cells:
        tree = ast.parse(cell)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, "cell", "exec"), names)
            if isinstance(last, ast.Expr):
                shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
                for look in ("_repr_png_", "_repr_html_"):
                    if hasattr(shown, look):
                        getattr(shown, look)()


def _report(root: Path) -> tuple[int, Took]:
    """The report's bytes, and what it took with all imports."""

    def write() -> int:
        from bench.report import write_report
        from bench.runs.index import open_run

        return write_report(open_run(root / "results" / "made")).stat().st_size

    return timed(write)
