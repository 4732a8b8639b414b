"""What must hold of the tree itself: layout, small files, layers, no addresses, no machine paths."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_LINES = 300

# module prefix -> what it may not import: dependencies point one way
LAYERS = {
    "bench.transcripts": ("bench.arms", "bench.forks", "bench.grading", "bench.models", "bench.analysis", "bench.cli"),
    "bench.handoff": ("bench.forks", "bench.grading", "bench.models", "bench.analysis", "bench.cli"),
    "bench.arms": ("bench.forks", "bench.grading", "bench.models", "bench.analysis", "bench.cli"),
    "bench.models": ("bench.arms", "bench.forks", "bench.grading", "bench.fixtures", "bench.analysis", "bench.cli"),
    "bench.grading": ("bench.models.claude", "bench.analysis", "bench.cli"),
    "bench.analysis": (
        "bench.arms", "bench.forks", "bench.grading", "bench.models", "bench.transcripts", "bench.fixtures",
        "bench.cli", "bench.report",
    ),
    "bench.analysis.statistics": (
        "pandas", "bench.frames", "bench.analysis.units", "bench.analysis.recall", "bench.analysis.arms",
        "bench.analysis.atoms", "bench.analysis.comparing", "bench.analysis.graders",
    ),
    "bench.contexts": ("bench.arms", "bench.forks", "bench.grading", "bench.calls", "bench.analysis", "bench.cli"),
    "bench.chains": ("bench.arms", "bench.forks", "bench.grading", "bench.calls", "bench.analysis", "bench.cli"),
    "bench.calls": ("bench.arms", "bench.forks", "bench.grading", "bench.analysis", "bench.cli"),
    "bench.forks": ("bench.analysis", "bench.cli", "bench.sweeps", "bench.report"),
    "bench.plots": ("bench.arms", "bench.forks", "bench.grading", "bench.models", "bench.report", "bench.cli"),
    "bench.runs": ("bench.sweeps", "bench.report", "bench.cli"),
    "bench.report": ("bench.arms", "bench.models", "bench.sweeps", "bench.cli"),
}  # fmt: skip


def tracked(*patterns: str) -> list[Path]:
    out = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, text=True, check=False)
    if out.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in out.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_a_file_holds_one_noun_and_stays_small():
    long = {
        str(p.relative_to(ROOT)): n
        for p in tracked("bench/*.py")
        if (n := len(p.read_text().splitlines())) > MOST_LINES
    }
    assert long == {}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{a.name}" for a in node.names}
    return found


def test_dependencies_point_one_way():
    crossed = [
        f"{module} imports {name}"
        for path in tracked("bench/*.py")
        for module in [".".join(path.relative_to(ROOT).with_suffix("").parts)]
        for layer, forbidden in LAYERS.items()
        if module.startswith(layer)
        for name in imports(path)
        if name.startswith(forbidden)
    ]
    assert crossed == []


def test_no_module_takes_a_private_name_of_another():
    taken = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in tracked("bench/*.py")
        for name in imports(path)
        if name.startswith("bench.") and re.search(r"\._(?!_)", name)
    ]
    assert taken == []


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("a registry's host name", r"(pypi|pythonhosted|npmjs|debian)\.(org|com)"),
        ("a path of one machine", r"(^|[^\w.])/(work|root|farm)/"),
    ],
)
def test_no_tracked_file_names(what, pattern):
    this = Path(__file__)
    hits = [
        f"{path.relative_to(ROOT)}:{n}"
        for path in tracked()
        if path != this and path.suffix not in (".png", ".gguf")
        for n, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if re.search(pattern, line)
    ]
    assert hits == [], f"{what} stands in {hits[:5]}"


def test_locks_pin_every_requirement_by_hash_and_name_no_address():
    for lock in tracked("locks/*.txt"):
        text = lock.read_text()
        assert "://" not in text
        pins = re.findall(r"(?m)^[A-Za-z0-9][^\n]*==[^\n]*", text)
        assert pins
        for block in re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]:
            assert "--hash=sha256:" in block, block.splitlines()[0]


def test_make_targets_are_phony_and_all_there():
    text = (ROOT / "Makefile").read_text()
    phony = set(re.search(r"(?m)^\.PHONY: (.*)$", text)[1].split())
    assert phony >= {"setup", "sweep", "test", "browser", "whole", "shared", "check", "bench", "soak", "lock"}
    for target in phony:
        assert re.search(rf"(?m)^{target}:", text), f"{target} has no rule"
