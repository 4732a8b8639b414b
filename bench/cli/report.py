"""Write a run's report: one HTML file that needs no network and nothing beside it.

The verdict in words comes first, then the figures, the arm table, the atoms with who carried them, every handoff with
the evidence marked, and what the run was made from. RUN is a folder or the name of a run in the project's results/;
without it, the newest run. The file is at most 3 MB: outputs for which there is no room are linked, and the page of a
larger run is made narrower; what it leaves out is said on it and on stderr.

examples:
  bench report
  bench report quickstart
  bench report results/nightly --to nightly.html
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.errors import shown


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("--to", metavar="FILE", help="where to write it; default report.html in the run's folder")


def run(args: Namespace) -> int:
    from bench.cli.output import say
    from bench.report import write_report
    from bench.runs.index import open_run

    path = write_report(open_run(args.run), None if args.to is None else Path(args.to).expanduser(), say)
    print(shown(path))
    return 0
