"""Say where a run's variation comes from, what the grader alone adds, and what other designs would tell apart.

Sources: fixture, arm, replicate, pass, atom, and what crosses them; those that the run cannot tell apart are named with
the reason. Then the standard error of a difference of two arms for other numbers of fixtures, replicates and passes.
RUN is a folder or the name of a run in the project's results/; without it, the newest run.

examples:
  bench noise
  bench noise nightly --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bench.cli.output import emit_json


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("--with-truncated", action="store_true", help="count handoffs that were cut off, too")
    parser.add_argument("--json", action="store_true", help="print the split as JSON, a line a source")


def run(args: Namespace) -> int:
    from bench.frames import records
    from bench.runs.index import open_run
    from bench.runs.noise import noise, show_noise
    from bench.runs.view import gradings

    opened = open_run(args.run)
    if args.json:
        kinds = [noise(opened, grading=one, with_truncated=args.with_truncated) for one in gradings(opened)]
        emit_json([line for table in kinds for line in records(table)])
    else:
        print(show_noise(opened, with_truncated=args.with_truncated))
    return 0
