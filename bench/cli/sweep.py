"""Run a sweep through its notebooks: each fixture and model in a notebook of its own, then the analysis and the plots,
last the report.

SWEEP is a file, or the name of one in the project's sweeps/. It may be stopped and started again: only what is missing
is run. `bench run` does the same work without notebooks.

examples:
  bench sweep sweeps/quickstart.toml
  bench sweep quickstart --jobs 2 --replicates 4
  bench sweep quickstart --arms inventory,short --run trial
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.errors import shown

PARAMETERS = ("sweep", "fixtures", "arms", "models", "replicates", "chain", "stale_by", "budget_usd", "batch", "run")
"""Options that are parameters of sweep.ipynb by the same name."""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", help="a file, or a name in sweeps/")
    parser.add_argument("--jobs", type=int, metavar="N", help="notebooks at once; default one a core, at most 4")
    parser.add_argument("--run", metavar="NAME", help="name of the run; default the sweep's")
    parser.add_argument("--results-dir", metavar="DIR", help="where runs lie; default the project's results/")
    parser.add_argument("--fixtures", metavar="A,B", help="fixtures instead of the sweep's")
    parser.add_argument("--arms", metavar="A,B", help="arms instead of the sweep's")
    parser.add_argument("--models", metavar="A,B", help="models instead of the sweep's")
    parser.add_argument("--replicates", type=int, metavar="N", help="replicates instead of the sweep's")
    parser.add_argument("--chain", type=int, metavar="N", help="compactions in a row instead of the sweep's")
    parser.add_argument("--stale-by", metavar="K,…", help="messages behind, instead of the sweep's")
    parser.add_argument("--budget-usd", type=float, metavar="USD", help="cap on spending instead of the sweep's")
    parser.add_argument(
        "--batch", action="store_true", default=None, help="ask through Message Batches: half price, within a day"
    )


def run(args: Namespace) -> int:
    from bench.forks.resolve import overrides_of
    from bench.notebook import SweepParameters, checked
    from bench.runs.index import open_run
    from bench.runs.told import show_arms
    from bench.sweeps import sweep

    given = {name: value for name in PARAMETERS if (value := getattr(args, name)) is not None}
    if args.results_dir is not None:
        given["results_dir"] = str(Path(args.results_dir).expanduser().resolve())
    parameters = checked(SweepParameters, given)
    result = sweep(parameters.path, jobs=args.jobs, overrides=overrides_of(**parameters.overrides))
    print(show_arms(open_run(result.root)))
    for what, paths in (("notebooks", result.notebooks), ("plots", result.plots)):
        print(f"\n{what}:")
        print("\n".join(f"  {shown(path)}" for path in paths) or "  none")
    if result.report is not None:
        print(f"\nreport: {shown(result.report)}")
    if result.failed:
        print(f"{len(result.failed)} notebooks failed; start the sweep again to run what is missing", file=sys.stderr)
    return result.exit_status
