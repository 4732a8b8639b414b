"""Scrubbing: what must not be shared is taken out of a session before any of it is written."""

from bench.scrubbing.scrub import Replaced, Scrubbed, report_csv, scrub, totals
from bench.scrubbing.secrets import Secret, secrets_in

__all__ = ["Replaced", "Scrubbed", "Secret", "report_csv", "scrub", "secrets_in", "totals"]
