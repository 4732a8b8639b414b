"""The tables of a run: made from its files, never older than they are, typed, with null for what is not known."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import output, project, write_run

from bench.errors import BenchError
from bench.forks.store import Store
from bench.frames import dtypes, frame, records
from bench.rows import CallRow, GradeRow, InventionRow, OutputRow
from bench.runs.index import TABLES, build_index, find_run, is_indexed, open_run, table_path

RUNS = {"f1": {"inventory": ["CCL", "CLL"], "short": ["LLC", "L.L"]}}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project as the working directory."""
    monkeypatch.chdir(project(tmp_path / "project"))
    return tmp_path / "project"


@pytest.mark.parametrize("row", [OutputRow, GradeRow, InventionRow, CallRow])
def test_every_column_is_nullable_and_in_the_order_of_its_struct(row):
    table = frame([], row)
    assert list(table.columns) == list(row.__struct_fields__)
    assert set(map(str, table.dtypes)) <= {"string", "Int64", "Float64", "boolean"}
    assert dtypes(row) == {name: str(dtype) for name, dtype in table.dtypes.items()}


def test_the_types_of_columns_are_those_of_the_fields():
    kinds = dtypes(OutputRow)
    assert [kinds[c] for c in ("outcome", "replicate", "usd_api", "deterministic", "billing", "over_ceiling")] == [
        "string", "Int64", "Float64", "boolean", "string", "boolean",
    ]  # fmt: skip


def test_what_is_not_known_is_null_in_json_and_never_nan():
    (row,) = records(frame([output(usd_api=None, seconds=1.5, handoff_tokens=None)], OutputRow))
    assert (row["usd_api"], row["handoff_tokens"], row["seconds"], row["replicate"]) == (None, None, 1.5, 1)
    assert {type(v) for v in row.values()} <= {str, int, float, bool, type(None)}
    assert json.loads(json.dumps(row, allow_nan=False)) == row


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.none() | st.text(max_size=5), st.none() | st.integers(0, 9), st.none() | st.floats(0, 1))))
def test_rows_come_back_from_a_frame_as_they_went_in(values):
    rows = [output(replicate=i, detail=d, pins=p, usd_api=u) for i, (d, p, u) in enumerate(values)]
    assert [OutputRow(**r) for r in records(frame(rows, OutputRow))] == rows


def test_tables_are_built_from_the_files_and_read_back_typed(here):
    store = write_run(here / "results/tiny", RUNS, inventions=[("short", 1)])
    run = open_run("tiny")
    assert sorted(p.name for p in store.root.glob("*.parquet")) == sorted(f"{name}.parquet" for name in TABLES)
    assert [len(t) for t in (run.outputs, run.grades, run.inventions, run.calls)] == [4, 12, 1, 0]
    for name, row in TABLES.items():
        assert {c: str(d) for c, d in getattr(run, name).dtypes.items()} == dtypes(row)
    missing = run.grades[run.grades["verdict"].isna()]
    assert missing[["arm", "replicate", "atom", "score"]].to_numpy(na_value=None).tolist() == [["short", 2, "a2", None]]


def test_a_run_is_found_by_name_by_folder_and_as_the_newest(here):
    for i, name in enumerate(("old", "new", "older")):
        write_run(here / "results" / name, RUNS)
        os.utime(here / "results" / name / "run.json", (1000 * (i % 2), 1000 * (i % 2)))
    assert find_run("old").root == here / "results/old"
    assert find_run("results/old").root == here / "results/old"
    assert find_run(here / "results/older").root == here / "results/older"
    assert find_run().root == here / "results/new"
    assert find_run("old", here / "results").name == "old"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("quickstrat", "results: no run 'quickstrat' in it; did you mean 'quickstart'?"),
        ("zzz", "results: no run 'zzz' in it; runs there: quickstart"),
        ("./notebooks", "notebooks: is no results folder: it holds no run.json"),
        ("results/nowhere", "results/nowhere: is no results folder"),
    ],
)
def test_what_is_no_run_is_told_in_one_line(here, run, message):
    write_run(here / "results/quickstart", RUNS)
    with pytest.raises(BenchError) as error:
        open_run(run)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


@pytest.mark.usefixtures("here")
def test_a_project_without_a_run_says_how_to_make_one():
    with pytest.raises(BenchError, match="holds no run yet; run 'bench sweep"):
        open_run()


def touched(store: Store, change: str) -> None:
    first = store.rows()[0]
    path = store.output_path(first, ".json")
    match change:
        case "an output added":
            added = output("late", replicate=1)
            store.output_path(added, ".json").parent.mkdir(parents=True)
            store.output_path(added, ".json").write_bytes(path.read_bytes().replace(b'"inventory"', b'"late"'))
        case "an output deleted":
            path.unlink()
        case "an output changed at the same second":
            stat = path.stat()
            path.write_bytes(path.read_bytes().replace(b'"tiny"', b'"tinyy"'))
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        case "a grade deleted":
            next((store.grades_dir / "lexical/p1").glob("*.json")).unlink()
        case "a table deleted":
            table_path(store, "grades").unlink()


@pytest.mark.parametrize(
    "change",
    [
        "an output added", "an output deleted", "an output changed at the same second", "a grade deleted",
        "a table deleted",
    ],
)  # fmt: skip
def test_tables_are_rebuilt_when_the_files_have_changed(here, change):
    store = write_run(here / "results/tiny", RUNS)
    before = open_run("tiny")
    assert is_indexed(store)
    touched(store, change)
    assert not is_indexed(store)
    after = open_run("tiny")
    assert is_indexed(store)
    assert len(after.outputs) == len(store.rows())
    if change == "a grade deleted":
        assert len(after.grades) == len(before.grades) - 3


def test_tables_of_unchanged_files_are_not_written_again(here):
    store = write_run(here / "results/tiny", RUNS)
    open_run("tiny")
    times = [table_path(store, name).stat().st_mtime_ns for name in TABLES]
    open_run("tiny")
    assert [table_path(store, name).stat().st_mtime_ns for name in TABLES] == times


def test_tables_with_other_columns_are_rebuilt(here, monkeypatch):
    """As after an update of the bench that adds a column."""
    store = write_run(here / "results/tiny", RUNS)
    open_run("tiny")
    monkeypatch.setitem(TABLES, "calls", GradeRow)
    assert not is_indexed(store)


def test_a_file_that_is_no_row_is_named(here):
    store = write_run(here / "results/tiny", RUNS)
    path = store.output_path(store.rows()[0], ".json")
    path.write_text("{")
    with pytest.raises(BenchError, match=r"s1-k0-r01\.json: cannot be read"):
        build_index(store)


def test_planned_cells_without_an_output_are_cells_too(here):
    write_run(here / "results/tiny", {"f1": {"a": ["C"], "w": ["C"]}}, replicates=2, rows=[
        output("a", model="m"), output("w", model="none", kind="window"),
    ])  # fmt: skip
    cells = open_run("tiny").cells
    found = cells.sort_values(["arm", "replicate"])[["arm", "replicate", "kind", "state"]].to_numpy().tolist()
    # an arm without a model runs once
    assert found == [["a", 1, "prompt", "handoff"], ["a", 2, "prompt", "not run"], ["w", 1, "window", "handoff"]]
