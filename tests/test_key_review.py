"""'bench key': drafts merged with what is there, doubtful atoms named, and a review that keeps every answer."""

import pytest
from fixture_files import write_fixture, write_project
from sessions import call, result, says, transcript, user

from bench.checks.worth import doubts
from bench.cli import main
from bench.drafting import draft
from bench.drafting.merge import merged, overlaps, same
from bench.errors import BenchError
from bench.grading.lexical import grade
from bench.keys import Atom, Key, Patterns, read_key
from bench.reviewing import Review
from bench.reviewing.shown import SOURCE_CHARS, described
from bench.reviewing.terminal import review

ONE = """\
version: 1
atoms:
  - {{id: a1, tag: state, text: {text}, importance: okay, by: user, at: [0], accept: {{all: [{word}]}}}}
"""


def atom(id_="a1", text="Redis is ruled out.", every=("redis",), some=(), **changes):
    fields = {"tag": "rejected", "importance": "vital", "by": "user", "at": (4,), "status": "drafted", **changes}
    return Atom(id=id_, text=text, accept=Patterns(tuple(every), tuple(some)), **fields)


# --- what drafting finds of promises, questions and values that changed -----------------------------------------------


def edit(id_, old, new):
    return call(id_, "Edit", file_path="a.py", old_string=old, new_string=new)


def drafted(*messages):
    return draft(transcript(*messages))


def test_an_edit_that_changes_a_number_makes_the_old_one_stale():
    [value] = [
        a
        for a in drafted(
            user("Please raise the limit of the fetcher module."),
            edit("t1", "TIMEOUT = 30\nMAX_RETRIES = 5", "TIMEOUT = 30\nMAX_RETRIES = 8"),
            result("t1", "ok"),
        )
        if a.stale
    ]
    assert (value.at, value.stale[0].until, value.by) == ((1,), 1, "assistant")
    verdicts = [
        grade(text, Key(version=1, atoms=(value,)))[0][0].verdict
        for text in ("MAX_RETRIES = 8", "MAX_RETRIES is 8 now, it was 5", "MAX_RETRIES is 5", "TIMEOUT is 30")
    ]
    assert verdicts == ["carried", "carried", "stale", "absent"]


@pytest.mark.parametrize(
    ("old", "new"), [("x = 5", "x = 5"), ("MAX = 5", "MIN = 6"), ("MAX = 5", ""), ("MAX = a", "MAX = b")]
)
def test_an_edit_that_changes_no_number_of_one_name_drafts_no_value(old, new):
    assert [a for a in drafted(user("Please change it."), edit("t1", old, new), result("t1", "ok")) if a.stale] == []


def test_a_failed_edit_changed_nothing():
    failed = result("t1", "not found", is_error=True)
    assert [a for a in drafted(user("Please."), edit("t1", "MAX = 5", "MAX = 6"), failed) if a.stale] == []


def test_a_person_who_says_from_what_to_what_makes_the_old_value_stale():
    [value] = [a for a in drafted(says("ok"), user("Change the fetcher timeout from 30 to 60 please.")) if a.stale]
    assert (value.by, value.at) == ("user", (1,))


def test_what_was_put_off_late_is_a_promise_and_a_question_nobody_answered_is_pending():
    atoms = drafted(
        user("Please write the parser for the header."),
        says("I'll document the header grammar afterwards."),
        user("Go on with the body of the parser."),
        says(
            "The parser is in place. I'll benchmark the tokenizer later.\nShould I remove the legacy scanner for you?"
        ),
    )
    assert [(a.tag, a.at) for a in atoms if "benchmark" in a.text] == [("promise", (3,))]
    assert [(a.tag, a.importance) for a in atoms if "legacy scanner" in a.text] == [("pending", "vital")]
    # older than half of the session: most likely kept
    assert [a for a in atoms if a.tag == "promise" and "grammar" in a.text] == []


def test_a_question_that_was_followed_by_a_typed_turn_is_not_taken_for_open():
    atoms = drafted(says("Should I remove the legacy scanner for you?"), user("Yes, remove it and the tests."))
    assert [a for a in atoms if a.text.startswith("Asked of the user")] == []


# --- merging ----------------------------------------------------------------------------------------------------------


def test_atoms_that_are_there_stay_as_they_are_and_duplicates_are_not_added():
    own = atom(status="reviewed")
    key = merged(Key(version=1, atoms=(own,)), [atom("a1"), atom("a1", "Kafka is in.", ("kafka",))])
    assert key.atoms == (own, atom("a001", "Kafka is in.", ("kafka",)))


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (atom("b", "Something else."), True),
        (atom("b", "Redis was turned down.", ("redis",), ("turned down",)), False),
        (atom("b", "Redis is out: ruled out.", ("redis", "ruled out")), True),
        (atom("b", "Kafka is ruled out.", ("kafka",)), False),
    ],
)
def test_the_same_is_asked_by_the_same_patterns_or_by_texts_that_carry_each_other(other, expected):
    first = atom("a", "Redis is ruled out.")
    assert same(first, other) is expected
    assert overlaps([first, other]) == ([(first, other)] if expected else [])


# --- doubts -----------------------------------------------------------------------------------------------------------


def test_a_sound_key_raises_no_doubt(tmp_path):
    assert doubts(write_fixture(tmp_path / "small")) == []


def test_trivial_unanswerable_and_overlapping_atoms_are_named(tmp_path):
    key = """\
version: 1
atoms:
  - {id: a1, tag: rejected, importance: vital, by: user, at: [4],
     text: Redis is ruled out., accept: {all: [redis, rule]}}
  - {id: a2, tag: rejected, importance: vital, by: user, at: [4],
     text: 'Redis: the rule is against it.', accept: {all: [rule, redis]}}
  - {id: a3, tag: rejected, importance: vital, by: user, at: [4],
     text: The limit is 9., accept: {all: ['limit is 9']}}
"""
    found = [(d.atom, d.kind) for d in doubts(write_fixture(tmp_path / "small", key=key))]
    assert ("a3", "unanswerable") in found
    assert ("a2", "overlapping") in found


def test_what_a_fifth_of_the_messages_carry_is_trivial(tmp_path):
    messages = [{"role": r, "content": "the gateway is up"} for r in ("user", "assistant")] * 4
    key = ONE.format(text="The gateway is up.", word="gateway")
    [doubt] = doubts(write_fixture(tmp_path / "small", key=key, messages=messages))
    assert (doubt.atom, doubt.kind, doubt.why) == ("a1", "trivial", "8 of 8 messages carry it on their own")


# --- review -----------------------------------------------------------------------------------------------------------


def reviewed(folder, *answers):
    """Reviews with these answers typed, then the end of the input; what was shown, and the key after it."""
    waiting, shown = list(answers), []

    def ask(prompt):
        shown.append(prompt)
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    progress = review(folder, ask, shown.append)
    return progress, "\n".join(shown), read_key(folder / "key.yaml")[0].atoms


@pytest.fixture
def folder(tmp_path):
    return write_fixture(tmp_path / "small")


def test_the_transcript_stands_beside_each_atom(folder):
    _, shown, _ = reviewed(folder)
    assert "3 drafted atoms of 3" in shown
    assert "1 of 3 (3 left)  a1  rejected, vital, by user, drafted" in shown
    assert "| message 4, person:" in shown and "| Stop: no Redis" in shown


def test_of_a_long_message_the_part_around_what_carries_the_atom_is_shown():
    long = "wave " * 400 + "\n- The pump closes at 80 bar\n" + "tide " * 400
    shown = "\n".join(described(atom(every=["80 bar"], at=(0,)), transcript(says(long)), "1 of 1"))
    assert "| - The pump closes at 80 bar" in shown and "| … wave" in shown and shown.endswith("…")
    assert len(shown) < SOURCE_CHARS * 1.5


@pytest.mark.parametrize(
    ("answers", "statuses", "counts"),
    [
        ([], {"a1": "drafted", "a2": "drafted", "a3": "drafted"}, (0, 0, 3)),
        (["a"], {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}, (1, 0, 2)),
        (["a", "", "d"], {"a1": "reviewed", "a3": "drafted"}, (1, 1, 1)),
        (["a3", "a", "1", "a"], {"a1": "reviewed", "a2": "drafted", "a3": "reviewed"}, (2, 0, 1)),
        (["d", "u", "a"], {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}, (1, 0, 2)),
        (["s", "s", "s", "a"], {"a1": "drafted", "a2": "drafted", "a3": "drafted"}, (0, 0, 3)),
        (["s", "a", "q", "a"], {"a1": "drafted", "a2": "reviewed", "a3": "drafted"}, (1, 0, 2)),
        (["s", "b", "a"], {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}, (1, 0, 2)),
        (["what?", "m", "A"], {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}, (1, 0, 2)),
        (["a", "b", "d"], {"a2": "drafted", "a3": "drafted"}, (0, 1, 2)),
        (["a", "b", "d", "u", "u"], {"a1": "drafted", "a2": "drafted", "a3": "drafted"}, (0, 0, 3)),
        (["a", "a", "a", "", "1", "d"], {"a1": "reviewed", "a2": "reviewed", "a3": "reviewed"}, (3, 0, 0)),
        (["a", "a", "a", "u", "d"], {"a1": "reviewed", "a2": "reviewed"}, (2, 1, 0)),
        (["a", "a", "a", "9", "2", "d", "q"], {"a1": "reviewed", "a3": "reviewed"}, (2, 1, 0)),
    ],
)
def test_every_answer_is_kept_also_where_the_input_ends(folder, answers, statuses, counts):
    progress, _, atoms = reviewed(folder, *answers)
    assert {a.id: a.status for a in atoms} == statuses
    assert (progress.accepted, progress.dropped, progress.left) == counts


def test_a_second_review_asks_only_what_is_left(folder):
    reviewed(folder, "a")
    _, shown, _ = reviewed(folder)
    assert "2 drafted atoms of 3" in shown and "2 of 3 (2 left)  a2" in shown


def test_enter_alone_answers_nothing(folder):
    _, shown, atoms = reviewed(folder, "", "")
    assert {a.status for a in atoms} == {"drafted"}
    assert "Enter alone answers nothing" in shown


def test_a_number_beyond_the_last_names_no_atom(folder):
    _, shown, _ = reviewed(folder, "99", "a099")
    assert "no atom 99: there are 1 to 3" in shown and "no atom a099: there are" in shown


def test_after_the_last_atom_a_person_may_go_back(folder):
    _, shown, _ = reviewed(folder, "a", "a", "a")
    assert "no atom is drafted any more: Enter ends, u takes the last answer back" in shown


def test_a_refused_edit_stands_there_at_the_next_try(folder):
    _, shown, (first, *_) = reviewed(folder, "e", "Redis is out.", "kafka", "", "e", "", "redis", "-")
    assert "text [Redis is out.]: " in shown and "all [kafka]: " in shown
    assert (first.text, first.accept) == ("Redis is out.", Patterns(("redis",)))


def test_what_stands_there_is_shown_where_it_is_edited(folder):
    _, shown, _ = reviewed(folder, "e", "", "", "", "t", "")
    assert "text [The user ruled out Redis for the rate limiter.]: " in shown
    assert "all [redis]: " in shown and "any [rule[sd]? out ; reject]: " in shown and "tag [rejected] (" in shown


def test_nothing_is_written_over_what_something_else_wrote(folder):
    under_review = Review(folder)
    text = (folder / "key.yaml").read_text().replace("The user ruled out", "They ruled out")
    (folder / "key.yaml").write_text(text)
    with pytest.raises(BenchError, match="changed by something else"):
        under_review.accept("a1")
    assert (folder / "key.yaml").read_text() == text


def test_a_list_of_patterns_is_emptied_by_a_dash(folder):
    _, _, (first, *_) = reviewed(folder, "e", "", "", "-")
    assert first.accept == Patterns(("redis",))


def test_an_atom_is_retagged_weighed_and_edited(folder):
    _, _, (first, *_) = reviewed(folder, "t", "decision", "i", "e", "Redis was ruled out.", "", "rule[sd]? out", "a")
    assert (first.tag, first.importance, first.text, first.status) == (
        "decision",
        "okay",
        "Redis was ruled out.",
        "reviewed",
    )
    assert first.accept == Patterns(("redis",), ("rule[sd]? out",))
    assert first.stale


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["t", "nonsense"], "no such tag"),
        (["e", "", "kafka", ""], "does not carry that"),
        (["e", "", "(", ""], "nothing changed"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(folder, answers, told):
    before = read_key(folder / "key.yaml")[0].atoms
    _, shown, after = reviewed(folder, *answers)
    assert told in shown
    assert after == before


def test_escape_codes_of_a_transcript_do_not_reach_the_terminal(tmp_path):
    messages = [{"role": "user", "content": "Use \x1b[31mRedis\x1b[0m for it."}]
    key = ONE.format(text="Redis is used.", word="redis")
    _, shown, _ = reviewed(write_fixture(tmp_path / "x", key=key, messages=messages))
    assert "\x1b" not in shown and "\\x1b" in shown


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = write_project(tmp_path / "p")
    monkeypatch.chdir(root)
    return root


def test_a_key_with_atoms_is_drafted_into_only_when_asked(project, capsys):
    before = read_key(project / "fixtures/small/key.yaml")[0]
    assert main(["key", "draft", "small"]) == 2
    assert "has 3 atoms; --merge adds to them" in capsys.readouterr().err
    assert main(["key", "draft", "small", "--merge"]) == 0
    after = read_key(project / "fixtures/small/key.yaml")[0]
    assert after.atoms[:3] == before.atoms and after.never == before.never


@pytest.mark.parametrize("text", ["", "version: 1\natoms: []\n"])
def test_an_empty_key_is_filled_with_drafts_that_pass_the_check(project, capsys, text):
    (project / "fixtures/small/key.yaml").write_text(text)
    assert main(["key", "draft", "small"]) == 0
    assert capsys.readouterr().out.endswith("next: bench key review fixtures/small\n")
    assert {a.status for a in read_key(project / "fixtures/small/key.yaml")[0].atoms} == {"drafted"}
    assert main(["key", "check", "small", "--json"]) == 0
    assert main(["check", "fixtures/small"]) == 0


@pytest.mark.usefixtures("project")
def test_the_review_runs_in_the_terminal(capsys, monkeypatch):
    answers = iter(["a", "d", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(["key", "review", "small"]) == 0
    assert capsys.readouterr().out.endswith("1 accepted, 1 dropped, 1 still drafted\n")


@pytest.mark.usefixtures("project")
def test_an_unknown_fixture_is_told(capsys):
    assert main(["key", "check", "smal"]) == 2
    assert "did you mean 'small'?" in capsys.readouterr().err
