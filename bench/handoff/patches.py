"""The paths that a patch in the form of `apply_patch` names: what is added, updated or moved to."""

from __future__ import annotations

import re

_TARGET = re.compile(r"^\*\*\* (?:(?:Add|Update) File|Move to): (\S.*?)[ \t\r]*$", re.MULTILINE)


def patched_paths(patch: str) -> tuple[str, ...]:
    """Files that the patch writes, in its order, each once; none for a text that is no such patch."""
    return tuple(dict.fromkeys(_TARGET.findall(patch)))
