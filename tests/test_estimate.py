"""'bench estimate': tokens by kind of record, the projection and the cuts, on pi branches as their harness has them."""

import json

import pytest
from claude_sessions import answer, boundary, user, written
from harness_sessions import pi_answer, pi_entry, pi_header, pi_result, pi_user, put

from bench.cli import main
from bench.errors import BenchError
from bench.estimating import RESERVE, estimate_file
from bench.transcripts.model import IMAGE_CHARS

LONG = "x" * 400
"""100 tokens."""


def chain(*entries: tuple[str, str, dict[str, object]]) -> list[dict[str, object]]:
    """Entries (kind or 'user', id, fields), each behind the one before."""
    found, parent = [pi_header()], None
    for kind, id_, fields in entries:
        if kind == "user":
            found.append(pi_user(id_, parent, fields["text"]))
        else:
            found.append(pi_entry(kind, id_, parent, **fields))
        parent = id_
    return found


def prompts(*ids: str, text: str = LONG) -> list[tuple[str, str, dict[str, object]]]:
    return [("user", id_, {"text": text}) for id_ in ids]


def facts(found) -> dict[str, tuple[int, int, int]]:
    return {k.kind: (k.records, k.tokens, k.projected) for k in found.kinds}


def cuts(found) -> dict[str, tuple[int | None, int]]:
    return {c.rule: (c.at, c.tokens) for c in found.cuts}


@pytest.mark.parametrize(("budget", "cut"), [(1000, None), (999, 1), (500, 5), (0, 9)])
def test_ten_records_of_a_hundred_tokens_are_cut_where_the_newest_fit(tmp_path, budget, cut):
    found = estimate_file(put(tmp_path, *chain(*prompts(*"abcdefghij"))), budget)
    kept = 10 - (cut or 0)
    assert cuts(found) == {"exact": (cut, 100 * kept), "seed": (cut, 100 * kept)}
    assert (found.records, found.projection, facts(found)) == (10, 1000, {"message": (10, 1000, 1000)})


def test_a_compaction_drops_all_before_its_first_kept_entry_and_its_summary_counts(tmp_path):
    path = put(
        tmp_path,
        *chain(
            *prompts("a", "b"),
            ("compaction", "c", {"summary": "s" * 200, "firstKeptEntryId": "b", "tokensBefore": 9}),
            *prompts("d", "e"),
        ),
    )
    found = estimate_file(path, 150)
    # kept b, the summary of 50, d and e
    assert (found.projection, facts(found)) == (350, {"message": (4, 400, 300), "compaction": (1, 50, 50)})
    assert cuts(found) == {"exact": (4, 100), "seed": (4, 100)}
    assert [c.id for c in found.cuts] == ["e", "e"]
    # without b the rest is 250; the seed's rule counts what a compaction kept as nothing, and keeps all
    assert cuts(estimate_file(path, 300)) == {"exact": (2, 250), "seed": (None, 350)}


def test_hidden_entries_are_markers_and_covered_ones_nothing(tmp_path):
    path = put(
        tmp_path,
        *chain(
            *prompts("a", "b", "c", "d"),
            ("hidden_range", "h", {"recordIds": ["d"]}),
            (
                "compact_checkpoint",
                "k",
                {"firstRecordId": "a", "lastRecordId": "b", "text": "t" * 200, "coversRecordIds": []},
            ),
            ("model_change", "m", {"modelId": "x"}),
            *prompts("e"),
        ),
    )
    found = estimate_file(path, 1000)
    # a and b are covered, c is whole, d a marker of 10, the checkpoint's text 50, e whole
    assert found.projection == 100 + 10 + 50 + 100
    assert facts(found) == {
        "message": (5, 500, 210), "hidden": (1, 0, 0), "checkpoint": (1, 50, 50), "other": (1, 0, 0)
    }  # fmt: skip


def test_each_kind_of_entry_is_priced_by_what_it_says_to_the_model(tmp_path):
    image = {"type": "image", "mimeType": "image/png", "data": "AA"}
    thought = {"type": "thinking", "thinking": LONG}
    path = put(
        tmp_path,
        pi_header(),
        pi_user("u1", None, [{"type": "text", "text": LONG}, image]),
        pi_answer("a1", "u1", thought, LONG, ("t1", "bash")),
        pi_result("r1", "a1", "t1", LONG),
        pi_entry("custom_message", "x1", "r1", customType="y", content=LONG, display=True),
        pi_entry("branch_summary", "b1", "x1", fromId="z", summary=LONG),
        pi_entry("custom", "x2", "b1", customType="state", data={"text": LONG}),
        pi_entry("label", "l1", "x2", targetId="u1", label=LONG),
    )
    found = estimate_file(path, 0)
    # the prompt with its image; the answer's text, a newline and '{"n":1}', no thinking: 408 / 4; the result
    assert facts(found) == {
        "message": (3, 100 + IMAGE_CHARS // 4 + 102 + 100, 100 + IMAGE_CHARS // 4 + 102 + 100),
        "custom_message": (1, 100, 100),
        "branch_summary": (1, 100, 100),
        "other": (2, 0, 0),
    }


def test_another_leaf_is_another_branch(tmp_path):
    path = put(
        tmp_path, pi_header(), pi_user("u1", None, LONG), pi_user("u2", "u1", LONG), pi_user("u3", "u1", LONG * 2)
    )
    assert estimate_file(path, 0).projection == 300
    assert estimate_file(path, 0, leaf="u2").projection == 200
    with pytest.raises(BenchError, match="holds no entry 'u9'"):
        estimate_file(path, 0, leaf="u9")


def test_a_session_of_version_1_is_cut_by_its_counted_entries(tmp_path):
    entries = [
        pi_header(version=None),
        *(pi_user(None, None, LONG) for _ in range(3)),
        pi_entry("compaction", None, summary="s" * 40, firstKeptEntryIndex=3),
        pi_user(None, None, LONG),
    ]
    found = estimate_file(put(tmp_path, *entries), 1000)
    # the third prompt, a summary of 10, and the last prompt
    assert (found.projection, found.records) == (210, 5)


def test_other_formats_are_estimated_by_messages_and_compactions(tmp_path):
    path = written(
        tmp_path,
        user("u1", None, LONG),
        answer("a1", "u1", LONG, id="m1"),
        boundary("b1", "a1"),
        user("c1", "b1", "s" * 200, isCompactSummary=True),
        user("u2", "c1", LONG),
    )
    found = estimate_file(path, 120)
    assert (found.format, found.projection) == ("claude-code", 150)
    assert facts(found) == {"message": (3, 300, 100), "compaction": (1, 50, 50)}
    assert cuts(found) == {"exact": (3, 100), "seed": (3, 100)}


def test_the_budget_at_parity_is_the_window_less_the_reserve_and_the_request_s_overhead(tmp_path):
    system = pi_entry("session_init", "i1", None, systemPrompt="y" * 4000)
    path = put(tmp_path, pi_header(), system, pi_user("u1", "i1", LONG))
    found = estimate_file(path, window=20_000, reserve=8_000)
    assert (found.overhead, found.budget) == (1000, 20_000 - 1000 - 8_000)
    assert estimate_file(path, window=RESERVE).budget == 0


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path):
    return put(tmp_path, *chain(*prompts("a", "b", "c")))


def test_the_command_prints_kinds_and_cuts(session, capsys):
    assert main(["estimate", str(session), "--budget", "250"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line]
    assert rows[1] == ["message", "3", "300", "300"]
    assert rows[2] == ["all", "3", "300", "300"]
    assert rows[4] == ["exact,", "250", "1", "b", "2", "1", "200", "—"]


def test_json_holds_everything(session, capsys):
    assert main(["estimate", str(session), "--budget", "300", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cuts"][0] == {"rule": "exact", "at": None, "id": None, "kept": 3, "tokens": 300}
    assert (found["budget"], found["projection"]) == (300, 300)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ([], "give --budget TOKENS, or --window TOKENS"),
        (["--budget", "1", "--window", "2"], "give --budget TOKENS, or --window TOKENS"),
        (["--budget", "-1"], "0 or more"),
        (["--budget", "1", "--leaf", "zz"], "holds no entry 'zz'"),
    ],
)
def test_what_cannot_be_estimated_is_told_in_one_line(session, capsys, argv, told):
    assert main(["estimate", str(session), *argv]) == 2
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1


def test_a_format_without_a_tree_has_no_leaf(tmp_path, capsys):
    path = tmp_path / "chat.md"
    path.write_text("## User\ngo\n## Assistant\nok\n")
    assert main(["estimate", str(path), "--budget", "1", "--leaf", "x"]) == 2
    assert "is of the format markdown, which keeps no tree" in capsys.readouterr().err
