"""The form in JupyterLab, driven without a browser: every action is in key.yaml, nothing is lost, nothing is markup."""

import pytest
from fixture_files import write_fixture
from runs import NOTEBOOKS

from bench.keys import Patterns, read_key
from bench.reviewing.form import ReviewForm, review_key
from bench.sweeps.execute import execute
from bench.sweeps.status import Job

REDIS = """\
version: 1
atoms:
  - {id: a1, tag: state, text: Redis, importance: okay, by: user, at: [0], accept: {all: [redis]}}
"""


@pytest.fixture
def folder(tmp_path):
    return write_fixture(tmp_path / "small")


def key_of(folder):
    return {a.id: a for a in read_key(folder / "key.yaml")[0].atoms}


def statuses(folder):
    return {id_: a.status for id_, a in key_of(folder).items()}


def shown(form):
    return form.widget.shown


def fields(form):
    return {field["name"]: field["value"] for field in shown(form)["fields"]}


def reading(form):
    return "\n".join(
        part["head"] + "\n" + "".join(p["text"] for p in part["pieces"]) for part in shown(form)["reading"]
    )


def off(form):
    return {action["name"] for row in shown(form)["rows"] for action in row if action["off"]}


def test_the_form_opens_at_the_first_drafted_atom_with_the_transcript_beside_it(folder):
    form = ReviewForm(folder)
    assert (shown(form)["title"], shown(form)["at"]) == ("a1 · rejected", "0")
    assert shown(form)["progress"] == "1 of 3 · 3 still drafted"
    assert "message 4, person\nStop: no Redis" in reading(form)
    assert [part["named"] for part in shown(form)["reading"]] == [False, True, False]
    assert fields(form)["every"] == "redis"


def test_where_the_messages_carry_the_atom_is_marked(folder):
    [named] = [part for part in shown(ReviewForm(folder))["reading"] if part["named"]]
    assert [p["text"] for p in named["pieces"] if p["marked"]] == ["ruled out Redis"]


def test_a_long_message_is_shown_around_what_is_marked(tmp_path):
    messages = [{"role": "user", "content": "word " * 4000 + "Use Redis." + " word" * 4000}]
    form = ReviewForm(write_fixture(tmp_path / "x", key=REDIS, messages=messages))
    [part] = shown(form)["reading"]
    assert part["head"] == "message 0, person (6,000 of 40,010 characters, from 17,604)"  # 20,004 - 0.4 × 6,000
    assert [p["text"] for p in part["pieces"] if p["marked"]] == ["Redis"]
    form.widget.do("more")
    assert "(24,000 of 40,010 characters" in shown(form)["reading"][0]["head"]


def test_accepting_writes_and_goes_on_and_a_new_form_goes_on_there(folder):
    form = ReviewForm(folder)
    form.widget.do("accept")
    assert statuses(folder) == {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}
    assert form.at == 1
    again = ReviewForm(folder)  # as after a kernel's end
    assert again.at == 1 and "2 still drafted" in shown(again)["progress"]
    assert [place["name"][:4] for place in shown(again)["places"]] == ["● a1", "○ a2", "○ a3"]


def test_what_was_typed_goes_into_the_key_with_the_acceptance(folder):
    form = ReviewForm(folder)
    form.widget.do("accept", text="Redis was ruled out.", some="rule[sd]? out", tag="decision", importance="okay")
    atom = key_of(folder)["a1"]
    assert (atom.text, atom.tag, atom.importance) == ("Redis was ruled out.", "decision", "okay")
    assert atom.accept == Patterns(("redis",), ("rule[sd]? out",))
    assert atom.stale and atom.status == "reviewed"


def test_white_space_at_the_end_of_a_pattern_is_kept_where_nothing_was_typed(folder):
    path = folder / "key.yaml"
    path.write_text(path.read_text().replace("all: ['redis']", "all: ['redis ']"))
    form = ReviewForm(folder)
    form.widget.do("accept")
    assert key_of(folder)["a1"].accept.all == ("redis ",)


def test_an_edit_that_the_transcript_does_not_carry_is_told_and_leaves_the_form_as_it_is(folder):
    form = ReviewForm(folder)
    before, page = key_of(folder), shown(form)
    form.widget.do("accept", every="kafka")
    assert "does not carry that" in form.widget.told["text"] and form.widget.told["bad"]
    assert key_of(folder) == before and shown(form) is page  # so the page keeps the typed words


@pytest.mark.parametrize("action", ["skip", "back", "more"])
def test_going_on_does_not_lose_what_was_typed(folder, action):
    form = ReviewForm(folder)
    form.widget.do(action, text="Redis was ruled out.")
    assert "keep it (k)" in form.widget.told["text"] and form.at == 0
    form.widget.do("keep", text="Redis was ruled out.")
    assert key_of(folder)["a1"].text == "Redis was ruled out." and key_of(folder)["a1"].status == "drafted"


def test_undo_takes_back_what_was_typed_then_the_last_change(folder):
    form = ReviewForm(folder)
    form.widget.do("accept")
    page = shown(form)
    form.widget.do("undo", text="typed")
    assert fields(form)["text"] == "MAX_RETRIES is 5." and shown(form)["turn"] > page["turn"]
    assert statuses(folder)["a1"] == "reviewed"
    form.widget.do("undo")
    assert statuses(folder)["a1"] == "drafted" and form.at == 0


def test_dropping_and_undoing(folder):
    form = ReviewForm(folder)
    form.widget.do("drop")
    assert "a1" not in statuses(folder)
    form.widget.do("back")
    assert {"accept", "drop", "keep"} <= off(form) and shown(form)["status"] == "dropped"
    assert not shown(form)["fields"] and not shown(form)["reading"]
    form.widget.do("accept")
    assert "was dropped" in form.widget.told["text"]
    form.widget.do("undo")
    assert statuses(folder)["a1"] == "drafted" and "accept" not in off(form)
    form.widget.do("undo")
    assert "nothing to undo" in form.widget.told["text"]


def test_any_atom_can_be_gone_to(folder):
    form = ReviewForm(folder)
    form.widget.do("go", to="2")
    assert shown(form)["title"] == "a3 · promise"
    form.widget.do("skip")
    assert form.at == 2
    form.widget.do("back")
    assert shown(form)["title"] == "a2 · number"


def test_a_key_pressed_twice_decides_once(folder):
    form = ReviewForm(folder)
    press = {"do": "accept", "turn": shown(form)["turn"], "fields": fields(form)}
    for _ in range(2):
        form.widget._handle_custom_msg(press, [])
    assert statuses(folder) == {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}


def test_codes_of_a_transcript_are_shown_as_escapes(tmp_path):
    messages = [{"role": "user", "content": "Use \x1b[31mRedis\u202e."}]
    form = ReviewForm(write_fixture(tmp_path / "x", key=REDIS, messages=messages))
    assert r"Use \x1b[31mRedis\u202e." in reading(form)


def test_the_last_acceptance_says_what_comes_next(folder):
    form = ReviewForm(folder)
    for _ in range(3):
        form.widget.do("accept")
    assert "all are reviewed" in shown(form)["progress"] and "bench key check small" in form.widget.told["text"]
    assert set(statuses(folder).values()) == {"reviewed"}


def test_a_key_without_atoms_says_what_to_do(tmp_path):
    form = ReviewForm(write_fixture(tmp_path / "x", key="version: 1\natoms: []\n"))
    assert "bench key draft" in shown(form)["title"]
    form.widget.do("accept")
    assert "no atoms" in form.widget.told["text"]


def test_the_notebook_runs_and_holds_the_form(folder, tmp_path):
    template = str(NOTEBOOKS / "review_key.ipynb")
    done = execute(Job(name="review", template=template, folder=str(tmp_path), parameters={"fixture": str(folder)}))
    assert (done.state, done.error) == ("ok", None)
    assert "application/vnd.jupyter.widget-view+json" in (tmp_path / "review.ipynb").read_text()


def test_a_fixture_is_found_by_its_folder(folder):
    assert review_key(str(folder)).shown["title"] == "a1 · rejected"
