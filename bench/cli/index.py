"""Rebuild a run's tables (outputs, grades, inventions, calls as Parquet) from its files.

RUN is a folder or the name of a run in the project's results/; without it, the newest run.

examples:
  bench index
  bench index quickstart
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bench.errors import shown


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")


def run(args: Namespace) -> int:
    from bench.runs.index import TABLES, build_index, find_run, table_path

    store = find_run(args.run)
    build_index(store)
    for name in sorted(TABLES):
        print(shown(table_path(store, name)))
    return 0
