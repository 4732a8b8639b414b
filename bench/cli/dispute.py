"""Record that a person disagrees with a verdict, and say how the key could be mended.

OUTPUT is a path below the run's outputs/ (rate-limiter/inventory/local/s1-k0-r02), or as much of it as fits one output
only: an arm, inventory/r02, rate-limiter/inventory. The dispute is a line of the run's disputes.jsonl; nothing is ever
taken out, and a later one on the same atom and output counts. It changes no verdict: `bench show`, `bench table`,
`bench agreement` and the report show it beside them. A verdict that every grader gives already is refused, unless it
takes an earlier dispute back. The mend is a proposal; nothing is written into the key.

examples:
  bench dispute quickstart a003 inventory --verdict absent --note "Redis is named, not that it was ruled out"
  bench dispute nightly a003 inventory/r02 --verdict carried --quote "no Redis for us" --note "said in other words"
  bench dispute nightly                      the run's disputes, each beside the graders' verdicts
"""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, get_args

from bench.cli.output import emit, emit_json, say
from bench.errors import BenchError
from bench.rows import Verdict
from bench.text import printable

if TYPE_CHECKING:
    from bench.disputing.mending import Mend

LISTED = ("fixture", "arm", "model", "replicate", "atom", "verdict", "grader", "grader_verdict", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("atom", metavar="ATOM", nargs="?", help="the atom's id in the key")
    parser.add_argument("output", metavar="OUTPUT", nargs="?", help="the output, by as much of its path as it takes")
    parser.add_argument("--verdict", choices=get_args(Verdict), help="what the person says")
    parser.add_argument("--note", metavar="TEXT", help="why")
    parser.add_argument("--quote", metavar="TEXT", help="the words of the output that say it")
    parser.add_argument("--fixture", help="where several fixtures have an atom of that id")
    parser.add_argument("--scope", choices=("handoff", "summary"), default="handoff")
    parser.add_argument("--json", action="store_true", help="print the dispute and the mend, or the list, as JSON")


def run(args: argparse.Namespace) -> int:
    if args.atom is None:
        return _list(args)
    from bench.disputing.making import dispute, named
    from bench.disputing.outputs import output_named

    note = (args.note or "").strip()
    missing = [n for n, v in (("OUTPUT", args.output), ("--verdict", args.verdict), ("--note", note)) if not v]
    if missing:
        # a wrong name is told first: the options are no use on another atom or output
        store, fixtures = named(args.run, args.atom, args.fixture)
        if args.output:
            output_named(store, args.output, [*fixtures])
        raise BenchError(f"a dispute needs OUTPUT, --verdict and --note; missing: {', '.join(missing)}")
    made, mend = dispute(
        args.run, args.atom, args.output, verdict=args.verdict, note=args.note, quote=args.quote,
        fixture=args.fixture, scope=args.scope,
    )  # fmt: skip
    if args.json:
        emit_json({"dispute": made, "mend": mend})
        return 0
    say(f"recorded: {made.atom} in {made.fixture}/{made.arm} replicate {made.replicate}: {made.verdict}")
    print(printable("\n".join(_lines(mend))))
    return 0


def _list(args: argparse.Namespace) -> int:
    from bench.frames import records
    from bench.runs.index import open_run
    from bench.runs.view import disputes

    emit(records(disputes(open_run(args.run))), LISTED, as_json=args.json)
    return 0


def _lines(mend: Mend) -> list[str]:
    lines = [f"why: {reason}" for reason in mend.reasons]
    if mend.proposal is None:
        return [*lines, "no mend to propose; --quote with the words of the output that say it helps"]
    works = "with it, this output gets that verdict" if mend.brings_it else "even with it, this output does not"
    holds = "the key still holds" if mend.answerable else "but the transcript itself would not carry the atom any more"
    return [*lines, f"proposed for the key ({works}; {holds}):", textwrap.indent(mend.proposal, "    ")]
