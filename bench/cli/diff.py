"""Compare two arms, or two versions of one, atom by atom: what the second lost and gained, and the passages behind it.

Only atoms that both were graded on, on the same fixtures. After an edit of a prompt and another run, ARM@old is the
first version of the arm in the run, ARM@new the newest, ARM@3f9c that one, and the edit itself is shown. An arm that
asks no model is held against the other's every model.

examples:
  bench diff quickstart inventory@old inventory@new
  bench diff quickstart nine-sections inventory
  bench diff results/nightly short@3f9c short@new --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import groupby

from bench.cli.output import emit_json
from bench.runs.versions import AtomChange, Diff, Instruction
from bench.runs.words import signed
from bench.text import clip, printable

PASSAGE_CHARS = 160
"""Of a passage that are shown; --json has all of it."""
EDIT_LINES, EDIT_CHARS = 40, 200
"""Of the edit of a prompt that are shown, and of each of its lines."""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("before", metavar="A", help="an arm, or a version of one: inventory, inventory@old")
    parser.add_argument("after", metavar="B", help="the other: inventory@new, inventory@3f9c, short")
    parser.add_argument("--with-truncated", action="store_true", help="count handoffs that were cut off, too")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: Namespace) -> int:
    from bench.runs.index import open_run
    from bench.runs.versions import diff

    diffs = diff(open_run(args.run), args.before, args.after, with_truncated=args.with_truncated)
    if args.json:
        emit_json(diffs)
    else:
        print("\n\n".join(printable("\n".join(_lines(one))) for one in diffs))
    return 0


def _lines(one: Diff) -> Iterator[str]:
    where = "" if (one.chain_step, one.stale_by) == (1, 0) else f", step {one.chain_step}, stale by {one.stale_by}"
    model = "" if one.model == "none" else f" · {one.model}"
    yield f"{one.before.label} -> {one.after.label}{model}{where}: graded by {one.grader} on the {one.scope}"
    points = "" if one.points is None else f"; {signed(one.points)} points of recall"
    yield f"{one.lost} atoms lost, {one.gained} gained, {one.alike} alike{points}"
    yield from _sizes(one.before, one.after)
    yield from (f"  {clip(line, EDIT_CHARS)}" for line in one.edit[:EDIT_LINES])
    if len(one.edit) > EDIT_LINES:
        yield f"  … and {len(one.edit) - EDIT_LINES} more lines; --json has all"
    for fixture, atoms in groupby(one.atoms, key=lambda a: a.fixture):
        yield from ("", fixture)
        for atom in atoms:
            yield from _atom(atom)


def _sizes(before: Instruction, after: Instruction) -> Iterator[str]:
    if before.sha256 is None and after.sha256 is None:
        return
    sizes = [_size(side) for side in (before, after)]
    change = "" if before.chars is None or after.chars is None else f" ({after.chars - before.chars:+,})"
    same = " (the same text)" if before.sha256 == after.sha256 else change
    yield f"instruction: {sizes[0]} -> {sizes[1]} characters{same}"


def _size(side: Instruction) -> str:
    if side.sha256 is None:
        return "none"
    return "not known" if side.chars is None else f"{side.chars:,}"


def _atom(atom: AtomChange) -> Iterator[str]:
    counts = f"{atom.carried_before:g} of {atom.runs_before} -> {atom.carried_after:g} of {atom.runs_after} runs"
    text = atom.text or "not in the key now"
    yield f"  {atom.change:<7} {atom.atom} ({atom.tag}, {atom.importance}) {counts}: {text}"
    for passage in atom.passages:
        words = clip(" ".join(passage.evidence.split()), PASSAGE_CHARS)
        number = f"run {passage.replicate}" + (f" pass {passage.grading_pass}" if passage.grading_pass > 1 else "")
        yield f"          {passage.arm} {number}, {passage.verdict}: {words}"
