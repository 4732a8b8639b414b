"""What the bench says when it cannot go on: one line naming file, line and mend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from bench.text import printable

P = ParamSpec("P")
T = TypeVar("T")


class BenchError(Exception):
    """Bad input or a bad state, told in one line: `path:line: what is wrong; what to do`.

    The command line prints `str(error)` on stderr and exits with `exit_status`; no traceback.
    """

    exit_status = 2

    def __init__(self, message: str, *, path: Path | str | None = None, line: int | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(message, None if path is None else str(path), line)

    def __str__(self) -> str:
        return str(self.problem)


class Problem(NamedTuple):
    """One finding of a check: what is wrong and where. `str()` gives the line a person reads."""

    message: str
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = "" if self.path is None else shown(self.path) + ("" if self.line is None else f":{self.line}") + ": "
        return printable(where + self.message)


class Problems(BenchError):
    """Several findings at once; `str()` gives a line each."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(p.message for p in problems))
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(str(p) for p in self.problems)


def shown(path: Path | str) -> str:
    """The path as a person would type it: relative to the working directory where it lies below it."""
    try:
        return str(Path(path).resolve().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def collected(problems: list[Problem], call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What the call returns; where it raises BenchError its findings join `problems`, and None comes back."""
    try:
        return call(*args, **kwargs)
    except Problems as e:
        problems += e.problems
    except BenchError as e:
        problems.append(e.problem)
    return None
