"""Intervals of agreement: against resampling done the slow way, and where there is none."""

import itertools

import numpy as np
import pytest
from runs import graded

from bench.analysis.graders.run_agreement import between_passes
from bench.analysis.statistics.agreement import cohen_kappa, krippendorff_alpha
from bench.analysis.statistics.agreement_interval import alpha_interval, clusters, kappa_interval
from bench.frames import records

A = list("CCLLCLCCLCCLCLLC") * 2
B = list("CCLLCCCCLCCLLLLC") + list("CCLLCLCLLCCCCLLC")
OF = [str(n // 2) for n in range(32)]
"""16 clusters of two units."""


def slowly(coefficient):
    """Percentiles over 2,000 draws of clusters, each coefficient worked out anew from its units."""
    rng = np.random.default_rng(5)
    found = []
    for _ in range(2000):
        units = [2 * c + k for c in rng.integers(0, 16, 16) for k in (0, 1)]
        found.append(coefficient([A[u] for u in units], [B[u] for u in units]))
    return np.quantile([v for v in found if v is not None], [0.025, 0.975])


def test_kappa_and_alpha_are_drawn_by_clusters():
    assert kappa_interval(A, B, OF) == pytest.approx(slowly(cohen_kappa), abs=0.03)
    alpha = slowly(lambda a, b: krippendorff_alpha([a, b]))
    assert alpha_interval([A, B], OF) == pytest.approx(alpha, abs=0.03)


def test_what_one_left_out_changes_nothing():
    gaps = [*A, "C", None, None], [*B, None, "L", None]
    of = [*OF, "0", "1", "2"]
    assert kappa_interval(*gaps, of) == pytest.approx(kappa_interval(A, B, OF))
    assert alpha_interval(gaps, of) == pytest.approx(alpha_interval([A, B], OF))


@pytest.mark.parametrize(("a", "b"), [([], []), (list("CL"), list("CC")), (list("C" * 9), list("C" * 9))])
def test_few_clusters_or_one_verdict_have_none(a, b):
    of = [str(n) for n in range(len(a))]
    assert kappa_interval(a, b, of) is None and alpha_interval([a, b], of) is None


def test_fixtures_are_the_clusters_where_there_are_enough():
    assert len(set(clusters(["f1"] * 4, ["a1", "a1", "a2", "a3"]))) == 3
    pairs = list(itertools.product([f"f{n}" for n in range(10)], ["a1", "a2"]))
    assert len(set(clusters(*map(list, zip(*pairs, strict=True))))) == 10


def test_passes_of_a_grader_have_an_interval_and_ac1():
    passes = ["CCLCLCCLCC", "CCLCLCCLCL"]
    (line,) = records(between_passes(graded({"f1": {"a": [passes]}}, grader="judge-x")))
    assert line["alpha_low"] < line["alpha"] <= line["alpha_high"] <= 1
    # 9 of 10 agree; C 13 of 20: 2 * 0.65 * 0.35
    assert line["ac1"] == pytest.approx((0.9 - 0.455) / (1 - 0.455))
