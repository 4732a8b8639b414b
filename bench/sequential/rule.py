"""looks.json: the stopping rule of a run, written before its first fork, and what each look found.

A run that stops when it likes what it sees finds differences that are not there. So the rule is on disk before anything
is asked, a later start goes on by the same rule, and whoever reads the run learns how it was stopped.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.analysis.statistics.looks import Shape
from bench.atomic import write_bytes
from bench.errors import BenchError

FILE = "looks.json"

State = Literal["undecided", "differs", "close", "out of reach"]
"""`differs`: not chance, by the rule. `close`: the interval lies within what is worth seeing. `out of reach`: no number
of replicates would tell, it takes more fixtures."""


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a run is stopped."""

    kind: Literal["until", "screen"]
    first: str | None = None
    """The arm that the others are held against."""
    arms: tuple[str, ...]
    """Arms that get further replicates or drop out."""
    models: tuple[str, ...]
    versions: dict[str, str]
    """Arm -> sha256 of all that makes its outputs: looks at two versions of an arm are no looks at one."""
    looks: tuple[int, ...]
    """Replicates an arm at each look."""
    takes_part: tuple[int, ...] = ()
    """Arms in each round of a screening."""
    alpha: float | None = None
    """Chance that anything at all is found where nothing is, over all looks and arms."""
    shape: Shape = "pocock"
    worth_seeing: float | None = None
    """Points."""
    run_sd: float | None = None
    """Points, from earlier runs: the mixture test, which may be looked at after every replicate, decides by it."""


class ArmLook(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One arm at one look. Points; `low` and `high` hold at every look at once (Jennison & Turnbull 1989)."""

    arm: str
    model: str
    state: State
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_needed: float | None = None
    """What `p` has to reach at this look."""
    runs_for_it: float | None = None
    """Replicates that would see what is worth seeing."""
    fixtures_for_it: float | None = None


class ArmRank(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One arm of a screening: its place so far, its recall (0..1) and from how many runs."""

    place: int
    arm: str
    recall: float | None
    runs: int
    goes_on: bool
    difference: float | None = None
    """Points against the screening's first arm, after the first round only: later ones have been chosen from."""
    low: float | None = None
    high: float | None = None
    p_screened: float | None = None
    """Its p, adjusted by Benjamini & Hochberg over the arms of the round."""


class Look(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one look found."""

    replicates: int
    at: str
    arms: tuple[ArmLook, ...] = ()
    ranks: tuple[ArmRank, ...] = ()


class Looks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """looks.json."""

    version: Literal[1] = 1
    rule: Rule
    looks: tuple[Look, ...] = ()


def read_looks(root: Path) -> Looks | None:
    """The rule and looks of the run in `root`, None where it has none. Raises BenchError where the file is broken."""
    path = root / FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=Looks)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError as e:
        raise BenchError(f"holds no stopping rule: {e}", path=path) from None


def write_looks(root: Path, looks: Looks) -> None:
    """Whole or not at all."""
    write_bytes(root / FILE, msgspec.json.format(msgspec.json.encode(looks), indent=2) + b"\n")


def begun(root: Path, rule: Rule, *, has_outputs: bool) -> Looks:
    """The looks of the run so far, its rule on disk. Raises BenchError where the run began by another rule, or none."""
    there = read_looks(root)
    if there is None:
        if has_outputs:
            raise BenchError("has outputs from before any stopping rule; use --run NEW", path=root)
        there = Looks(rule=rule)
        write_looks(root, there)
    elif there.rule != rule:
        raise BenchError(f"began by another stopping rule ({_differs(there.rule, rule)}); use --run NEW", path=root)
    return there


def _differs(old: Rule, new: Rule) -> str:
    if old.versions != new.versions and replace(old, versions=new.versions) == new:
        changed = [arm for arm in new.versions if old.versions.get(arm) != new.versions[arm]]
        return f"{', '.join(changed)} has changed since"
    name = next(n for n in Rule.__struct_fields__ if getattr(old, n) != getattr(new, n))
    return f"{name.replace('_', ' ')}: {getattr(old, name)}, now {getattr(new, name)}"
