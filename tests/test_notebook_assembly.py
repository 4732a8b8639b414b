"""The notebook of assemblies, over a run whose arms differ by a part: it draws, and says how to read the figure."""

import nbformat
from runs import NOTEBOOKS, project, write_run

PATH = NOTEBOOKS / "assembly.ipynb"


def test_it_runs_from_its_own_folder_and_keeps_its_figure(tmp_path, monkeypatch, capsys):
    folder = project(tmp_path / "p")
    write_run(folder / "results/tiny", {"f1": {"a": ["CL", "CL"], "a-ledger": ["CC", "CL"]}})
    monkeypatch.chdir(folder / "notebooks")
    names: dict[str, object] = {}
    for cell in (c for c in nbformat.read(PATH, as_version=4).cells if c.cell_type == "code"):
        exec(compile(cell.source, PATH.name, "exec"), names)
    assert (folder / "results/tiny/plots/added_parts.png").stat().st_size > 5000
    assert names["opened"].root == folder / "results/tiny"
    capsys.readouterr()


def test_a_sentence_says_how_to_read_it_and_the_sweep_that_fills_it_is_there():
    said = " ".join(c.source for c in nbformat.read(PATH, as_version=4).cells if c.cell_type == "markdown")
    assert "Compare steps inside a line, not lines with each other" in said
    assert (NOTEBOOKS.parent / "sweeps/assembly.toml").is_file()


def test_a_sweep_runs_it_where_arms_differ_by_a_part_and_only_there(tmp_path):
    from bench.forks.resolve import Overrides, resolve
    from bench.sweeps.run import analysis_jobs

    root = NOTEBOOKS.parent
    for name, there in (("assembly", True), ("quickstart", False)):
        resolved = resolve(root / f"sweeps/{name}.toml", Overrides(results_dir=str(tmp_path)))
        jobs = [job.name for job in analysis_jobs(resolved, None)]
        assert ("assembly" in jobs) == there
