"""`bench check`: every rule that fixtures, keys, arms and sweeps keep to, all findings at once."""

from bench.checks.fixture import check_fixture, stamp
from bench.checks.project import Report, check_paths, check_project

__all__ = ["Report", "check_fixture", "check_paths", "check_project", "stamp"]
