"""Reading a session into the model, against `json.loads` on its lines in the same run."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.synth import Request, write_synthetic
from bench.transcripts import read
from benchmarks.line import Line, at_most, within
from benchmarks.made import claude_session, messages_session
from benchmarks.made_harnesses import codex_session, pi_session
from benchmarks.measure import Took, in_child, peak_rss_mb, timed

SIZE = 4_000_000
ROUNDS = 7
MOST_RATIO = 2.0
BIG_TOKENS, BIG_TURNS = 50_000_000, 2000
"""A session of about 200 MB, made up."""
MOST_MB = 500.0
FORMATS = {
    "Claude Code": claude_session,
    "Messages API": messages_session,
    "pi": pi_session,
    "Codex": codex_session,
}


def run(size: float = 1.0) -> list[Line]:
    """CPU time of reading a file of each format; the best of several, taken by turns with the peer's."""
    lines = []
    with TemporaryDirectory() as folder:
        for name, make in FORMATS.items():
            path = Path(folder) / "session.jsonl"
            path.write_text(make(round(SIZE * size)))
            ours, peer = _by_turns(path)
            megabytes = path.stat().st_size / 1e6
            note = f"{megabytes / ours.cpu_s:.0f} MB/s against {megabytes / peer.cpu_s:.0f}"
            what = f"reading {megabytes:.1f} MB of {name}: CPU"
            lines.append(within(MOST_RATIO, ours.cpu_s, peer.cpu_s, "json.loads", "s", what, ours, note))
        lines.append(_memory(Path(folder), size))
    return lines


def _memory(folder: Path, size: float) -> Line:
    """The most memory that a process holds which reads a made-up session of 200 MB and nothing else."""
    tokens, turns = round(BIG_TOKENS * size), max(round(BIG_TURNS * size), 40)
    made = write_synthetic(Request("build-tool", turns, 20, 1, tokens), folder / "big")
    path = made.folder / "transcript.jsonl"
    peak, took = in_child(_peak, str(path))
    megabytes = path.stat().st_size / 1e6
    return at_most(MOST_MB, peak, "MB", f"reading {megabytes:.0f} MB: peak memory", took)


def _peak(path: str) -> tuple[float, Took]:
    kept, took = timed(lambda: read(Path(path)))
    assert kept.messages
    return peak_rss_mb(), took


def _by_turns(path: Path) -> tuple[Took, Took]:
    ours, peer = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: read(path))[1])
        peer.append(timed(lambda: _plainly(path))[1])
    return min(ours, key=lambda t: t.cpu_s), min(peer, key=lambda t: t.cpu_s)


def _plainly(path: Path) -> list[object]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
