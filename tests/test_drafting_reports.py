"""What drafting finds beyond single sentences: reports, choices, things made, and what it leaves alone on purpose."""

import pytest
from sessions import call, harness, result, says, summary, transcript, user

from bench.drafting import draft
from bench.drafting.patterns import DENIAL
from bench.drafting.statements import is_fact
from bench.drafting.turns import turns_of
from bench.drafting.words import Words, content_words
from bench.grading.lexical import grade
from bench.keys import Key


def drafted(*messages):
    return draft(transcript(*messages))


def texts(*messages):
    return [a.text for a in drafted(*messages)]


def carried(atom, text):
    return grade(text, Key(version=1, atoms=(atom,)))[0][0].verdict == "carried"


# --- reports ----------------------------------------------------------------------------------------------------------

REPORT = """Done! All tests pass.

- Renamed `loadTable()` to `readTable()` in src/table.py, since two loaders clashed
- **Limit**: requests are cut at 250 ms

| Part | Finding |
|---|---|
| parser | parseHeader() must see the header's checksum first |

Would you like me to push it?"""


def test_a_report_gives_the_statements_that_can_be_held_to_something():
    atoms = drafted(user("Please rework the table loader."), says(REPORT), user("Thanks, now the parser please."))
    found = {a.text: a.tag for a in atoms}
    assert found["Renamed loadTable() to readTable() in src/table.py, since two loaders clashed"] == "reason"
    assert found["parser: parseHeader() must see the header's checksum first"] == "constraint"
    assert not [t for t in found if "All tests pass" in t or "Would you like" in t]


def test_of_two_reports_that_say_the_same_the_newer_one_stands():
    atoms = drafted(
        user("Please cut slow requests."),
        says("Set the requestLimit of slow callers in src/cut.py to 250 ms."),
        user("Make it longer please."),
        says("Set the requestLimit of slow callers in src/cut.py to 400 ms."),
    )
    assert [a.at for a in atoms if "slow callers" in a.text] == [(3,)]


def test_a_report_that_the_person_turned_down_is_not_drafted():
    said = says("Moved `loadTable()` into src/lib/table.py and src/lib/rows.py.")
    assert any("src/lib" in t for t in texts(user("Sort the loaders."), said, user("Great, go on.")))
    assert not any("src/lib" in t for t in texts(user("Sort the loaders."), said, user("no, that's horrible.")))


def test_a_summary_that_the_context_begins_with_is_a_report_without_its_plans():
    said = "- User prefers snapshotTests over mocks in tests/ui\n- Create `renderPane()` in src/pane.ts next"
    atoms = drafted(summary(said), user("Go on with the panes."))
    assert [(a.tag, a.at) for a in atoms if "snapshotTests" in a.text] == [("constraint", (0,))]
    assert not [a for a in atoms if "renderPane" in a.text]


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("Added getBranch() to common.go", True),
        ("It’s in common.go now, see getBranch()", False),
        ("Now checking getBranch() in common.go", False),
        ("The cause is in common.go:", False),
        ("Everything is fine and dandy here", False),
    ],
)
def test_a_fact_stands_alone_and_names_something(sentence, fact):
    assert is_fact(sentence) is fact


# --- choices ----------------------------------------------------------------------------------------------------------

OPTIONS = says(
    "Two ways:\n\n**Option 1:** Store the digest in a sidecar file\n\n**Option 2:** Sign the manifest\n\nWhich?"
)


def test_an_option_chosen_by_its_number_is_the_option():
    [choice] = [a for a in drafted(user("Protect the release."), OPTIONS, user("option 2")) if a.tag == "decision"]
    assert (choice.text, choice.at) == ('The user chose option 2: "Sign the manifest"', (1, 2))
    assert carried(choice, "We sign the manifest.") and not carried(choice, "A sidecar file holds the digest.")


def test_an_option_turned_down_with_its_reason_names_it():
    said = user("Option 1 doesn't work since the file can be swapped.")
    atoms = drafted(user("Protect the release."), OPTIONS, said, says("Right."), user("Go on then."))
    assert [a.at for a in atoms if '(option 1: "Store the digest in a sidecar file")' in a.text] == [(1, 2)]


@pytest.mark.parametrize(
    ("offer", "agreed"),
    [
        ("Should I drop the legacy scanner from the tokenizer?", True),
        ("Should I drop the scanner or keep the tokenizer?", False),
        ("Should I continue with the legacy scanner?", False),
    ],
)
def test_a_yes_to_an_offer_is_a_decision_unless_it_decides_nothing(offer, agreed):
    atoms = drafted(user("Look at the tokenizer."), says(offer), user("yes"))
    assert bool([a for a in atoms if a.text.startswith("The user agreed to")]) is agreed


# --- what was made ----------------------------------------------------------------------------------------------------


def test_commits_branches_and_pull_requests_are_what_a_successor_asks_for():
    atoms = drafted(
        user("Put it on a branch and open a PR please."),
        call("t1", "Bash", command="git checkout -b fix/limit && git commit -am 'Cut slow requests'"),
        result("t1", "[fix/limit 12ab34cd9] Cut slow requests\n 1 file changed"),
        says("Opened https://github.com/acme/gate/pull/41 for it."),
    )
    found = {a.text.split(" ")[0]: a for a in atoms if a.tag in ("state", "identifier")}
    assert carried(found["Commit"], "committed as 12ab34c") and not carried(found["Commit"], "the commit is missing")
    assert any("fix/limit" in a.text and a.tag == "state" for a in atoms)
    pull = next(a for a in atoms if "41" in a.text)
    assert carried(pull, "see PR #41") and not carried(pull, "see PR #410")


def test_a_file_that_a_patch_wrote_is_asked_for_with_what_it_defines():
    patch = "*** Begin Patch\n*** Add File: src/cut.py\n+def cut_slow(requests):\n+    pass\n*** End Patch"
    atoms = drafted(user("Cut slow requests."), call("t1", "apply_patch", input=patch), result("t1", "ok"))
    [file] = [a for a in atoms if a.tag == "file"]
    assert file.text.startswith("cut.py was written once") and "cut_slow" in file.text
    assert carried(file, "src/cut.py was added") and not carried(file, "have a look at cut.py")


# --- what is left alone -----------------------------------------------------------------------------------------------


def test_a_request_that_was_broken_off_and_said_again_stands_once():
    atoms = drafted(
        user("Please show the branch column in the list."),
        harness("[Request interrupted by user]", "interrupt"),
        user("Please show the branch column in the session list, 30 wide."),
        says("It is shown."),
        user("Now document it in the handbook."),
    )
    assert [a.at for a in atoms if "branch column" in a.text] == [(2,)]


def test_a_request_that_was_taken_back_is_not_asked_for():
    atoms = drafted(
        user("Please copy the components to the modes folder."),
        says("Copied."),
        user("Can you revert that? Propose where the components belong."),
        says("Here is a proposal."),
        user("Fine, write it down."),
    )
    assert not [a for a in atoms if "copy the components" in a.text]


@pytest.mark.parametrize("question", ["What does upper bound mean here?", "can you explain the limiter to me?"])
def test_a_question_asked_in_passing_is_no_request(question):
    atoms = drafted(
        user("Build the limiter gate."), says("Built."), user(question), says("So."), user("Ship the gate.")
    )
    assert not [a for a in atoms if question in a.text]


def test_a_wish_is_a_request_and_a_rule_is_a_rule():
    atoms = drafted(
        user("We should also store the agent's edited lines. Never log the tokens of a user."),
        says("Ok."),
        user("Go on."),
    )
    assert {a.tag for a in atoms if "agent's edited lines" in a.text} == {"ask"}
    assert {a.tag for a in atoms if "Never log" in a.text} == {"constraint"}


def test_a_layout_typed_line_by_line_is_decided_line_by_line():
    atoms = drafted(user("no, like this:\ntools -> core/tools\ntheme -> modes/theme"), says("Moved."), user("Go on."))
    assert [a.text for a in atoms if a.tag == "decision"] == [
        'The user decided: "tools -> core/tools"',
        'The user decided: "theme -> modes/theme"',
    ]


@pytest.mark.parametrize(
    ("last", "opening"),
    [
        ([user("Write the handbook.")], "The last request, open at the end:"),
        ([user("Write the handbook."), call("t1", "Write", file_path="a.md")], "The last request, open at the end:"),
        ([user("Write the handbook."), says("Written.")], "The last request, answered in message 3:"),
        ([user("Write the handbook."), says("Written."), harness("a hook ran")], "The last request, answered in"),
        ([user("Write the handbook."), says("I begin."), call("t1", "Write")], "The last request, open at the end:"),
        ([user("shorter")], 'The last request, open at the end: "shorter"'),
    ],
)
def test_the_last_request_is_the_last_one_however_short_and_open_only_where_nothing_answers(last, opening):
    atoms = drafted(user("Build the limiter gate."), says("Built."), *last)
    assert [a.text.startswith(opening) for a in atoms if a.text.startswith("The last request")] == [True]


def test_misspelt_words_are_no_handle_and_other_forms_are_no_slips():
    t = transcript(
        user("Export the sesstion with its folders."),
        says("The session and its folder are exported."),
        says("The session ended."),
    )
    words = Words(t)
    assert words.is_slip("sesstion") and not words.is_slip("folders") and not words.is_slip("exported")
    assert "sesstion" not in words.ranked("Export the sesstion with its folders.", 0)


def test_links_and_folders_are_no_words_and_files_are_whole():
    assert list(content_words("see https://a.example/b/c and src/lib/table.py or apples/oranges")) == [
        "table.py", "apples", "oranges",
    ]  # fmt: skip


def test_a_denial_must_stand_by_its_word_where_there_is_no_other():
    [rule] = [
        a
        for a in drafted(user("Never use Redis in this service."), says("Ok."), user("Build it."))
        if "Redis" in a.text
    ]
    assert carried(rule, "Redis must not be used.") and carried(rule, "The user ruled out Redis.")
    assert not carried(rule, "Redis holds the buckets; the tests were not run, and nobody minds that at all.")
    assert not any(p == DENIAL for p in rule.accept.any)


def test_what_a_fifth_of_the_messages_carry_is_not_drafted():
    said = says("The readTable() of src/table.py is slow.")
    assert not [t for t in texts(user("Speed the table up."), *[said] * 8) if "readTable" in t]


def test_turns_know_what_answered_them():
    t = transcript(user("one"), says("did one"), user("two"), call("t1", "Bash"), result("t1", "x"))
    assert [(turn.at, turn.report) for turn in turns_of(t)] == [(0, 1), (2, None)]
    assert turns_of(transcript(says("nobody typed"))) == ()
