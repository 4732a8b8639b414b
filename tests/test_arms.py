"""Arms from files: front matter, labels, rules of settings, and the shipped ones."""

import json
import re
from typing import get_args

import pytest

from bench.arms import check_distinct, find_arm, list_arms, load_arm
from bench.arms.model import Ceiling, TailSpec, WindowSpec
from bench.cli import main
from bench.errors import BenchError, Problems
from bench.keys import Tag
from bench.project import Project
from bench.scaffold import shipped_project


@pytest.fixture
def project(tmp_path):
    (tmp_path / "bench.toml").write_text("version = 1\n")
    (tmp_path / "prompts").mkdir()
    return Project(tmp_path)


def write(project, name, text):
    path = project.prompts / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_prompt_is_the_text_below_its_front_matter(project):
    path = write(
        project, "mine.v2.md", '+++\npins = true\neffort = "high"\nceiling = {fraction = 0.5}\n+++\n\nSay all.\n\n'
    )
    arm = load_arm(path)
    assert (arm.label, arm.kind, arm.text, arm.path) == ("mine.v2", "prompt", "Say all.", path)
    assert arm.settings.pins
    assert arm.settings.effort == "high"
    assert arm.settings.ceiling == Ceiling(fraction=0.5)
    assert arm.asks_model


@pytest.mark.parametrize("source", ["Say all.\n", "\ufeffSay all.", "+++\n+++\nSay all.", "+++\r\n+++\r\nSay all.\r\n"])
def test_front_matter_may_be_empty_or_absent(project, source):
    path = project.prompts / "plain.md"
    path.write_bytes(source.encode())
    assert load_arm(path).text == "Say all."


def test_other_kinds_are_toml(project):
    window = load_arm(write(project, "w.toml", 'kind = "window"\nwindow = {tokens = 9, rule = "seed"}\npins = true\n'))
    assert window.settings.window == WindowSpec(9, "seed")
    assert window.settings.pins
    assert not window.asks_model
    tail = load_arm(write(project, "t.toml", 'kind = "tail"\n[tail]\nlike = "inventory"\n'))
    assert tail.settings.tail == TailSpec(like="inventory")
    assert load_arm(write(project, "n.toml", 'kind = "nothing"')).text == ""


# file, its text, the line of the fault, what the message holds
FAULTY = [
    ("a.md", "+++\npins = true\nSay all.\n", 1, "never closed"),
    ("a.md", "+++\npins = tru\n+++\nSay all.\n", 2, "not valid TOML"),
    ("a.md", "+++\npins = true\npinz = 1\n+++\nSay all.\n", 3, "pinz: unknown field"),
    ("a.md", '+++\n\npins = "yes"\n+++\nSay all.\n', 3, "pins: expected `bool`"),
    ("a.md", "+++\npins = true\n+++\n \n", 5, "the prompt is empty"),
    ("a.md", "", 1, "the prompt is empty"),
    ("a.md", '+++\nkind = "window"\nwindow = {tokens = 9}\n+++\nx', 2, "'window' is a .toml file"),
    ("a.md", "+++\nwindow = {tokens = 9}\n+++\nx", 2, "takes no table 'window'"),
    ("a.md", '+++\nparts = ["summary", "promises"]\n+++\nx', 2, "parts[1]: invalid enum value 'promises'"),
    ("a.md", "+++\ncommitments = {max_tokens = 9}\n+++\nx", 2, "'commitments' is not among the parts"),
    ("a.md", '+++\nparts = ["commitments"]\ncommitments = {max_tokens = 0}\n+++\nx', 3, "max_tokens is 1 or more"),
    ("a.md", '+++\nparts = ["commitments"]\ncommitments = {effort = "lots"}\n+++\nx', 3, "effort is one of low"),
    ("a.md", '+++\ntext = "b"\n+++\nx', 2, "text names the prompt of a prompt arm in a .toml file"),
    ("a.toml", 'text = "b"\n', 1, "no prompt b.md beside it"),
    ("a.toml", 'text = "../b"\n', 1, "no arm's label"),
    ("a.toml", 'kind = "full"\ntext = "b"\n', 2, "text names the prompt of a prompt arm"),
    ("a.md", '+++\nparts = ["summary", "summary"]\n+++\nx', 2, "each part once"),
    ("a.md", "+++\nmax_tokens = 0\n+++\nx", 2, "max_tokens is 1 or more"),
    ("a.md", '+++\neffort = "lots"\n+++\nx', 2, "effort is one of low, medium"),
    ("a.md", "+++\npins = true\nceiling = {fraction = 1.5}\n+++\nx", 3, "fraction is above 0"),
    ("a.md", "+++\nceiling = {chars = 9, cap_tokens = 9}\n+++\nx", 2, "chars overrides"),
    ("a.md", "+++\nceiling = {chars = 0}\n+++\nx", 2, "chars is 1 or more"),
    ("a.md", "+++\nceiling = {}\n+++\nx", 2, "ceiling names"),
    ("a.toml", "pins = true\n", 1, 'kind = "window"'),
    ("a.toml", "extract = {tokens = 9}\n", 1, 'kind = "extract"'),
    ("a.toml", 'kind = "windows"\n', 1, "kind: invalid enum value 'windows'"),
    ("a.toml", 'pins = true\nkind = "window"\n', 2, "needs its table 'window'"),
    ("a.toml", 'kind = "window"\nwindow = {}\n', 2, "`tokens`"),
    ("a.toml", 'kind = "window"\nwindow = {tokens = 9}\nextract = {tokens = 9}\n', 3, "takes no table 'extract'"),
    ("a.toml", 'kind = "window"\n[window]\ntokens = 0\n', 3, "tokens is 1 or more"),
    ("a.toml", 'kind = "window"\nwindow = {tokens = 9, rule = "exakt"}\n', 2, "window.rule: invalid enum value"),
    ("a.toml", 'kind = "full"\nfull = {}\n', 2, "full: unknown field"),
    ("a.toml", 'kind = "tail"\ntail = {}\n', 2, "tail takes one of"),
    ("a.toml", 'kind = "tail"\ntail = {tokens = 1, like = "a"}\n', 2, "tail takes one of"),
    ("a.toml", 'kind = "tail"\ntail = {like = "../x"}\n', 2, "no arm's label"),
    ("a.toml", 'kind = "replay"\nreplay = {label = "../../etc"}\n', 2, "no plain name"),
    ("a.toml", 'kind = "server"\nserver = {instructions = "../x"}\n', 2, "no arm's label"),
    ("a.toml", 'kind = "server"\nrestore = true\n', 2, "restore needs instructions of our own"),
    ("a.toml", 'kind = "command"\ncommand = {run = []}\n', 2, "run names the program"),
    (
        "a.toml",
        'kind = "command"\n[command]\nrun = ["x"]\ntimeout_s = 0\n',
        4,
        "timeout_s is a number of seconds above 0",
    ),
    ("a.toml", 'kind = "full"\neffort = "low"\n', 2, "asks no model; take effort out"),
    ("a.toml", 'kind = "full"\nmax_tokens = 9\n', 2, "asks no model; take max_tokens out"),
    ("a.toml", 'kind = "offered"\n', 1, "named by its own name"),
    ("a b.md", "x", None, "no plain name"),
    ("-a.md", "x", None, "no plain name"),
    ("_a.md", "x", None, "shared piece"),
    ("a.txt", "x", None, "is no arm"),
]


@pytest.mark.parametrize(("name", "text", "line", "words"), FAULTY, ids=[f"{n}-{w}" for n, _, _, w in FAULTY])
def test_a_faulty_arm_is_told_in_one_line(project, name, text, line, words):
    path = write(project, name, text)
    with pytest.raises(BenchError) as raised:
        load_arm(path)
    assert words in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.problem[1:] == (str(path), line)


def test_an_arm_that_is_no_text_is_told(project):
    path = project.prompts / "a.md"
    path.write_bytes(b"fine\nno\xff\n")
    with pytest.raises(BenchError, match="not UTF-8") as raised:
        load_arm(path)
    assert raised.value.problem.line == 2


def test_arms_are_listed_by_label_without_readme_and_shared_pieces(project):
    for name in ("b.md", "A.md", "_shared.md", "README.md", ".hidden.md", "notes.txt"):
        write(project, name, "x")
    write(project, "c.toml", 'kind = "full"')
    assert [a.label for a in list_arms(project)] == ["A", "b", "c"]


def test_every_faulty_arm_of_a_folder_is_told(project):
    write(project, "a.md", "")
    write(project, "b.md", "x")
    write(project, "c.toml", 'kind = "window"')
    with pytest.raises(Problems) as raised:
        list_arms(project)
    assert len(str(raised.value).splitlines()) == 2


def test_labels_differ_by_more_than_case(project):
    write(project, "Mine.md", "x")
    write(project, "mine.toml", 'kind = "full"')
    with pytest.raises(BenchError, match=re.escape("has the label of Mine.md")):
        find_arm("mine", project, project.root)


def test_arms_of_a_sweep_differ_in_label_too(project, tmp_path):
    inside = load_arm(write(project, "mine.md", "x"))
    outside = tmp_path / "Mine.md"
    outside.write_text("y")
    check_distinct([inside])
    with pytest.raises(BenchError, match=re.escape("has the label of mine.md")):
        check_distinct([inside, load_arm(outside)])


def test_a_link_out_of_the_folder_is_refused(project, tmp_path):
    outside = tmp_path / "secret.md"
    outside.write_text("x")
    (project.prompts / "mine.md").symlink_to(outside)
    with pytest.raises(BenchError, match="leads out of the folder"):
        find_arm("mine", project, project.root)


def test_an_arm_is_found_by_name_or_by_path(project, tmp_path):
    write(project, "mine.md", "in the project")
    base = tmp_path / "sweeps"
    (base / "near").mkdir(parents=True)
    (base / "near" / "mine.md").write_text("beside the sweep")
    assert find_arm("mine", project, base).text == "in the project"
    assert find_arm("near/mine.md", project, base).text == "beside the sweep"
    assert find_arm("./near/mine", project, base).text == "beside the sweep"
    assert find_arm("../prompts/mine", project, base).text == "in the project"


def test_home_is_a_path(project, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(project, "mine.md", "x")
    assert find_arm("~/prompts/mine", project, project.root / "sweeps").text == "x"
    with pytest.raises(BenchError, match="no home folder"):
        find_arm("~nobody-by-this-name/mine", project, project.root)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("inventary", "no arm 'inventary'; did you mean 'Inventory'?"),
        ("zzz", "'bench arms' lists them"),
        ("near/none", "near/none.md: no such file"),
        ("..", "no plain name"),
        ("a b", "no plain name"),
        ("_shared", "no arm '_shared'"),
        ("near/_shared.md", "shared piece"),
    ],
)
def test_an_arm_that_is_not_there_is_told(project, entry, words, monkeypatch):
    monkeypatch.chdir(project.root)
    write(project, "Inventory.md", "x")
    write(project, "_shared.md", "x")
    with pytest.raises(BenchError, match=re.escape(words)):
        find_arm(entry, project, project.root)


def test_a_project_without_prompts_is_told(tmp_path):
    with pytest.raises(BenchError, match="bench init"):
        list_arms(Project(tmp_path))


PROMPTS = ("answer-sheet", "inventory", "nine-sections", "short", "ten-questions", "two-copy")
CONTROLS = (
    "extract-1k", "full", "nothing", "stock", "tail-like-inventory",
    "window-16k", "window-1k", "window-4k", "window-64k",
)  # fmt: skip


ADDED = ("ledger", "ledger-commitments", "everything")
ASSEMBLED = ("inventory-alone", *(f"inventory-{parts}" for parts in ADDED))
"""Arms that send the inventory's text and differ in what stands around the reply."""
AROUND = tuple(f"{text}-{parts}" for text in ("extract-1k", "window-1k") for parts in ADDED)


@pytest.fixture(scope="module")
def shipped():
    return {arm.label: arm for arm in list_arms(shipped_project())}


def test_the_shipped_arms_load(shipped):
    assert sorted(shipped) == sorted(PROMPTS + CONTROLS + ASSEMBLED + AROUND)
    assert [label for label in sorted(shipped) if shipped[label].asks_model] == sorted(PROMPTS + ASSEMBLED)


def test_the_assembled_arms_send_the_same_request_and_add_one_part_at_a_time(shipped):
    inventory = shipped["inventory"]
    for label in ASSEMBLED:
        arm = shipped[label].settings
        assert shipped[label].text == inventory.text
        assert (arm.max_tokens, arm.effort) == (inventory.settings.max_tokens, inventory.settings.effort)
    parts = ["summary", "ledger", "commitments", "state"]
    for base in ("inventory-alone", "extract-1k", "window-1k"):
        family = [base, *(f"{base.removesuffix('-alone')}-{more}" for more in ADDED)]
        settings = [shipped[label].settings for label in family]
        assert [list(s.parts) for s in settings] == [parts[:1], parts[:2], parts[:3], parts]
        assert [s.restore and s.pins for s in settings] == [False, False, False, True]


def paragraph(arm, opening):
    (found,) = [p for p in arm.text.split("\n\n") if p.startswith(opening)]
    return found


def test_every_shipped_prompt_keeps_the_fork_to_one_reply(shipped):
    said = {paragraph(shipped[label], "Give one reply") for label in PROMPTS}
    assert len(said) == 1
    assert re.search(r"no tool call.*Leave the work itself alone", said.pop())


@pytest.mark.parametrize("label", PROMPTS)
def test_every_shipped_prompt_sets_effort_and_forbids_filler_and_invention(shipped, label):
    arm = shipped[label]
    assert arm.settings.effort
    assert re.search(r'[Nn]ever write "various"', arm.text)
    assert '"not established"' in arm.text


@pytest.mark.parametrize("label", ["inventory", "two-copy"])
def test_the_inventories_name_every_tag_of_the_keys_in_order(shipped, label):
    tags = re.findall(r"\[([a-z]+)\]", shipped[label].text)
    assert list(dict.fromkeys(tags)) == list(get_args(Tag))
    assert shipped[label].settings.pins  # an ask is named, not copied: the typed messages must come back


def test_the_readme_of_the_prompts_has_a_line_for_every_arm(shipped):
    readme = (shipped_project().prompts / "README.md").read_text()
    told = re.findall(r"`([a-z0-9-]+)`", "\n".join(line for line in readme.splitlines() if line.startswith("|")))
    full = {f"window{name}" if name.startswith("-") else name for name in told}
    assert set(shipped) <= full


def test_bench_arms_lists_them(capsys):
    assert main(["arms"]) == 0
    out = capsys.readouterr().out
    assert re.search(
        r"^inventory +prompt +pins, max_tokens 32000, effort medium +\d+ +Write a handoff: first", out, re.M
    )
    assert re.search(r"^window-4k +window +window tokens 4000, rule exact +— +—$", out, re.M)


def test_bench_arms_as_json(capsys):
    assert main(["arms", "--json"]) == 0
    rows = {row["arm"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["stock"] == {
        "arm": "stock",
        "kind": "replay",
        "settings": {"kind": "replay", "replay": {"label": "stock"}},
        "tokens": None,
        "first_line": None,
    }
    assert rows["short"]["settings"] == {"max_tokens": 4000, "effort": "medium"}
    assert rows["short"]["first_line"] == "Write a handoff of at most 200 words."


def test_bench_arms_tells_a_fault_and_stops(project, monkeypatch, capsys):
    monkeypatch.chdir(project.root)
    write(project, "a.toml", 'kind = "full"\nhue = "\x1b[31m"\n'.replace("\x1b", "\\u001b"))
    assert main(["arms"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("prompts/a.toml:2: hue: unknown field; known are ") and len(told.splitlines()) == 1
