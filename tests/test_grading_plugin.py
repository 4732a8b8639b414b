"""A grader of another package: named by its kind, blind, checked, and its failures missing grades in one line."""

import json
import re
import sys
from pathlib import Path

import pytest
from fixture_files import write_fixture
from pages import blocks
from test_grading_run import FakeStore, verdicts
from test_plugins import installed  # noqa: F401

from bench import plugins
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.grading.model import Finding, Invention
from bench.grading.plugin_grades import plugin_sha256
from bench.grading.run import grade_run, read_grades
from bench.plugins import OfferedGrader
from bench.sweepfile import GraderSpec, kind_fault

PAGE = Path(__file__).parent.parent / "docs" / "add-a-grader.md"
MINE = GraderSpec(kind="mine")


class Mine:
    """Says what it is told to; keeps what it was given."""

    def __init__(self, findings=(), inventions=()):
        self.said = (findings, inventions)
        self.given = []

    def grade(self, text, key):
        self.given.append((text, key))
        findings = self.said[0]
        if isinstance(findings, BaseException):
            raise findings
        return findings, self.said[1]


@pytest.fixture
def fixture(tmp_path):
    return load_fixture(write_fixture(tmp_path / "fixtures" / "small"))


@pytest.fixture
def store(tmp_path):
    lineage = "<!-- handoff: session=3f9c n=1 prev=none -->\n"
    return FakeStore(tmp_path / "grades", {"zebra": f"{lineage}By zebra: no Redis, MAX_RETRIES is 5, Kubernetes."})


@pytest.fixture
def graded(store, fixture, installed):  # noqa: F811
    def grade(mine, spec=MINE):
        installed(plugins.GRADERS, mine=mine)
        (result,) = grade_run(store, (spec,), 7, {"small": fixture})
        return result

    return grade


def test_its_findings_are_written_as_any_grader_s(graded, store, fixture):
    mine = Mine(
        [Finding(atom="a2", verdict="carried", evidence="MAX_RETRIES is 5"), Finding(atom="a1", verdict="stale")],
        [Invention(never="n1", text="whatever", evidence="Kubernetes"), Invention(never="?", text="Made up.")],
    )
    result = graded(mine)
    assert (result.grader, result.made, result.missing_verdicts, result.exit_status) == ("mine", 1, 1, 0)
    grades, inventions = read_grades(store)
    assert [(g.grader, g.atom, g.verdict, g.score, g.evidence, g.evidence_found) for g in grades] == [
        ("mine", "a1", "stale", 0.0, None, None),
        ("mine", "a2", "carried", 1.0, "MAX_RETRIES is 5", True),
        ("mine", "a3", None, None, None, None),  # left out: no verdict, no zero
    ]
    assert {g.grader_sha256 for g in grades} == {plugin_sha256("mine", OfferedGrader(mine, ""))}
    assert {g.key_sha256 for g in grades} == {fixture.key_sha256}
    assert [(i.never, i.text, i.evidence) for i in inventions] == [
        ("n1", "The deploy target is Kubernetes.", "Kubernetes"),
        ("free-1", "Made up.", None),
    ]


def test_it_sees_text_and_atoms_in_an_order_of_the_pass_and_nothing_else(graded, store):
    mine = Mine()
    graded(mine, GraderSpec(kind="mine", passes=3))
    assert {text for text, _ in mine.given} == {"By […]: no Redis, MAX_RETRIES is 5, Kubernetes."}
    orders = [tuple(a.id for a in key.atoms) for _, key in mine.given]
    assert len(orders) == 3 and len(set(orders)) > 1 and {tuple(sorted(o)) for o in orders} == {("a1", "a2", "a3")}
    grades, _ = read_grades(store)
    assert {g.grading_pass for g in grades} == {1, 2, 3}
    in_passes = {
        tuple(g.atom for g in sorted(grades, key=lambda g: g.position) if g.grading_pass == p) for p in (1, 2, 3)
    }
    assert in_passes == set(orders)


def carried(evidence=None, atom="a1", verdict="carried"):
    return Finding(atom=atom, verdict=verdict, evidence=evidence)


@pytest.mark.parametrize(
    ("findings", "inventions", "why"),
    [
        ([carried(atom="a9")], (), "gives a verdict on an atom that the key does not have: 'a9'"),
        ([carried(), carried()], (), "gives two verdicts on atom a1"),
        ([carried(verdict="yes")], (), "calls atom a1 'yes'; verdicts are carried, partial, absent, stale, wrong"),
        ([carried("never Redis")], (), "gives evidence for atom a1 that does not stand in the output: 'never Redis'"),
        ([{"atom": "a1"}], (), "gives a dict where a Finding belongs"),
        ([carried(atom=["a1"])], (), "gives a verdict on an atom that the key does not have"),
        ((), [Invention(never="n1", text="x", evidence="k8s")], "gives evidence for invention 'n1' that does not"),
        ((), ["Kubernetes"], "gives a str where an Invention with a text belongs"),
        (None, (), "failed: TypeError: "),
        (ValueError("one\ntwo \x1b[2J sk-canary-secret"), (), r"failed: ValueError: one two \x1b[2J [key removed]"),
        (SystemExit(3), (), "failed: SystemExit: 3"),
    ],
)
def test_what_breaks_is_a_missing_grade_and_one_line(graded, store, monkeypatch, findings, inventions, why):
    monkeypatch.setenv("MY_API_KEY", "sk-canary-secret")
    result = graded(Mine(findings, inventions))
    assert (result.made, result.exit_status) == (0, 1)
    assert result.missing == ("small/zebra/local/s1-k0-r01 pass 1",)
    (line,) = [line for line in result.lines() if "given up" in line]
    assert line.startswith(f"  given up 1 times: grader 'mine' {why}") and "\n" not in line
    assert read_grades(store) == ([], [])


def test_only_what_is_missing_is_made_again_and_a_change_of_the_rules_makes_all_new(graded, store):
    store.texts["lion"] = "Nothing of it."
    mine = Mine([carried("Redis")])  # does not stand in the lion's text
    assert (graded(mine).made, len(graded(mine).missing)) == (1, 1)
    assert len(mine.given) == 3  # both, then the lion alone
    mine.said = ([carried(verdict="absent")], ())
    assert graded(mine).made == 1 and verdicts(store)["zebra", "a1"] == "carried"
    mine.rules = "second edition"
    assert graded(mine).made == 2 and verdicts(store)["zebra", "a1"] == "absent"


def test_what_does_not_load_is_told_before_anything_is_graded(graded, store):
    with pytest.raises(BenchError, match=r"entry point 'mine' of handoff_bench.graders does not load: ImportError: no"):
        graded(ImportError("no such thing"))
    assert not store.grades_dir.exists()


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("lexical", None),
        ("mine", None),
        ("my.own-2", None),
        ("lexcal", "no grader is called 'lexcal'; there are lexical, judge, human, .*; did you mean 'lexical'?"),
        ("zzz", "no grader is called 'zzz'; .* a package may offer others"),
        ("judge-x", "cannot be used"),  # would share a judge's folder
        ("mine-summary", "cannot be used"),  # would share the folder of `mine` on summaries
        ("../up", "cannot be used"),
    ],
)
def test_a_kind_is_the_bench_s_own_or_offered_under_a_safe_name(installed, kind, says):  # noqa: F811
    installed(plugins.GRADERS, **{k: Mine() for k in ("mine", "my.own-2", "judge-x", "mine-summary", "../up")})
    fault = kind_fault(kind)
    assert fault is None if says is None else re.search(says, fault)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The page's grader as an installed package."""
    site = tmp_path / "site"
    info = site / "my_package-1.0.dist-info"
    info.mkdir(parents=True)
    page = blocks(PAGE)
    (site / "my_package.py").write_text(next(b.text for b in page if b.language == "python"))
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[handoff_bench.graders]\nnames = my_package:Names\n")
    monkeypatch.syspath_prepend(site)
    yield page
    sys.modules.pop("my_package", None)


def test_the_page_can_be_followed(package, tmp_path, monkeypatch, capsys):
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    sweep = next(b for b in package if b.file == "sweeps/names.toml")
    Path(sweep.file).write_text(sweep.text)
    commands = [line for b in package if b.language == "sh" for line in b.text.splitlines()]
    assert len(commands) == 4
    for command in commands:
        assert main(command.split()[1:]) == 0, command
    assert "names: 2 of 2 grades are there, 0 of them new" in capsys.readouterr().out
    assert main(["grade", "names", "--grader", "names", "--dry-run", "--json"]) == 0
    (planned,) = json.loads(capsys.readouterr().out)
    assert (planned["grader"], planned["made"], planned["to_make"]) == ("names", 2, 0)
    grades = [json.loads(p.read_text()) for p in Path("results/names/grades/names/p1").glob("*.json")]
    said = {v["verdict"] for g in grades for v in g["verdicts"]}
    assert said == {"carried", "absent", None}


def test_an_unknown_grader_on_the_command_line_is_one_line(tmp_path, monkeypatch, capsys):
    from runs import write_run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text("version = 1\n")
    write_run(tmp_path / "results/tiny", {"f1": {"a": ["C"]}})
    assert main(["grade", "tiny", "--grader", "nams"]) == 2
    err = capsys.readouterr().err
    assert "no grader is called 'nams'; there are lexical, judge, human" in err and err.count("\n") == 1
