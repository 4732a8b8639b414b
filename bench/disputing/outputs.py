"""The output that a person names: by its path below `outputs/`, or by as much of it as fits only one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from bench.errors import BenchError
from bench.forks.store import Store
from bench.rows import GRADED, OutputRow

MOST_NAMED = 6


def output_named(store: Store, asked: str, fixtures: Sequence[str]) -> OutputRow:
    """The graded output of these fixtures that `asked` names: `rate-limiter/inventory/local/s1-k0-r02`, or an arm, a
    replicate (`r02`) and whatever else of that path it takes, with slashes between. Raises BenchError where none or
    several fit.
    """
    rows = {name_of(store, row): row for row in store.rows() if row.outcome in GRADED and row.fixture in fixtures}
    wanted = asked.removeprefix("outputs/").removesuffix(".md").strip("/")
    if wanted in rows:
        return rows[wanted]
    parts = wanted.split("/")
    fitting = [name for name in rows if all(_fits(name, part) for part in parts)]
    if len(fitting) == 1:
        return rows[fitting[0]]
    if fitting:
        more = f" and {len(fitting) - MOST_NAMED} more" if len(fitting) > MOST_NAMED else ""
        raise BenchError(f"'{asked}' fits {len(fitting)} outputs: {', '.join(fitting[:MOST_NAMED])}{more}")
    near = get_close_matches(wanted, list(rows), n=1, cutoff=0.3)
    hint = f"did you mean '{near[0]}'?" if near else "none of that fixture is graded"
    raise BenchError(f"no graded output '{asked}'; {hint}")


def name_of(store: Store, row: OutputRow) -> str:
    """The output's path below `outputs/`, without its ending."""
    return store.output_path(row, "").relative_to(store.root / "outputs").as_posix()


def _fits(name: str, part: str) -> bool:
    fixture, arm, model, file = name.split("/")
    return part in (fixture, arm, model, file) or part in file.split("-")
