"""A first key from structure: what is found, what is left alone, and that every atom's own source carries it."""

import json
from pathlib import Path

import pytest
from claude_sessions import answer, result, user, written

from bench.drafting import draft
from bench.drafting.patterns import bounded, quoted, stem_pattern
from bench.drafting.words import sentences
from bench.grading.lexical import grade
from bench.keys import Atom, Key, read_key
from bench.keywriting import to_yaml
from bench.transcripts import read, read_all
from bench.transcripts.model import Transcript
from bench.transcripts.view import seen_at


def call(id_: str, name: str, **arguments: object) -> dict[str, object]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def failed(uuid: str, parent: str, id_: str, text: str) -> dict[str, object]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": True}])


REFUSAL = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
SESSION = [
    user("u1", None, "Add a token bucket limiter to the gateway. Never use Redis in this service."),
    answer("a1", "u1", "I will write TokenBucket in limiter.py with a refill of 2,500 tokens.",
           call("t1", "Write", file_path="/home/someone/gateway/limiter.py", content="x"), id="m1"),
    result("r1", "a1", "t1"),
    answer("a2", "r1", call("t2", "Bash", command="cd /home/someone && pytest tests/gateway 2>&1 | tail"), id="m2"),
    failed("r2", "a2", "t2", "collected 3\nE   AttributeError: TokenBucket has no attribute drain_rate\n1 failed"),
    answer("a3", "r2", "TokenBucket lacks drain_rate.",
           call("t3", "Edit", file_path="/home/someone/gateway/limiter.py", old_string="a"), id="m3"),
    failed("r3", "a3", "t3", REFUSAL + "Keep the bucket immutable, no drain_rate setter."),
    answer("a4", "r3", call("t4", "Bash", command="pytest tests/gateway"),
           call("t5", "Bash", command="git status && ls -la"), id="m4"),
    result("r4", "a4", "t4", "3 passed"),
    user("u2", "r4", "that is wrong, the refill rate should be 4,000 tokens per second"),
    answer("a5", "u2", "Set the refill to 4,000 tokens; TokenBucket documents it.",
           call("t6", "TodoWrite", todos=[
               {"content": "Wire the limiter into the router", "status": "pending"},
               {"content": "Write TokenBucket", "status": "completed"},
           ]), id="m5"),
    result("r5", "a5", "t6"),
    answer("a6", "r5", "The 4,000 tokens limit is in place.", id="m6"),
    user("u3", "a6", "<local-command-stdout>You must never see this ok</local-command-stdout>"),
    user("u4", "u3", "now document the burst behaviour in the operations handbook please"),
]  # fmt: skip


@pytest.fixture
def transcript(tmp_path) -> Transcript:
    return read(written(tmp_path, *SESSION))


def of_tag(transcript: Transcript, tag: str) -> list[Atom]:
    return [a for a in draft(transcript) if a.tag == tag]


@pytest.mark.parametrize(
    ("tag", "words", "by", "at", "importance"),
    [
        ("constraint", "Never use Redis", "user", (0,), "vital"),
        ("constraint", "Keep the bucket immutable", "user", (6,), "vital"),
        ("correction", "that is wrong, the refill rate", "user", (9,), "vital"),
        ("ask", "The last request, open at the end", "user", (14,), "vital"),
        ("ask", "Add a token bucket limiter", "user", (0,), "okay"),
        ("file", "limiter.py was written once (Write)", "assistant", (1,), "okay"),
        ("command", 'was run 2 times; it ended with "3 passed"', "assistant", (7, 8), "okay"),
        ("error", "AttributeError: TokenBucket has no attribute drain_rate", "tool", (4,), "okay"),
        ("pending", "Still to do: Wire the limiter into the router", "assistant", (10,), "vital"),
        ("identifier", "TokenBucket documents it", "assistant", (10,), "okay"),
        ("number", "4,000 tokens", "assistant", (12,), "okay"),
    ],
)
def test_what_structure_tells_is_drafted(transcript, tag, words, by, at, importance):
    found = [(a.by, a.at, a.importance) for a in of_tag(transcript, tag) if words in a.text]
    assert found == [(by, at, importance)]


@pytest.mark.parametrize(
    "words", ["must never see", "git status", "ls -la", "Write TokenBucket", "/home/someone", "has not been read"]
)
def test_what_nobody_typed_what_is_trivial_and_what_is_done_is_left_alone(transcript, words):
    assert [a.text for a in draft(transcript) if words in a.text] == []


def test_ids_are_unique_statuses_drafted_and_no_atom_asks_the_same_twice(transcript):
    atoms = draft(transcript)
    assert [a.id for a in atoms] == [f"a{n:03}" for n in range(1, len(atoms) + 1)]
    assert {a.status for a in atoms} == {"drafted"}
    assert len({a.accept for a in atoms}) == len(atoms)


def test_a_rule_is_not_carried_by_its_opposite(transcript):
    [rule] = [a for a in of_tag(transcript, "constraint") if "Redis" in a.text]

    def verdict(text: str) -> object:
        return grade(text, Key(version=1, atoms=(rule,)))[0][0].verdict

    assert verdict("The user ruled out Redis.") == "carried"
    assert verdict("Redis must not be used in this service.") == "carried"
    assert verdict("Redis is used in this service.") == "absent"


def held_to_the_rules_of_a_key(transcript: Transcript) -> tuple[Atom, ...]:
    """The atoms, after the rules that `bench check` holds a key to: answerable from `at`, and carried by the whole."""
    atoms = draft(transcript)
    for atom in atoms:
        assert atom.at and all(0 <= i < len(transcript.messages) for i in atom.at)
        source = "\n".join(transcript.messages[i].text for i in atom.at)
        assert grade(source, Key(version=1, atoms=(atom,)))[0][0].verdict == "carried", atom
        assert atom.text.isprintable()
    whole = "\n\n".join(m.text for m in transcript.messages)
    assert {f.verdict for f in grade(whole, Key(version=1, atoms=atoms))[0]} <= {"carried"}
    return atoms


def test_every_atom_is_carried_by_its_own_source_and_by_the_whole(transcript):
    assert len(held_to_the_rules_of_a_key(transcript)) >= 11


def test_a_key_goes_to_yaml_and_comes_back(transcript, tmp_path):
    key = Key(version=1, atoms=draft(transcript))
    (tmp_path / "key.yaml").write_text(to_yaml(key), encoding="utf-8")
    assert read_key(tmp_path / "key.yaml")[0] == key


def test_a_session_of_nothing_drafts_nothing(tmp_path):
    assert draft(read(written(tmp_path, user("u1", None, "ok"), answer("a1", "u1", "yes", id="m1")))) == ()


def test_arguments_that_are_no_object_are_no_matter(tmp_path):
    odd = {"type": "tool_use", "id": "t1", "name": "Write", "input": [1]}
    assert draft(read(written(tmp_path, user("u1", None, "ok"), answer("a1", "u1", odd, id="m1")))) == ()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use it. Then stop!", ["Use it.", "Then stop!"]),
        ("- **one** thing\n2. `two`", ["one thing", "two"]),
        ("see\n```\nnot this.\n```\nthat", ["see", "that"]),
        ("| a | b |\nx" + "y" * 300, []),
        ("a \x1b[31mred\x1b[0m\x07word", ["a red word"]),
    ],
)
def test_sentences_are_statements_without_markup_and_code(text, found):
    assert list(sentences(text)) == found


@pytest.mark.parametrize(
    ("make", "text", "pattern"),
    [
        (quoted, "a.b (c)  D", r"a\.b \(c\) d"),
        (bounded, "limiter.py", r"\blimiter\.py"),
        (bounded, ".gitignore", r"\.gitignore"),
        (bounded, "머지", "머지"),  # RE2's \b knows ASCII only
        (stem_pattern, "testing", r"\btest"),
        (stem_pattern, "uses", r"\buses"),  # a stem of two letters would match anything
        (stem_pattern, "drain_rates", r"\bdrain_rates"),
        (stem_pattern, "age", r"\bages?\b"),  # and not the beginning of "agent"
    ],
)
def test_patterns_are_escaped_and_bounded(make, text, pattern):
    assert make(text) == pattern


@pytest.mark.shared
def test_real_sessions_draft_keys_that_hold(shared: Path):
    for file in sorted((shared / "transcripts" / "claude-code").iterdir()):
        for t in (t for t in read_all(file) if t.messages):
            held_to_the_rules_of_a_key(t)


@pytest.mark.shared
def test_a_real_compaction_drafts_at_least_twenty_atoms_of_seven_kinds(shared: Path):
    t = seen_at(read(shared / "transcripts" / "claude-code" / "cc-three-compactions.jsonl"), 2)
    atoms = draft(t)
    assert len(atoms) >= 20
    assert len({a.tag for a in atoms}) >= 7
    assert json.loads(json.dumps([a.at for a in atoms])) == sorted([list(a.at) for a in atoms])
