"""A person's pass over an answer key, with the transcript beside it: in a terminal and as a form in JupyterLab."""

from __future__ import annotations

from bench.reviewing.review import Counts, Review

__all__ = ["Counts", "Review"]
