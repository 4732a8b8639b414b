"""Build an arm's handoffs of a run again from the replies that it holds; no model is asked.

For an arm whose parts, pins, restore or ceiling have changed, and for a new one that differs from one that ran only
there. What is new or changed has no grade yet: 'bench grade RUN' makes it.

exit status: 0 all built, 1 some cells had no reply that fits, 2 none had

examples:
  bench assemble nightly --arm inventory
  bench assemble nightly --arm inventory-ledger && bench grade nightly
  bench assemble results/nightly --arm ./trial/short-pinned.toml --json
"""

from __future__ import annotations

import dataclasses
from argparse import ArgumentParser, Namespace

from bench.cli.output import emit_json
from bench.text import printable


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("--arm", required=True, metavar="A", help="an arm of the project, or the path of one")
    parser.add_argument("--json", action="store_true", help="print what became of each cell as JSON")


def run(args: Namespace) -> int:
    from bench.forks.assembling import assemble_run
    from bench.forks.resolve import from_here
    from bench.runs.index import build_index, find_run

    store = find_run(args.run)
    made = assemble_run(store.root, from_here(args.arm))
    build_index(store)
    if args.json:
        emit_json({**dataclasses.asdict(made), "folder": str(made.folder)})
    else:
        print("\n".join(map(printable, made.lines())))
    return 1 if made.missing else 0
