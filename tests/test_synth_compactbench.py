"""Templates of CompactBench as fixtures: drawn words, distracting turns, and atoms that pass the check."""

import pytest

from bench.checks import check_fixture
from bench.cli import main
from bench.errors import BenchError
from bench.grading.lexical import grade
from bench.keys import Key
from bench.synth.compactbench import case_of

HEAD = """\
template:
  key: {key}
  family: f
  version: 1.0.0
  difficulty_policy: {{distractor_turns: {{easy: 2, hard: 6}}}}
  variables:
    - {{name: who, generator: person_name}}
    - {{name: old, generator: action_phrase}}
    - {{name: new, generator: action_phrase}}
"""
OVERRIDE = (
    HEAD.format(key="override")
    + """\
  transcript:
    turns:
      - {role: user, template: "For {{who}}, let's {{old}}."}
      - {role: assistant, template: "Understood."}
      - {role: user, template: "Scratch that. Instead, let's {{new}}.", tags: [decision_override]}
      - {role: distractor_block, count: "{{difficulty.distractor_turns}}"}
      - {role: user, template: "Remind me what we decided."}
  ground_truth:
    locked_decisions: ["{{new}}"]
    forbidden_behaviors: ["{{old}}"]
    immutable_facts: ["primary_subject: {{who}}", "{{who}} likes {{new}}"]
  evaluation_items: []
"""
)
RULE = (
    HEAD.format(key="rule")
    + """\
  transcript:
    turns:
      - {role: user, template: "With {{who}}: never {{old}}. That is a hard rule."}
  ground_truth: {forbidden_behaviors: ["{{old}}"]}
  evaluation_items: []
"""
)


def template(tmp_path, text):
    path = tmp_path / "template.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("difficulty", "messages"), [("easy", 6), ("hard", 10)])
def test_a_case_has_the_turns_of_its_difficulty_and_the_same_words_for_a_seed(tmp_path, difficulty, messages):
    path = template(tmp_path, OVERRIDE)
    first, again, other = (case_of(path, difficulty=difficulty, seed=s) for s in (1, 1, 2))
    assert len(first.transcript.messages) == messages
    assert first == again != other
    assert not any("{{" in m.text for m in first.transcript.messages)


def test_an_overridden_plan_is_stale_and_what_no_turn_states_is_left_out(tmp_path):
    case = case_of(template(tmp_path, OVERRIDE), difficulty="easy", seed=1)
    decision, person = case.atoms
    assert (decision.tag, decision.at, decision.stale[0].until, person.tag) == ("decision", (2,), 2, "identifier")
    assert case.left_out == ("{{who}} likes {{new}}",)
    old = case.transcript.messages[0].text
    assert grade(old, Key(version=1, atoms=(decision,)))[0][0].verdict == "stale"


def test_a_rule_is_carried_with_its_denial_only(tmp_path):
    [rule] = case_of(template(tmp_path, RULE), difficulty="easy", seed=1).atoms
    words = case_of(template(tmp_path, RULE), difficulty="easy", seed=1).transcript.messages[0].text
    action = words.split("never ")[1].split(".")[0]
    key = Key(version=1, atoms=(rule,))
    verdicts = [
        grade(t.format(action), key)[0][0].verdict for t in ("The rule: never {}.", "We should not {}.", "We {}.")
    ]
    assert (rule.tag, verdicts) == ("constraint", ["carried", "carried", "absent"])


@pytest.mark.parametrize("text", [OVERRIDE, RULE])
def test_the_command_makes_a_fixture_that_passes_the_check(tmp_path, capsys, text):
    path = template(tmp_path, text)
    words = [
        "fixtures",
        "compactbench",
        str(path),
        "--difficulty",
        "easy",
        "--seed",
        "3",
        "--to",
        str(tmp_path),
        "--name",
        "x",
    ]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("made ")
    assert check_fixture(tmp_path / "x") == []
    assert main(words) == 2


@pytest.mark.parametrize(
    ("text", "difficulty", "told"),
    [
        (OVERRIDE, "elite", "has no difficulty 'elite'"),
        (OVERRIDE.replace("person_name", "nope"), "easy", "generator 'nope' is not known"),
        (OVERRIDE.replace("For {{who}}", "For {{whom}}"), "easy", "placeholder 'whom' is no variable"),
        ("template: 3\n", "easy", "template.yaml:1"),
    ],
)
def test_what_is_no_template_is_told(tmp_path, text, difficulty, told):
    with pytest.raises(BenchError) as error:
        case_of(template(tmp_path, text), difficulty=difficulty, seed=1)
    assert told in str(error.value)
