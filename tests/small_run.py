"""A run of two hand-written handoffs over the small fixture, not graded yet, in a project of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
from fixture_files import write_fixture, write_project
from runs import output

from bench.atomic import write_bytes
from bench.forks.runfile import ArmMark, FixtureMark, RunFile, encode_run_file
from bench.forks.store import Store
from bench.sweepfile import Sweep

HANDOFFS = {
    "inventory": "## Rejected\n\n- The user **ruled out** `Redis`; production runs none.\n- MAX_RETRIES = 5\n",
    "short": "Plan: use Redis for the rate limiter. \x1b[31mIt runs on Kubernetes.",
}


def write_small_run(folder: Path) -> Path:
    """The project's root; its run is `results/tiny`. Made twice over: the fixture `twin` is the same as `small`."""
    root = write_project(folder)
    write_fixture(root / "fixtures" / "twin")
    store = Store(root / "results" / "tiny")
    marks = {}
    for name in ("small", "twin"):
        folder = root / "fixtures" / name
        sha = {f: hashlib.sha256((folder / f).read_bytes()).hexdigest() for f in ("transcript.jsonl", "key.yaml")}
        marks[name] = FixtureMark(
            folder=f"fixtures/{name}", transcript_sha256=sha["transcript.jsonl"], key_sha256=sha["key.yaml"]
        )
    made = RunFile(
        run="tiny",
        sweep_file="sweeps/tiny.toml",
        sweep=Sweep(fixtures=("small", "twin"), arms=("inventory", "short"), models=("local",)),
        seed=7,
        fixtures=marks,
        arms={arm: (ArmMark(label=arm, kind="prompt", version_sha256="0"),) for arm in HANDOFFS},
        models={"local": "local"},
        started_at="2026-01-01T00:00:00Z",
        resumed_at="2026-01-01T00:00:00Z",
    )
    store.root.mkdir(parents=True)
    store.run_file.write_bytes(encode_run_file(made))
    for arm, text in HANDOFFS.items():
        row = output(arm, fixture="small", cell_key=f"cell-{arm}")
        for suffix, data in ((".md", text.encode()), (".json", msgspec.json.encode(row))):
            write_bytes(store.output_path(row, suffix), data)
    return root
