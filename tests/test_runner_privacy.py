"""A key reaches no file of all that a sweep leaves: forks and judge, direct and in batches, notebooks, report, logs."""

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import CANARY_KEY
from fakes import project
from judging import answered, is_judged
from loopback import dropped, failed, say

ROOT = Path(__file__).parents[1]
MESSAGES = [{"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100}]
JUDGE = '\n[[graders]]\nkind = "lexical"\n\n[[graders]]\nkind = "judge"\nmodel = "claude-opus-5-5"\n'
SWEEP = "import sys; from bench.cli import main; sys.exit(main(sys.argv[1:]))"


def holding(folder: Path, secret: str) -> list[Path]:
    """The files that hold it; tables are read, since their pages are compressed."""
    files = [p for p in folder.rglob("*") if p.is_file()]
    tables = {p: pd.read_parquet(p).to_csv().encode() for p in files if p.suffix == ".parquet"}
    return [p for p in files if secret.encode() in (tables.get(p) or b"") + p.read_bytes()]


@pytest.mark.whole
@pytest.mark.parametrize("options", [[], ["--batch"]])
def test_nothing_that_a_sweep_leaves_holds_the_key(tmp_path, claude_server, options):
    faults = [dropped(), failed(500, message=f"your key {CANARY_KEY} is fine")]
    verdicts = answered(lambda _question, _item: ("absent", ""))
    claude_server(
        lambda a: verdicts(a) if is_judged(a) else faults.pop() if faults else say("A handoff."), batch_polls=0
    )
    project(tmp_path, messages=MESSAGES, sweep="replicates = 2" + JUDGE)
    (tmp_path / "notebooks").symlink_to(ROOT / "notebooks")
    ended = subprocess.run(
        [sys.executable, "-c", SWEEP, "sweep", "s", "--jobs", "1", *options],
        cwd=tmp_path, env=os.environ | {"ANTHROPIC_LOG": "debug"}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    folder = tmp_path / "results/s"
    kinds = {p.suffix for p in folder.rglob("*") if p.is_file()}
    assert kinds >= {".ipynb", ".html", ".json", ".jsonl", ".md", ".parquet"}, ended.stderr
    assert holding(tmp_path, CANARY_KEY) == []
    assert CANARY_KEY not in ended.stdout + ended.stderr
    assert holding(tmp_path, "A handoff."), "the search finds what is there"
