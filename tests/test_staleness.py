"""The refresh rule over a session: when a handoff is begun, when it takes its place, how far behind a compaction finds
it, and what that costs; and sweeps that run as far behind."""

from datetime import UTC, date, datetime, timedelta

import msgspec
import pytest
from fakes import NOW, FakeModel, outside, project, reply
from fixture_files import write_fixture
from sessions import call, compacted, result, says, transcript, user

from bench.chains.refresh_cost import refresh_costs, total_usd
from bench.chains.staleness import Rule, Staleness, replay, staleness
from bench.cli import main
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store
from bench.rows import MOST_STALE
from bench.runs.index import open_run
from bench.transcripts.model import Usage

START = datetime(2026, 10, 1, 9, tzinfo=UTC)


def session(turns, *, minutes=5.0, length=4, timed=True, compactions=()):
    """So many turns of `length` messages each; a turn takes `minutes`, all of it before its last message."""
    messages = []
    for n in range(turns):
        said = [user(f"Ask {n}.")]
        for k in range((length - 2) // 2):
            said += [call(f"t{n}-{k}", "Bash", command="make"), result(f"t{n}-{k}", "built")]
        said.append(says("It is done."))
        end = START + timedelta(minutes=minutes * (n + 1))
        messages += [msgspec.structs.replace(m, time=end.isoformat()) if timed else m for m in said]
    return transcript(*messages, compactions=compactions)


def begun(found):
    return [(r.at, r.landed, r.given_up) for r in found.refreshes]


@pytest.mark.parametrize(
    ("turns", "minutes", "rule", "expected"),
    [
        # a turn ends after 4, 8, … messages: 20 is the first that is long enough, the next turn's end sees it finished;
        # at 40 there are 20 new ones, and 25 minutes have passed
        (11, 5.0, {}, [(20, 24, False), (40, 44, False)]),
        (4, 5.0, {}, []),
        # a turn a minute: not finished at 24 (60 s), in its place at 28; 20 new ones at 40, but ten minutes gone at 60
        (15, 1.0, {}, [(20, 28, False), (60, None, False)]),
        (15, 1.0, {"gap_s": 1201.0}, [(20, 28, False)]),
        # one that takes longer than it is waited for is given up after 15 minutes, and another is begun
        (9, 5.0, {"writing_s": 1000.0}, [(20, None, True), (32, None, False)]),
        (11, 5.0, {"first_messages": 28, "new_messages": 8}, [(28, 32, False), (36, 40, False), (44, None, False)]),
    ],
)
def test_a_handoff_is_begun_finished_and_given_up_by_the_rule(turns, minutes, rule, expected):
    assert begun(replay(session(turns, minutes=minutes), Rule(**rule))) == expected


def test_without_times_the_rule_goes_by_messages_alone():
    found = replay(session(15, timed=False))
    assert not found.timed and begun(found) == [(20, 24, False), (40, 44, False), (60, None, False)]


def test_a_compaction_begins_the_rule_anew():
    found = replay(session(12, compactions=[compacted(24)]))
    assert begun(found) == [(20, 24, False), (44, 48, False)]
    assert found.behind[23:25] == (4, None)  # the handoff was for the compaction at 24; after it there is none
    assert found.behind[47] == 4 and found.at_end == 4


def test_a_refresh_does_not_begin_inside_a_turn():
    assert begun(replay(session(2, length=30))) == [(30, 60, False)]


def test_what_a_compaction_at_a_random_moment_finds_is_counted_by_hand():
    """11 turns of 4: none before 24; then 4 to 19 behind as messages 24 to 39 are the last, at 40 to 43 20 to 23, and
    at 44 the next one, 4 behind. So 23 of 44 find none, and the 21 others 4, 5, …, 23 and 4.
    """
    found = replay(session(11))
    assert found.behind[:23] == (None,) * 23
    assert found.behind[23:] == (*range(4, 24), 4)
    known = sorted(found.behind[23:])
    assert staleness(found) == Staleness(
        moments=44, without=23 / 44, fresh=21 / 44, too_stale=0.0, median=known[10], p90=known[18], most=23
    )
    assert (known[10], known[18]) == (13, 21)


def test_more_than_sixty_behind_is_too_stale():
    found = replay(session(20), Rule(new_messages=1000))
    told = staleness(found)
    late = sum(n - 20 > MOST_STALE for n in range(24, 81))
    assert told.too_stale == late / 80 == 0.0
    told = staleness(replay(session(30), Rule(new_messages=1000)))
    assert told.too_stale == sum(n - 20 > 60 for n in range(24, 121)) / 120 == 40 / 120


def test_an_empty_session_has_no_moments():
    assert staleness(replay(transcript())) == Staleness(
        moments=0, without=None, fresh=None, too_stale=None, median=None, p90=None, most=None
    )


# what refreshes cost


def charged(turns, usage):
    whole = session(turns)
    messages = [
        msgspec.structs.replace(m, model="claude-sonnet-5-5", usage=usage if m.role == "assistant" else None)
        for m in whole.messages
    ]
    return msgspec.structs.replace(whole, messages=tuple(messages))


def test_a_refresh_reads_what_the_last_answer_was_sent_from_the_cache():
    """Sonnet 5.5 on 2026-10-07: 2 USD/MTok in, 10 out, 0.1 read, 2.5 written.

    20,000 tokens were sent and 400 answered: 20,000 x 0.1 + 400 x 2.5 + 500 x 2 + 2,000 x 10, all over a million.
    """
    spoken = charged(6, Usage(input=500, cache_read=19_000, cache_write_5m=500, output=400))
    (only,) = refresh_costs(
        spoken, replay(spoken), today=date(2026, 10, 7), model="claude-sonnet-5-5", instruction_tokens=500
    )
    assert (only.prompt_tokens, only.cache_read_tokens, only.tokens_source) == (20_900, 20_000, "reported")
    assert only.usd == pytest.approx((20_000 * 0.1 + 400 * 2.5 + 500 * 2 + 2_000 * 10) / 1e6)


def test_what_is_not_known_is_not_guessed():
    plain = session(6)
    (nobody,) = refresh_costs(plain, replay(plain), today=date(2026, 10, 7))
    assert nobody.usd is None and "names no model" in nobody.reason and nobody.tokens_source == "estimated"
    (unknown,) = refresh_costs(plain, replay(plain), today=date(2026, 10, 7), model="claude-new-9")
    assert unknown.usd is None and "how 'claude-new-9' caches is not known" in unknown.reason
    assert total_usd([nobody, unknown]) is None and total_usd([]) == 0.0


# sweeps


def long_messages(turns):
    return [
        message
        for n in range(turns)
        for message in (
            {"role": "user", "content": f"Ask {n}. Redis is ruled out.", "time": f"2026-10-01T09:{5 * n:02d}:00Z"},
            {"role": "assistant", "content": [{"type": "text", "text": "MAX_RETRIES is 5; buckets in Postgres."}]},
        )
    ]


def swept(root, turns):
    path = project(root, arms={"short": "Say it."}, more_arms=("full",), sweep='stale_by = "policy"\n')
    (root / "prompts/full.toml").write_text('kind = "full"\n')
    write_fixture(root / "fixtures/f1", messages=long_messages(turns), key="version: 1\natoms: []\n")
    return path


def test_cells_run_as_far_behind_as_the_rule_is_at_the_fixture_s_end(tmp_path):
    path = swept(tmp_path, 12)  # begun at 20 messages, in its place at 22, and 24 messages in all
    model = FakeModel(lambda _request, _n: reply())
    run_sweep(path, outside=outside(model), grade=False)
    rows = {r.arm: r for r in Store(tmp_path / "results/s").rows()}
    assert (rows["short"].stale_by, rows["full"].stale_by) == (4, 0)
    body = model.asked[0].context.body
    assert b"Ask 9." in body and b"Ask 10." not in body
    run = open_run(tmp_path / "results/s")
    assert sorted(run.planned["stale_by"]) == [0, 4] and (run.cells["state"] == "handoff").all()


def test_a_session_too_short_for_a_handoff_has_nothing_to_hand_up(tmp_path):
    path = swept(tmp_path, 5)
    run_sweep(path, outside=outside(FakeModel()), grade=False)
    row = next(r for r in Store(tmp_path / "results/s").rows() if r.arm == "short")
    assert (row.outcome, row.detail, row.stale_by) == (
        "nothing-to-fork",
        "the refresh rule has written no handoff by then",
        10,
    )


def test_the_plan_and_the_command_tell_the_staleness_and_its_cost(tmp_path, capsys):
    path = swept(tmp_path, 12)
    first, second = plan_sweep(path, outside=outside(FakeModel())).notes[:2]
    assert first.startswith("f1: by the refresh rule a compaction at its end finds one 4 messages behind; at a random")
    assert "median" in first and "too stale in 0 %" in first
    found = replay(written := read(tmp_path))
    costs = refresh_costs(written, found, today=NOW.date(), model="claude-sonnet-5-5", instruction_tokens=2)
    assert second == (f"f1: refreshed 1 time over the session by claude-sonnet-5-5, about ${total_usd(costs):.4f}")
    assert main(["stale", str(tmp_path / "fixtures/f1/transcript.jsonl"), "--json"]) == 0
    told = msgspec.json.decode(capsys.readouterr().out)
    assert (told["at_end"], told["timed"], told["usd"]) == (4, True, None)
    assert told["refreshes"][0]["reason"] == "the session names no model; --model gives one"


def read(root):
    from bench.transcripts import read

    return read(root / "fixtures/f1/transcript.jsonl")


def test_the_plan_says_that_the_cost_of_carrying_will_not_be_known(tmp_path):
    path = project(tmp_path, sweep='carry = {turns = 40, model = "claude-sonet-5-5"}\n')
    notes = plan_sweep(path, outside=outside(FakeModel())).notes
    assert [n for n in notes if n.startswith("carry.model: no price is known for 'claude-sonet-5-5'")]
