"""Who produced a user turn, by its text alone."""

import json
from pathlib import Path

import pytest

from bench.transcripts.origin import origin_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fix the test", "person"),
        ("", "person"),
        ("  \n<task-notification>\nx", "task-notification"),
        ("Another session says: <cross-session-message from='b'>hi", "cross-session"),
        ("[Cross-session idle notice] b is idle", "idle-notice"),
        ("<local-command-stdout>ok</local-command-stdout>", "command-output"),
        ("<system-reminder>be kind</system-reminder>", "system-reminder"),
        ("This session is being continued from a previous conversation that ran out of context.", "continuation"),
        ("[Request interrupted by user]", "interrupt"),
        ("[Request interrupted by user for tool use]", "interrupt"),
        ("I saw <task-notification> in the log", "person"),  # only an opening tells, save for cross-session messages
        ("<command-name>/clear</command-name>", "person"),  # a slash command was typed
        ("<bash-input>ls</bash-input>", "person"),
    ],
)
def test_origin_by_text(text, kind):
    assert origin_of(text) == kind


@pytest.mark.shared
def test_origin_agrees_with_the_conformance_vectors(shared: Path):
    vectors = shared / "conformance" / "handoff" / "originOf.jsonl"
    if not vectors.is_file():
        pytest.skip(f"no {vectors.name} under BENCH_SHARED")
    cases = [json.loads(line) for line in vectors.read_text(encoding="utf-8").splitlines()]
    assert cases
    wrong = [c for c in cases if origin_of(c["args"][0].get("text", "")) != c["expect"]]
    assert wrong == []
