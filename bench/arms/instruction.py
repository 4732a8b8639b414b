"""The bytes of an instruction: what a fork is asked after the context, and what an arm's version is made of."""

from __future__ import annotations

import hashlib

from bench.arms.model import MODEL_KINDS, Arm

OUTRANKS = (
    "The user gave these instructions along with the request to compact. Follow them; where they and anything above "
    "disagree, they win:"
)
"""Stands before a sweep's `instructions`."""


def instruction(arm: Arm, sweep_instructions: str = "", restore_text: str | None = None) -> str:
    """The arm's text, the restore request where the arm asks for it, and what a person typed with the request.

    Parts are a blank line apart; each is stripped, so that a file's last line break makes no other instruction.
    """
    restore = restore_text if arm.settings.restore else None
    typed = sweep_instructions.strip()
    parts = (arm.text, restore or "", f"{OUTRANKS}\n\n{typed}" if typed else "")
    return "\n\n".join(part.strip() for part in parts if part.strip())


def instruction_sha256(text: str) -> str:
    """sha256 (hex) of the instruction's UTF-8 bytes, as it stands on the row."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def honours_instructions(arm: Arm) -> bool:
    """Whether a sweep's `instructions` can reach the arm's writer; others get the outcome `instructed`."""
    return arm.kind in MODEL_KINDS
