"""The parts a handoff is built from, and their assembly."""

from bench.handoff.assemble import Handoff, assemble
from bench.handoff.lineage import Lineage
from bench.handoff.scratchpad import without_scratchpad

__all__ = ["Handoff", "Lineage", "assemble", "without_scratchpad"]
