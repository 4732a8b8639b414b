"""Open the notebooks in JupyterLab, on this machine only (127.0.0.1). Ctrl-C ends it.

NOTEBOOK is a file, or the name of one in the project's notebooks/.

examples:
  bench lab
  bench lab recall_vs_cost
  bench lab --port 8900 --no-browser
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("notebook", metavar="NOTEBOOK", nargs="?", help="the notebook to open first")
    parser.add_argument("--port", type=int, default=8888, help="where to listen; the next free one where it is taken")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")


def run(args: Namespace) -> int:
    from bench.lab import run_lab
    from bench.project import find_project

    return run_lab(find_project(), args.notebook, port=args.port, browser=not args.no_browser)
