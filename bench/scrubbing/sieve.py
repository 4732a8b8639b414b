"""Patterns looked for only in texts that may hold them: RE2 tells that in one pass, a hundredth of what `re` takes.

Sixty shapes over a session of some MB would cost seconds each; nearly all texts hold none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

_LOOKS_AROUND = re.compile(r"\(\?<?[=!](?:[^()\\\[]|\\.|\[\^?\]?(?:\\.|[^\]\\])*\])*\)")
"""What RE2 has not. Without it a pattern is found at least where it was."""


class Sieved:
    """A pattern of `re`, and the same for RE2 with what looks around left out."""

    def __init__(self, kind: str, pattern: re.Pattern[str]) -> None:
        self.kind = kind
        self.pattern = pattern

    @cached_property
    def _sign(self) -> re.Pattern[bytes] | None:
        """None where RE2 cannot tell (a backward reference, a pattern over lines)."""
        import re2

        flags = "(?i)" if self.pattern.flags & re.IGNORECASE else ""
        plain = flags + _LOOKS_AROUND.sub("", self.pattern.pattern)
        options = re2.Options()
        options.log_errors = False
        try:
            found: re.Pattern[bytes] = re2.compile(plain.encode(), options)
        except re2.error:
            return None
        return found

    def may_stand_in(self, data: bytes) -> bool:
        """Whether the text with these bytes may hold the pattern."""
        return self._sign is None or self._sign.search(data) is not None


def found(patterns: Iterable[Sieved], text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """(kind, match) of each match of each pattern in the text, pattern by pattern."""
    data = text.encode("utf-8", "replace")
    for sieved in patterns:
        if sieved.may_stand_in(data):
            for match in sieved.pattern.finditer(text):
                yield sieved.kind, match
