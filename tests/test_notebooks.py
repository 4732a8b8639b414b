"""The notebooks that people open: clean templates, and each of them run as plain papermill and JupyterLab run it."""

import ast
import json
import os
import subprocess
import sys

import nbformat
import pytest
from runs import NOTEBOOKS, output, project, write_run

import bench
from bench.errors import BenchError
from bench.lab import find_notebook, lab_command
from bench.project import Project

TEMPLATES = sorted(NOTEBOOKS.glob("*.ipynb"))
STANDARD = {"bench", "IPython", "matplotlib", "numpy", "pandas", "pathlib"}
MOST_LINES = 12


def code_cells(path):
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]


def test_the_notebooks_are_there():
    named = {
        "assembly",
        "chain_survival",
        "compare_arms",
        "factors",
        "grade_by_hand",
        "graders",
        "lost_atoms",
        "recall_vs_cost",
        "review_key",
        "sweep",
    }
    assert named <= {p.stem for p in TEMPLATES}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.stem)
def test_a_template_is_clean(path):
    document = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(document)
    assert (document.nbformat, document.nbformat_minor) == (4, 5)
    assert document.metadata.kernelspec.name == "python3"
    assert set(document.metadata) == {"kernelspec", "language_info"}
    assert all(cell.id for cell in document.cells)
    code = code_cells(path)
    assert [cell.outputs for cell in code] == [[]] * len(code)
    assert [cell.execution_count for cell in code] == [None] * len(code)
    assert [i for i, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", [])] == [0]
    assert code[1].source == "import bench\n\np = bench.parameters(globals())"
    assert max(cell.source.count("\n") + 1 for cell in code) <= MOST_LINES


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.stem)
def test_a_template_is_thin_and_says_how_to_read_each_figure(path):
    cells = nbformat.read(path, as_version=4).cells
    for cell in code_cells(path):
        tree = ast.parse(cell.source)
        imported = {a.name.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        imported |= {n.module.split(".")[0] for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        assert imported <= STANDARD
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        asked = {
            n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == "bench"
        }
        assert asked <= set(bench.__all__)
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if "bench.keep(" in cell.source:
            assert following is not None and following.cell_type == "markdown", "a figure without a word under it"


def test_the_parameters_of_the_templates_are_those_that_are_checked():
    from bench.notebook import parameters_of
    from bench.sweeps.templates import template_parameters

    for path in TEMPLATES:
        names = template_parameters(path)
        assert tuple(names) == parameters_of(names).__struct_fields__


@pytest.mark.parametrize("name", [n for n in bench.__all__ if n != "__version__"])
def test_each_name_that_bench_gives_is_a_function_every_time(name):
    """A module of the same name would take the function's place once it is imported."""
    assert callable(getattr(bench, name)) and callable(getattr(bench, name))


def test_bench_has_no_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = bench.nothing
    assert "open_run" in dir(bench)


def executed(command, cwd):
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_analysis_notebooks_run_with_their_defaults_from_their_own_folder(tmp_path, monkeypatch, capsys):
    """As JupyterLab runs them: in notebooks/, with every parameter at its default. Warnings are errors."""
    folder = project(tmp_path / "p")
    rows = [output("a", replicate=1), output("a", replicate=2), output("a", chain_step=2), output("b", carry_usd=None)]
    write_run(folder / "results/tiny", {"f1": {"a": ["CL", "CC"], "b": ["LL"]}}, rows=rows, chain=2)
    monkeypatch.chdir(folder / "notebooks")
    for path in TEMPLATES:
        if path.stem in ("sweep", "review_key", "grade_by_hand", "assembly"):
            continue
        names: dict[str, object] = {}
        for cell in code_cells(path):
            said = cell.source.startswith("bench.")
            exec(compile(f"print(({cell.source}))" if said else cell.source, path.name, "exec"), names)
    assert "tiny: graded by lexical on the handoff" in capsys.readouterr().out
    assert len(list((folder / "results/tiny/plots").glob("*.png"))) == 12


def test_plain_papermill_from_the_projects_root(tmp_path):
    folder = project(tmp_path / "p")
    write_run(folder / "results/tiny", {"f1": {"a": ["CL", "CC"], "b": ["LL"]}})
    done = executed(["papermill", "notebooks/lost_atoms.ipynb", "out.ipynb", "-p", "run", "tiny"], folder)
    assert done.returncode == 0, done.stderr
    outputs = [o for cell in json.loads((folder / "out.ipynb").read_text())["cells"] for o in cell.get("outputs", [])]
    assert [sorted(o["data"]) for o in outputs if "data" in o] == [
        ["text/html", "text/plain"], ["image/png", "text/plain"], ["image/png", "text/plain"],
    ]  # fmt: skip


def test_a_mistyped_parameter_is_an_error_before_anything_runs():
    """Papermill writes what it is given into a cell of its own behind the first, known or not."""
    first, second, *_ = code_cells(NOTEBOOKS / "sweep.ipynb")
    names: dict[str, object] = {}
    with pytest.raises(BenchError, match=r"'fixturs' is no parameter of this notebook; did you mean 'fixtures'\?"):
        exec("\n".join([first.source, "fixturs = ['x']", second.source]), names)


def test_lab_listens_on_this_machine_only_and_stays_in_the_project(tmp_path):
    folder = project(tmp_path / "p")
    here = Project(folder)
    command = lab_command(here, find_notebook(here, "lost_atoms"), port=8999, browser=False)
    assert command[:2] == [sys.executable, "-m"] and command[2] == "jupyterlab"
    assert {"--ip=127.0.0.1", "--port=8999", "--no-browser", f"--ServerApp.root_dir={folder}"} <= set(command)
    assert "--LabApp.default_url=/lab/tree/notebooks/lost_atoms.ipynb" in command
    assert ("--allow-root" in command) is (os.geteuid() == 0)
    assert "--LabApp.default_url=/lab/tree/notebooks" in lab_command(here, None, port=1, browser=True)


def test_lab_names_the_notebooks_when_one_is_mistyped(tmp_path, monkeypatch, capsys):
    from bench.cli import main

    monkeypatch.chdir(project(tmp_path / "p"))
    assert main(["lab", "lost_atom"]) == 2
    assert "lost_atom: no such notebook; there are " in capsys.readouterr().err
    (tmp_path / "other.ipynb").write_text("{}")
    assert main(["lab", "../other.ipynb"]) == 2
    assert "lies outside the project" in capsys.readouterr().err


@pytest.mark.slow
def test_lab_says_where_it_listens_and_ends_with_its_kernels(tmp_path):
    import signal
    from urllib.request import urlopen

    folder = project(tmp_path / "p")
    command = "import sys; from bench.cli import main; sys.exit(main(['lab', 'lost_atoms', '--no-browser']))"
    with subprocess.Popen([sys.executable, "-c", command], cwd=folder, stdout=subprocess.PIPE, text=True) as lab:
        assert lab.stdout is not None
        try:
            address = lab.stdout.readline().split()[-1]
            assert address.startswith("http://127.0.0.1:") and "/lab/tree/notebooks/lost_atoms.ipynb?token=" in address
            with urlopen(address, timeout=60) as page:
                assert b"apputils-extension:announcements" in page.read()
        finally:
            lab.send_signal(signal.SIGTERM)  # Ctrl-C ends it the same way, with status 0
            assert lab.wait(60) == 128 + signal.SIGTERM
    with pytest.raises(OSError, match=r"refused|reset"):
        urlopen(address, timeout=5)
