"""The command line: parse, call, print. One module a command, loaded when it is the one asked for."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from importlib import import_module
from types import ModuleType

from bench.errors import BenchError
from bench.text import printable

COMMANDS = {
    "init": "make a project folder with prompts, a fixture, a sweep and the notebooks",
    "check": "check fixtures, keys, arms and sweeps; say file and line of what is wrong",
    "import": "make a fixture of a session file, cut at one of its compactions",
    "key": "draft, check and review a fixture's answer key",
    "transcript": "say what a session file holds",
    "handoff": "print the handoff of a session file: ledger, state, restored files",
    "window": "say how full a session's context window was on each turn",
    "stale": "say how far behind a handoff is that was written early, and what keeping it fresh costs",
    "estimate": "say how large a session is for a context, and where a budget would cut it",
    "handoffs": "look back into stored handoffs: list, show, search, and note what one lacked",
    "after": "say what a session's handoffs failed to carry: what was done again after a compaction",
    "split": "draw the arms of a live split, import its rows, compare them",
    "fixtures": "list the fixtures",
    "arms": "list the arms",
    "run": "run and grade a sweep",
    "assemble": "build an arm's handoffs of a run again from stored replies",
    "grade": "grade the outputs of a run (again)",
    "index": "rebuild a run's tables from its files",
    "table": "print a run's arm table",
    "dispute": "record that a person disagrees with a verdict; propose a mend of the key",
    "show": "show one atom: its source turn, then each arm's passage and verdict",
    "compare": "compare the arms of a run, or a run with an earlier one",
    "diff": "compare two arms or two versions of one, atom by atom",
    "calibrate": "hold a grader against human labels; fit the matcher's weights on them",
    "agreement": "say how far a run's graders and passes agree",
    "noise": "say where a run's variation comes from, and what other designs would tell apart",
    "export": "write a run in another tool's format",
    "report": "write a run's report: one HTML file",
    "sweep": "run a sweep through its notebooks and draw the plots",
    "prices": "print the price table",
    "lab": "open the notebooks in JupyterLab",
}
"""Command -> what it does. Each is `bench/cli/<command>.py` (`import` is `import_.py`) with `arguments` and `run`."""

EXIT_INTERRUPTED = 130
DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EIO}
"""What a disk refuses with: none of it is a fault of the program, and a traceback would help nobody."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; returns the exit status: 0 done, 1 failed cells, 2 bad input, 3 budget, 130 interrupted."""
    argv = sys.argv[1:] if argv is None else argv
    command = next((a for a in argv if not a.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        print(_unknown(command), file=sys.stderr)
        return 2
    parser = _parser(command)
    args, unknown = parser.parse_known_args(argv)
    if unknown:
        print(_unrecognized(parser, args, unknown), file=sys.stderr)
        return 2
    try:
        return int(_module(args.command).run(args))
    except BenchError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        # the reader (head, less) has gone; a second failure at interpreter exit must not print
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.errno not in DISK:
            raise
        where = f"{error.filename}: " if error.filename else ""
        print(
            f"{where}{error.strerror}; what was done is kept: make room, or mend it, and start again", file=sys.stderr
        )
        return 2
    except KeyboardInterrupt:
        print("interrupted; what was done is kept", file=sys.stderr)
        return EXIT_INTERRUPTED


def _unknown(command: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(command, COMMANDS, n=1)
    meant = f"did you mean 'bench {close[0]}'?" if close else "'bench --help' lists them"
    return printable(f"there is no command '{command}'; {meant}")


def _unrecognized(parser: argparse.ArgumentParser, args: argparse.Namespace, unknown: list[str]) -> str:
    """The command's own usage, and the flag that the first unknown one may mean: argparse would print bench's usage."""
    from difflib import get_close_matches

    own = parser
    # a command may have commands of its own: the innermost one that was asked for knows the flags
    while nested := next((a for a in own._actions if isinstance(a, argparse._SubParsersAction)), None):
        if (verb := getattr(args, nested.dest)) is None:
            break
        own = nested.choices[verb]
    flag = next((u.split("=")[0] for u in unknown if u.startswith("-")), "")
    close = get_close_matches(flag, own._option_string_actions, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return printable(f"{own.format_usage()}{own.prog}: error: unrecognized arguments: {' '.join(unknown)}{meant}")


def _module(command: str) -> ModuleType:
    return import_module(f"bench.cli.{command}_" if command == "import" else f"bench.cli.{command}")


def _parser(command: str | None) -> argparse.ArgumentParser:
    """The parser; only the arguments of `command` are filled in, so that no other command's module is loaded."""
    from bench import __version__

    parser = argparse.ArgumentParser(
        prog="bench",
        description="An A/B bench for compaction prompts and handoff pipelines.",
        epilog="'bench COMMAND --help' shows a command's options and examples.",
    )
    parser.add_argument("--version", action="version", version=f"handoff-bench {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_ in COMMANDS.items():
        sub = commands.add_parser(name, help=help_, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == command:
            module = _module(name)
            sub.description = module.__doc__
            module.arguments(sub)
    return parser
