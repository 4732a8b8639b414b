"""Runs that stop early by a rule written down beforehand: planned looks (`run_until`) and screening (`screen`)."""

from bench.sequential.screen import screen, screen_rule
from bench.sequential.until import Until, run_until, until_rule

__all__ = ["Until", "run_until", "screen", "screen_rule", "until_rule"]
