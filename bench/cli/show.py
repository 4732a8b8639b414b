"""Show one atom: where the transcript establishes it, then each arm's passage and verdict.

An id of the key's `never` shows what was never said, and which arm states it all the same. An id that several of the
run's keys use is shown for each fixture.

examples:
  bench show quickstart a03
  bench show quickstart n01
  bench show results/quickstart a03 --fixture rate-limiter
  bench show quickstart a03 --json
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from bench.cli.output import emit_json, say
from bench.disputing import read_disputes
from bench.disputing.shown import with_disputes
from bench.grading.subjects import fixtures_of
from bench.grading.views import AtomView, NeverView, OutputVerdict, view_atom, view_never
from bench.runs.index import find_run
from bench.text import ABSENT, printable

WIDTH = 100
"""Columns of the text; a passage is set in below its line."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("atom", metavar="ATOM", help="an atom's id in the key, or that of a never")
    parser.add_argument("--fixture", help="only in this fixture")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    store = find_run(args.run)
    fixtures = fixtures_of(store.run_json(), store.root)
    nevers = view_never(store, fixtures, args.atom, args.fixture)
    known = any(atom.id == args.atom for fixture in fixtures.values() for atom in fixture.key.atoms)
    views = view_atom(store, fixtures, args.atom, args.fixture) if known or not nevers else []
    views = with_disputes(views, read_disputes(store.root))
    if args.json:
        emit_json([*views, *nevers])
    else:
        texts = [*map(_lines, views), *map(_never_lines, nevers)]
        print("\n\n".join(printable("\n".join(lines)) for lines in texts))
    outputs = [output for view in views for output in view.outputs]
    outputs += [output for view in nevers for output in view.outputs]
    if any(output.outdated for output in outputs):
        say(f"some verdicts are of an older key; 'bench grade {args.run}' grades again")
    return 0


def _lines(view: AtomView) -> Iterator[str]:
    yield f"{view.fixture} {view.atom} ({view.tag}, {view.importance}, by {view.by}): {view.text}"
    for source in view.sources:
        yield from ("", f"message {source.message}, {source.author}:", _set_in(source.text))
    yield from _outputs(view.outputs)


def _never_lines(view: NeverView) -> Iterator[str]:
    yield f"{view.fixture} {view.never} (never said): {view.text}"
    yield from _outputs(view.outputs)


def _outputs(outputs: tuple[OutputVerdict, ...]) -> Iterator[str]:
    for output in outputs:
        verdict = output.verdict or ("no verdict" if output.grader else "not graded")
        yield from ("", f"{_name(output)}: {verdict}", _set_in(output.passage or ABSENT))
        if output.disputed:
            yield _set_in(f"disputed by a person: {output.disputed}; {output.note}")


def _name(output: OutputVerdict) -> str:
    parts = [output.arm]
    if output.model != "none":
        parts += [output.model, f"replicate {output.replicate}"]
    if (output.chain_step, output.stale_by) != (1, 0):
        parts.append(f"step {output.chain_step}, stale by {output.stale_by}")
    if output.grader:
        parts.append(output.grader if output.scope == "handoff" else f"{output.grader} on the {output.scope}")
    if (output.grading_pass or 1) > 1:
        parts.append(f"pass {output.grading_pass}")
    return " · ".join(parts)


def _set_in(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
