"""A live split: which arm a real compaction of a session gets, by a design that anyone can draw again.

A design is a TOML file:

    version = 1
    name = "stock-or-inventory"
    seed = 7
    unit = "compaction"        # draw for each compaction of a session, or once for the "session"
    control = "stock"
    longest_chain = 3          # after so many handoffs in a row the control has its turn; left out: never

    [arms]                     # label = weight
    stock = 1
    inventory = 1

The draw is a hash of design, seed, session and compaction, so that no state is needed to repeat it; only the chain (how
many handoffs in a row the session now stands on) is remembered, from what was really delivered.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.errors import BenchError
from bench.project import checked_label
from bench.schema import load_toml, read_text, toml_line

Unit = Literal["compaction", "session"]
_DRAWS = 1 << 64


class Design(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A split as written, see the module's docstring."""

    version: Literal[1]
    name: str
    arms: dict[str, float]
    seed: int = 0
    unit: Unit = "compaction"
    control: str | None = None
    longest_chain: int | None = None


class Chain(Struct, frozen=True, kw_only=True):
    """What a session has behind it: its compactions, and how many handoffs in a row end them."""

    compactions: int = 0
    handoffs: int = 0


class Assignment(Struct, frozen=True, kw_only=True):
    """The arm of one compaction, and on what it was decided."""

    design: str
    session: str
    compaction: int
    arm: str
    why: Literal["drawn", "chain"]
    """chain: so many handoffs in a row that the control has its turn."""
    draw: float
    """In [0, 1); the arm it falls on by the weights."""
    chain: Chain


def read_design(path: Path) -> Design:
    """The design in the file. Raises BenchError with the line of what is wrong."""
    design = load_toml(path, Design)
    for message, key in _faults(design):
        raise BenchError(message, path=path, line=toml_line(read_text(path), (key,)))
    return design


def assign(design: Design, session: str, chain: Chain | None = None) -> Assignment:
    """The arm of the session's next compaction: the same for the same design, session and chain, everywhere."""
    chain = chain or Chain()
    number = chain.compactions + 1
    draw = _draw(design, session, number if design.unit == "compaction" else 0)
    arm = _fallen(design.arms, draw)
    full = design.longest_chain is not None and chain.handoffs >= design.longest_chain
    forced = full and design.control is not None and arm != design.control
    return Assignment(
        design=design.name,
        session=session,
        compaction=number,
        arm=design.control if forced and design.control is not None else arm,
        why="chain" if forced else "drawn",
        draw=draw,
        chain=chain,
    )


def after_one(chain: Chain, *, handoff: bool) -> Chain:
    """The chain once a compaction was answered with a handoff, or with the harness's own summary."""
    return replace(chain, compactions=chain.compactions + 1, handoffs=chain.handoffs + 1 if handoff else 0)


def chain_after(handoffs: Iterable[bool]) -> Chain:
    """The chain after compactions in their order, each answered with a handoff or not."""
    chain = Chain()
    for handoff in handoffs:
        chain = after_one(chain, handoff=handoff)
    return chain


def planned(design: Design, session: str, compactions: int) -> tuple[Assignment, ...]:
    """The arms of a session's first compactions, as if each handoff that is due were delivered."""
    chain, found = Chain(), []
    for _ in range(compactions):
        found.append(assign(design, session, chain))
        chain = after_one(chain, handoff=found[-1].arm != design.control)
    return tuple(found)


def _draw(design: Design, session: str, number: int) -> float:
    text = msgspec.json.encode([design.name, design.seed, session, number])
    # 53 bits: every such fraction is a float below 1
    return (int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 11) / (_DRAWS >> 11)


def _fallen(arms: dict[str, float], draw: float) -> str:
    """The arm that the draw falls on; arms in the order of their labels, so that the file's order does not matter."""
    total = math.fsum(arms.values())
    passed = 0.0
    weighed = [(label, weight) for label, weight in sorted(arms.items()) if weight > 0]
    for label, weight in weighed:
        passed += weight / total
        if draw < passed:
            return label
    return weighed[-1][0]


def _faults(design: Design) -> Iterable[tuple[str, str]]:
    for label in (design.name, *design.arms):
        try:
            checked_label(label, "name")
        except BenchError as e:
            yield e.problem.message, "name" if label == design.name else label
    if not all(math.isfinite(w) and w >= 0 for w in design.arms.values()) or not any(design.arms.values()):
        yield "weights are 0 or more, and one of them is more than 0", "arms"
    if design.control is not None and design.control not in design.arms:
        yield f"the control '{design.control}' is none of the arms", "control"
    if design.longest_chain is not None and (design.longest_chain < 1 or design.control is None):
        yield "longest_chain is 1 or more, and needs a control that ends the chain", "longest_chain"
