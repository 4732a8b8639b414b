"""The secrets of an environment, struck from what other people's code says: programs of arms, graders of packages."""

from __future__ import annotations

import re
from collections.abc import Mapping

SECRET_CHARS = 8
"""Shortest value of a secret's variable that is struck; a shorter one would hit plain words."""
STRUCK = "[key removed]"
_SECRET_NAME = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)", re.IGNORECASE)


def struck(text: str, env: Mapping[str, str]) -> str:
    """`text` without the values of the environment's secrets."""
    for name, value in env.items():
        if len(value) >= SECRET_CHARS and _SECRET_NAME.search(name):
            text = text.replace(value, STRUCK)
    return text
