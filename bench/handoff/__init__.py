"""The parts a handoff is built from, and their assembly (`bench.handoff.assemble`)."""

from bench.handoff.assemble import Failure, Handoff
from bench.handoff.lineage import Lineage
from bench.handoff.scratchpad import without_scratchpad

__all__ = ["Failure", "Handoff", "Lineage", "without_scratchpad"]
