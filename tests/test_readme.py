"""Every command of the README and the how-to pages is run, in order, as a reader would type them."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from claude_sessions import answer, boundary, jsonl, result, user
from loopback import say
from pages import blocks

from bench.cli import main

ROOT = Path(__file__).parent.parent
TYPED = [
    "please make src/limits.py return 429 instead of 503, never 503",
    "no, don't use redis for this, we run none in production. keep it in memory",
    "set MAX_BURST to 40 in src/limits.py and run the tests again",
    "what is still open?",
]


def session() -> str:
    """A small Claude Code session with a compaction, for a reader's own."""
    records, parent = [], None
    for i, words in enumerate(TYPED):
        if i == 2:
            records.append(boundary("b", parent))
            parent = "b"
            summary = (
                "This session is being continued from a previous conversation. src/limits.py returns 429; no redis."
            )
            records.append(user("s", parent, summary, isCompactSummary=True))
            parent = "s"
        call = {
            "type": "tool_use",
            "id": f"t{i}",
            "name": "Edit",
            "input": {"file_path": "src/limits.py", "new": str(i)},
        }
        turn = [
            user(f"u{i}", parent, words),
            answer(f"a{i}", f"u{i}", "Editing src/limits.py now.", call, id=f"m{i}"),
            result(f"r{i}", f"a{i}", f"t{i}", f"src/limits.py updated, {40 + i} tests passed"),
            answer(f"z{i}", f"r{i}", f"Done: src/limits.py is changed, {40 + i} tests pass.", id=f"n{i}"),
        ]
        records += turn
        parent = f"z{i}"
    return jsonl(*records)


def follow(page: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Do what the page says in the working directory: write its files, run its commands; the bench commands run."""
    ran = []
    for block in blocks(page):
        if block.language in ("toml", "md", "python") and block.file:
            Path(block.file if "/" in block.file else f"prompts/{block.file}").write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            for line in block.text.splitlines():
                ran += [line] if step(shlex.split(line, comments=True), monkeypatch) else []
    return ran


def step(words: list[str], monkeypatch: pytest.MonkeyPatch) -> bool:
    match words:
        case ["bench", *argv]:
            assert main(argv) == 0, words
            return True
        case ["cd", folder]:
            monkeypatch.chdir(folder)
            shutil.copyfile(Path("../session.jsonl"), "session.jsonl")
        case ["cp", source, target]:
            shutil.copyfile(source, target)
        case ["make", target]:
            assert re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text()), target
        case _:
            raise AssertionError(f"the test does not know how to do {words}")
    return False


@pytest.mark.whole
def test_the_readme_can_be_followed_and_its_sweep_started_again(tmp_path, monkeypatch, claude_server, capfd):
    monkeypatch.setattr("os.cpu_count", lambda: 1)  # one worker: each has to load papermill
    claude_server(say("We ruled out Redis. src/limits.py returns 429. MAX_BURST is 40."))
    monkeypatch.chdir(tmp_path)
    Path("session.jsonl").write_text(session(), encoding="utf-8")
    ran = follow(ROOT / "README.md", monkeypatch)
    assert [r.split()[1] for r in ran] == [
        "init", "fixtures", "arms", "run", "transcript", "transcript", "estimate", "import", "check", "key", "handoffs",
        "sweep", "compare", "show", "run", "run", "table", "table", "report", "run", "diff", "table",
        "assemble", "grade", "table",
    ]  # fmt: skip
    out = capfd.readouterr().out
    for arm in ("my-prompt", "my-pipeline", "by-hand", "stock", "tail-like-inventory"):
        assert re.search(rf"(?m)^{arm} .*", out), arm
    assert "handoffs of 'my-assembly' from stored replies: 4 new" in out
    handed_up = Path("results/claude/outputs/mine/my-pipeline/none/s1-k0-r01.md").read_text()
    assert handed_up.endswith(TYPED[1])  # the last that was typed before the compaction
    check_sweep(Path("results/mine"), capfd)


def check_sweep(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The sweep left executed notebooks and plots, and a second start executes only what is never current."""
    notebooks = folder / "notebooks"
    names = sorted(path.stem for path in notebooks.glob("*.ipynb"))
    assert names == ["compare_arms", "lost_atoms", "recall_vs_cost", "sweep-mine-none"]
    for name in names:
        executed = json.loads((notebooks / f"{name}.ipynb").read_text())
        assert all(c["execution_count"] for c in executed["cells"] if c["cell_type"] == "code")
        assert json.loads((notebooks / f"{name}.status.json").read_text())["state"] == "ok"
    assert not list(notebooks.glob("*.r*"))  # nothing running, no result left lying
    assert sorted(path.stem for path in (folder / "plots").glob("*.png")) == [
        "differences", "distance", "frontier", "lost_atoms", "noise", "recall_vs_carry", "recall_vs_tokens",
        "recall_vs_write", "spread",
    ]  # fmt: skip
    before = {path.name: path.stat().st_mtime_ns for path in notebooks.glob("*.ipynb")}
    assert main(["sweep", "mine"]) == 0
    out, err = capfd.readouterr()
    after = {path.name: path.stat().st_mtime_ns for path in notebooks.glob("*.ipynb")}
    assert [name for name in before if before[name] != after[name]] == ["sweep-mine-none.ipynb"]
    assert "5 of 5 cells done (5 handoff); 5 were there before" in err
    assert "compare_arms: nothing has changed" in err
    assert out.startswith("mine: graded by lexical on the handoff\n")
    assert "  results/mine/notebooks/sweep-mine-none.ipynb\n" in out
    assert "  results/mine/plots/recall_vs_carry.png\n" in out
    assert out.endswith("\nreport: results/mine/report.html\n")
    assert (folder / "report.html").read_text().startswith("<!doctype html>")


@pytest.mark.parametrize("page", ["add-an-arm.md", "add-a-model.md"])
def test_a_how_to_page_can_be_followed(page, tmp_path, monkeypatch):
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    text = (ROOT / "docs" / page).read_text()
    if "prices.toml" in text:
        row = next(b.text for b in blocks(ROOT / "docs" / page) if "[[row]]" in b.text)
        Path("prices.toml").write_text(row)
        sweep = next(b.text for b in blocks(ROOT / "docs" / page) if b.text.startswith("fixtures"))
        Path("sweeps/other.toml").write_text(sweep)
        for block in blocks(ROOT / "docs" / page):
            if block.language == "sh":
                for line in block.text.splitlines():
                    step(shlex.split(line), monkeypatch)
        assert main(["check", "sweeps/other.toml"]) == 0
    else:
        assert len(follow(ROOT / "docs" / page, monkeypatch)) == 3
        place = Path("results/trial/outputs/quickstart/last-words/none")
        assert "The user's last words: " in (place / "s1-k0-r01.md").read_text()
        row = json.loads((place / "s1-k0-r01.json").read_text())
        assert row["usage_source"] == "reported" and row["input_tokens"] > 0


def test_the_page_on_chains_can_be_followed(tmp_path, monkeypatch, capsys):
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    ran = follow(ROOT / "docs/chains.md", monkeypatch)
    assert [r.split()[1] for r in ran] == ["run", "run", "table", "show", "run", "stale", "table"]
    out = capsys.readouterr().out
    for told in ("after step 2", "stretch 1, step 3", "step 3, stale by 0", "by 8 messages (median)", "delivered"):
        assert told in out, told


def test_the_reader_of_the_how_to_page_reads(tmp_path):
    from bench.transcripts.head import read_head
    from bench.transcripts.registry import Reader

    code = next(b.text for b in blocks(ROOT / "docs" / "add-a-reader.md") if b.language == "python")
    names: dict[str, object] = {}
    exec(compile(code, "add-a-reader.md", "exec"), names)
    reader = names["ChatLog"]()
    path = tmp_path / "chat.jsonl"
    path.write_text('{"who": "me", "said": "no redis"}\n{"who": "bot", "said": "ok"}\n')
    assert isinstance(reader, Reader)
    assert reader.detect(read_head(path))
    (transcript,) = reader.read(path)
    assert [(m.author, m.text) for m in transcript.messages] == [("person", "no redis"), ("assistant", "ok")]


def test_the_arm_kind_of_the_how_to_page_is_an_arm(tmp_path, monkeypatch):
    """The page's class, offered as its entry point says, named by the page's arm, run by a sweep."""
    from types import SimpleNamespace

    page = blocks(ROOT / "docs" / "add-an-arm.md")
    names: dict[str, object] = {}
    exec(compile(next(b.text for b in page if "class NewestAsks" in b.text), "add-an-arm.md", "exec"), names)
    group, point = next(b.text for b in page if "handoff_bench.arms" in b.text).strip().split("\n")
    kind, named = re.fullmatch(r'([\w-]+) = "my_package:(\w+)"', point).groups()
    offered = SimpleNamespace(name=kind, load=lambda: names[named])
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [offered] if group == "handoff_bench.arms" else []
    )
    assert group == '[project.entry-points."handoff_bench.arms"]'
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    Path("prompts/asks.toml").write_text(next(b.text for b in page if b.text.startswith(f'kind = "{kind}"')))
    assert main(["arms"]) == 0
    assert main(["run", "quickstart", "--arms", "asks", "--run", "trial"]) == 0
    row = json.loads(Path("results/trial/outputs/quickstart/asks/none/s1-k0-r01.json").read_text())
    assert (row["kind"], row["outcome"]) == (kind, "handoff") and row["summary_chars"] > 0


def test_the_subscriber_of_the_page_works_beside_a_fork(tmp_path):
    from fakes import FakeModel, outside, project

    from bench.forks.run import run_sweep
    from bench.forks.store import Store

    code = next(b.text for b in blocks(ROOT / "docs" / "beside-a-fork.md") if b.language == "python")
    names: dict[str, object] = {}
    exec(compile(code, "beside-a-fork.md", "exec"), names)
    sizes = names["Sizes"]()
    world = outside(FakeModel(), subscribers=lambda: {"sizes": sizes})
    path = project(tmp_path, arms={"a": "Say it."}, sweep="stale_by = [0, 2]")
    rows = Store(run_sweep(path, outside=world, grade=False).folder).rows()
    assert [(r.stale_by, r.subscribers) for r in rows] == [(0, "sizes: ok"), (2, "sizes: denied")]
    assert list(sizes.sizes) == [rows[0].context_sha256] and min(sizes.sizes.values()) > 0


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "prompts/README.md", *sorted((ROOT / "docs").glob("*.md"))]
)
def test_every_link_and_picture_of_a_page_is_there(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
