"""How an arm has its commitments pass asked: by its own file, else by the sweep, else as the bench does."""

from __future__ import annotations

from msgspec import Struct

from bench.arms.model import Arm
from bench.models.names import parse_name
from bench.project import Project
from bench.schema import read_text
from bench.sweepfile import CommitmentsSpec, Sweep

COMMITMENTS_PIECE = "_commitments.md"
COMMITMENTS_MAX_TOKENS = 4000
"""Most tokens of a pass's reply where neither arm nor sweep says: about fifty rows."""
COMMITMENTS_EFFORT = "medium"
"""As in the shipped prompts. An arm's own effort is its fork's: taking it over would keep arms from sharing a pass."""


class PassAsk(Struct, frozen=True, kw_only=True):
    """The pass of an arm. `model` is None for the model of the fork."""

    model: str | None
    instruction: str
    max_tokens: int
    effort: str | None


def pass_model(arm: Arm, sweep: Sweep) -> str | None:
    """Who is asked, as the arm says, else the sweep; None for the model of the fork."""
    own, common = arm.settings.commitments, sweep.commitments
    return (own and own.model) or (common and common.model) or None


def pass_ask(arm: Arm, sweep: Sweep, project: Project) -> PassAsk | None:
    """How the arm's pass is asked; None for an arm without that part. Raises BenchError for what names no model."""
    if not arm.has_commitments:
        return None
    own, common = arm.settings.commitments or CommitmentsSpec(), sweep.commitments or CommitmentsSpec()
    most, model = own.max_tokens or common.max_tokens or COMMITMENTS_MAX_TOKENS, pass_model(arm, sweep)
    if model is not None:
        parse_name(model)
    return PassAsk(
        model=model,
        instruction=read_text(project.prompts / COMMITMENTS_PIECE).strip(),
        max_tokens=most if sweep.max_tokens is None else min(most, sweep.max_tokens),
        effort=own.effort or common.effort or COMMITMENTS_EFFORT,
    )
