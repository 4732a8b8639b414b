"""Arms that differ by one part more at a time: what each part adds to recall, and what it adds to the size.

Arms belong together by their labels: `inventory-alone`, `inventory-ledger`, `inventory-ledger-commitments` and
`inventory-everything` are one family, named by what stands before the words for parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bench.analysis.units import NO_MODEL

if TYPE_CHECKING:
    import pandas as pd

ALONE, EVERYTHING = "alone", "everything"
PARTS = ("ledger", "commitments", "state", "restore", "pins")
COLUMNS = ["fixture", "family", "arm", "kind", "model", "added", "tokens", "recall", "runs"]


def family(label: str) -> tuple[str, tuple[str, ...]]:
    """Family of an arm's label and the words for parts that end it: `("inventory", ("ledger", "commitments"))`."""
    words = label.split("@")[0].split("-")
    cut = len(words)
    while cut > 1 and words[cut - 1] in (*PARTS, ALONE, EVERYTHING):
        cut -= 1
    return "-".join(words[:cut]), tuple(words[cut:])


def families(labels: Iterable[str]) -> dict[str, list[str]]:
    """Family -> its arms, fewest parts first; families of one arm are none."""
    found: dict[str, list[str]] = {}
    for label in labels:
        found.setdefault(family(label)[0], []).append(label)
    return {name: sorted(arms, key=_parts) for name, arms in found.items() if len(arms) > 1}


def added_parts(table: pd.DataFrame) -> pd.DataFrame:
    """One line a fixture, family, arm and model of an `output_table`, fewest parts first: columns of `COLUMNS`.

    tokens and recall (0..1) are means over runs; `added` says what the arm has more than the one before it. In a family
    with models its arms without one stand in every model's line.
    """
    import pandas as pd

    known = table.dropna(subset=["recall", "handoff_tokens"])
    lines = []
    for name, arms in families(dict.fromkeys(table["arm"].astype(str))).items():
        mine = known[known["arm"].isin(arms)]
        models = [m for m in mine["model"].drop_duplicates() if m != NO_MODEL] or [NO_MODEL]
        for fixture in mine["fixture"].drop_duplicates():
            for model in models:
                before: tuple[str, ...] = ()
                for arm in arms:
                    chosen = (mine["arm"] == arm) & (mine["fixture"] == fixture)
                    one = mine[chosen & mine["model"].isin([model, NO_MODEL])]
                    if not len(one):
                        continue
                    told, before = _added(name, arm, before), family(arm)[1]
                    sizes = float(one["handoff_tokens"].mean()), float(one["recall"].mean()), len(one)
                    lines.append((fixture, name, arm, str(one["kind"].iloc[0]), model, told, *sizes))
    return pd.DataFrame(lines, columns=COLUMNS)


def _parts(label: str) -> tuple[int, str]:
    words = family(label)[1]
    return len(PARTS) + 1 if EVERYTHING in words else len([w for w in words if w != ALONE]), label


def _added(name: str, arm: str, before: tuple[str, ...]) -> str:
    words = family(arm)[1]
    if EVERYTHING in words:
        return EVERYTHING
    more = [word for word in words if word not in before and word != ALONE]
    return f"+ {', '.join(more)}" if more else name
