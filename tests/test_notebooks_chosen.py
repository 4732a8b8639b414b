"""Notebooks that a sweep runs only where they have something to say: of graders, and of made-up fixtures."""

import shutil

import pytest
from runs import NOTEBOOKS, project

from bench.forks.resolve import Overrides, resolve
from bench.sweeps.run import analysis_jobs

PLAIN = 'fixtures = ["quickstart"]\narms = ["nothing"]\n[[graders]]\nkind = "lexical"\n'
JUDGE = '[[graders]]\nkind = "judge"\nmodel = "claude-opus-5-5"\npasses = 3\n'


@pytest.fixture
def folder(tmp_path):
    folder = project(tmp_path / "p", **{"sweeps/q.toml": "", "prompts/nothing.toml": 'kind = "nothing"'})
    shutil.copytree(NOTEBOOKS.parent / "fixtures/quickstart", folder / "fixtures/quickstart")
    return folder


def analyses(folder, text):
    (folder / "sweeps/q.toml").write_text(text)
    return [job.name for job in analysis_jobs(resolve(folder / "sweeps/q.toml", Overrides()), None)]


def test_that_of_graders_is_run_where_there_is_more_than_one_grading(folder):
    for text, there in ((PLAIN, False), (PLAIN + JUDGE, True)):
        assert ("graders" in analyses(folder, text)) == there


def test_that_of_factors_is_run_where_a_fixture_tells_them(folder):
    assert "factors" not in analyses(folder, PLAIN)
    (folder / "fixtures/quickstart/factors.csv").write_text("atom,kind,distractors\n")
    assert "factors" in analyses(folder, PLAIN)
