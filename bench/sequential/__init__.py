"""Runs that stop early by a rule written down beforehand: planned looks (`until`) and screening (`screen`)."""
