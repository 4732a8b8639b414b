"""What carrying a handoff costs, turn by turn."""

from __future__ import annotations

from datetime import date

import pytest
from msgspec.structs import replace

from bench.field.carrying import carried
from bench.handoff.openers import Opener
from bench.handoff.window import reading

DAY = date(2026, 11, 30)
MODEL = "claude-sonnet-5"
OPENER = Opener(kind="stock", index=9, n=1, chars=400)
FRESH = reading(turn=1, messages=2, opener=None, first_prompt=1000, answers=3)
AFTER = [
    reading(turn=1, messages=2, opener=OPENER, first_prompt=1500, answers=2),
    reading(turn=2, messages=5, opener=OPENER, first_prompt=2000, answers=4),
    reading(turn=3, messages=9, opener=OPENER, first_prompt=2500, answers=1),
]


def test_each_answer_carries_the_weight_of_the_handoff():
    # 1,500 - 1,000 = 500 tokens; two answers, then four
    lines = carried([FRESH, *AFTER], 2, MODEL, DAY)
    assert [(c.turn, c.tokens, c.tokens_so_far, c.share) for c in lines] == [
        (1, 1000, 1000, 33.3),
        (2, 2000, 3000, 25.0),
    ]
    # 0.2 USD a million tokens read from the cache
    assert [c.usd_so_far for c in lines] == [pytest.approx(0.0002), pytest.approx(0.0006)]


def test_what_is_not_known_stays_null():
    unknown = [AFTER[0], replace(AFTER[1], answers=None), AFTER[2]]
    assert [c.tokens_so_far for c in carried([FRESH, *unknown], 5, MODEL, DAY)] == [1000, None, None]
    assert {c.weight for c in carried(AFTER, 5, MODEL, DAY)} == {None}  # no floor
    above = replace(FRESH, first_prompt=9000)
    assert {c.weight for c in carried([above, *AFTER], 5, MODEL, DAY)} == {None}  # a floor above it is none
    assert {c.usd_so_far for c in carried([FRESH, *AFTER], 5, None, DAY)} == {None}
    assert carried([FRESH], 5, MODEL, DAY) == ()
