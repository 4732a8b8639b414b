"""Other benches' conversations and question sets as fixtures: files made up here, in the shape of theirs."""

import json

import pytest

from bench.checks import check_fixture
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.grading.lexical import grade
from bench.questions.locomo import samples_of
from bench.questions.longmemeval import records_of
from bench.questions.making import make_fixtures

LOCOMO = [
    {
        "sample_id": "conv-7",
        "conversation": {
            "speaker_a": "Ilse",
            "speaker_b": "Goran",
            "session_2_date_time": "9:00 am on 3 June, 2024",
            "session_2": [
                {"speaker": "Goran", "dia_id": "D2:1", "text": "I sold the bicycle to a neighbour."},
                {"speaker": "Ilse", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a red kayak on a roof",
                 "img_url": ["x"]},
            ],
            "session_1_date_time": "8:15 pm on 2 May, 2024",
            "session_1": [
                {"speaker": "Ilse", "dia_id": "D1:1", "text": "I keep two goats and a donkey on my farm."},
                {"speaker": "Goran", "dia_id": "D1:2", "text": "My sister Folake teaches chemistry in Tartu."},
            ],
        },
        "qa": [
            {"question": "Where does Folake teach?", "answer": "Tartu", "evidence": ["D1:2"], "category": 4},
            {"question": "What did Goran sell, and what is on Ilse's roof?", "answer": "bicycle, red kayak",
             "evidence": ["D2:1; D2:2"], "category": 1},
            {"question": "How many animals does Ilse keep?", "answer": 3, "evidence": ["D1:1"], "category": 4},
            {"question": "When did they talk of the farm?", "answer": "2 May, 2024", "evidence": ["D1:1"],
             "category": 2},
            {"question": "What does Ilse teach?", "evidence": ["D1:2"], "category": 5,
             "adversarial_answer": "chemistry"},
        ],
        "event_summary": {}, "observation": {}, "session_summary": {},
    }
]  # fmt: skip
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "knowledge-update",
        "question": "How many plants are on my balcony?",
        "answer": "14 plants",
        "question_date": "2024/05/30 (Thu) 10:00",
        "haystack_session_ids": ["s2", "s1"],
        "haystack_dates": ["2024/05/20 (Mon) 08:00", "2024/05/01 (Wed) 09:00"],
        "haystack_sessions": [
            [{"role": "user", "content": "There are 14 plants on the balcony now.", "has_answer": True},
             {"role": "assistant", "content": "That is plenty."}],
            [{"role": "user", "content": "What soil suits basil?"}, {"role": "assistant", "content": "A loose one."}],
        ],
        "answer_session_ids": ["s2"],
    },
    {"question_id": "q2_abs", "question": "What is my cat called?", "answer": "You did not say.",
     "haystack_sessions": [[{"role": "user", "content": "I have a dog."}]]},
]  # fmt: skip


@pytest.fixture
def files(tmp_path):
    (tmp_path / "locomo.json").write_text(json.dumps(LOCOMO))
    (tmp_path / "longmemeval.json").write_text(json.dumps(LONGMEMEVAL))
    return tmp_path


def test_sessions_stand_in_their_order_with_their_dates_speakers_and_images(files):
    [posed] = samples_of(files / "locomo.json")
    texts = [m.text for m in posed.transcript.messages]
    assert texts[0] == "[session 1, 8:15 pm on 2 May, 2024] Ilse: I keep two goats and a donkey on my farm."
    assert texts[2].startswith("[session 2, 9:00 am on 3 June, 2024] Goran: ")
    assert texts[3] == "Ilse: Look! [shares an image: a red kayak on a roof]"
    assert [m.role for m in posed.transcript.messages] == ["user", "assistant", "assistant", "user"]
    assert [q.at for q in posed.questions] == [(1,), (2, 3), (0,), (0,)]


def test_a_fixture_of_locomo_passes_the_check_and_asks_what_its_evidence_holds(files):
    [made] = make_fixtures("locomo", files / "locomo.json", files / "out")
    assert made.folder is not None and check_fixture(made.folder) == []
    fixture = load_fixture(made.folder)
    asked = [(a.probe, a.at, a.tag) for a in fixture.key.atoms]
    assert asked == [
        ("Where does Folake teach?", (1,), "state"),
        ("What did Goran sell, and what is on Ilse's roof?", (2,), "state"),
        ("What did Goran sell, and what is on Ilse's roof?", (3,), "state"),
        ("When did they talk of the farm?", (0,), "number"),
    ]
    assert made.left_out == (
        "1 adversarial question(s): they have no answer in it",
        "question 3 (single-hop): its evidence does not hold “3” so that patterns could ask for it",
    )
    about = fixture.about
    assert (about.licence, about.split, about.title) == ("CC-BY-NC-4.0", "holdout", "LoCoMo, conversation conv-7")
    assert "locomo.json, sample conv-7" in about.source


@pytest.mark.parametrize(
    ("handoff", "verdicts"),
    [
        ("Goran's sister Folake teaches in Tartu. He sold his bicycle.", ["carried", "carried", "absent", "absent"]),
        (
            "Ilse has a red kayak on her roof; 2 May, 2024: the farm.",
            ["absent", "absent", "carried", "carried"],
        ),
        ("They talked of animals.", ["absent"] * 4),
    ],
)
def test_the_answers_are_found_in_other_words(files, handoff, verdicts):
    [made] = make_fixtures("locomo", files / "locomo.json", files / "out")
    assert [f.verdict for f in grade(handoff, load_fixture(made.folder).key)[0]] == verdicts


def test_a_record_of_longmemeval_is_a_fixture_with_its_sessions_by_date(files):
    one, abstaining = make_fixtures("longmemeval", files / "longmemeval.json", files / "out")
    assert one.folder is not None and check_fixture(one.folder) == []
    fixture = load_fixture(one.folder)
    assert fixture.transcript.messages[0].text == "[2024/05/01 (Wed) 09:00] What soil suits basil?"
    [atom] = fixture.key.atoms
    assert (atom.at, atom.probe, atom.by) == ((2,), "How many plants are on my balcony?", "user")
    assert grade("The balcony holds 14 plants.", fixture.key)[0][0].verdict == "carried"
    assert (fixture.about.licence, fixture.about.split) == ("MIT", "holdout")
    assert (abstaining.folder, abstaining.left_out) == (None, ("q2_abs asks for what was never said",))


def test_evidence_sessions_stand_in_where_no_turn_is_marked(files):
    record = {**LONGMEMEVAL[0], "haystack_sessions": [
        [{**t, "has_answer": None} for t in s] for s in LONGMEMEVAL[0]["haystack_sessions"]
    ]}  # fmt: skip
    (files / "unmarked.json").write_text(json.dumps([record]))
    [posed] = records_of(files / "unmarked.json")
    assert posed.questions[0].at == (2, 3)


@pytest.mark.parametrize(
    ("source", "text", "told"),
    [
        ("locomo", "{", "is not LoCoMo's JSON"),
        ("locomo", '[{"sample_id": "a", "conversation": {}}]', "holds no session"),
        ("locomo", '[{"sample_id": "a", "conversation": {"session_1": [3]}}]', "session_1 is not LoCoMo's"),
        ("longmemeval", "[3]", "is not LongMemEval's JSON"),
        ("longmemeval", '[{"question_id": "a"}]', "question 'a' is not LongMemEval's"),
    ],
)
def test_another_form_is_told_with_the_file(tmp_path, source, text, told):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BenchError, match=told):
        list(make_fixtures(source, tmp_path / "x.json", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_the_commands_make_fixtures_and_say_what_is_left_out(files, capsys):
    out = str(files / "out")
    assert main(["fixtures", "locomo", str(files / "locomo.json"), "--only", "conv-7", "--to", out]) == 0
    assert main(["fixtures", "longmemeval", str(files / "longmemeval.json"), "--first", "1", "--to", out]) == 0
    shown = capsys.readouterr()
    assert "locomo-conv-7/: 4 messages, 4 atoms" in shown.out and "longmemeval-q1/: 4 messages, 1 atom\n" in shown.out
    assert "question 3 (single-hop)" in shown.err
    assert main(["fixtures", "locomo", str(files / "locomo.json"), "--only", "nine", "--to", out]) == 2
    assert "has no sample 'nine'; it has conv-7" in capsys.readouterr().err
    assert main(["fixtures", "longmemeval", str(files / "none.json"), "--to", out]) == 2


@pytest.mark.parametrize(("source", "told"), [("locomo", "is not LoCoMo's"), ("longmemeval", "is not LongMemEval's")])
def test_a_hostile_file_is_one_line(tmp_path, source, told, capsys):
    path = tmp_path / "x.json"
    for text, said in (("[" * 10**5 + "]" * 10**5, told), ("[]", "holds no conversation")):
        path.write_text(text)
        assert main(["fixtures", source, str(path), "--to", str(tmp_path / "out")]) == 2
        err = capsys.readouterr().err
        assert said in err and len(err.splitlines()) == 1
    assert main(["fixtures", source, str(path), "--first", "-1"]) == 2
    assert capsys.readouterr().err == "--first takes a number of 1 or more\n"


def test_a_question_without_evidence_says_so_and_a_byte_order_mark_is_no_part_of_the_file(tmp_path):
    asked = {"question": "Where is the farm?", "answer": "in Tartu", "evidence": ["D9:9"], "category": 4}
    text = json.dumps([{**LOCOMO[0], "qa": [asked]}])
    (tmp_path / "x.json").write_text(text, encoding="utf-8-sig")
    [made] = make_fixtures("locomo", tmp_path / "x.json", tmp_path / "out")
    assert made.left_out == ("question 1 (single-hop): it names no message of the conversation as its evidence",)
