"""What a notebook's first and last cell ask: its parameters, checked before anything runs, and its result, noted.

papermill only warns about a name it does not know and puts it into the notebook all the same; the value that was meant
keeps its default and the run succeeds. So the second cell of each notebook asks `bench.parameters(globals())`.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Container
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.project import Project, find_project, named_sweep

Names = tuple[str, ...]

RESULT_FILE = "BENCH_RESULT_FILE"
"""Environment variable by which `bench sweep` says where the last cell leaves its result."""


class Result(Struct, frozen=True, kw_only=True):
    """What came of the part of a sweep that a notebook ran."""

    exit_status: int
    cells: int
    lines: tuple[str, ...]


class Summary(Protocol):
    """What `bench.run_sweep` returns, as far as it is noted."""

    @property
    def exit_status(self) -> int: ...
    @property
    def cells(self) -> int: ...
    def lines(self) -> list[str]: ...


class SweepParameters(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What `sweep.ipynb` takes: a sweep file, and what to set otherwise than it says. None leaves it as written."""

    sweep: str
    fixtures: Names | None = None
    arms: Names | None = None
    models: Names | None = None
    replicates: int | None = None
    chain: int | None = None
    stale_by: tuple[int, ...] | str | None = None
    budget_usd: float | None = None
    batch: bool | None = None
    run: str | None = None
    results_dir: str | None = None

    @property
    def path(self) -> Path:
        """The sweep file: a path, or a name in the project's sweeps/."""
        return named_sweep(self.sweep) or located(self.sweep)

    @property
    def overrides(self) -> dict[str, Any]:
        """What is set otherwise than the sweep file says, by name."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("sweep", "results_dir")}
        where = {} if self.results_dir is None else {"results_dir": located(self.results_dir)}
        return {name: value for name, value in fields.items() if value is not None} | where


class RunParameters(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the analysis notebooks take: a run (name or folder; None is the newest) and where runs lie."""

    run: str | None = None
    results_dir: str | None = None


class KeyParameters(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What `review_key.ipynb` takes: the fixture whose key is reviewed, a name in fixtures/ or a folder."""

    fixture: str


Parameters = SweepParameters | RunParameters | KeyParameters
P = TypeVar("P", bound=Parameters)

LISTS = ("fixtures", "arms", "models", "stale_by")
"""Parameters that hold several values; plain papermill can only pass text, so `a,b` is taken apart."""
_SHELL = ("In", "Out", "exit", "quit", "get_ipython", "open")
_PLAIN = (str, int, float, list, tuple, dict, type(None))


def parameters(names: dict[str, Any]) -> Parameters:
    """The notebook's parameters, from its `globals()`; which notebook it is, its names tell (`parameters_of`).

    Raises BenchError for a name that is no parameter (saying which one was probably meant) and for a value of the
    wrong type.
    """
    type_ = parameters_of(names)
    known = type_.__struct_fields__
    given = _given(names, known)
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BenchError("; ".join(_unknown(name, known) for name in unknown))
    values = {name: names[name] for name in known if name in names}
    return checked(type_, values)


def parameters_of(names: Container[str]) -> type[Parameters]:
    """Those of `sweep.ipynb` where there is a `sweep`, of `review_key.ipynb` for a `fixture`, else of an analysis."""
    if "sweep" in names:
        return SweepParameters
    return KeyParameters if "fixture" in names else RunParameters


def finish(summary: Summary) -> None:
    """Print what came of a run and, inside `bench sweep`, leave it where the sweep reads it."""
    result = Result(exit_status=summary.exit_status, cells=summary.cells, lines=tuple(summary.lines()))
    print("\n".join(result.lines))
    path = os.environ.get(RESULT_FILE)
    if path:
        write_bytes(Path(path), msgspec.json.encode(result))


def checked(type_: type[P], values: dict[str, Any]) -> P:
    """`values` as that kind of parameters, text taken apart where a list is wanted. BenchError names what is wrong."""
    values = {name: _parts(name, value) for name, value in values.items()}
    try:
        return msgspec.convert(values, type_, strict=True)
    except msgspec.ValidationError as error:
        message, _, at = str(error).rpartition(" - at `$.")
        name = at.rstrip("`").split("[")[0]
        raise BenchError(f"parameter '{name}': {message[0].lower()}{message[1:]}, is {values.get(name)!r}") from None


def located(path: str | Path, project: Project | None = None) -> Path:
    """The path as given where it is absolute or exists from here; else below the project folder.

    JupyterLab runs a notebook in its own folder, papermill in the caller's: `sweeps/quickstart.toml` means the same in
    both.
    """
    given = Path(path).expanduser()
    if given.is_absolute() or given.exists():
        return given.resolve()
    return (project or find_project()).root / given


def _given(names: dict[str, Any], known: Names) -> list[str]:
    """Names that were set as parameters: by the newest cell that sets any, or, outside a notebook, all plain values."""
    plain = [
        name
        for name, value in names.items()
        if not name.startswith("_") and name not in _SHELL and isinstance(value, _PLAIN)
    ]
    cells = names.get("In")
    if not isinstance(cells, list):
        return plain
    for cell in reversed(cells):
        assigned = _assigned(cell)
        if cell.startswith("# Parameters\n") or assigned & set(known):
            return [name for name in plain if name in assigned]
    return plain


def _assigned(cell: str) -> set[str]:
    """Names that a cell assigns at its top level; none where it is no plain Python (a magic, say)."""
    try:
        tree = ast.parse(cell)
    except SyntaxError:
        return set()
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    targets += [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _unknown(name: str, known: Names) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.5)
    meant = f"did you mean '{close[0]}'?" if close else f"parameters are {', '.join(known)}"
    return f"'{name}' is no parameter of this notebook; {meant}"


def _parts(name: str, value: Any) -> Any:
    if name in LISTS and isinstance(value, str) and value != "policy":
        parts = [part.strip() for part in value.split(",") if part.strip()]
        return [int(p) if name == "stale_by" and p.lstrip("-").isdigit() else p for p in parts]
    return [value] if name == "stale_by" and isinstance(value, int) else value
