"""Sessions of every harness with odd values in odd places: a transcript or a bench error, never anything else."""

import copy
import json
import random
from pathlib import Path

import pytest
from claude_sessions import answer, boundary, result, user
from harness_sessions import (
    CODEX,
    COPILOT,
    GEMINI,
    GEMINI_FACTS,
    MINI,
    OPENHANDS,
    OPENHANDS_SDK,
    PI,
    SWE,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import BenchError
from bench.estimating import estimate_file
from bench.spending import spent_by, total
from bench.transcripts import read, read_all
from bench.transcripts.view import full_compactions, seen_at
from bench.transcripts.write import to_jsonl

CLAUDE = [
    user("u1", None, "go"),
    answer("a1", "u1", ("t1", "Bash"), id="m1", output=3),
    result("r1", "a1", "t1"),
    boundary("b1", "r1"),
    user("c1", "b1", "so far", isCompactSummary=True),
]
REWOUND = [
    GEMINI_FACTS,
    *GEMINI,
    {"$set": {"messages": [{"type": "user", "content": "<state_snapshot>"}]}},
    {"$rewindTo": "u2"},
]
LINES = {
    "claude": CLAUDE,
    "pi": PI,
    "codex": CODEX,
    "gemini": REWOUND,
    "copilot": COPILOT,
    "openhands": OPENHANDS,
    "sdk": OPENHANDS_SDK,
    "runs": [{"instance_id": "a", "history": OPENHANDS}] * 2,
}
DOCUMENTS = {
    "gemini": {**GEMINI_FACTS, "messages": GEMINI},
    "swe": SWE,
    "mini": MINI,
    "openhands": OPENHANDS,
    "codex": {"session": {"id": "s"}, "items": [line["payload"] for line in CODEX]},
}
ODD = (
    None, True, 0, -1, 3.5, 10**30, 10**400, "", "x", "\ud800", "a1", "u1", "t1", "2026-01-01T10:00:00Z", [], [[]], {},
    {"type": "text"}, [None, 1, "s", {"type": "toolCall"}], {"a": {"b": [1]}}, {"id": {}}, [{"text": 5}],
)  # fmt: skip


def places(value: object, path: tuple[object, ...] = ()):
    if path:
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in children:
        yield from places(inner, (*path, key))


def mutated(value: object, rng: random.Random) -> object:
    """The value with one to four places lost, doubled, shuffled or put in another's stead."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2, 4))):
        found = list(places(value))
        if not found:
            break
        *way, last = rng.choice(found)
        holder = value
        for key in way:
            holder = holder[key]
        deed = rng.random()
        if deed < 0.15:
            del holder[last]
        elif deed < 0.3 and isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(rng.choice(holder)))
        elif deed < 0.4 and isinstance(holder, list):
            rng.shuffle(holder)
        else:
            holder[last] = copy.deepcopy(rng.choice(ODD))
    return value


def held_to_account(path: Path) -> None:
    """Everything that is done with a file of sessions."""
    try:
        sessions = read_all(path)
    except BenchError as error:
        assert "\n" not in str(error)
        return
    for t in sessions:
        assert all(0 <= c.at <= len(t.messages) and all(0 <= i < c.at for i in c.preserved) for c in t.compactions)
        assert all(seen_at(t, k).tokens >= 0 for k in range(1, len(full_compactions(t)) + 1))
        to_jsonl(t)
    total(spent_by(sessions))
    for leaf in (None, "a1", "u1"):
        try:
            read(path, leaf=leaf)
            estimate_file(path, 10, leaf=leaf)
        except BenchError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("name", LINES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_odd_lines(tmp_path_factory, name, seed):
    path = tmp_path_factory.mktemp("odd") / "session.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in mutated(LINES[name], random.Random(seed))))
    held_to_account(path)


@pytest.mark.parametrize("name", DOCUMENTS)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_odd_documents(tmp_path_factory, name, seed):
    path = tmp_path_factory.mktemp("odd") / "session.json"
    path.write_text(json.dumps(mutated(DOCUMENTS[name], random.Random(seed)), indent=1))
    held_to_account(path)


@pytest.mark.parametrize("depth", [900, 1010, 100_000])
@pytest.mark.parametrize("name", LINES)
def test_values_that_are_nested_too_deeply(tmp_path, name, depth):
    first, *others = (json.dumps(r) for r in LINES[name])
    lines = [first, *(line.replace(": null", ": " + "[" * depth + "]" * depth) for line in others)]
    lines.append('{"type": "message", "message": {"role": "user", "content": ' + "[" * depth + "]" * depth + "}}")
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(lines))
    held_to_account(path)
