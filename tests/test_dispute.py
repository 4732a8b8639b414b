"""Disputes: recorded beside the run, shown with its verdicts, counted as a reading, and turned into a better key."""

import json

import pytest
from small_run import write_small_run

from bench.cli import main
from bench.disputing.mending import mend
from bench.disputing.records import FILE, Dispute, read_disputes, record
from bench.errors import BenchError
from bench.keys import Atom, Key, Patterns
from bench.runs.index import open_run
from bench.runs.view import disputes

SAID = ["dispute", "tiny", "a1", "inventory", "--fixture", "small", "--verdict"]


@pytest.fixture
def root(tmp_path, monkeypatch, capsys):
    root = write_small_run(tmp_path / "project")
    monkeypatch.chdir(root)
    assert main(["grade", "tiny"]) == 0
    capsys.readouterr()
    return root / "results" / "tiny"


def test_a_dispute_is_a_line_of_the_run_and_changes_no_verdict(root, capsys):
    assert main([*SAID, "absent", "--note", "only named"]) == 0
    assert main([*SAID, "partial", "--note", "half of it"]) == 0  # the last word counts, the first stays
    lines = [json.loads(line) for line in (root / FILE).read_text().splitlines()]
    assert [(d["atom"], d["arm"], d["verdict"], d["note"]) for d in lines] == [
        ("a1", "inventory", "absent", "only named"),
        ("a1", "inventory", "partial", "half of it"),
    ]
    table = disputes(open_run("tiny"))
    assert table[["verdict", "grader", "grader_verdict", "agrees", "outdated"]].values.tolist() == [
        ["partial", "lexical", "carried", False, False]
    ]
    capsys.readouterr()
    assert main(["show", "tiny", "a1", "--fixture", "small"]) == 0
    shown = capsys.readouterr().out
    assert "lexical: carried" in shown and "disputed by a person: partial; half of it" in shown
    assert main(["table", "tiny"]) == 0
    assert "1 verdict is disputed by a person, and counted all the same" in capsys.readouterr().out
    assert main(["dispute", "tiny"]) == 0
    assert "half of it" in capsys.readouterr().out


@pytest.mark.usefixtures("root")
def test_a_dispute_counts_in_agreement_as_a_reading_of_its_own(capsys):
    assert main([*SAID, "absent", "--note", "no"]) == 0
    a2 = ["dispute", "tiny", "a2", "inventory", "--fixture", "small", "--verdict"]
    assert main([*a2, "absent", "--note", "no"]) == 0
    assert main([*a2, "carried", "--note", "taken back"]) == 0
    capsys.readouterr()
    assert main(["agreement", "tiny", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["graders"]
    assert (line["grader"], line["other"], line["pairs"], line["agreement"]) == ("disputes", "lexical", 2, 0.5)
    assert main(["agreement", "tiny"]) == 0
    assert "chosen for disagreement" in capsys.readouterr().out


def test_a_dispute_that_agrees_is_refused_and_one_taken_back_counts_no_more(root, capsys):
    assert main([*SAID, "carried", "--note", "yes"]) == 2
    assert capsys.readouterr().err == "the grader says carried, too: nothing to dispute\n"
    assert not (root / FILE).exists()
    assert main([*SAID, "absent", "--note", "no"]) == 0
    assert main([*SAID, "carried", "--note", "it does say so"]) == 0
    capsys.readouterr()
    assert main(["table", "tiny"]) == 0
    assert "disputed" not in capsys.readouterr().out


def test_an_output_that_has_changed_since_is_no_reading_any_more(root):
    assert main([*SAID, "absent", "--note", "no"]) == 0
    (found,) = read_disputes(root)
    record(root, Dispute(**{f: getattr(found, f) for f in found.__struct_fields__} | {"output_sha256": "0"}))
    assert disputes(open_run("tiny"))["outdated"].tolist() == [True]
    assert main(["agreement", "tiny"]) == 0


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a9", "inventory", "--verdict", "absent", "--note", "x"], "no atom 'a9'"),
        (["a1", "inventry", "--verdict", "absent", "--note", "x"], "did you mean 'small/inventory/"),
        (["a1", "small", "--verdict", "absent", "--note", "x"], "fits 2 outputs: small/inventory/"),
        (["a1", "inventory", "--verdict", "carried", "--note", "x", "--quote", "never said"], "quote is not in"),
        (["a1", "inventory", "--verdict", "absent", "--fixture", "small"], "missing: --note"),
        (["a1", "--note", "x"], "missing: OUTPUT, --verdict"),
        (["a9", "inventory"], "no atom 'a9'"),
        (["a1", "inventry"], "did you mean 'small/inventory/"),
    ],
)
def test_what_is_unclear_is_refused_and_nothing_is_recorded(root, capsys, words, why):
    assert main(["dispute", "tiny", *words]) == 2
    assert why in capsys.readouterr().err
    assert not (root / FILE).exists()


def test_a_line_that_a_dying_process_left_costs_no_dispute(root):
    assert main([*SAID, "absent", "--note", "no"]) == 0
    with (root / FILE).open("ab") as file:
        file.write(b'{"at": "2026')
    assert len(read_disputes(root)) == 1
    assert main([*SAID, "wrong", "--note", "yes"]) == 0
    with pytest.raises(BenchError, match=r"disputes.jsonl:2: is no dispute"):
        read_disputes(root)


SOURCE = "No Redis: we ruled out Redis for the rate limiter, production runs none."


def key(**accept):
    atom = Atom(
        id="a1", tag="rejected", text="The user ruled out Redis for the rate limiter.", importance="vital", by="user",
        at=(0,), accept=Patterns(**accept),
    )  # fmt: skip
    return Key(version=1, atoms=(atom,))


@pytest.mark.parametrize(
    ("text", "accept", "said", "quote", "reason", "proposal"),
    [
        (  # said in words that no `any` has
            "Redis was struck off the list.", {"all": ("redis",), "any": ("rule[sd]? out",)}, "carried",
            "struck off", "accept needs /rule[sd]? out/: matches nowhere",
            "{accept: {all: [redis], any: ['rule[sd]? out', struck off]}}",
        ),
        (  # a word that must stand has another name here
            "The k-v store was ruled out.", {"all": ("redis", "ruled out")}, "carried",
            "k-v store", "accept needs /redis/: matches nowhere", "{accept: {all: [redis|k-v store, ruled out]}}",
        ),
        (  # too little asked for: the topic alone matches
            "Redis is fast.", {"all": ("redis",)}, "absent",
            None, "accept matches in 'Redis'", "{accept: {all: [redis, limiter]}}",
        ),
        (  # the text says the contrary, in words that the accept takes
            "We chose Redis for the limiter.", {"all": ("redis",)}, "wrong",
            "chose Redis", "accept matches in 'Redis'", "{wrong: [chose redis], accept: {all: [redis, ruled]}}",
        ),
    ],
)  # fmt: skip
def test_a_mend_names_the_pattern_and_proposes_one(text, accept, said, quote, reason, proposal):
    found = mend(text, key(**accept), "a1", said, quote=quote, source=SOURCE)
    assert reason in found.reasons
    assert found.proposal == proposal
    assert found.answerable and found.brings_it


def test_a_mend_says_whether_it_works():
    works = mend("Redis was struck off.", key(any=("ruled out",)), "a1", "carried", quote="struck off", source=SOURCE)
    assert works.brings_it and works.answerable
    nothing = mend("All is well.", key(any=("ruled out",)), "a1", "carried", quote=None, source=SOURCE)
    assert nothing.proposal is None
