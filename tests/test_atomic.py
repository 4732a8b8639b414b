"""A file is the old one or the new one, never a part."""

import os

import pytest

from bench.atomic import write_text


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "f.md"
    write_text(path, "old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["f.md"]


def test_parents_are_made_and_lone_surrogates_are_replaced(tmp_path):
    path = tmp_path / "a" / "b.md"
    write_text(path, "x\ud800y")
    assert path.read_bytes() == b"x?y"
