"""What else a draft is made from: documents, subagents, issues, answers, commits' texts, edits, outcomes, talk."""

import json

import pytest
from sessions import call, harness, result, says, transcript, user

from bench.drafting import draft
from bench.grading.lexical import grade
from bench.keys import Key

BEGIN = user("Please build the meter for the water gate.")
END = user("Go on with the harbour report.")


def drafted(*messages):
    return draft(transcript(BEGIN, *messages, END))


def found(atoms, words):
    """What is drafted with these words: tag, whose, where."""
    return [(a.tag, a.by, a.at) for a in atoms if words in a.text]


def carried(atom, text):
    return grade(text, Key(version=1, atoms=(atom,)))[0][0].verdict == "carried"


# --- what was written and read ----------------------------------------------------------------------------------------

DESIGN = """# Gate meter

## Storage
- `readGate()` keeps 40 samples in gate_ring.db
- Old samples are dropped by `trimRing()` after 90 days

| Setting | Default | Meaning |
|---|---|---|
| sample_rate | 5 s | pause after a reading of the meter |

Expected: 3 tests pass with `make check`
"""


def test_a_design_that_was_written_is_drafted_under_its_name_and_headings():
    atoms = drafted(call("t1", "Write", file_path="docs/gate-design.md", content=DESIGN), result("t1", "ok"))
    assert found(atoms, "gate-design.md: Storage: readGate() keeps 40 samples in gate_ring.db") == [
        ("decision", "assistant", (1,))
    ]
    assert found(atoms, "sample_rate: Default 5 s, Meaning pause after a reading of the meter")
    assert not found(atoms, "Expected: 3 tests")


def test_a_design_that_was_written_again_stands_as_it_is_then():
    older = DESIGN.replace("90 days", "30 days")
    atoms = drafted(
        call("t1", "Write", file_path="docs/gate-design.md", content=older),
        result("t1", "ok"),
        call("t2", "Write", file_path="docs/gate-design.md", content=DESIGN),
        result("t2", "ok"),
    )
    assert found(atoms, "after 90 days") and not found(atoms, "after 30 days")


def test_a_plan_handed_in_and_a_patch_to_a_page_are_documents():
    line = "+- `openGate()` waits until `closeValve()` is through with the basin"
    patch = f"*** Begin Patch\n*** Update File: docs/gate.md\n@@\n{line}\n*** End Patch"
    atoms = drafted(
        call("t1", "ExitPlanMode", plan="- `meterLoop()` starts when gate_main.c opens the harbour"),
        result("t1", "approved"),
        call("t2", "apply_patch", input=patch),
        result("t2", "ok"),
    )
    assert found(atoms, "The plan: meterLoop() starts when gate_main.c opens the harbour")
    assert found(atoms, "gate.md: openGate() waits until closeValve() is through with the basin")


REPORT = """I looked around.

- `gate_main.c` calls `readGate()` once a tide, from a timer
- `paint_hull.c` takes its shade of grey from `hullColour()`"""


@pytest.mark.parametrize(
    "messages",
    [
        (call("t1", "Task", prompt="look"), result("t1", REPORT)),
        (harness(f"<task-notification><result>{REPORT}</result></task-notification>"),),
    ],
)
def test_a_subagent_is_drafted_from_as_far_as_the_talk_takes_it_up(messages):
    atoms = drafted(
        *messages, says("Good, a timer. Let me look at gate_main.c and readGate() myself; one tide is long.")
    )
    assert [(a.by, a.text) for a in atoms if a.by == "tool"] == [
        ("tool", "A subagent reported: gate_main.c calls readGate() once a tide, from a timer")
    ]


ISSUE = {"title": "Meter", "body": "## Rules\n- `--rate` overrides what `gate.yaml` says of the pause\n", "number": 71}


def test_an_issue_that_is_talked_of_is_drafted_from_and_another_is_not():
    def atoms(answer):
        return drafted(
            call("t1", "Bash", command="gh issue view 71 --json title,body,number"),
            result("t1", json.dumps(ISSUE)),
            says(answer),
        )

    assert found(atoms("I take #71."), "Issue 71: Rules: --rate overrides what gate.yaml says of the pause") == [
        ("state", "tool", (2,))
    ]
    assert not found(atoms("I take #710."), "Issue 71")


def test_a_page_that_was_read_counts_where_it_is_taken_up_and_the_sessions_own_page_is_none():
    page = "1→- The valve_guard closes the basin at 80 bar\n2→- Crews paint the hull_plate with a grey_tone brush"
    read = (call("t1", "Read", file_path="/w/valves.md"), result("t1", page))
    taken = says("Let me keep to what valve_guard does: basin shut, bar by bar, and so it closes.")
    assert found(drafted(*read, taken), "valves.md: The valve_guard closes the basin at 80 bar")
    assert not found(drafted(*read, taken), "hull_plate")
    own = (call("t0", "Write", file_path="/w/valves.md", content="x"), result("t0", "ok"))
    assert not [a for a in drafted(*own, *read, taken) if a.by == "tool" and a.text.startswith("valves.md: ")]


def test_the_body_of_a_commit_is_drafted_without_its_subject_and_signature():
    message = "Count water\n\n- readGate() skips samples older than 90 days\n\nCo-Authored-By: A. Model <m@example.org>"
    atoms = drafted(call("t1", "Bash", command=f"git commit -m '{message}'"), result("t1", "ok"))
    assert found(atoms, "Commit message: readGate() skips samples older than 90 days")
    assert not found(atoms, "Commit message: Count") and not found(atoms, "Model")


# --- what was answered, told, and said beside an edit -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "atoms"),
    [("Keep the brass valve", 1), ("what does that mean?", 0), ("", 0)],
)
def test_a_question_put_by_a_tool_is_drafted_with_its_answer(answer, atoms):
    text = f'User has answered your questions: "Which valve shall close first?"="{answer}". Go on.'
    made = drafted(call("t1", "AskUserQuestion", questions=[]), result("t1", text))
    told = f'Asked "Which valve shall close first?", the user answered "{answer}"'
    assert [(a.tag, a.at) for a in made if a.text == told] == [("decision", (2,))] * atoms


def test_a_bare_yes_is_found_by_its_question():
    text = 'User has answered your questions: "Shall the harbour pump start by itself?"="Yes". Go on.'
    made = drafted(call("t1", "AskUserQuestion", questions=[]), result("t1", text))
    [atom] = [a for a in made if a.text.endswith('"Yes"')]
    assert carried(atom, "The harbour pump starts by itself.") and not carried(atom, "Yes, all is well.")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("the second pump runs dry on mondays", True),
        ("isn't the pump clear enough to you", False),
        ("you wrote: the pump is the upper bound", False),
        ("thanks, the pump works", False),
        ("a log\nof a\nlong paste\nwhere the pump is broken and not whole", False),
    ],
)
def test_what_a_person_tells_is_drafted_where_it_stands_alone(typed, told):
    assert bool(found(drafted(says("Done."), user(typed)), "The user said:")) is told


def test_the_reason_beside_an_edit_names_the_file_and_what_it_is_for():
    edit = {"file_path": "/w/valve.c", "old_string": "a", "new_string": "b"}
    said = says("Now let me make valveLoop() wait, since the pump starts late:")
    both = said.__class__(
        role="assistant", author="assistant", blocks=(*said.blocks, *call("t1", "Edit", **edit).blocks)
    )
    atoms = drafted(both, result("t1", "ok"))
    assert found(atoms, 'Changed valve.c: "make valveLoop() wait, since the pump starts late"') == [
        ("reason", "assistant", (1,))
    ]
    failed = drafted(both, result("t1", "not read yet", is_error=True))
    assert not found(failed, "Changed valve.c")


def test_a_function_that_an_edit_brought_in_is_drafted_unless_a_report_says_so():
    write = (
        call("t1", "Edit", file_path="/w/valve.go", old_string="x", new_string="func pumpGuard(p Pump) error {\n}"),
        result("t1", "ok"),
        call("t2", "Edit", file_path="/w/valve.go", old_string="y", new_string="// y2"),
        result("t2", "ok"),
    )
    names = [f"func extraGuard{n}(p Pump) error {{\n}}" for n in ("One", "Two", "Three")]
    more = (
        call("t3", "Edit", file_path="/w/valve.go", old_string="z", new_string="\n".join(names)),
        result("t3", "ok"),
    )
    spoken = says("extraGuardOne, extraGuardTwo, extraGuardThree: see pump.")
    assert found(drafted(*write, *more, spoken), "pumpGuard was added to valve.go: func pumpGuard(p Pump) error")
    told = says("Added `pumpGuard()` to valve.go, which stops the pump at 80 bar")
    assert not found(drafted(*write, *more, spoken, told), "pumpGuard was added to valve.go: func")


# --- outcomes ---------------------------------------------------------------------------------------------------------


def test_a_command_is_asked_for_with_what_came_of_it():
    run = [(call(f"t{n}", "Bash", command="make check"), result(f"t{n}", f"...\n{n} passed in 2s")) for n in (41, 42)]
    [atom] = [a for a in drafted(*run[0], *run[1]) if a.tag == "command"]
    assert atom.text == """'make check' was run 2 times; it ended with "42 passed in 2s"."""
    assert carried(atom, "make check passes") and not carried(atom, "run make check when it is late")


def test_a_failure_that_nothing_marks_is_a_failure():
    ran = (call("t1", "Bash", command="make check"), result("t1", "--- FAIL: TestPumpRunsDry\nFAIL\tpump"))
    assert found(drafted(*ran), "'make check' failed: --- FAIL: TestPumpRunsDry") == [("error", "tool", (2,))]


# --- the whole --------------------------------------------------------------------------------------------------------


def test_a_draft_is_the_same_every_time_and_no_kind_takes_all_the_room():
    lines = "\n".join(f"- `gateCall{n}()` waits for valve_{n}.c and pump_{n} to reach quay_{n}" for n in range(90))
    session = transcript(
        BEGIN,
        call("t1", "Write", file_path="docs/gate-design.md", content=lines),
        result("t1", "ok"),
        *[m for n in range(30) for m in (user(f"Note {n}?"), says(f"Set pumpSpeed{n} in speed_{n}.c to {n}00 rpm"))],
        END,
    )
    first, second = draft(session), draft(session)
    assert first == second and len(first) <= 60
    shares = [sum("pumpSpeed" in a.text for a in first), sum("gateCall" in a.text for a in first)]
    assert min(shares) >= 10
