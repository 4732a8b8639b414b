"""Versions of an arm inside one run: the first keeps the plain label, later ones carry digits of their hash.

`inventory`, then `inventory@3f9c` once its prompt or settings have changed: an edited prompt makes new cells beside the
old ones, and no path is ever renamed. The order in which versions came stands in run.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.arms.version import SHOWN_DIGITS
from bench.forks.runfile import ArmMark

Versions = Mapping[str, Sequence[ArmMark]]


def label_of(versions: Versions, label: str, sha256: str) -> str:
    """What rows and folders call this version of the arm, known to the run or new to it."""
    marks = versions.get(label, ())
    for mark in marks:
        if mark.version_sha256 == sha256:
            return mark.label
    if not marks:
        return label
    taken = {mark.label for mark in marks}
    longer = (f"{label}@{sha256[:n]}" for n in range(SHOWN_DIGITS, len(sha256) + 1))
    return next(name for name in longer if name not in taken)


def registered(versions: Versions, label: str, mark: ArmMark) -> dict[str, tuple[ArmMark, ...]]:
    """`versions` with this version of the arm in it; unchanged where it is known."""
    out = {name: tuple(marks) for name, marks in versions.items()}
    known = out.setdefault(label, ())
    if all(m.version_sha256 != mark.version_sha256 for m in known):
        out[label] = (*known, mark)
    return out
