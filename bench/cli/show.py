"""Show one atom: where the transcript establishes it, then each arm's passage and verdict.

An atom id that several of the run's keys use is shown for each fixture.

examples:
  bench show quickstart a03
  bench show results/quickstart a03 --fixture rate-limiter
  bench show quickstart a03 --json
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from bench.cli.output import emit_json, say
from bench.grading.subjects import fixtures_of
from bench.grading.views import AtomView, OutputVerdict, view_atom
from bench.index import find_run
from bench.text import ABSENT, printable

WIDTH = 100
"""Columns of the text; a passage is set in below its line."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("atom", metavar="ATOM", help="the atom's id in the key")
    parser.add_argument("--fixture", help="only in this fixture")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def run(args: argparse.Namespace) -> int:
    store = find_run(args.run)
    views = view_atom(store, fixtures_of(store.run_json(), store.root), args.atom, args.fixture)
    if args.json:
        emit_json(views)
    else:
        print("\n\n".join(printable("\n".join(_lines(view))) for view in views))
    if any(o.outdated for view in views for o in view.outputs):
        say(f"some verdicts are of an older key; 'bench grade {args.run}' grades again")
    return 0


def _lines(view: AtomView) -> Iterator[str]:
    yield f"{view.fixture} {view.atom} ({view.tag}, {view.importance}, by {view.by}): {view.text}"
    for source in view.sources:
        yield from ("", f"message {source.message}, {source.author}:", _set_in(source.text))
    for output in view.outputs:
        yield from ("", f"{_name(output)}: {output.verdict or 'not graded'}", _set_in(output.passage or ABSENT))


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
