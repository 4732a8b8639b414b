"""First losses of a chain: curves worked by hand, the printed ones in test_chain.py."""

import pytest
from runs import grades

from bench.analysis.atoms.first_losses import first_losses
from bench.frames import frame, records
from bench.rows import GradeRow


def test_a_curve_with_a_return_and_an_atom_that_is_seen_less_long():
    rows = [
        *grades("CCC.", chain_step=1), *grades("CLPC", chain_step=2), *grades("CCLC", chain_step=3),
    ]  # fmt: skip
    one, two, three = records(first_losses(frame(rows, GradeRow)))
    # a1 CCC, a2 CLC, a3 CPL; a4 has no verdict at step 1, which is its own: it is not followed
    told = [(r["compactions"], r["at_risk"], r["losses"]) for r in (one, two, three)]
    assert told == [
        (1, 3, 0),
        (2, 3, 1),
        (3, 2, 1),
    ]
    assert two["survival"] == pytest.approx(2 / 3) and three["survival"] == pytest.approx(1 / 3)
    assert two["se"] == pytest.approx((4 / 9 * 1 / 6) ** 0.5)
    assert (two["stay"], two["came_back"]) == (pytest.approx(2 / 3), None)
    assert (three["stay"], three["came_back"], three["reappeared"]) == (0.5, 1.0, 1)


def test_the_cuts_place_an_atom_that_its_own_step_has_no_grade_of():
    rows = [*grades("C", chain_step=2), *grades("C", chain_step=3)]
    of = frame(rows, GradeRow)
    placed = of[["fixture", "atom"]].drop_duplicates().assign(stretch=1)
    # by the first graded step it would be followed from step 2 on; by the cuts its first handoff is missing
    assert len(first_losses(of)) == 2 and len(first_losses(of, placed)) == 0
