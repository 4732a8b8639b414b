"""A person's disagreement with a verdict: kept beside the grades, shown with them, and turned into a better key."""

from bench.disputing.records import Dispute, read_disputes, record

__all__ = ["Dispute", "read_disputes", "record"]
