"""The command line: every command answers --help, bad input is one line and exit status 2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli import COMMANDS, main
from bench.texttable import table

# what must not be loaded by `bench --help` or `import bench`: each costs 0.2 to 2 s
HEAVY = ("pandas", "numpy", "scipy", "matplotlib", "anthropic", "papermill", "nbformat", "pyarrow", "yaml")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    out = capsys.readouterr().out
    assert "example" in out
    assert f"bench {command}" in out


@pytest.mark.parametrize("argv", [["--help"], ["--version"]])
def test_help_and_version_exit_zero(argv, capsys):
    with pytest.raises(SystemExit) as stop:
        main(argv)
    assert stop.value.code == 0
    assert "bench" in capsys.readouterr().out


def test_help_loads_nothing_heavy():
    code = f"import sys, bench, bench.cli; bench.cli._parser(None); print([m for m in {HEAVY!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_the_package_runs_as_a_module_too():
    asked = [sys.executable, "-m", "bench", "--version"]
    out = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert out.startswith("handoff-bench ")


def test_bad_input_is_one_line_and_status_2(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "y").touch()
    assert main(["init", "x"]) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", "x: exists and is not empty; name a new folder\n")


def test_init_makes_a_project_of_the_shipped_parts(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "mine"]) == 0
    assert "next: cd mine && bench run quickstart --dry-run" in capsys.readouterr().out
    root = Path(__file__).parent.parent
    for name in ("prompts/inventory.md", "sweeps/quickstart.toml", "fixtures/quickstart/key.yaml", "bench.toml"):
        assert (tmp_path / "mine" / name).read_bytes() == (root / name).read_bytes()
    assert list((tmp_path / "mine" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([{"arm": "a", "n": 1}, {"arm": "bb", "n": 12}], "arm   n\na     1\nbb   12"),
        # a missing value is an em dash, never 0
        ([{"arm": "a", "spread": None}], "arm  spread\na         —"),
        # control characters of a transcript never reach the terminal
        ([{"arm": "\x1b[2Jx"}], "arm\n\\x1b[2Jx"),
    ],
)
def test_tables_align_and_show_what_is_missing(rows, text):
    assert table(rows, list(rows[0])) == text


def test_json_of_a_table_is_the_rows(capsys):
    from bench.cli.output import emit

    emit([{"a": None, "b": 1.5}], ["a"], as_json=True)
    assert json.loads(capsys.readouterr().out) == [{"a": None, "b": 1.5}]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("runn", "there is no command 'runn'; did you mean 'bench run'?"),
        ("zzz", "there is no command 'zzz'; 'bench --help' lists them"),
        ("a\x1b[2Jb", "there is no command 'a\\x1b[2Jb'; 'bench --help' lists them"),
    ],
)
def test_a_misspelt_command_is_one_line(typed, says, capsys):
    assert main([typed, "quickstart"]) == 2
    assert capsys.readouterr().err == says + "\n"


def test_an_unknown_flag_gets_its_command_s_usage_and_a_suggestion(capsys):
    assert main(["transcript", "session.jsonl", "--useage"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("usage: bench transcript ")
    assert err.endswith("unrecognized arguments: --useage; did you mean --usage?\n")
    assert main(["transcript", "session.jsonl", "--zzzzzz"]) == 2
    assert "did you mean" not in capsys.readouterr().err
