"""What forms in notebooks share: one widget that shows what Python tells it and says what a person did."""

from __future__ import annotations

from bench.forms.form import Form
from bench.forms.shown import Action, Field, Part, Piece, Place, Shown

__all__ = ["Action", "Field", "Form", "Part", "Piece", "Place", "Shown"]
