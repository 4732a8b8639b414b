"""Measure the rows of the table and print it: `python -m benchmarks [NAME ...]`.

examples:
  python -m benchmarks
  python -m benchmarks reading grading --json
  python -m benchmarks overhead --peers
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from importlib import import_module

from msgspec.structs import asdict

from bench.cli.output import emit_json, say
from benchmarks import BENCHMARKS
from benchmarks.line import Line, shown

EXIT_NOT_MET = 1


def main(argv: list[str] | None = None) -> int:
    """0 where every promise that was measured holds, else 1."""
    parser = argparse.ArgumentParser(
        prog="benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = "\n".join(f"  {name:<12} {what}" for name, what in BENCHMARKS.items())
    parser.epilog = f"names:\n{names}"
    parser.add_argument("names", metavar="NAME", nargs="*", choices=[*BENCHMARKS, []], help="rows; default all")
    parser.add_argument(
        "--size", type=float, default=1.0, metavar="X", help="share of the promised sizes, to try it out"
    )
    parser.add_argument("--peers", action="store_true", help="other projects too, each in an environment of its own")
    parser.add_argument("--json", action="store_true", help="print the lines as JSON")
    args = parser.parse_args(argv)
    lines = measured([*(args.names or BENCHMARKS), *(["peers"] if args.peers else [])], args.size)
    if args.json:
        emit_json({"machine": machine(), "lines": [asdict(line) for line in lines]})
    else:
        print(shown(lines))
        print(machine())
        if args.size != 1:
            print(f"at {args.size:g} of the promised sizes: what is met here says little")
    return EXIT_NOT_MET if any(line.met is False for line in lines) else 0


def measured(names: list[str], size: float = 1.0) -> list[Line]:
    """The lines of those rows, measured one after the other."""
    lines = []
    for name in names:
        say(f"measuring {name}")
        lines += import_module(f"benchmarks.{name}").run(size)
    return lines


def machine() -> str:
    """What it was measured on, and how busy that was."""
    load = ", ".join(f"{n:.1f}" for n in os.getloadavg())
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}; load average {load}"


if __name__ == "__main__":
    sys.exit(main())
