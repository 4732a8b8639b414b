"""A file is the old one or the new one, never a part."""

import os

import pytest

from bench.atomic import write_all, write_text


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


def test_of_several_files_none_appears_before_all_are_on_the_disk_and_the_last_appears_last(tmp_path, monkeypatch):
    names = ["reply.md", "out/s1.md", "out/s1.json"]
    synced, seen = [], []
    real = os.fsync

    def fsync(handle):
        synced.append(handle)
        seen.append([n for n in names if (tmp_path / n).exists()])
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    write_all((tmp_path / n, n.encode()) for n in names)
    assert len(synced) == 3
    assert seen == [[], [], []]
    assert [(tmp_path / n).read_text() for n in names] == names


def test_files_that_appeared_before_a_failure_stay_and_no_temporary_one_is_left(tmp_path):
    (tmp_path / "b").mkdir()  # a folder cannot be replaced by a file
    with pytest.raises(OSError):
        write_all([(tmp_path / "a", b"1"), (tmp_path / "b", b"2"), (tmp_path / "c", b"3")])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]
