"""A notebook's parameters: every name known, every value of its type, before anything runs."""

from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.notebook import RunParameters, SweepParameters, checked, located, parameters


def test_a_sweeps_parameters_are_told_by_the_name_sweep():
    found = parameters({"sweep": "sweeps/a.toml", "arms": ["short"], "replicates": 3, "models": None})
    assert found == SweepParameters(sweep="sweeps/a.toml", arms=("short",), replicates=3)
    assert found.overrides == {"arms": ("short",), "replicates": 3}
    assert parameters({"run": "quickstart"}) == RunParameters(run="quickstart")


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("arms", "inventory,short", ("inventory", "short")),  # all that `papermill -p` can pass
        ("arms", "inventory", ("inventory",)),
        ("stale_by", 20, (20,)),
        ("stale_by", "0, 20", (0, 20)),
        ("stale_by", [0, 20], (0, 20)),
        ("stale_by", "policy", "policy"),
        ("budget_usd", 5, 5.0),
        ("batch", True, True),
    ],
)
def test_values_that_plain_papermill_passes_are_understood(name, value, expected):
    assert getattr(parameters({"sweep": "a.toml", name: value}), name) == expected


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"sweep": "a.toml", "fixturs": ["x"]}, "'fixturs' is no parameter of this notebook; did you mean 'fixtures'?"),
        ({"sweep": "a.toml", "replicate": 3}, "did you mean 'replicates'?"),
        ({"run": "a", "zzz": 3}, "'zzz' is no parameter of this notebook; parameters are run, results_dir"),
        ({"run": "a", "sweeps": "b"}, "'sweeps' is no parameter"),
        ({"sweep": "a.toml", "replicates": "3"}, "parameter 'replicates': expected `int | null`, got `str`, is '3'"),
        ({"sweep": "a.toml", "arms": [1]}, "parameter 'arms': expected `str`, got `int`"),
        ({"sweep": 3}, "parameter 'sweep': expected `str`, got `int`, is 3"),
        ({"run": 7}, "parameter 'run': expected `str | null`, got `int`, is 7"),
    ],
)
def test_a_wrong_name_or_type_is_an_error(names, message):
    with pytest.raises(BenchError) as error:
        parameters(names)
    assert message in str(error.value)


def test_what_a_notebook_holds_beside_its_parameters_is_no_parameter():
    notebook = {"__name__": "__main__", "_i1": "x", "Out": {}, "exit": "q", "Path": Path, "bench": pytest, "run": None}
    assert parameters(notebook) == RunParameters()


IN_LAB = {"run": "quickstart", "n": 5, "results_dir": None}


@pytest.mark.parametrize(
    ("cells", "unknown"),
    [
        (["", "run = None", "import bench", "n = 5", "bench.parameters(globals())"], None),  # a cell of the user's own
        (["", "run = None\nn = 5", "p = bench.parameters(globals())"], "n"),
        (["", "run = None", "# Parameters\nn = 5\n", "bench.parameters(globals())"], "n"),  # papermill's own cell
        (["", "run = None\nn = 5", "run = None", "bench.parameters(globals())"], None),  # mended and run again
        (["", "%time x", "run = None\nn: int = 5", "bench.parameters(globals())"], "n"),
    ],
)
def test_only_the_newest_cell_that_sets_parameters_is_held_to_them(cells, unknown):
    if unknown is None:
        assert parameters(IN_LAB | {"In": cells}).run == "quickstart"
    else:
        with pytest.raises(BenchError, match=f"'{unknown}' is no parameter"):
            parameters(IN_LAB | {"In": cells})


def test_a_path_means_the_same_from_the_projects_root_and_from_its_notebooks(tmp_path, monkeypatch):
    (tmp_path / "bench.toml").write_text("version = 1\n")
    sweep = tmp_path / "sweeps/a.toml"
    for folder in ("sweeps", "notebooks"):
        (tmp_path / folder).mkdir()
    sweep.write_text("")
    for here in (tmp_path, tmp_path / "notebooks"):
        monkeypatch.chdir(here)
        assert located("sweeps/a.toml") == sweep
    assert located("results") == tmp_path / "results"
    assert parameters({"sweep": "sweeps/a.toml", "results_dir": "elsewhere"}).overrides == {
        "results_dir": tmp_path / "elsewhere"
    }


def test_a_name_given_to_the_command_line_is_held_to_the_same_types():
    with pytest.raises(BenchError, match="parameter 'replicates'"):
        checked(SweepParameters, {"sweep": "a.toml", "replicates": 1.5})
