"""Keys never reach a file, a log line or a message: every text that may quote a request goes through here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bench.text import clip, printable

REMOVED = "[key removed]"
DETAIL_CHARS = 300
"""A detail is one line of a table; a server's error page is not kept whole."""
SHORTEST_SECRET = 6
"""Shorter values ('local', 'x') are placeholders; taking them out would garble ordinary words."""

_NAMES = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|CUSTOM_HEADERS", re.IGNORECASE)
_VENDORS = ("ANTHROPIC_", "AWS_", "BENCH_", "GOOGLE_", "CLAUDE_")
_SHAPES = (
    re.compile(r"sk-[A-Za-z]+-[\w-]{6,}"),
    re.compile(
        r"(?i)\b(?:bearer|x-api-key|api[_-]?key|authorization)\b(?:['\"]?\s*[:=]\s*|\s+)['\"]?(?:bearer\s+)?[\w.+/=~-]{6,}"
    ),
    re.compile(r"(?<=//)[^/@\s]+@"),
    re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}"),
)


class Redactor:
    """Takes secrets out of texts: the ones it was told, and whatever has the shape of a key."""

    def __init__(self, secrets: Iterable[str | None]) -> None:
        known = {s for s in secrets if s and len(s) >= SHORTEST_SECRET}
        self._known = sorted(known, key=len, reverse=True)

    def detail(self, text: str) -> str:
        """`text` as one printable line without keys, at most DETAIL_CHARS long."""
        return clip(printable(" ".join(self.clean(text).split())), DETAIL_CHARS)

    def clean(self, text: str) -> str:
        """`text` with every key in it replaced."""
        for secret in self._known:
            text = text.replace(secret, REMOVED)
        for shape in _SHAPES:
            text = shape.sub(REMOVED, text)
        return text


def secrets_in(environ: Mapping[str, str]) -> list[str]:
    """The values of the environment that hold a key, by the names vendors give them."""
    out: list[str] = []
    for name, value in environ.items():
        if name.startswith(_VENDORS) and _NAMES.search(name):
            # custom headers are 'Name: value' lines
            out += [line.partition(":")[2].strip() or line for line in value.splitlines()]
    return out
