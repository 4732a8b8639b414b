"""A run in other tools' formats: tables, inspect_ai's logs, and promptfoo's prompts as arms."""

import csv
import io
import json

import pandas as pd
import pytest
from fixture_files import write_project
from small_run import write_small_run

from bench.cli import main


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = write_small_run(tmp_path_factory.mktemp("exports") / "project")
    assert main(["grade", str(root / "results" / "tiny")]) == 0
    return root / "results" / "tiny"


def test_the_arm_table_as_csv_parquet_and_markdown(root, tmp_path, capsys):
    assert main(["table", str(root), "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)
    assert main(["table", str(root), "--to", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["arm"], float(r["recall"])) for r in rows] == [(x["arm"], x["recall"]) for x in lines]
    assert list(rows[0]) == list(lines[0])
    out = tmp_path / "new" / "arms.parquet"
    assert main(["table", str(root), "--to", "parquet", "--out", str(out)]) == 0
    table = pd.read_parquet(out)
    assert table["recall"].tolist() == [x["recall"] for x in lines]
    assert list(table.columns) == list(lines[0])
    assert main(["table", str(root), "--to", "md"]) == 0
    told = capsys.readouterr().out
    head = next(line for line in told.splitlines() if line.startswith("| arm |"))
    assert "| recall |" in head and "| inventory |" in told


@pytest.mark.parametrize("options", [["--to", "parquet"], ["--out", "x"], ["--to", "csv", "--delivered"]])
def test_a_format_that_goes_nowhere_is_refused(root, options):
    assert main(["table", str(root), *options]) == 2


def test_a_cell_is_no_formula_and_no_markup():
    from bench.exporting.tables import as_bytes, as_markdown
    from bench.runs.told import Told

    table = pd.DataFrame({"arm": pd.Series(["=1+1", "plain"], dtype="string"), "n": [-1, 2]})
    assert as_bytes(table, "csv").decode() == "arm,n\n'=1+1,-1\nplain,2\n"
    told = Told([("<b>x</b>", [{"arm": "a|b", "n": None}])], ["*note*"])
    assert as_markdown(told) == "**\\<b\\>x\\</b\\>**\n\n| arm | n |\n| --- | --- |\n| a\\|b | — |\n\n\\*note\\*\n"


def test_a_log_of_inspect_holds_every_output_with_its_recall_and_verdicts(root, tmp_path, capsys):
    assert main(["export", str(root), "--to", "inspect", "--out", str(tmp_path / "logs"), "--json"]) == 0
    (path,) = json.loads(capsys.readouterr().out)
    with open(path) as file:  # noqa: PTH123
        log = json.load(file)
    assert (log["version"], log["status"], log["eval"]["task"], log["eval"]["model"]) == (
        2,
        "success",
        "tiny",
        "anthropic/local",
    )
    samples = {s["id"].split("/")[1]: s for s in log["samples"]}
    assert samples["inventory"]["scores"]["recall"]["value"] == pytest.approx(2 / 3)  # Redis and 5, no Postgres
    assert samples["short"]["scores"]["recall"]["value"] == 0
    atoms = samples["inventory"]["scores"]["recall"]["metadata"]["atoms"]
    assert {a["atom"]: a["verdict"] for a in atoms} == {"a1": "carried", "a2": "carried", "a3": "absent"}
    assert "ruled out" in samples["inventory"]["output"]["choices"][0]["message"]["content"]
    assert log["results"]["scores"][0]["metrics"]["mean"]["value"] == pytest.approx(1 / 3)


def test_inspect_ai_itself_reads_the_log(root, tmp_path, capsys):
    inspect_log = pytest.importorskip("inspect_ai.log")
    assert main(["export", str(root), "--to", "inspect", "--out", str(tmp_path), "--json"]) == 0
    (path,) = json.loads(capsys.readouterr().out)
    log = inspect_log.read_eval_log(path)
    assert {s.id.split("/")[1]: s.scores["recall"].as_float() for s in log.samples} == {
        "inventory": pytest.approx(2 / 3),
        "short": 0,
    }
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(1 / 3)


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = write_project(tmp_path / "project")
    monkeypatch.chdir(root)
    return root


def promptfoo(root, text):
    (root / "foo.yaml").write_text(text)
    return ["arms", "import", "foo.yaml"]


def test_prompts_of_promptfoo_become_arms(project, capsys):
    (project / "texts").mkdir()
    (project / "texts" / "long.md").write_text("Write a handoff.\n")
    (project / "texts" / "two.txt").write_text("First.\n---\nSecond.\n")
    (project / "texts" / "settings.md").write_text('+++\nkind = "full"\n+++\nHand over.\n')
    asked = promptfoo(
        project,
        "prompts:\n- Sum up {{topic}}.\n- file://texts/long.md\n- texts/two.txt\n"
        "- {raw: Be brief., label: My brief one}\n- {id: file://texts/settings.md, label: odd}\nproviders: [echo]\n",
    )
    assert main(asked) == 0
    out = capsys.readouterr()
    assert "nothing fills in topic" in out.err
    texts = {p.stem: p.read_text() for p in (project / "prompts").glob("*.md")}
    assert texts["prompt-1"] == "Sum up {{topic}}.\n"
    assert (texts["long"], texts["two-1"], texts["two-2"]) == ("Write a handoff.\n", "First.\n", "Second.\n")
    assert texts["My-brief-one"] == "Be brief.\n"
    assert main(["arms", "--json"]) == 0
    arms = {a["arm"]: a for a in json.loads(capsys.readouterr().out)}
    assert arms["odd"]["kind"] == "prompt"  # what looked like settings is text
    assert set(texts) <= set(arms) | {"README"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("prompts:\n- fine\n- {raw: x, label: ../evil}\n", "foo.yaml:3: arm label '../evil' is no plain name"),
        ("prompts:\n- {raw: x, label: a/b}\n", "is no plain name"),
        ("prompts:\n- {raw: x, label: .hidden}\n", "is no plain name"),
        ("prompts:\n- {raw: x, label: _restore}\n", "shared piece"),
        ("prompts:\n- {raw: x, label: SHORT}\n", "there is an arm 'short.md' already"),
        ("prompts:\n- {raw: x, label: same}\n- {raw: y, label: Same}\n", "two prompts are called 'Same'"),
        ("prompts:\n- file:///etc/hostname.txt\n", "leaves the folder"),
        ("prompts:\n- file://../outside.md\n", "leaves the folder"),
        ("prompts:\n- file://prompt.py\n", "no text or Markdown file"),
        ("prompts:\n- file://gone.md\n", "no such file"),
        ("prompts:\n- 5\n", "is no text"),
        ("providers: [echo]\n", "no list of prompts"),
    ],
)
def test_what_is_no_prompt_or_no_label_is_refused_and_nothing_is_written(project, capsys, text, why):
    before = {p.name: p.read_bytes() for p in (project / "prompts").iterdir()}
    assert main(promptfoo(project, text)) == 2
    assert why in capsys.readouterr().err
    assert {p.name: p.read_bytes() for p in (project / "prompts").iterdir()} == before
