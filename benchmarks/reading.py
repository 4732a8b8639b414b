"""Reading a session into the model, against `json.loads` on its lines in the same run."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.transcripts import read
from benchmarks.line import Line, within
from benchmarks.made import claude_session, messages_session
from benchmarks.made_harnesses import codex_session, pi_session
from benchmarks.measure import Took, timed

SIZE = 4_000_000
ROUNDS = 7
MOST_RATIO = 2.0
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
    return lines


def _by_turns(path: Path) -> tuple[Took, Took]:
    ours, peer = [], []
    for _ in range(ROUNDS):
        ours.append(timed(lambda: read(path))[1])
        peer.append(timed(lambda: _plainly(path))[1])
    return min(ours, key=lambda t: t.cpu_s), min(peer, key=lambda t: t.cpu_s)


def _plainly(path: Path) -> list[object]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
