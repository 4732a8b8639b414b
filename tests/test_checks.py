"""`bench check`: one table of broken fixtures, each with the line that a person reads."""

import re

import pytest
from fixture_files import ABOUT_YAML, KEY_YAML, write_fixture, write_project

from bench.checks import check_fixture, check_paths, check_project, stamp
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.project import Project

COLUMNS = ["name", "title", "language", "split", "messages", "tokens", "atoms", "vital", "stale", "wrong", "never"]


@pytest.fixture
def root(tmp_path, monkeypatch):
    root = write_project(tmp_path / "project")
    monkeypatch.chdir(root)
    return root


def findings(folder):
    return [str(p) for p in check_fixture(folder)]


def changed(old, new, count=1):
    assert old in KEY_YAML
    return KEY_YAML.replace(old, new, count)


HERE = "fixtures/small/key.yaml"

KEY_FAULTS = [
    # duplicates, also between atoms and nevers
    (changed("id: a2", "id: a1"), f"{HERE}:15: atom a1: this id stands at line 3 already; give it one of its own"),
    (changed("id: n1", "id: a3"), f"{HERE}:30: never a3: this id stands at line 22 already; give it one of its own"),
    (changed("id: a2", "id: 'a 2'"), f"{HERE}:15: atom a 2: an id is letters, digits, dot, dash and underscore"),
    # the schema, part by part
    (
        changed("tag: number", "tag: figure"),
        f"{HERE}:16: atom a2: tag: invalid enum value 'figure'; it is one of ask, ",
    ),
    (changed("by: tool", "by: robot"), f"{HERE}:19: atom a2: by: invalid enum value 'robot'"),
    (changed("    by: tool\n", ""), f"{HERE}:15: atom a2: object missing required field `by`"),
    (changed("text: MAX_RETRIES is 5.", "txt: x"), f"{HERE}:17: atom a2: txt: unknown field; did you mean 'text'?"),
    (changed("  - id: a2\n    tag", "  - tag"), f"{HERE}:15: atoms[1]: object missing required field `id`"),
    (changed("version: 1", "version: 2"), f"{HERE}:1: version 2 is not known; this bench reads version 1"),
    ("version: 1\natoms: []\n", f"{HERE}:2: the key has no atoms, so nothing can be graded"),
    ("version: 1\n", f"{HERE}:1: object missing required field `atoms`"),
    ("version: [\n", f"{HERE}:2: not valid YAML"),
    # what an atom says
    (changed("text: MAX_RETRIES is 5.", "text: '  '"), f"{HERE}:17: atom a2: text says nothing"),
    (changed("at: [2]", "at: [2]\n    weight: 0"), f"{HERE}:21: atom a2: weight is a number above 0"),
    (changed("at: [2]", "at: [2]\n    weight: .nan"), f"{HERE}:21: atom a2: weight is a number above 0"),
    # where it is established
    (changed("at: [2]", "at: [2, 6]"), f"{HERE}:20: atom a2: at[1] is 6, but the transcript's messages are 0 to 5"),
    (changed("at: [2]", "at: [-1]"), f"{HERE}:20: atom a2: at[0] is -1, but the transcript's messages are 0 to 5"),
    (changed("at: [2]", "at: []"), f"{HERE}:20: atom a2: at is empty; name the messages that establish it"),
    (changed("until: 4", "until: 6"), f"{HERE}:13: atom a1: stale[0].until is 6; name the message that changed the "),
    (changed("until: 4", "until: 0"), f"{HERE}:13: atom a1: stale[0].until is 0; name the message that changed the "),
    # patterns that cannot be used, wherever they stand
    (changed("'reject'", "'(reject'"), f"{HERE}:11: atom a1: accept.any[1] does not compile: missing ): (reject; "),
    (changed("'reject'", '"\\breject"'), f"{HERE}:11: atom a1: accept.any[1] holds a control character; write it in "),
    (changed("'reject'", "'(reject)?'"), f"{HERE}:11: atom a1: accept.any[1] matches the empty string"),
    (changed("all: ['redis']", "all: ['(?!x)']"), f"{HERE}:10: atom a1: accept.all[0] does not compile: invalid perl"),
    (changed("wrong: ['redis", "wrong: ['*redis"), f"{HERE}:14: atom a1: wrong[0] does not compile"),
    (changed("match: 'use redis", "match: '(use redis"), f"{HERE}:13: atom a1: stale[0] does not compile"),
    (changed("'k8s'", "'k8s*|'"), f"{HERE}:30: never n1: match[1] matches the empty string"),
    # accept against the messages that it names
    (
        changed("all: ['redis']", "all: ['memcached']"),
        f"{HERE}:10: atom a1: accept.all[0] matches nothing at message 4",
    ),
    (
        changed("any: ['rule[sd]? out', 'reject']", "any: ['vetoed']"),
        f"{HERE}:11: atom a1: accept.any[0] matches nothing at message 4; quote the transcript or fix 'at'",
    ),
    (
        changed("any: ['rule[sd]? out', 'reject']", "any: ['vetoed', 'reject']"),
        f"{HERE}:11: atom a1: accept.any[0], accept.any[1] match nothing at message 4; quote the",
    ),
    (
        changed("at: [4]", "at: [0, 2]"),
        f"{HERE}:11: atom a1: accept.any[0], accept.any[1] match nothing at messages 0, 2",
    ),
    (
        changed("'max_retries', '\\b5\\b'", "'postgres'")
        .replace("at: [2]", "at: [5]")
        .replace("'bucket'", "'no redis'"),
        f"{HERE}:28: atom a3: accept.all[1] matches nothing at message 5",
    ),
    (
        changed("any: ['rule[sd]? out', 'reject']", "any: ['^redis$', 'redis, we']").replace("ruled out", "x"),
        f"{HERE}:11: atom a1: accept.any[0] matches nothing at message 4",
    ),
    # an older value or a contradiction that a right text would state
    (
        changed("wrong: ['redis (is|was) chosen']", "wrong: ['ruled out redis']"),
        f"{HERE}:14: atom a1: wrong[0] matches the atom's own text; a text that is right would be graded wrong",
    ),
    (
        changed("match: 'use redis for the", "match: 'redis for the"),
        f"{HERE}:13: atom a1: stale[0] matches the atom's own text; a text that is right would be graded stale",
    ),
    # never said, but there it stands
    (
        changed("'k8s'", "'max_retries'"),
        f"{HERE}:30: never n1: match[1] occurs at message 2: “export const MAX_RETRIES = 5”; it was said",
    ),
    (changed("['kubernetes', 'k8s']", "[]"), f"{HERE}:30: never n1: match is empty; it would never be found"),
]


@pytest.mark.parametrize(("key", "told"), KEY_FAULTS)
def test_a_fault_of_the_key_is_told_with_its_line(root, key, told):
    found = findings(write_fixture(root / "fixtures" / "small", key=key))
    assert any(told in line for line in found), found
    assert all(re.match(r"fixtures/small/\S+:\d+: ", line) for line in found)


def test_a_sound_fixture_has_no_findings(root):
    assert findings(root / "fixtures" / "small") == []


def test_all_findings_come_at_once_in_the_order_of_their_lines(root):
    key = changed("id: a2", "id: a1").replace("tag: promise", "tag: vow").replace("'reject'", "'(reject'")
    folder = write_fixture(root / "fixtures" / "small", key=key, about="version: 1\n")
    lines = findings(folder)
    assert [line.split(": ")[0] for line in lines] == [
        "fixtures/small/fixture.yaml:1",
        "fixtures/small/key.yaml:11",
        "fixtures/small/key.yaml:15",
        "fixtures/small/key.yaml:23",
    ]


def messages(*texts):
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


ONE = """\
version: 1
atoms:
  - {id: a1, tag: ask, text: The user wants a cache with a limit of 30 s., importance: vital, by: user, at: [0], ACCEPT}
"""


@pytest.mark.parametrize(
    ("said", "accept", "told"),
    [
        ("We do not want a cache.", "accept: {all: ['want a cache']}", "accept.all[0] stands only under a negation"),
        ("A cache.\n" + "words " * 90 + "\nWe want it.", "accept: {all: ['cache', 'want']}", "not inside one passage"),
        # without patterns the scored matcher must find the atom's words
        ("A cache, please.", "weight: 1", "arm 'full') grades absent, not carried; its words are not found in one"),
        ("I want a cache with a limit of 30 s.", "weight: 1", None),
    ],
)  # fmt: skip
def test_a_key_is_answerable_from_its_transcript(root, said, accept, told):
    key = ONE.replace("ACCEPT", accept)
    found = findings(write_fixture(root / "fixtures" / "small", key=key, messages=messages(said, "Fine.")))
    assert len(found) == (told is not None)
    assert told is None or told in found[0]


def test_never_is_not_found_under_a_negation(root):
    said = messages("We will not use Kubernetes. Kubernetes is not an option.", "I want a cache with a limit of 30 s.")
    key = ONE.replace("ACCEPT", "weight: 1").replace("at: [0]", "at: [1]")
    key += "never:\n  - {id: n1, text: It runs on Kubernetes., match: ['kubernetes']}\n"
    assert findings(write_fixture(root / "fixtures" / "small", key=key, messages=said)) == []


def test_a_stale_stamp_names_the_right_values(root):
    folder = write_fixture(root / "fixtures" / "small")
    right = load_fixture(folder)
    (folder / "fixture.yaml").write_text(ABOUT_YAML.format(tokens=1, sha256="0" * 64))
    tokens, sha = right.transcript.tokens, right.transcript_sha256
    assert findings(folder) == [
        f"fixtures/small/fixture.yaml:8: tokens is out of date; write tokens: {tokens}, or run bench check --stamp",
        f'fixtures/small/fixture.yaml:9: sha256 is out of date; write sha256: "{sha}", or run bench check --stamp',
    ]


def test_a_damaged_line_is_named_and_never_stamped(root):
    folder = write_fixture(root / "fixtures" / "small")
    path = folder / "transcript.jsonl"
    path.write_text(path.read_text()[:-20] + "\n")
    found = findings(folder)
    assert found[0].startswith("fixtures/small/fixture.yaml") and any(
        one.startswith("fixtures/small/transcript.jsonl:6: ") and one.endswith("import the session again")
        for one in found
    )
    before = (folder / "fixture.yaml").read_bytes()
    with pytest.raises(BenchError, match=r"transcript\.jsonl:6: .* import the session again"):
        stamp(folder)
    assert (folder / "fixture.yaml").read_bytes() == before


def test_the_stamp_writes_both_and_keeps_the_rest(root):
    folder = write_fixture(root / "fixtures" / "small")
    right = (folder / "fixture.yaml").read_text()
    assert "# as checked" in right
    assert stamp(folder) is False
    for wrong in (
        ABOUT_YAML.format(tokens=1, sha256="x"),
        right.replace("sha256: ", "sha256:    "),
        ABOUT_YAML.format(tokens="", sha256="x").replace("tokens: ", "tokens:").replace('sha256: "x"', "sha256:"),
    ):
        (folder / "fixture.yaml").write_text(wrong)
        assert stamp(folder) is True
        assert (folder / "fixture.yaml").read_text() == right
    (folder / "fixture.yaml").write_text(right[: right.index("tokens:")])
    assert stamp(folder) and findings(folder) == []


SWEEP = 'fixtures = ["small"]\narms = ["short"]\nmodels = ["local"]\n'
JUDGE = "[[graders]]\nkind = 'judge'\nmodel = '{}'\n"


@pytest.mark.parametrize(
    ("sweep", "told"),
    [
        (SWEEP + "replicates = 0\n", "sweeps/s.toml:4: replicates = 0; 1 to 50 are possible"),
        (SWEEP + "replicates = 51\n", "sweeps/s.toml:4: replicates = 51; 1 to 50 are possible"),
        (SWEEP + "concurrency = 0\n", "sweeps/s.toml:4: concurrency = 0; it must be above 0"),
        (SWEEP + "budget_usd = -1.0\n", "sweeps/s.toml:4: budget_usd = -1.0; it must not be below 0"),
        (
            SWEEP + 'carry = {turns = 40, model = "claude-sonet-5-5"}\n',
            "sweeps/s.toml:4: carry.model: no price is known for 'claude-sonet-5-5', so carry_usd stays empty; did you"
            " mean 'claude-sonnet-5-5'?",
        ),
        (
            SWEEP + "chain = 9\n",
            "sweeps/s.toml:4: fixture 'small': the conversation cannot be cut for a chain of 9; at most chain = 5 is"
            " possible",
        ),
        (SWEEP + "chain = 0\n", "sweeps/s.toml:4: chain = 0; 1 to 20 compactions in a row are possible"),
        (SWEEP + "stale_by = [0, -1]\n", "sweeps/s.toml:4: stale_by must list different numbers from 0 on"),
        (SWEEP + "carry = {turns = 0, model = 'local'}\n", "sweeps/s.toml:4: carry.turns = 0; it must be 1 or more"),
        (SWEEP + "colour = 1\n", "sweeps/s.toml:4: colour: unknown field"),
        (SWEEP + "[[graders]]\nkind = 'judge'\n", "sweeps/s.toml:5: a judge is a model; name it with model = "),
        (SWEEP + JUDGE.format("local") + "passes = 0\n", "sweeps/s.toml:7: passes = 0; 1 to 20 are possible"),
        (SWEEP + JUDGE.format("gpt"), "sweeps/s.toml:6: model 'gpt' is none of the forms"),
        (SWEEP + 2 * JUDGE.format("local"), "names the grader judge local with scope handoff twice"),
        (SWEEP + "[[graders]]\nkind = 'lexical'\npasses = 2\n", "passes = 2; the lexical grader is deterministic"),
        (SWEEP.replace('["small"]', "[]"), "sweeps/s.toml:1: names no fixtures"),
        (SWEEP.replace('["small"]', '["smal"]'), "no fixture 'smal'; did you mean 'small'?"),
        (SWEEP.replace('["short"]', '["shirt"]'), "no arm 'shirt'; did you mean 'short'?"),
        (SWEEP.replace('["short"]', '["short", "short"]'), "sweeps/s.toml:2: names 'short' twice in arms"),
        (SWEEP.replace('["local"]', "[]"), "the arm 'short' asks a model, and the sweep names none"),
        (SWEEP.replace('["local"]', '["gpt"]'), "sweeps/s.toml:3: "),
        (SWEEP.replace('["short"]', '["tail-like-x"]'), "takes its size from 'x', which the sweep does not name"),
    ],
)
def test_a_fault_of_a_sweep_is_told(root, sweep, told):
    (root / "prompts" / "tail-like-x.toml").write_text('kind = "tail"\ntail = {like = "x"}\n')
    (root / "sweeps" / "s.toml").write_text(sweep)
    found = [str(p) for p in check_paths([root / "sweeps" / "s.toml"]).problems]
    assert len(found) == 1 and told in found[0]


def test_a_project_is_checked_whole(root):
    (root / "sweeps" / "s.toml").write_text(SWEEP)
    assert str(check_project(Project(root))) == "1 fixture, 1 arm, 1 sweep: no findings"
    (root / "prompts" / "empty.md").write_text("")
    (root / "fixtures" / "void").mkdir()
    report = check_project(Project(root))
    assert [str(p) for p in report.problems] == [
        "fixtures/void: is no fixture; a fixture is a folder with fixture.yaml, transcript.jsonl and key.yaml",
        "prompts/empty.md:1: the prompt is empty; write the instruction below the front matter",
    ]


def test_one_clash_of_labels_is_told_once(root, capsys):
    (root / "prompts/Short.md").write_text("Shorter.")
    (root / "prompts/short.md").write_text("Short.")
    (root / "sweeps/two.toml").write_text('fixtures = ["small"]\narms = ["short", "inventory"]\nmodels = ["local"]\n')
    assert main(["check"]) == 2
    told = "prompts/short.md: has the label of Short.md; labels differ by more than case: rename one of them"
    assert capsys.readouterr().err.count(told) == 1
    assert main(["check", "sweeps/two.toml"]) == 2  # alone, it says what keeps it from running, once
    assert capsys.readouterr().err.count(told) == 1


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("fixtures/small", (1, 0, 0)), ("fixtures/small/key.yaml", (1, 0, 0)), ("fixtures", (1, 0, 0)),
        ("prompts/short.md", (0, 1, 0)), ("sweeps/s.toml", (0, 0, 1)), (".", (1, 1, 1)),
    ],
)  # fmt: skip
def test_a_path_is_taken_for_what_it_is(root, path, counts):
    (root / "sweeps" / "s.toml").write_text(SWEEP)
    report = check_paths([root / path])
    assert (report.fixtures, report.arms, report.sweeps) == counts
    assert report.problems == []


def test_the_command_prints_findings_on_stderr_and_exits_2(root, capsys):
    assert main(["check"]) == 0
    assert capsys.readouterr().out == "1 fixture, 1 arm, 0 sweeps: no findings\n"
    write_fixture(root / "fixtures" / "small", key=changed("tag: number", "tag: figure"))
    assert main(["check", "fixtures/small"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and err.startswith("fixtures/small/key.yaml:16: atom a2: tag: ")
    assert main(["check", "--json"]) == 2
    assert '"path": "fixtures/small/key.yaml"' in capsys.readouterr().out


def test_hostile_words_reach_the_terminal_as_escapes(root, capsys):
    key = ONE.replace("ACCEPT", "weight: 1") + "never:\n  - {id: n1, text: A cache., match: ['cache']}\n"
    write_fixture(root / "fixtures" / "small", key=key, messages=messages("a cache\x1b[2J\x07 of limit 30", "ok"))
    main(["check"])
    err = capsys.readouterr().err
    assert "\x1b" not in err and "\\x1b[2J" in err


def test_fixtures_are_listed(root, capsys):
    assert main(["fixtures"]) == 0
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == COLUMNS
    tokens = str(load_fixture(root / "fixtures" / "small").transcript.tokens)
    assert line.split() == ["small", "A", "rate", "limiter", "en", "dev", "6", tokens, "3", "1", "1", "1", "1"]
    assert main(["fixtures", "--json"]) == 0
    assert '"never": 1' in capsys.readouterr().out
