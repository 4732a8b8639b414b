"""What a prose text states: sentences without what leads up to them, under the line that they stand under."""

import time

import pytest
from sessions import says, transcript, user

from bench.drafting import draft
from bench.drafting.everywhere import in_last_request
from bench.drafting.prose import statements
from bench.drafting.statements import LEAST, best, tag_of
from bench.drafting.words import Words


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Perfect! I can see the issue: pump.c never closes.", ["pump.c never closes."]),
        ("You're right. The pump is late.", ["The pump is late."]),
        (
            "## Pump\n- ✅ closes at 80 bar\n  - opens at 20",
            ["Pump: closes at 80 bar", "closes at 80 bar: opens at 20"],
        ),
        ("## Summary\n- closes at 80 bar", ["closes at 80 bar"]),
        ("- [x] close it\n- [ ] open it", ["close it (done)", "open it (to do)"]),
        ("1. Added the pump guard that:\n   - waits", ["Added the pump guard", "Added the pump guard that: waits"]),
        ("| a | b | c |\n|---|---|---|\n| p.c | 1 | 2 |", ["p.c: b 1, c 2"]),
        ("| a | b |\n|---|---|\n| p.c | 1 |", ["p.c: 1"]),
        (
            "The pump of the eastern basin opens as soon as the tide has turned\nand the gate is shut.\nThen rest.",
            [
                "The pump of the eastern basin opens as soon as the tide has turned and the gate is shut.",
                "Then rest.",
            ],
        ),
        ("<thinking>pump.c is odd</thinking>\nThe gate is shut.", ["The gate is shut."]),
    ],
)
def test_a_statement_comes_without_its_lead_and_under_its_heading(text, told):
    assert [s.told for s in statements(text)] == told


def test_patterns_are_made_of_the_cells_of_a_row_and_not_of_the_heads_of_its_columns():
    [row] = statements("| Part | Location | State |\n|---|---|---|\n| pump | basin.c | open |")
    assert (row.text, row.told) == ("pump: basin.c, open", "pump: Location basin.c, State open")


def kept(sentence, *, loose=False):
    session = transcript(user("Go on."), says(sentence))
    return bool(best(sentence, 1, Words(session), 5, least=0.0 if loose else LEAST, loose=loose))


@pytest.mark.parametrize(
    ("sentence", "strict", "loose"),
    [
        ("Moved pumpLoop() from basin.c into harbour_pumps.c", True, True),
        ("Pumps of the Elbe basin wait for Hamburg tides", False, True),
        ("Probably pumpLoop() waits for the tide in harbour waters", False, False),
        ("A) Move pumpLoop() from basin.c into harbour_pumps.c", False, False),
        ("Needs to move pumpLoop() from basin.c into harbour_pumps.c", False, False),
        ("If pumpLoop() waits → basin.c closes the harbour gate", True, True),
        ("If you want, pumpLoop() can close basin.c at the gate", False, False),
        ('{"pump_loop": "basin.c", "gate": "harbour.c waits"}', False, False),
    ],
)
def test_what_counts_as_a_statement(sentence, strict, loose):
    assert (kept(sentence), kept(sentence, loose=True)) == (strict, loose)


@pytest.mark.parametrize(
    ("sentence", "tag"),
    [
        ("The run fails the gate when it is late", "decision"),
        ("The run has failed", "error"),
        ("pumpLoop() waits because of the tide", "reason"),
        ("The gate must be shut", "constraint"),
    ],
)
def test_the_words_of_a_statement_say_what_it_is(sentence, tag):
    assert tag_of(sentence, "decision") == tag


def test_what_the_last_request_says_is_not_drafted_again():
    said = says("Set pumpLimit of the eastern basin in harbour_pumps.c to 80 bar.")
    asked = user("Tell me why pumpLimit of the eastern basin is 80 bar in harbour_pumps.c")
    first = transcript(user("Set it."), said, user("Paint the hull."))
    [atom] = [a for a in draft(first) if "pumpLimit" in a.text]
    last = transcript(user("Set it."), said, asked)
    assert not [a for a in draft(last) if a.text == atom.text]
    assert in_last_request([atom], last) == {atom.id} and in_last_request([atom], first) == frozenset()


@pytest.mark.parametrize(
    "text", ["\n" * 20_000, " " * 20_000, "a." * 10_000, "a_" * 10_000, "[" * 20_000, "|" * 20_000]
)
def test_a_text_that_is_no_prose_takes_no_time_to_speak_of(text):
    begun = time.process_time()
    draft(transcript(user(text + "x"), says(text), user("Go on.")))
    assert time.process_time() - begun < 5
