"""Synthetic fixtures: a coding session with planted facts and its exact key, the same bytes for the same seed."""

from bench.synth.plan import Request, planned
from bench.synth.scenarios import SCENARIOS
from bench.synth.write import Written, write_synthetic

__all__ = ["SCENARIOS", "Request", "Written", "planned", "write_synthetic"]
