"""`bench show` and `bench grade` on a small run: the source turn, then each output's passage and verdict."""

import json

import pytest
from small_run import write_small_run

from bench.cli import main
from bench.grading.views import _same_number, around


@pytest.fixture
def root(tmp_path, monkeypatch):
    root = write_small_run(tmp_path / "project")
    monkeypatch.chdir(root)
    return root


def test_an_atom_is_shown_with_its_source_and_every_verdict(root, capsys):
    assert main(["grade", "tiny"]) == 0
    assert capsys.readouterr().out == "lexical: 2 of 2 grades are there, 2 of them new\n"
    assert (root / "results" / "tiny" / "grades.parquet").is_file()
    assert main(["show", "tiny", "a1", "--fixture", "small"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "small a1 (rejected, vital, by user): The user ruled out Redis for the rate limiter.",
        "",
        "message 4, person:",
        "    Stop: no Redis, we ruled out Redis, production runs none.",
        "",
        "inventory · local · replicate 1 · lexical: carried",
        "    ## Rejected - The user **ruled out** `Redis`; production runs none. - MAX_RETRIES = 5",
        "",
        "short · local · replicate 1 · lexical: stale",
        "    Plan: use Redis for the rate limiter. \\x1b[31mIt runs on Kubernetes.",
    ]


def test_an_atom_of_several_keys_is_shown_for_each(root, capsys):
    main(["grade", str(root / "results" / "tiny")])
    capsys.readouterr()
    assert main(["show", "tiny", "a2", "--json"]) == 0
    small, twin = json.loads(capsys.readouterr().out)
    assert (small["fixture"], twin["fixture"]) == ("small", "twin")
    assert [(o["arm"], o["verdict"], o["evidence"]) for o in small["outputs"]] == [
        ("inventory", "carried", "MAX_RETRIES = 5"),
        ("short", "absent", None),
    ]
    assert small["sources"] == [{"message": 2, "author": "tool", "text": "export const MAX_RETRIES = 5"}]
    assert twin["outputs"] == []


@pytest.mark.usefixtures("root")
def test_a_thing_never_said_is_shown_with_who_states_it(capsys):
    main(["grade", "tiny"])
    capsys.readouterr()
    assert main(["show", "tiny", "n1", "--fixture", "small"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "small n1 (never said): The deploy target is Kubernetes.",
        "",
        "inventory · local · replicate 1 · lexical: not stated",
        "    —",
        "",
        "short · local · replicate 1 · lexical: stated",
        "    Plan: use Redis for the rate limiter. \\x1b[31mIt runs on Kubernetes.",
    ]
    assert main(["show", "tiny", "n1", "--json"]) == 0
    small, twin = json.loads(capsys.readouterr().out)
    assert [(o["arm"], o["verdict"], o["evidence"]) for o in small["outputs"]] == [
        ("inventory", "not stated", None),
        ("short", "stated", "Kubernetes"),
    ]
    assert (twin["never"], twin["outputs"]) == ("n1", [])


def test_where_inventions_were_not_looked_for_there_is_no_verdict_on_a_never(root, capsys):
    assert main(["show", "tiny", "n1", "--fixture", "small"]) == 0
    assert "short · local · replicate 1: not graded" in capsys.readouterr().out
    main(["grade", "tiny"])
    for path in (root / "results/tiny/grades/lexical/p1").glob("*.json"):
        grade = json.loads(path.read_text())
        path.write_text(json.dumps(grade | {"inventions": [], "inventions_known": False}))
    capsys.readouterr()
    assert main(["show", "tiny", "n1", "--fixture", "small"]) == 0
    assert "short · local · replicate 1 · lexical: no verdict" in capsys.readouterr().out


def test_an_output_without_a_grade_says_so(root, capsys):
    main(["show", "tiny", "a1", "--fixture", "small"])
    assert "short · local · replicate 1: not graded" in capsys.readouterr().out
    main(["grade", "tiny", "--scope", "summary"])
    capsys.readouterr()
    main(["show", "tiny", "a1", "--fixture", "small"])
    assert "inventory · local · replicate 1 · lexical on the summary: absent" in capsys.readouterr().out
    assert not (root / "results" / "tiny" / "grades" / "lexical").exists()


def test_verdicts_of_an_older_key_are_told(root, capsys):
    main(["grade", "tiny"])
    key = root / "fixtures" / "small" / "key.yaml"
    key.write_text(key.read_text() + "# a note\n")
    capsys.readouterr()
    assert main(["show", "tiny", "a1"]) == 0
    assert capsys.readouterr().err == "some verdicts are of an older key; 'bench grade tiny' grades again\n"
    main(["grade", "tiny"])
    capsys.readouterr()
    main(["show", "tiny", "a1"])
    assert capsys.readouterr().err == ""


def test_the_id_of_the_same_number_is_meant_before_one_of_like_letters():
    assert _same_number("a3", {"a003", "a043", "a030"}) == ["a003"]
    assert _same_number("a3", {"a043"}) == []


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["show", "tiny", "a01"], "no atom 'a01' in small, twin; did you mean 'a1'?"),
        (["show", "tiny", "zebra"], "no atom 'zebra' in small, twin; the keys have 6 atoms and 2 entries of never"),
        (["show", "tiny", "a1", "--fixture", "big"], "no fixture 'big' in this run; it has small, twin"),
        (["show", "tinny", "a1"], "no run 'tinny' in it; did you mean 'tiny'?"),
        (["show", "./fixtures", "a1"], "no run.json"),
        (["grade", "tiny", "--grader", "judge"], "a judge is a model; name it with model ="),
    ],
)
def test_what_is_not_there_is_one_line_and_exit_2(root, capsys, args, told):
    assert root.is_dir() and main(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and err.count("\n") == 1


def test_a_transcript_that_changed_is_refused(root, capsys):
    transcript = root / "fixtures" / "small" / "transcript.jsonl"
    transcript.write_text(transcript.read_text() + '{"role": "user", "content": "More."}\n')
    assert main(["grade", "tiny"]) == 2
    assert "the transcript of fixture 'small' is not the one that the run forked" in capsys.readouterr().err


def test_a_fixture_that_is_gone_is_named(root, capsys):
    (root / "fixtures" / "twin").rename(root / "moved")
    assert main(["show", "tiny", "a1"]) == 2
    assert "the run's fixture 'twin' is gone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "start", "end", "shown"),
    [
        ("short text", 0, 5, "short text"),
        ("0123456789" * 2, 9, 11, "… 456789012345 …"),
        ("0123456789" * 2, 0, 1, "012345678901 …"),
        ("0123456789" * 2, 19, 20, "… 890123456789"),
        ("0123456789" * 3, 5, 25, "… 567890123456 …"),  # longer than the room: its beginning
        ("two\n\nlines  here", 0, 3, "two lines …"),
    ],
)
def test_a_passage_is_shown_around_its_evidence(text, start, end, shown):
    assert around(text, start, end, chars=12) == shown
