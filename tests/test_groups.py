"""Groups by several columns at once give what pandas' groupby gives, in the order in which groups appear."""

import numpy as np
import pandas as pd
import pytest

from bench.analysis import groups
from bench.analysis.groups import Groups, groups_of
from bench.analysis.statistics.rating_counts import rating_counts

TABLE = pd.DataFrame(
    {
        "arm": pd.Series(["b", "a", "b", "b", None, "a"], dtype="string"),
        "n": pd.Series([2, 1, 2, 1, 1, 1], dtype="Int64"),
        "value": [1.0, 2.0, 4.0, 8.0, 16.0, 32.0],
    }
)


@pytest.mark.parametrize("most", [groups.MOST, 1])
def test_lines_are_numbered_as_pandas_numbers_them(monkeypatch, most):
    monkeypatch.setattr(groups, "MOST", most)  # 1: as with more combinations than an integer holds
    found = groups_of(TABLE, ["arm", "n"])
    # (b, 2) begins on line 0, (a, 1) on 1, (b, 1) on 3; line 4 has no arm and is in no group
    assert found.of.tolist() == [0, 1, 0, 2, -1, 1] and found.first.tolist() == [0, 1, 3] and len(found) == 3
    by = TABLE.groupby(["arm", "n"], observed=True, sort=False)
    assert found.sums(TABLE["value"].to_numpy()).tolist() == by["value"].sum().tolist() == [5.0, 34.0, 8.0]
    assert found.counts().tolist() == by.size().tolist() == [2, 2, 1]
    assert found.counts((TABLE["value"] > 3).to_numpy()).tolist() == [1, 1, 1]


def test_a_group_splits_by_one_more_column():
    arms = groups_of(TABLE, ["arm"])
    assert arms.of.tolist() == [0, 1, 0, 0, -1, 1]
    assert arms.split(TABLE["n"]).of.tolist() == groups_of(TABLE, ["arm", "n"]).of.tolist()


def test_no_line_makes_no_group():
    found = groups_of(TABLE.head(0), ["arm", "n"])
    assert len(found) == 0 and found.sums(np.zeros(0)).tolist() == [] and found.counts().tolist() == []


def test_a_sum_is_compensated_for_rounding():
    tenths = np.full(10, 0.1)  # plainly added, one after the other, they are 0.9999999999999999
    assert Groups(np.zeros(10, dtype=np.intp), np.zeros(1, dtype=np.intp)).sums(tenths).tolist() == [1.0]


def test_ratings_are_counted_unit_by_unit():
    counts, order = rating_counts([["C", "L", None], ["C", None, None]])
    assert (counts.tolist(), order) == ([[2, 0], [0, 1], [0, 0]], ["C", "L"])
    assert rating_counts([])[0].shape == (0, 0)
    with pytest.raises(ValueError, match="the same units"):
        rating_counts([["C"], ["C", "L"]])
