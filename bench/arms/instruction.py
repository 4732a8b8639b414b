"""The bytes of an instruction: what a fork is asked after the context, and what an arm's version is made of."""

from __future__ import annotations

import hashlib

from bench.arms.model import Arm

OUTRANKS = (
    "The user gave these instructions along with the request to compact. Follow them; where they and anything above "
    "disagree, they win:"
)
"""Stands before a sweep's `instructions`."""
PRECOMPUTED = ("replay", "command")
"""Kinds that hand up what a sweep's `instructions` never reached."""


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


def why_instructed(arm: Arm) -> str | None:
    """Why the arm cannot honour a sweep's `instructions`, so that its cells get the outcome `instructed`; None where
    it does, or where it is a control, which is mechanical and stands for no writer.
    """
    if arm.kind in PRECOMPUTED:
        return "its text was there before the instructions"
    server = arm.settings.server
    if arm.kind == "server" and (server is None or server.instructions is None):
        return "sending them would replace the vendor's own prompt, which this arm stands for"
    return None
