"""A made run: outputs that carry a set share of a key's atoms, graded by the lexical grader. From a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from bench.fixtures import KEY, TRANSCRIPT, Fixture
from bench.forks.runfile import ArmMark, FixtureMark, RunFile, encode_run_file
from bench.forks.store import Store
from bench.grading.run import grade_run
from bench.keys import Key
from bench.rows import OutputRow
from bench.sweepfile import Carry, Sweep
from bench.text import estimate_tokens
from benchmarks.made import SEED, sentence

USD_A_TOKEN = 15e-6
CARRY_USD_A_TOKEN = 40 * 0.3e-6
ASKING = "prompt"


Texts = Mapping[str, Mapping[str, Sequence[str]]]
"""Fixture -> arm -> the text of each replicate."""


def made_run(
    root: Path, fixtures: Mapping[str, Fixture], arms: Mapping[str, tuple[str, float]], replicates: int
) -> Store:
    """The run in `root`: `arms` maps a label to its kind and the share of the atoms that its handoffs hold.

    Arms of kind `prompt` have `replicates` outputs a fixture, others one. The folder of each fixture must lie in the
    project that holds `root`.
    """
    rng = Random(SEED)
    texts = {
        name: {
            arm: [_handoff(rng, fixture, kind, share) for _ in range(replicates if kind == ASKING else 1)]
            for arm, (kind, share) in arms.items()
        }
        for name, fixture in fixtures.items()
    }
    return run_of(root, fixtures, {arm: kind for arm, (kind, _) in arms.items()}, texts)


def run_of(root: Path, fixtures: Mapping[str, Fixture], kinds: Mapping[str, str], texts: Texts) -> Store:
    """The run in `root` that has these texts as its handoffs, graded; `kinds` maps an arm's label to its kind."""
    store, model = Store(root), "claude-sonnet-5-5"
    replicates = max((len(made) for arms in texts.values() for made in arms.values()), default=1)
    run = RunFile(
        run=root.name, sweep_file="sweeps/made.toml", seed=SEED, models={model: model},
        sweep=Sweep(
            fixtures=tuple(fixtures), arms=tuple(kinds), models=(model,), replicates=replicates, carry=Carry(40, model)
        ),
        fixtures={name: _mark(fixture) for name, fixture in fixtures.items()},
        arms={arm: (ArmMark(label=arm, kind=kind, version_sha256="0" * 64),) for arm, kind in kinds.items()},
        started_at="2026-11-01T00:00:00Z", resumed_at="2026-11-01T00:00:00Z",
    )  # fmt: skip
    root.mkdir(parents=True)
    store.run_file.write_bytes(encode_run_file(run))
    for name, arms in texts.items():
        for arm, made in arms.items():
            for replicate, text in enumerate(made, 1):
                asked = model if kinds[arm] == ASKING else "none"
                row = _row(root.name, name, arm, kinds[arm], asked, replicate, text)
                path = store.output_path(row, ".md")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                store.output_path(row, ".json").write_bytes(msgspec.json.encode(row))
    grade_run(store, run.sweep.graders, SEED, fixtures)
    return store


def _handoff(rng: Random, fixture: Fixture, kind: str, share: float) -> str:
    if kind == "full":
        return "\n\n".join(message.text for message in fixture.transcript.messages)
    return "" if kind == "nothing" else made_handoff(rng, fixture.key, share)


def made_handoff(rng: Random, key: Key, share: float) -> str:
    """A handoff in sections that tells about that share of the atoms in the key's own words, and fills up."""
    here = min(max(rng.gauss(share, 0.06), 0.0), 1.0)
    lines = [f"- {atom.text}" for atom in key.atoms if rng.random() < here]
    rng.shuffle(lines)
    parts = [("Where things stand", lines[: len(lines) // 3]), ("What was asked", lines[len(lines) // 3 :])]
    return "\n\n".join(f"## {name}\n\n" + "\n".join([sentence(rng, 18), *told]) for name, told in parts)


def _row(run: str, fixture: str, arm: str, kind: str, model: str, replicate: int, text: str) -> OutputRow:
    tokens = estimate_tokens(text)
    return OutputRow(
        run=run, fixture=fixture, arm=arm, kind=kind, model=model, replicate=replicate, outcome="handoff",
        handoff_chars=len(text), handoff_tokens=tokens, summary_chars=len(text),
        usd_api=tokens * USD_A_TOKEN if kind == ASKING else None, carry_usd=tokens * CARRY_USD_A_TOKEN,
        cell_key=f"{fixture}-{arm}-{replicate}", output_tokens=tokens if kind == ASKING else None,
    )  # fmt: skip


def _mark(fixture: Fixture) -> FixtureMark:
    transcript, key = (hashlib.sha256((fixture.folder / f).read_bytes()).hexdigest() for f in (TRANSCRIPT, KEY))
    return FixtureMark(folder=f"fixtures/{fixture.name}", transcript_sha256=transcript, key_sha256=key)
