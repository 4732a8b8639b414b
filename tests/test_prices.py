"""Costs, with the arithmetic shown: USD per million tokens times tokens."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.cli import main
from bench.errors import BenchError
from bench.prices import Cost, Price, carry_cost, cost, cost_of_passes, meant, nearest, price_of, worst_case
from bench.pricetable import BUILT_IN, PriceFile, built_in, load_prices
from bench.schema import load_toml
from bench.transcripts.model import Usage

NOV = date(2026, 11, 30)
M = 1_000_000


def usage(input=0, output=0, read=0, write_5m=0, write_1h=0):
    return Usage(input, output, read, write_5m, write_1h)


@pytest.mark.parametrize(
    ("used", "model", "when", "options", "usd"),
    [
        # one class at a time: a million tokens cost the price itself
        (usage(input=M), "claude-opus-5-5", NOV, {}, 4),
        (usage(output=M), "claude-opus-5-5", NOV, {}, 20),
        (usage(read=M), "claude-opus-5-5", NOV, {}, 0.20),
        (usage(write_5m=M), "claude-opus-5-5", NOV, {}, 5),
        (usage(write_1h=M), "claude-opus-5-5", NOV, {}, 8),
        # a first fork: 12 x 2 + 90,000 x 2.5 + 2,000 x 10 = 24 + 225,000 + 20,000 per million
        (usage(12, 2_000, 0, 90_000), "claude-sonnet-5-5", NOV, {}, 0.245024),
        # a later fork: 12 x 2 + 90,000 x 0.1 + 2,000 x 10 = 24 + 9,000 + 20,000
        (usage(12, 2_000, 90_000), "claude-sonnet-5-5", NOV, {}, 0.029024),
        # the cache read was halved on 7 October: 90,000 x 0.2 before, x 0.1 from then on
        (usage(read=90_000), "claude-sonnet-5-5", date(2026, 10, 6), {}, 0.018),
        (usage(read=90_000), "claude-sonnet-5-5", date(2026, 10, 7), {}, 0.009),
        # Sonnet 5 is another model than Sonnet 5.5: read 0.20 on the same day
        (usage(read=90_000), "claude-sonnet-5", NOV, {}, 0.018),
        # tier by the whole prompt, up to 100,000: 40,000 x 0.1 + 60,000 x 0.01 + 1,000 x 0.5
        (usage(40_000, 1_000, 60_000), "claude-haiku-5-5", NOV, {}, 0.0051),
        # one token more, and every token of the request is dear: 40,001 x 0.5 + 60,000 x 0.05 + 1,000 x 2.5
        (usage(40_001, 1_000, 60_000), "claude-haiku-5-5", NOV, {}, 0.0255005),
        # writes count for the tier as well: 100,001 x 0.625
        (usage(write_5m=100_001), "claude-haiku-5-5", NOV, {}, 0.062500625),
        # half price in a batch: (1,000 x 3 + 1,000 x 15) / 2
        (usage(1_000, 1_000), "claude-sonnet-4-6", NOV, {"billing": "batch"}, 0.009),
        # 1.1 x in the US: (1,000 x 5 + 1,000 x 25) x 1.1
        (usage(1_000, 1_000), "claude-opus-4-8", NOV, {"place": "inference_geo_us"}, 0.033),
        # multipliers combine: 30,000 x 0.5 x 1.1 per million
        (usage(1_000, 1_000), "claude-opus-4-8", NOV, {"place": "cloud_region", "billing": "batch"}, 0.0165),
        # fast mode has rows of its own: 1,000 x 8 + 1,000 x 40
        (usage(1_000, 1_000), "claude-opus-5-5", NOV, {"speed": "fast"}, 0.048),
        # dated ids of the 4.5 generation: 1,000 x 1 + 1,000 x 5
        (usage(1_000, 1_000), "claude-haiku-4-5-20251001", NOV, {}, 0.006),
        # the older naming: 1,000 x 0.8 + 1,000 x 4
        (usage(1_000, 1_000), "claude-3-5-haiku-20241022", NOV, {}, 0.0048),
        # Fable reads at a fortieth: 1,000,000 x 0.2
        (usage(read=M), "claude-fable-5-2", NOV, {}, 0.2),
        (usage(read=M), "claude-fable-5-1", NOV, {}, 0.25),
        (usage(read=M), "claude-fable-5", NOV, {}, 1.0),
        # what runs here is billed by nobody, and that is a true zero
        (usage(1_000, 1_000, 1_000), "local", NOV, {}, 0),
        (usage(1_000, 1_000, 1_000), "local:/models/small.gguf", NOV, {}, 0),
    ],
)  # fmt: skip
def test_a_request_costs(used, model, when, options, usd):
    found = cost(used, model, when, **options)
    assert found.usd_api == pytest.approx(usd, rel=1e-12)
    assert found.reason is None
    assert found.price_row is not None


def test_a_subscription_pays_no_cache_reads_and_the_row_keeps_what_was_waived():
    # 1,000 x 2 = 0.002 paid; 500,000 x 0.1 = 0.05 waived; the list price is both
    found = cost(usage(input=1_000, read=500_000), "claude-sonnet-5-5", NOV)
    assert found.usd_subscription == pytest.approx(0.002)
    assert found.cache_read_waived_usd == pytest.approx(0.05)
    assert found.usd_api == pytest.approx(0.052)


@pytest.mark.parametrize(
    ("model", "when", "options", "reason"),
    [
        ("claude-sonnet-5-5x", NOV, {}, "no price of 'claude-sonnet-5-5x' in the table; nearest: claude-sonnet-5-5"),
        ("claude-sonnet-5-5-20260928", NOV, {}, "no price of"),  # undated since 4.6: no such snapshot
        ("sonnet-5", NOV, {}, "no price of"),
        ("claude-3-5-haiku", NOV, {}, "no price of"),  # the API never had this id
        ("claude-opus-4-5-2025110", NOV, {}, "no price of"),
        ("gpt-oss", NOV, {}, "no price of"),
        ("claude-3-7-sonnet-20250219", NOV, {}, "no price of 'claude-3-7-sonnet-20250219': retired"),
        ("claude-mythos-preview", NOV, {}, "not looked up"),
        ("claude-sonnet-5-5", date(2026, 9, 27), {}, "its rows hold from 2026-09-28 to 2026-10-06, from 2026-10-07 on"),
        ("claude-sonnet-5-5", NOV, {"speed": "fast"}, "no fast price"),
        ("claude-opus-5-5", NOV, {"speed": "fast", "billing": "batch"}, "not offered in batches"),
        ("claude-haiku-4-5", NOV, {"place": "inference_geo_us"}, "does not take inference_geo"),
        ("http://127.0.0.1:8000#qwen3", NOV, {}, 'add a row with model = "http://127.0.0.1:8000#qwen3"'),
        ("bedrock:anthropic.claude-opus-5-5", NOV, {}, "differ by region"),
    ],
)
def test_an_unknown_price_is_null_with_the_reason(model, when, options, reason):
    found = cost(usage(1, 1), model, when, **options)
    assert (found.usd_api, found.usd_subscription, found.cache_read_waived_usd, found.price_row) == (None,) * 4
    assert reason in found.reason
    if not options:
        assert worst_case(model, when, 1, 1) is None


def test_usage_that_was_not_reported_has_no_price():
    assert cost(None, "claude-opus-5-5", NOV) == Cost(reason="the server reported no usage")


def test_the_worst_case_writes_the_whole_prompt_and_answers_in_full():
    # 10,000 x 2.5 + 1,000 x 10 per million; with the hour's cache 10,000 x 4 + 1,000 x 10
    assert worst_case("claude-sonnet-5-5", NOV, 10_000, 1_000) == pytest.approx(0.035)
    assert worst_case("claude-sonnet-5-5", NOV, 10_000, 1_000, cache_ttl="1h") == pytest.approx(0.05)
    assert worst_case("claude-sonnet-5-5", NOV, 10_000, 1_000, billing="batch") == pytest.approx(0.0175)
    assert worst_case("local", NOV, 10_000, 1_000) == 0


def test_carrying_a_handoff_reads_it_on_every_turn_and_writes_nothing():
    # 1,000 tokens x 40 turns x 0.1 per million
    found = carry_cost(1_000, 40, "claude-sonnet-5-5", NOV)
    assert found.usd_api == pytest.approx(0.004)
    assert found.usd_subscription == 0
    assert carry_cost(0, 40, "claude-sonnet-5-5", NOV).usd_api == 0
    assert carry_cost(1_000, 40, "claude-sonnet-9", NOV).usd_api is None


def test_the_tier_of_a_carried_handoff_is_that_of_one_turn_and_not_of_all_turns_together():
    # 50,000 x 40 = 2,000,000 tokens in all, each turn's prompt below 100,000: x 0.01
    assert carry_cost(50_000, 40, "claude-haiku-5-5", NOV).usd_api == pytest.approx(0.02)


def test_passes_of_one_request_are_each_priced_by_their_own_prompt():
    # 80,000 x 0.1 + 30,000 x 0.1; as one prompt of 110,000 it would be the dear tier
    passes = [usage(input=80_000), usage(input=30_000)]
    assert cost_of_passes(passes, "claude-haiku-5-5", NOV).usd_api == pytest.approx(0.011)
    assert cost_of_passes([], "claude-haiku-5-5", NOV).usd_api is None


MODELS = st.sampled_from(built_in().names)
TOKENS = st.integers(0, 900_000)
USAGES = st.builds(Usage, TOKENS, TOKENS, TOKENS, TOKENS, TOKENS)


@settings(max_examples=60, deadline=None)
@given(MODELS.filter(lambda name: name != "claude-haiku-5-5"), USAGES, USAGES)
def test_cost_is_additive_where_there_are_no_tiers(model, a, b):
    both = Usage(*(getattr(a, f) + getattr(b, f) for f in Usage.__struct_fields__))
    apart = cost(a, model, NOV).usd_api + cost(b, model, NOV).usd_api
    assert cost(both, model, NOV).usd_api == pytest.approx(apart, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(MODELS, USAGES, st.sampled_from(Usage.__struct_fields__), st.integers(1, 200_000))
def test_more_tokens_never_cost_less_and_never_more_than_the_worst_case(model, u, name, more):
    larger = Usage(**{f: getattr(u, f) + more * (f == name) for f in Usage.__struct_fields__})
    cheap, dear = cost(u, model, NOV), cost(larger, model, NOV)
    assert dear.usd_api >= cheap.usd_api
    assert dear.usd_subscription <= dear.usd_api
    prompt = larger.input + larger.cache_read + larger.cache_write_5m + larger.cache_write_1h
    assert dear.usd_api <= worst_case(model, NOV, prompt, larger.output, cache_ttl="1h") * (1 + 1e-9)


def test_every_source_a_row_cites_is_in_the_table_and_no_source_is_idle():
    table = built_in()
    cited = {s for row in table.rows for s in (*row.sources, *row.cache_sources)}
    assert cited == set(table.sources)
    assert all(row.sources for row in table.rows)


def test_rows_have_ids_of_their_own():
    ids = [row.id for row in built_in().rows]
    assert len(ids) == len(set(ids)) and all(ids)


OWN = """
version = 1
extends = {extends}
[[row]]
model = "http://127.0.0.1:8000#qwen3"
usd = {{ input = 1, output = 2, cache_read = 0, cache_write_5m = 1, cache_write_1h = 1 }}
[[row]]
id = "our contract"
model = "claude-opus-5-5"
usd = {{ input = 3, output = 15, cache_read = 0.15, cache_write_5m = 3.75, cache_write_1h = 6 }}
"""


def test_a_projects_own_rows_come_before_the_built_in_ones(tmp_path):
    (tmp_path / "prices.toml").write_text(OWN.format(extends="true"))
    table = load_prices(tmp_path)
    assert cost(usage(input=M), "claude-opus-5-5", NOV, table=table).usd_api == 3
    assert cost(usage(input=M), "claude-opus-5-5", NOV, table=table).price_row == "our contract"
    assert cost(usage(output=M), "http://127.0.0.1:8000#qwen3", NOV, table=table).usd_api == 2
    assert cost(usage(input=M), "claude-sonnet-5-5", NOV, table=table).usd_api == 2, "the rest stays"
    assert cost(usage(input=M), "claude-sonnet-5-5", NOV, table=table, billing="batch").usd_api == 1
    assert table.sha256 != built_in().sha256


def test_a_table_that_does_not_extend_stands_alone(tmp_path):
    (tmp_path / "prices.toml").write_text(OWN.format(extends="false"))
    table = load_prices(tmp_path)
    assert cost(usage(input=M), "claude-sonnet-5-5", NOV, table=table).usd_api is None
    assert table.names == ["http://127.0.0.1:8000#qwen3", "claude-opus-5-5"]


def test_without_a_file_of_its_own_a_project_has_the_built_in_table(tmp_path):
    assert load_prices(tmp_path) is built_in() is load_prices(None)


ROW = "usd = { input = 1, output = 1, cache_read = 1, cache_write_5m = 1, cache_write_1h = 1 }\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('version = 1\n[[row]]\nmodel = "m"\n' + ROW, "extends"),
        ('version = 1\nextends = true\n[[row]]\nmodel = "m"\n', "usd"),
        ('version = 1\nextends = true\n[[row]]\nmodel = "m"\nprise = 1\n' + ROW, "5: row[0].prise: unknown field"),
        ('version = 1\nextends = true\n[[row]]\nmodel = "m"\nusd = {input = -1, output = 1, cache_read = 1, '
         "cache_write_5m = 1, cache_write_1h = 1}\n", ">= 0"),
        ('version = 1\nextends = true\n[[row]]\nmodel = "m"\nfrom = 2026-02-01\nto = 2026-01-01\n' + ROW, "is after"),
        ('version = 1\nextends = true\n' + 2 * ('[[row]]\nmodel = "m"\n' + ROW), "price the same request"),
        ('version = 1\nextends = true\n[[row]]\nmodel = "m"\n' + ROW
         + '[[row]]\nmodel = "n"\nalso = ["m"]\nfrom = 2026-01-01\n' + ROW, "price the same request"),
    ],
)  # fmt: skip
def test_a_broken_table_is_told_with_its_file(tmp_path, text, says):
    (tmp_path / "prices.toml").write_text(text)
    with pytest.raises(BenchError) as error:
        load_prices(tmp_path)
    assert "prices.toml" in str(error.value) and says in str(error.value)


def test_rows_parted_by_date_prompt_or_speed_live_side_by_side(tmp_path):
    rows = [
        "to = 2026-01-31\n", "from = 2026-02-01\nprompt = {max = 10}\n", "from = 2026-02-01\nprompt = {min = 11}\n",
        'speed = "fast"\n',
    ]  # fmt: skip
    text = "version = 1\nextends = false\n" + "".join(f'[[row]]\nmodel = "m"\n{r}{ROW}' for r in rows)
    (tmp_path / "prices.toml").write_text(text)
    assert len(load_prices(tmp_path).rows) == 4


def test_an_exact_id_beats_a_dated_pattern(tmp_path):
    rows = (
        '[[row]]\nmodel = "m"\nalso = ["m-{date}"]\n'
        + ROW
        + '[[row]]\nmodel = "m-20260101"\n'
        + ROW.replace("= 1", "= 7")
    )
    (tmp_path / "prices.toml").write_text("version = 1\nextends = false\n" + rows)
    table = load_prices(tmp_path)
    assert price_of("m-20260101", NOV, 0, table=table).input == 7
    assert price_of("m-20260102", NOV, 0, table=table).input == 1


def test_the_command_prints_the_rows_of_a_model(capsys):
    assert main(["prices", "claude-haiku-5-5"]) == 0
    out = capsys.readouterr().out
    assert "0 to 100,000" in out and "from 100,001" in out and "haiku55-quotes" in out


def test_the_command_shows_only_rows_in_force_on_a_day(capsys):
    assert main(["prices", "claude-sonnet-5-5", "--on", "2026-10-01", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["cache_read"], row["from"], row["to"]) == (0.2, "2026-09-28", "2026-10-06")
    assert row["sources"] == ["Claude Docs, Sonnet 5.5 overview, at launch (2026-09-28 to 2026-10-06)"]


@pytest.mark.parametrize("model", ["claude-sonnet-5-5x", "claude-3-opus", "http://h#m"])
def test_the_command_never_answers_about_money_with_a_guess(capsys, model):
    assert main(["prices", model]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and model in err


def test_the_command_lists_every_row(capsys):
    assert main(["prices", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(built_in().rows) == 28


def test_what_runs_here_is_free_and_says_so(capsys):
    assert main(["prices", "local"]) == 0
    assert "runs on this machine" in capsys.readouterr().out


def test_a_slip_of_a_priced_name_is_told_from_a_new_model():
    assert meant("claude-sonet-5-5") == "claude-sonnet-5-5"
    assert meant("claude-sonnet-5-5") is None  # it has a price
    assert meant("claude-novella-9") is None and meant("local") is None


def test_nearest_names_come_likest_first():
    assert nearest("claude-opus-55")[0] in ("claude-opus-5-5", "claude-opus-5")
    assert nearest("zzz") == []


@pytest.mark.shared
def test_every_row_of_the_reference_is_in_the_table(shared):
    reference = json.loads((shared / "reference/prices.json").read_text())
    ours = load_toml(BUILT_IN, PriceFile)
    assert len(ours.row) == len(reference["rows"])
    for row in reference["rows"]:
        size = (row["prompt_tokens"] or {}).get("max") or 10**6
        day = date.fromisoformat(row["effective_from"] or "2026-11-30")
        found = price_of(row["model"], day, size, speed=row["speed"])
        expected = Price(**{k: float(v) for k, v in row["usd_per_mtok"].items()}, row=found.row)
        assert found == expected, row["name"]
        (ours_row,) = [r for r in ours.row if r.id == found.row]
        dates = [None if d is None else str(d) for d in (ours_row.from_, ours_row.to)]
        assert dates == [row["effective_from"], row["effective_to"]]
        assert [*ours_row.sources] == row["sources"]
        assert [*(ours_row.cache_sources or ours_row.sources)] == row["cache_sources"]
    rules, factors = reference["rules"], ours.multipliers
    assert (factors.batch, factors.inference_geo_us) == (
        rules["batch_multiplier"],
        rules["inference_geo_us_multiplier"],
    )
    assert factors.cloud_region == rules["cloud_regional_endpoint_multiplier"]
    for entry in reference["unpriced"]:
        for model in entry["model"].split(", "):
            assert entry["reason"] in price_of(model, NOV, 0).reason
