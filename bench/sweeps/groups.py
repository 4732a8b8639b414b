"""A sweep cut into notebooks: one a fixture and model, since forks of one context belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.models.names import slug

if TYPE_CHECKING:
    from bench.forks.resolve import Overrides, Resolved

NO_MODEL = "none"


@dataclass(frozen=True)
class Group:
    """What one `sweep.ipynb` does: its fixture, its model (None: arms that ask none), its arms, as overrides."""

    fixture: str
    model: str | None
    arms: tuple[str, ...]
    fixture_entry: str
    """The fixture as an override names it: its name, or the path of its folder."""

    @property
    def name(self) -> str:
        """File stem of its notebook."""
        return f"sweep-{self.fixture}-{slug(self.model or NO_MODEL)}"


def groups(resolved: Resolved) -> list[Group]:
    """The groups of a sweep. Arms that ask none of its models go with the first one; without a model they are a group
    alone.
    """
    entries = _entries(resolved)
    asking = tuple(entries[a.arm.label] for a in resolved.arms if a.arm.asks_model or a.asks_every_model)
    models: tuple[str | None, ...] = resolved.sweep.models if asking else ()
    return [
        Group(
            fixture=fixture.name,
            model=model,
            arms=tuple(entries.values()) if i == 0 else asking,
            fixture_entry=str(fixture.folder.resolve()) if "/" in entry else fixture.name,
        )
        for entry, fixture in zip(resolved.sweep.fixtures, resolved.fixtures, strict=True)
        for i, model in enumerate(models or (None,))
    ]


def like_another(resolved: Resolved) -> tuple[str, ...]:
    """The arms that take another arm's size, as overrides name them."""
    entries = _entries(resolved)
    return tuple(entries[a.arm.label] for a in resolved.arms if a.like)


def _entries(resolved: Resolved) -> dict[str, str]:
    """Label of each arm -> the arm as an override names it: by label, or by the path of its file."""
    return {
        arm.arm.label: str(arm.arm.path.resolve()) if "/" in entry and arm.arm.path else arm.arm.label
        for entry, arm in zip(resolved.sweep.arms, resolved.arms, strict=True)
    }


def group_parameters(group: Group, resolved: Resolved, overrides: Overrides) -> dict[str, Any]:
    """The parameters of the group's `sweep.ipynb`, as JSON values; paths absolute: kernels may stand elsewhere."""
    asked = {
        name: value
        for name in ("replicates", "chain", "stale_by", "budget_usd", "batch")
        if (value := getattr(overrides, name)) is not None and value is not False
    }
    if isinstance(asked.get("stale_by"), tuple):
        asked["stale_by"] = list(asked["stale_by"])
    return {
        "sweep": str(resolved.path.resolve()),
        "fixtures": [group.fixture_entry],
        "arms": list(group.arms),
        "models": [group.model] if group.model else [],
        **asked,
        "run": resolved.run,
        "results_dir": str(resolved.root.parent.resolve()),
    }
