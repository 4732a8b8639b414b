"""Say where a run's variation comes from, what the grader alone adds, and what other designs would tell apart.

Sources: fixture, arm, replicate, pass, atom, and what crosses them; those that the run cannot tell apart are named with
the reason. Then how reliable single atoms are, whether arms vary alike, what several passes come to when they are read
as one verdict, how many atoms a difference takes, and the standard error of a difference of two arms for other numbers
of fixtures, replicates and passes.
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
    parser.add_argument(
        "--json", action="store_true", help="print every line of every table as JSON: sources, designs, …"
    )


def run(args: Namespace) -> int:
    from bench.frames import records
    from bench.runs.index import open_run
    from bench.runs.noise import noise_tables, show_noise

    opened = open_run(args.run)
    if args.json:
        tables = noise_tables(opened, with_truncated=args.with_truncated)
        emit_json({name: records(table) for name, table in tables.items()})
    else:
        print(show_noise(opened, with_truncated=args.with_truncated))
    return 0
