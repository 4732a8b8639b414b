"""Keys as they are shipped: each atom is carried by the very words that establish it."""

from pathlib import Path

import pytest
from keying import key

from bench.checks import check_fixture
from bench.errors import BenchError
from bench.fixtures import fixture_folders, load_fixture
from bench.grading.lexical import grade
from bench.keys import read_key
from bench.project import Project

SHIPPED = fixture_folders(Project(Path(__file__).parent.parent))


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda f: f.name)
def test_a_shipped_fixture_is_sound_and_its_words_carry_its_atoms(folder):
    assert [str(p) for p in check_fixture(folder)] == []
    fixture = load_fixture(folder)
    for atom in (a for a in fixture.key.atoms if a.accept):
        source = "\n".join(fixture.transcript.messages[m].text for m in atom.at)
        (finding,), _ = grade(source, key(atom))
        assert finding.verdict == "carried", atom.id
        assert finding.evidence in source


def test_an_atom_has_defaults_for_what_is_left_out(tmp_path):
    path = tmp_path / "key.yaml"
    path.write_text("version: 1\natoms:\n  - {id: a1, tag: ask, text: Do it., importance: okay, by: user, at: [0]}\n")
    read, lines = read_key(path)
    atom = read.atoms[0]
    assert (bool(atom.accept), atom.stale, atom.wrong, atom.weight, atom.status) == (False, (), (), 1.0, "drafted")
    assert lines[("atoms", 0)] == 3 and read.never == ()


def test_a_wrong_key_is_one_line_with_its_place(tmp_path):
    path = tmp_path / "key.yaml"
    path.write_text("version: 1\natoms:\n  - id: a1\n    tag: figure\n")
    with pytest.raises(BenchError) as error:
        read_key(path)
    assert "key.yaml:4: atoms[0].tag: invalid enum value 'figure'" in str(error.value)
