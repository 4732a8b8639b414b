"""What a run's graders are called, in tables and in folders."""

from __future__ import annotations

from bench.models.names import slug
from bench.sweepfile import GraderSpec


def grader_name(spec: GraderSpec) -> str:
    """The grader in tables: `lexical`, `human`, or `judge-` and its model, so that no table mixes two judges."""
    return spec.kind if spec.model is None else f"{spec.kind}-{slug(spec.model)}"


def grader_folder(spec: GraderSpec) -> str:
    """Its folder in grades/: its name, with `-summary` where it reads the model's reply alone."""
    return grader_name(spec) if spec.scope == "handoff" else f"{grader_name(spec)}-{spec.scope}"
