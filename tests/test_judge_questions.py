"""What a judge is asked, in which order, between which fences; and what of its answer counts."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.grading.judge.answers import Answers, Said, outcome_of, read_answers
from bench.grading.judge.hints import in_words
from bench.grading.judge.questions import MOST_ITEMS, SECOND_LOOKS, Sheet, chunked, fence
from bench.grading.judge.quotes import verbatim
from bench.grading.judge.subjects import judge_sha256
from bench.grading.judge.wording import SCHEMA
from bench.keys import Atom, Key, Never, Stale
from bench.models.protocol import Reply
from bench.transcripts.model import Usage


def key(atoms=3, nevers=2):
    return Key(
        version=1,
        atoms=tuple(
            Atom(id=f"a{i}", tag="ask", text=f"Statement {i}.", importance="okay", by="user", at=(0,))
            for i in range(atoms)
        ),
        never=tuple(Never(f"n{i}", f"Invention {i}.", ("x",)) for i in range(nevers)),
    )


def sheet(text="A handoff.", of=None, seed=7, cell="c1", number=1):
    return Sheet(text, of or key(), seed=seed, cell_key=cell, grading_pass=number)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("use redis for the rate limiter", "use redis for the rate limiter"),
        ("redis (is|was) (chosen|added)", "redis is chosen"),  # the first alternative
        ("rule[sd]? out", "rule out"),  # what is optional is left out
        ("node (version )?18", "node 18"),
        (r"\bmax_retries\b.{0,20}\b5\b", "max_retries … 5"),  # what is open is a gap
        (r"a\.b", "a.b"),
        ("time.?zones", "time zones"),
        (r"(remov|lift)\w* the marker", "remov the marker"),
        ("(|now )pushed", "now pushed"),
        ("[- ]x", "-x"),
        ("foo|bar", "foo"),
        (r"\d+", None),  # nothing can be told
        (".*", None),
    ],
)
def test_a_pattern_is_told_in_words(pattern, words):
    assert in_words(pattern) == words


@pytest.mark.parametrize(
    ("quote", "passage"),
    [
        ("ruled out Redis", "ruled out Redis"),
        ("  ruled out Redis ", "ruled out Redis"),
        ("they ruled out", "they\n  ruled out"),  # alike but for white space: as the text has it
        ("ruled  out\nRedis", "ruled out Redis"),
        ("Ruled out redis", None),
        ("ruled out MySQL", None),
        ("", None),
        ("…", None),  # says nothing
        (".*", None),
    ],
)
def test_a_quote_is_found_word_for_word_or_not_at_all(quote, passage):
    assert verbatim(quote, "Then they\n  ruled out Redis. …") == passage


ONE = {"item": 1, "verdict": "carried", "evidence": "x"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps({"answers": [ONE], "inventions": []}), {1: "carried"}),
        ('Sure:\n```json\n{"answers": [{"item": "2", "verdict": "absent"}]}\n```', {2: "absent"}),
        (json.dumps({"answers": [ONE, {**ONE, "item": 9}, {**ONE, "item": 2, "verdict": "good"}]}), {1: "carried"}),
        (json.dumps({"answers": [ONE, ONE]}), {1: "carried"}),
        (json.dumps({"answers": [ONE, {**ONE, "verdict": "absent"}, {**ONE, "item": 2}]}), {2: "carried"}),  # unsure
        (json.dumps({"answers": [7, None, ONE]}), {1: "carried"}),
        (json.dumps({"answers": []}), None),  # two were asked
        (json.dumps({"answers": [{**ONE, "item": True}]}), None),
        (json.dumps([ONE]), None),
        ('{"answers": [', None),
        ("I will not.", None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_what_of_an_answer_counts(text, found):
    answers = read_answers(text, 2)
    assert (None if answers is None else {i: said.verdict for i, said in answers.by_item.items()}) == found


def test_inventions_need_a_statement_and_a_quote():
    listed = [
        {"statement": " It runs. ", "evidence": "runs"},
        {"statement": "", "evidence": "x"},
        {"statement": "y"},
        3,
    ]
    assert read_answers(json.dumps({"answers": [], "inventions": listed}), 0) == Answers({}, (("It runs.", "runs"),))
    assert read_answers(json.dumps({"answers": [ONE], "inventions": None}), 1) == Answers({1: Said("carried", "x")})


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=40) | st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists).map(json.dumps))
def test_no_answer_breaks_the_reader(text):
    for whole in (text, f'{{"answers": {text}}}', f'{{"answers": [{text}], "inventions": [{text}]}}'):
        read_answers(whole, 3)


GOOD = json.dumps({"answers": [ONE], "inventions": []})


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ({"text": GOOD}, "graded"),
        ({"text": GOOD, "stop_reason": "refusal"}, "refused"),
        ({"text": GOOD, "stop_reason": "max_tokens"}, "truncated"),  # a whole answer has room to spare
        ({"text": GOOD, "stop_reason": None}, "truncated"),
        ({"text": "", "tool_calls": 1, "stop_reason": "tool_use"}, "refused"),
        ({"text": "no"}, "malformed"),
        ({"text": GOOD, "usage": Usage(input=499, output=1)}, "mismatch"),  # of 1000 tokens it did not read half
        ({"text": GOOD, "usage": Usage(input=100, cache_read=400, output=1)}, "graded"),
    ],
)
def test_what_comes_of_a_reply(reply, outcome):
    usual = {"stop_reason": "end_turn", "usage": None}
    assert outcome_of(Reply(**(usual | reply)), 1, 1000) == outcome


@pytest.mark.parametrize(("items", "sizes"), [(0, []), (1, [1]), (40, [40]), (41, [21, 20]), (82, [28, 28, 26])])
def test_a_question_holds_at_most_40_statements_evenly(items, sizes):
    groups = chunked(range(items))
    assert [len(g) for g in groups] == sizes
    assert [i for g in groups for i in g] == list(range(items))
    assert max([0, *sizes]) <= MOST_ITEMS


def test_every_atom_is_asked_once_and_inventions_apart():
    questions = sheet(of=key(82, 5)).questions()
    assert [q.name for q in questions] == ["a1", "a2", "a3", "n1"]
    asked = [i for q in questions[:3] for i in q.ids]
    assert sorted(asked) == sorted(f"a{i}" for i in range(82)) and asked != [f"a{i}" for i in range(82)]
    assert sorted(questions[3].ids) == [f"n{i}" for i in range(5)]
    assert "Invention" not in "".join(q.instruction for q in questions[:3])
    # a key without inventions of its own is asked for free ones all the same
    (free,) = [q for q in sheet(of=key(2, 0)).questions() if not q.of_atoms]
    assert free.ids == () and "List under `inventions` what the handoff" in free.instruction


def test_an_order_is_the_passes_own_and_can_be_made_again():
    def order(**which):
        return [i for q in sheet(of=key(50, 0), **which).questions() for i in q.ids]

    assert order() == order()
    assert len({tuple(order(seed=s, cell=c, number=n)) for s in (7, 8) for c in ("c1", "c2") for n in (1, 2)}) == 8


def test_the_output_stands_first_and_is_the_same_prefix_in_every_question_of_every_pass():
    prefixes = {sheet(number=n).context.body for n in (1, 2, 3)}
    assert len(prefixes) == 1
    body = json.loads(prefixes.pop())
    (message,) = body["messages"]
    (block,) = message["content"]
    assert "A handoff." in block["text"] and block["cache_control"] == {"type": "ephemeral"}
    assert sheet(cell="c2").context.body != sheet().context.body


def codes(text):
    return set(re.findall(r"[0-9a-f]{24}", text))


def test_every_question_has_fences_of_its_own_that_can_be_made_again():
    every = [codes(q.instruction) for n in (1, 2) for q in sheet(of=key(50), number=n).questions()]
    assert len(set.union(*every)) == sum(map(len, every)) == 2 * (1 + 1 + 2)  # a1, a2, and n1 with its facts
    assert every[0] == codes(sheet(of=key(50)).questions()[0].instruction)
    assert codes(sheet().context.body.decode()) == {fence("A handoff.", 7, "c1")}


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 5))
def test_no_fence_stands_in_what_it_fences(times):
    text = "A handoff."
    for _ in range(times):  # a text that holds the very code that would be drawn for it
        text += fence(text, 7, "c1") + fence("A handoff.", 7, "c1")
    assert fence(text, 7, "c1") not in text


def test_a_statement_comes_with_what_makes_it_stale_or_wrong():
    atom = Atom(
        id="a", tag="number", text="The limit\nis 5.", importance="okay", by="user", at=(0,),
        stale=(Stale("limit (is|was) 3", 2),), wrong=("limit is 7", r"\d+"),
    )  # fmt: skip
    (question, _) = sheet(of=Key(version=1, atoms=(atom,))).questions()
    assert (
        "\n1. The limit is 5.\n   stale: such as “limit is 3”\n   wrong: such as “limit is 7”\n" in question.instruction
    )


@pytest.mark.parametrize(("ids", "sizes"), [(1, [1]), (SECOND_LOOKS, [1] * 4), (5, [2, 2, 1]), (40, [10] * 4), (0, [])])
def test_second_looks_are_alone_and_never_more_than_four(ids, sizes):
    of = sheet(of=key(40, 0))
    first = of.questions()[0]
    looks = of.second_looks(first, first.ids[:ids])
    assert [len(q.ids) for q in looks] == sizes
    assert [i for q in looks for i in q.ids] == list(first.ids[:ids])
    assert [q.name for q in looks] == [f"a1.{n}" for n in range(1, len(sizes) + 1)]


def test_the_schema_keeps_to_what_structured_answers_take():
    def objects(part):
        if isinstance(part, dict):
            if part.get("type") == "object":
                yield part
            for value in part.values():
                yield from objects(value)

    schema = json.loads(SCHEMA)
    assert all(o["additionalProperties"] is False and o["required"] == list(o["properties"]) for o in objects(schema))
    assert not re.search(r"minimum|maximum|minLength|maxLength|minItems|maxItems|\$ref", SCHEMA.decode())


def test_another_model_or_another_wording_is_another_grader(monkeypatch):
    mine = judge_sha256("claude-opus-5-5")
    assert judge_sha256("claude-sonnet-5-5") != mine
    monkeypatch.setattr("bench.grading.judge.wording.EVIDENCE", "Quote it.")
    assert judge_sha256("claude-opus-5-5") != mine
