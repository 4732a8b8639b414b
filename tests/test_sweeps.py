"""A sweep through its notebooks: how it is cut, what is executed again, and what becomes of a notebook that fails.

A whole one, started twice, stands in test_readme.py: the README runs one, and each takes twenty seconds.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from runs import project

from bench.cli import main
from bench.errors import BenchError
from bench.forks.resolve import Overrides, resolve
from bench.notebook import RESULT_FILE, Result, finish
from bench.sweeps.groups import group_parameters, groups
from bench.sweeps.progress import Progress
from bench.sweeps.run import exit_status
from bench.sweeps.status import Failure, Job, Status, current_status, read_status, sha256_of, write_status
from bench.sweeps.templates import check_template
from bench.sweeps.workers import run_all, startable, workers

ROOT = Path(__file__).parent.parent
SWEEP = 'fixtures = ["quickstart"]\narms = ["window-1k", "full", "nothing"]\n'


def tiny_project(folder: Path, **sweeps: str) -> Path:
    """A project with the shipped prompts and the fixture quickstart, and these sweeps."""
    folder = project(folder, **{f"sweeps/{name}.toml": text for name, text in sweeps.items()})
    for name in ("prompts", "fixtures/quickstart"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


def cut(tmp_path, monkeypatch, text, **overrides):
    folder = tiny_project(tmp_path / "p", tiny=text)
    monkeypatch.chdir(folder)
    resolved = resolve(folder / "sweeps/tiny.toml", Overrides(**overrides))
    return resolved, groups(resolved)


def test_arms_without_a_model_go_with_the_first_model(tmp_path, monkeypatch):
    text = 'fixtures = ["quickstart"]\narms = ["short", "full"]\nmodels = ["local", "claude-sonnet-5-5"]\n'
    _, found = cut(tmp_path, monkeypatch, text)
    assert [(g.fixture, g.model, g.arms) for g in found] == [
        ("quickstart", "local", ("short", "full")),
        ("quickstart", "claude-sonnet-5-5", ("short",)),
    ]
    assert [g.name for g in found] == ["sweep-quickstart-local", "sweep-quickstart-claude-sonnet-5-5"]


def test_without_models_or_arms_that_ask_one_there_is_one_group_a_fixture(tmp_path, monkeypatch):
    _, found = cut(tmp_path, monkeypatch, SWEEP + 'models = ["local", "claude-sonnet-5-5"]\n')
    assert [(g.name, g.model, g.arms) for g in found] == [
        ("sweep-quickstart-none", None, ("window-1k", "full", "nothing"))
    ]


def test_a_model_with_an_unsafe_name_gets_a_safe_file(tmp_path, monkeypatch):
    text = 'fixtures = ["quickstart"]\narms = ["short"]\nmodels = ["http://127.0.0.1:9/#m"]\n'
    _, (group,) = cut(tmp_path, monkeypatch, text)
    assert not set(group.name) & set("/:#{}")


def test_a_groups_parameters_are_json_and_name_paths_from_anywhere(tmp_path):
    text = SWEEP.replace('"quickstart"', '"../elsewhere/real"').replace('"full"', '"../elsewhere/mine.toml"')
    folder = tiny_project(tmp_path / "p", tiny=text)
    shutil.move(folder / "fixtures/quickstart", folder / "elsewhere/real")
    shutil.copy(folder / "prompts/full.toml", folder / "elsewhere/mine.toml")
    overrides = Overrides(replicates=3, stale_by=(0,), budget_usd=0.0, batch=True, run="trial")
    resolved = resolve(folder / "sweeps/tiny.toml", overrides)
    parameters = group_parameters(groups(resolved)[0], resolved, overrides)
    assert json.loads(json.dumps(parameters)) == parameters
    assert parameters == {
        "sweep": str(folder / "sweeps/tiny.toml"),
        "fixtures": [str(folder / "elsewhere/real")],
        "arms": ["window-1k", str(folder / "elsewhere/mine.toml"), "nothing"],
        "models": [],
        "replicates": 3,
        "stale_by": [0],
        "budget_usd": 0.0,
        "batch": True,
        "run": "trial",
        "results_dir": str(folder / "results"),
    }


@pytest.mark.parametrize(
    ("ended", "failed", "status"),
    [
        ([(0, 4)], False, 0),
        ([(0, 4), (1, 4)], False, 1),
        ([(3, 4), (1, 4)], False, 3),
        ([(0, 4), (1, 0)], False, 0),  # all cells of one group wait for a model that is not installed
        ([(1, 0)], False, 1),
        ([(0, 4)], True, 1),
        ([], True, 1),
    ],
)
def test_the_exit_status_is_that_of_the_worst_group(ended, failed, status):
    results = [Result(exit_status=code, cells=cells, lines=()) for code, cells in ended]
    assert exit_status(results, failed) == status


def job(folder, template, name="n", **more):
    return Job(name=name, template=str(template), folder=str(folder), parameters=more.pop("parameters", {}), **more)


def cell(source, **metadata):
    return {
        "cell_type": "code", "id": f"c{abs(hash(source)) % 10**8}", "metadata": metadata, "source": source,
        "outputs": [], "execution_count": None,
    }  # fmt: skip


def notebook(path, *sources, first="x = 1", tags=("parameters",)):
    """A notebook whose first cell is tagged, at `path`."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    cells = [cell(first, tags=list(tags)), *map(cell, sources)]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells}))
    return path


def status_of(job_, **changes):
    status = Status(
        notebook=f"{job_.name}.ipynb", state="ok", parameters=job_.parameters, versions={"bench": "1"}, seconds=1.0,
        template_sha256=sha256_of(Path(job_.template)), inputs_sha256=job_.inputs_sha256, starts=1, started_at="",
    )  # fmt: skip
    return msgspec.structs.replace(status, **changes)


@pytest.mark.parametrize(
    ("changes", "current"),
    [
        ({}, True),
        ({"state": "failed"}, False),
        ({"state": "interrupted"}, False),
        ({"inputs_sha256": "other"}, False),
        ({"template_sha256": "other"}, False),
        ({"parameters": {"x": 2}}, False),
        ({"versions": {"bench": "2"}}, False),
    ],
)
def test_a_notebook_is_skipped_only_when_nothing_it_rests_on_has_changed(tmp_path, changes, current):
    one = job(tmp_path, notebook(tmp_path / "t.ipynb"), inputs_sha256="files")
    one.path(".ipynb").write_text("{}")
    write_status(one, status_of(one, **changes))
    assert (current_status(one, {"bench": "1"}) is not None) is current


def test_without_a_status_or_inputs_or_the_notebook_itself_nothing_is_skipped(tmp_path):
    one = job(tmp_path, notebook(tmp_path / "t.ipynb"), inputs_sha256="files")
    assert current_status(one, {"bench": "1"}) is None
    write_status(one, status_of(one))
    assert current_status(one, {"bench": "1"}) is None  # the status alone
    one.path(".ipynb").write_text("{}")
    assert current_status(one, {"bench": "1"}) is not None
    without = msgspec.structs.replace(one, inputs_sha256=None)
    write_status(without, status_of(without))
    assert current_status(without, {"bench": "1"}) is None
    one.path(".status.json").write_text("{")
    assert read_status(one) is None


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p: notebook(p, first="fixtures = None"), "'fixturs' is no parameter of this notebook; did you mean"),
        (lambda p: notebook(p, first="zzz = None"), "'fixturs' is no parameter of this notebook; it takes zzz"),
        (lambda p: notebook(p, tags=()), "tags 0 cells 'parameters'; exactly the first code cell must be"),
        (lambda p: p.write_text("[]"), "is not a notebook"),
        (lambda p: p.write_text("{"), "is not a notebook"),
    ],
)
def test_a_template_that_cannot_take_the_parameters_is_refused_before_a_kernel_starts(tmp_path, build, message):
    path = tmp_path / "t.ipynb"
    build(path)
    with pytest.raises(BenchError) as error:
        check_template(path, {"fixturs": ["a"]})
    assert message in str(error.value)


def test_a_second_or_a_late_parameters_cell_is_refused(tmp_path):
    path = notebook(tmp_path / "t.ipynb", "y = 1")
    for late in ((0, 1), (1,)):
        document = json.loads(path.read_text())
        for i, c in enumerate(document["cells"]):
            c["metadata"]["tags"] = ["parameters"] if i in late else []
        path.write_text(json.dumps(document))
        with pytest.raises(BenchError, match="exactly the first code cell must be"):
            check_template(path, {})


def test_the_last_cell_notes_its_result_where_a_sweep_asks_for_it(tmp_path, monkeypatch, capsys):
    class Done:
        exit_status, cells = 1, 3

        def lines(self):
            return ["tiny: 2 of 3 cells done"]

    finish(Done())
    monkeypatch.setenv(RESULT_FILE, str(tmp_path / "r.json"))
    finish(Done())
    assert capsys.readouterr().out == "tiny: 2 of 3 cells done\n" * 2
    noted = msgspec.json.decode((tmp_path / "r.json").read_bytes(), type=Result)
    assert noted == Result(exit_status=1, cells=3, lines=("tiny: 2 of 3 cells done",))


def test_progress_counts_the_outputs_of_this_start_now_and_then(tmp_path):
    now, out = [0.0], StringIO()
    rows = tmp_path / "outputs/f/a/m"
    rows.mkdir(parents=True)
    (rows / "s1-k0-r01.json").write_text("of an earlier start")
    progress = Progress(tmp_path, out=out, clock=lambda: now[0])
    for name in ("s1-k0-r02.json", "s1-k0-r02.parts.json", "s1-k0-r02.md"):
        (rows / name).write_text("")
    for now[0] in (1.0, 31.0, 32.0, 62.0):
        progress.tick()
    progress.say("a\x1b[31m: done")
    progress.stop()
    now[0] = 99.0
    progress.tick()
    assert out.getvalue() == "1 output written\na\\x1b[31m: done\n"


@pytest.mark.parametrize(
    ("pending", "running", "started"),
    [
        ("a b c", "", "a b"),
        ("a b c", "d", "a"),
        ("a b", "c d", ""),
        ("local1 local2 a", "", "local1 a"),  # two servers of one local model would starve each other
        ("local2 a", "local1", "a"),
        ("local2", "a", "local2"),
    ],
)
def test_jobs_start_in_their_order_and_a_local_models_one_at_a_time(tmp_path, pending, running, started):
    template = notebook(tmp_path / "t.ipynb")

    def jobs(names):
        return [job(tmp_path, template, n, alone_with="local" if "local" in n else None) for n in names.split()]

    assert [one.name for one in startable(jobs(pending), jobs(running), at_once=2)] == started.split()


def test_a_killed_worker_fails_its_job_and_those_that_follow(tmp_path):
    from concurrent.futures import Future
    from concurrent.futures.process import BrokenProcessPool

    class Broken:
        """A pool whose worker dies of the first job."""

        first = True

        def submit(self, *_):
            if not self.first:
                raise BrokenProcessPool
            self.first = False
            died = Future()
            died.set_exception(BrokenProcessPool())
            return died

    template = notebook(tmp_path / "t.ipynb")
    jobs = [job(tmp_path, template, name) for name in ("a", "b", "c")]
    statuses = {one.name: status for one, status in run_all(Broken(), jobs, 1, lambda: None)}
    assert {name: status.error.kind for name, status in statuses.items()} == dict.fromkeys("abc", "WorkerDied")
    assert read_status(jobs[2]) == statuses["c"]


def test_what_becomes_of_notebooks(tmp_path):
    """All in one pool: a kernel takes a second to start."""
    good = notebook(tmp_path / "good.ipynb", "assert x == 5", "import os; print(os.environ['BENCH_RESULT_FILE'])")
    jobs = {
        "good": job(tmp_path / "out", good, "good", parameters={"x": 5}),
        "raises": job(tmp_path / "out", notebook(tmp_path / "r.ipynb", "1 / 0", "x = 2"), "raises"),
        "exits": job(tmp_path / "out", notebook(tmp_path / "e.ipynb", "import sys; sys.exit(0)", "x = 2"), "exits"),
        "silent": job(tmp_path / "out", good, "silent", parameters={"x": 5}, leaves_result=True),
        "dies": job(tmp_path / "out", notebook(tmp_path / "d.ipynb", "import os; os._exit(1)"), "dies"),
    }
    with workers(2) as pool:
        statuses = {one.name: status for one, status in run_all(pool, jobs.values(), 2, lambda: None)}
    errors = {name: status.error and status.error.kind for name, status in statuses.items()}
    assert errors == {
        "good": None, "raises": "ZeroDivisionError", "exits": "NotExecuted", "silent": "FileNotFoundError",
        "dies": "DeadKernelError",
    }  # fmt: skip
    assert statuses["raises"].error == Failure("ZeroDivisionError", "division by zero")
    assert [s.starts for s in statuses.values()] == [1] * 5
    there = sorted(p.name for p in (tmp_path / "out").glob("*.ipynb"))
    assert there == ["dies.failed.ipynb", "exits.failed.ipynb", "good.ipynb", "raises.failed.ipynb",
                     "silent.failed.ipynb"]  # fmt: skip
    assert {name: read_status(one) for name, one in jobs.items()} == statuses


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["sweep", "nowhere"], "sweeps/nowhere.toml: no such file"),
        (["sweep", "tiny", "--arms", "windw-1k"], "windw-1k"),
        (["sweep", "tiny", "--stale-by", "x"], "parameter 'stale_by'"),
        (["sweep", "tiny", "--replicates", "0"], "replicates = 0"),
    ],
)
def test_a_sweep_that_cannot_run_is_one_line_before_anything_starts(tmp_path, monkeypatch, capsys, argv, message):
    folder = tiny_project(tmp_path / "p", tiny=SWEEP)
    monkeypatch.chdir(folder)
    assert main(argv) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1
    assert list((folder / "results").iterdir()) == []


def test_a_missing_notebook_is_told_before_anything_starts(tmp_path, monkeypatch, capsys):
    folder = tiny_project(tmp_path / "p", tiny=SWEEP)
    (folder / "notebooks/lost_atoms.ipynb").unlink()
    monkeypatch.chdir(folder)
    assert main(["sweep", "tiny"]) == 2
    assert "lost_atoms.ipynb: the notebook is missing" in capsys.readouterr().err
    assert not (folder / "results/tiny").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_kernels_and_is_noted(tmp_path):
    folder = tiny_project(tmp_path / "p", tiny=SWEEP)
    mark = tmp_path / "started"
    first = "sweep = fixtures = arms = models = replicates = chain = stale_by = budget_usd = run = results_dir = None"
    first = "\n".join(f"{name} = None" for name in first.replace(" = None", "").split(" = "))
    waiting = f"import os, pathlib, time; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(60)"
    notebook(folder / "notebooks/sweep.ipynb", waiting, first=first)
    command = [sys.executable, "-c", "import sys; from bench.cli import main; sys.exit(main())", "sweep", "tiny"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True)
    end = time.monotonic() + 60
    while not mark.exists() or not mark.read_text():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.1)
    for _ in range(3):  # an impatient person, and a terminal that sends it to all of the group
        os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in err) == (130, False), err
    status = json.loads((folder / "results/tiny/notebooks/sweep-quickstart-none.status.json").read_text())
    assert status["state"] == "interrupted"
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
