"""Every command of the page on field evidence is run, as a reader would type it, over a made session and rows."""

from __future__ import annotations

from pathlib import Path

from test_field_split import READING, ROW, lines
from test_readme import ROOT, follow, session

from bench.cli import main


def test_the_page_can_be_followed(tmp_path, monkeypatch, capsys):
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    Path("session.jsonl").write_text(session(), encoding="utf-8")
    Path("splits").mkdir()
    lines(Path("rows.jsonl"), ROW, READING)
    capsys.readouterr()
    ran = follow(ROOT / "docs" / "field.md", monkeypatch)
    assert [r.split()[1] for r in ran] == [
        "after", "after", "window", *["handoffs"] * 5, *["split"] * 4,
    ]  # fmt: skip
    out = capsys.readouterr().out
    assert "files read again" in out and "tag: constraint" in out and "inventory" in out
