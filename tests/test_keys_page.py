"""The page on keys can be followed: every command of it is run, in order, as a reader would type them."""

import json
from pathlib import Path

from loopback import say
from test_readme import ROOT, follow, session

from bench.cli import main
from bench.keys import read_key

PROPOSED = {
    "kind": "constraint", "importance": "vital", "text": "MAX_BURST is to be 40 in src/limits.py.",
    "evidence": [{"message": 0, "quote": "return 429 instead of 503"}], "all": ["429"], "any": ["503"], "stale": [],
}  # fmt: skip


def test_the_page_on_keys_can_be_followed(tmp_path, monkeypatch, claude_server, capsys):
    server = claude_server(say(json.dumps({"atoms": [{**PROPOSED, "text": "It returns 429, never 503."}]})))
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    Path("session.jsonl").write_text(session(), encoding="utf-8")
    answers = iter(["a", "d"])

    def typed(_prompt):
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", typed)
    ran = follow(ROOT / "docs/keys.md", monkeypatch)
    assert [" ".join(r.split()[1:3]) for r in ran] == [
        "import session.jsonl", "key check", "key review", "key draft", "key draft", "handoffs feedback", "key draft",
        "check fixtures/mine",
    ]  # fmt: skip
    assert len(server.requests) == 1
    out = capsys.readouterr().out
    assert "1 accepted, 1 dropped" in out and "1 atoms proposed and borne out by the transcript" in out
    statuses = [a.status for a in read_key(Path("fixtures/mine/key.yaml"))[0].atoms]
    assert statuses.count("reviewed") == 1 and "drafted" in statuses
