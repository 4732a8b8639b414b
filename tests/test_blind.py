"""A grader never learns which arm it reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import output

from bench.errors import BenchError
from bench.grading.blind import MASK, opaque_id, read_map, seal, seen, shuffled, telling_labels, write_map

LINEAGE = "<!-- handoff: session=3f9c n=2 prev=1 -->\n"


def test_an_id_is_16_hexadecimal_digits_of_seed_cell_and_pass():
    ids = {opaque_id(*of) for of in ((7, "c1", 1), (8, "c1", 1), (7, "c2", 1), (7, "c1", 2), (7, "c", 11))}
    assert len(ids) == 5
    assert all(len(i) == 16 and int(i, 16) >= 0 for i in ids)
    assert opaque_id(7, "c1", 1) == opaque_id(7, "c1", 1)


def test_outputs_are_taken_in_the_order_of_their_ids_and_more_cells_reshuffle_nothing():
    few = [output(arm, cell_key=f"k-{arm}") for arm in ("inventory", "short", "full")]
    more = [*few, *(output(f"arm{i}", cell_key=f"k{i}") for i in range(20))]
    ids = [s.id for s in seal(few, seed=7)]
    assert ids == sorted(ids)
    assert [s.id for s in seal(more, seed=7) if s.row in few] == ids
    assert len(seal(few, seed=7, passes=3)) == 9


def test_atoms_have_an_order_of_their_own_for_each_output():
    ids = [f"a{i:02d}" for i in range(20)]
    one, other = (shuffled(ids, ids, 7, opaque) for opaque in ("00", "01"))
    assert sorted(one) == sorted(other) == ids
    assert one != other and one != ids
    assert shuffled(ids, ids, 7, "00") == one
    assert shuffled(ids[:19], ids[:19], 7, "00") == [a for a in one if a != "a19"], "one atom more moves no other"


@pytest.mark.parametrize(
    ("text", "arm", "conversation", "shown"),
    [
        ("A handoff.", "zebra", "", "A handoff."),
        (LINEAGE + "A handoff.", "zebra", "", "A handoff."),
        ("By zebra: a handoff.", "zebra", "", f"By {MASK}: a handoff."),
        ("By zebra@3f9c and zebra.", "zebra@3f9c", "", f"By {MASK} and {MASK}."),
        ("zebras and zebra-2", "zebra", "", "zebras and zebra-2"),
        ("## Inventory\n- x", "inventory", "", "## Inventory\n- x"),  # headings are content
        ("keep it short", "short", "The user: make it short.", "keep it short"),  # and so is the conversation's word
        ("zebra", "zebra", "", MASK),
        ("", "zebra", "", ""),
    ],
)
def test_lineage_and_label_are_not_seen(text, arm, conversation, shown):
    assert seen(text, telling_labels(arm, conversation)).text == shown


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ("a handoff", "a handoff"),
        (f"{MASK}: a", "zebra: a"),
        (f"By {MASK}", "By zebra"),
        ("not there", None),
        ("", None),
    ],
)
def test_evidence_comes_back_as_the_output_has_it(evidence, words):
    assert seen(LINEAGE + "By zebra: a handoff of zebra.", ["zebra"]).restore(evidence) == words


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["zebra", " ", "a", "\n", "word", "…]"]), max_size=12), st.data())
def test_whatever_is_seen_can_be_found_again_in_the_output(parts, data):
    text = "".join(parts)
    shown = seen(text, ["zebra"])
    if shown.text:
        start = data.draw(st.integers(0, len(shown.text) - 1))
        evidence = shown.text[start : data.draw(st.integers(start + 1, len(shown.text)))]
        words = shown.restore(evidence)
        assert words is not None and words in text


def test_the_map_is_written_once_and_read_back(tmp_path):
    path = tmp_path / "lexical" / "blind.json"
    rows = [output("inventory", cell_key="c1"), output("short", replicate=2, cell_key="c2")]
    write_map(path, "tiny", "lexical", "handoff", 7, seal(rows, 7))
    before = path.stat().st_mtime_ns
    write_map(path, "tiny", "lexical", "handoff", 7, seal(reversed(rows), 7))
    assert path.stat().st_mtime_ns == before
    blind = read_map(path)
    assert {(c.arm, c.replicate, c.cell_key) for c in blind.outputs.values()} == {
        ("inventory", 1, "c1"),
        ("short", 2, "c2"),
    }
    path.write_text("{}")
    with pytest.raises(BenchError, match="is no blind map"):
        read_map(path)
