"""Fixtures are found by name or path, and what they name stays inside their folder."""

import json

import pytest
from fixture_files import ABOUT_YAML, write_fixture, write_project

from bench.errors import BenchError
from bench.fixtures import find_fixture, list_fixtures, load_fixture, sha256_of
from bench.project import Project


@pytest.fixture
def project(tmp_path):
    return Project(write_project(tmp_path / "project"))


def test_a_fixture_is_read_whole(project):
    fixture = find_fixture("small", project, project.sweeps)
    assert (fixture.name, len(fixture.transcript.messages), len(fixture.key.atoms)) == ("small", 6, 3)
    assert fixture.transcript_sha256 == fixture.about.sha256 == sha256_of(fixture.folder / "transcript.jsonl")
    assert fixture.about.tokens == fixture.transcript.tokens
    assert fixture.key_lines[("atoms", 1)] == 15
    assert (fixture.system, fixture.tools) == ("", ())


def test_a_path_is_taken_from_the_base_or_from_home(project, tmp_path, monkeypatch):
    write_fixture(tmp_path / "elsewhere" / "real")
    assert find_fixture("../../elsewhere/real", project, project.sweeps).name == "real"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_fixture("~/elsewhere/real", project, project.sweeps).name == "real"
    assert find_fixture(str(tmp_path / "elsewhere" / "real"), project, project.sweeps).name == "real"


def test_fixtures_are_listed_by_name(project):
    write_fixture(project.fixtures / "another")
    (project.fixtures / ".hidden").mkdir()
    (project.fixtures / "README.md").write_text("about\n")
    assert [f.name for f in list_fixtures(project)] == ["another", "small"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("smal", "no fixture 'smal'; did you mean 'small'?"),
        ("zebra", "no fixture 'zebra'; 'bench fixtures' lists them"),
        ("..", "fixture '..' is no plain name"),
        ("./nowhere", "no such fixture folder"),
        ("~nobody-of-that-name/x", "no home folder"),
    ],
)
def test_a_fixture_that_is_not_there(project, entry, words):
    with pytest.raises(BenchError) as error:
        find_fixture(entry, project, project.sweeps)
    assert words in str(error.value) and "\n" not in str(error.value)


def about(folder, extra):
    tokens, sha = 1, sha256_of(folder / "transcript.jsonl")
    (folder / "fixture.yaml").write_text(ABOUT_YAML.format(tokens=tokens, sha256=sha) + extra)
    return folder


def test_the_system_prompt_is_text_or_a_file_of_the_folder(project):
    folder = about(project.fixtures / "small", "system: You are a coding agent.\n")
    assert load_fixture(folder).system == "You are a coding agent."
    (folder / "system.md").write_text("Be brief.\n")
    assert load_fixture(about(folder, "system: system.md\n")).system == "Be brief.\n"


def test_tools_are_definitions_in_a_file_of_the_folder(project):
    folder = project.fixtures / "small"
    tools = [{"name": "Read", "input_schema": {"type": "object"}, "description": "reads"}]
    (folder / "tools.json").write_text(json.dumps(tools))
    assert load_fixture(about(folder, "tools: tools.json\n")).tools == tuple(tools)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("system: ../../../secret.txt\n", "fixture.yaml:10: '../../../secret.txt' leads out of the fixture's folder"),
        ("system: missing.md\n", "fixture.yaml:10: no file 'missing.md' in the fixture's folder"),
        ("tools: /etc/passwd\n", "fixture.yaml:10: '/etc/passwd' leads out"),
        ("tools: link.json\n", "fixture.yaml:10: 'link.json' leads out"),
        ("tools: bad.json\n", "bad.json: is no JSON list of tool definitions: Object missing required field"),
        ("colour: red\n", "fixture.yaml:10: colour: unknown field"),
    ],
)
def test_what_a_fixture_names_stays_inside_it(project, tmp_path, extra, words):
    folder = project.fixtures / "small"
    (tmp_path / "secret.txt").write_text("x")
    (folder / "link.json").symlink_to(tmp_path / "secret.txt")
    (folder / "bad.json").write_text('[{"name": "Read"}]')
    with pytest.raises(BenchError) as error:
        load_fixture(about(folder, extra))
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("missing", ["fixture.yaml", "transcript.jsonl", "key.yaml"])
def test_a_missing_file_is_named(project, missing):
    (project.fixtures / "small" / missing).unlink()
    with pytest.raises(BenchError, match=missing):
        find_fixture("small", project, project.sweeps)
