"""Every worked example of the method sheet, through one table: its name -> our function (`stat_vectors.py`).

A figure that the bench does not compute is an exception with its reason; whatever else is expected must come out.
"""

import json
from collections.abc import Mapping, Sequence

import pytest
from stat_vectors import METHODS

NOT_OFFERED = {
    "compare.dunnett": "arms are adjusted by Holm, which needs no equal variances",
    "sequential.empirical-bernstein": "the sheet: empty at the sizes of a bench; do not offer it",
}
"""Methods the bench does not have -> why."""
LEFT_OUT = {
    "three_over_n_lower": "an approximation of one_sided_lower",
    "pooled_wrong": "the mean that the sheet calls wrong",
    "se_unpaired": "wrong: atoms are no units",
    "se_paired": "wrong: atoms are no units",
    "correlation": "of atoms; nothing rests on it",
    "p_relabel_doubled_tail": "the p that the sheet warns of",
    "chi2": "the exact test is offered",
    "p_chi2": "the exact test is offered",
    "chi2_corrected": "the exact test is offered",
    "p_chi2_corrected": "the exact test is offered",
    "printed_chi2": "the exact test is offered",
    "BCa": "scipy's: the bench takes no interval of a mean from a bootstrap",
    "rejected_bonferroni": "Holm is never worse",
    "common": "counted, not listed: asserted in the table",
    "dropped_a": "counted, not listed: asserted in the table",
    "dropped_b": "counted, not listed: asserted in the table",
    "mde_normal_approximation": "the shortcut that the sheet warns of",
    "interval": "of alpha: verdicts have no interval scale",
    "raw": "not cut to 0..1: nothing rests on it",
    "mean_of_ratios": "the ratio that the sheet calls wrong",
    "retention_se_naive": "too small: atoms of a run share its fate",
    "fixed_n": "z * sigma / sqrt(n); the bench has no known sigma at a fixed n",
    "survivor": "which arm is left is the run's to say",
    "mean_cost": "pooled over runs: the bench averages replicates inside fixtures first, costs too",
    "resamples": "drawn, not listed",
    "ms": "of a G study: the components are what is used",
}
"""Figures of a vector that the bench does not compute -> why."""
MEASURED = {
    "compare.bootstrap-exact": {"mean": 2e-4, "sd": 1e-4, "p_le_0": 2e-3},
    "compare.bootstrap-mc": {"percentile": 6e-4},
}
"""Figures that are drawn, not listed, and how far a draw may be off."""
HAS = {
    "agreement.judge-interval": {"interval"},
    "variance.fixture-arm": {"ms"},
    "cost.dominance-probability": {"resamples"},
}
"""Figures that are left out elsewhere, and computed here."""


@pytest.fixture
def cases(shared):
    text = (shared / "reference" / "stat-vectors.json").read_text(encoding="utf-8")
    return {case["id"]: case for case in json.loads(text)["cases"]}


@pytest.mark.shared
def test_every_worked_example_has_its_line(cases):
    assert set(cases) == set(METHODS) | set(NOT_OFFERED)


@pytest.mark.shared
@pytest.mark.parametrize("name", METHODS)
def test_worked_example(cases, name):
    case = cases[name]
    expected = {k: v for k, v in case["expected"].items() if k not in LEFT_OUT or k in HAS.get(name, ())}
    assert expected
    found = METHODS[name](case["input"])
    assert apart(found, expected, case["tol"], MEASURED.get(name, {})) == []


def apart(found, expected, tol, measured=None, at=""):
    """Where `found` is not `expected`: absent is absent, numbers within tol (absolute up to 1, relative above)."""
    if isinstance(expected, Mapping):
        return [
            line
            for key, value in expected.items()
            if key not in LEFT_OUT or not at
            for line in apart(found.get(key, "nothing"), value, (measured or {}).get(key, tol), None, f"{at}.{key}")
        ]
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(expected):
            return [f"{at}: {found} is not {expected}"]
        return [
            line
            for n, (one, value) in enumerate(zip(found, expected, strict=True))
            for line in apart(one, value, tol, None, f"{at}[{n}]")
        ]
    if expected is None or found is None or isinstance(expected, str | bool):
        return [] if found == expected else [f"{at}: {found} is not {expected}"]
    off = abs(found - expected) if isinstance(found, int | float) else float("inf")
    return [] if off <= tol * max(1.0, abs(expected)) else [f"{at}: {found} is not {expected}"]
