"""Write a run in another tool's format.

inspect: a folder of logs that inspect_ai reads (its JSON log format, version 2), one a way of grading and model: a
sample an output and atom-by-atom scores, so that `inspect view` and its data frames work on a run of this bench. Texts
of transcripts stay out; the handoffs go in.

examples:
  bench export quickstart --to inspect
  bench export quickstart --to inspect --out logs
  inspect view --log-dir logs
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.cli.output import emit_json


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("--to", choices=("inspect",), required=True, help="the format")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where to; default exports/inspect in the run's folder")
    parser.add_argument("--json", action="store_true", help="print the written files as JSON")


def run(args: Namespace) -> int:
    from bench.exporting.inspect_log import write_logs
    from bench.runs.index import open_run

    opened = open_run(args.run)
    written = write_logs(opened, args.out or opened.root / "exports" / "inspect")
    if args.json:
        emit_json([str(path) for path in written])
    else:
        print("\n".join(str(path) for path in written))
    return 0
