"""What stands in the place of what was taken out: the same for the same value, in a shape that reads on."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable

ANY = re.compile(
    r"(?i)\b(?:user|host|owner|repository)\d+\b|redacted-[a-z0-9-]+-\d+|(?:192\.0\.2|198\.(?:18|19)\.\d+)\.\d+|2001:db8::[0-9a-f]+"
)
"""Every placeholder by its looks. One that a session already holds is not given to anybody else."""
DOMAIN = "example.com"
_FIRST_V4 = ipaddress.IPv4Address("192.0.2.1")
_LAST_V4 = 254
_MORE_V4 = ipaddress.IPv4Address("198.18.0.0")
"""Addresses reserved for documentation, then those for benchmarks: both of nobody."""
_FIRST_V6 = ipaddress.IPv6Address("2001:db8::")


class Placeholders:
    """Gives each value of a kind its placeholder, numbered in the order of asking. Names do not differ by case."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self._given: dict[tuple[str, str], str] = {}
        self._count: defaultdict[str, int] = defaultdict(int)

    def secret(self, kind: str, value: str) -> str:
        """Like `redacted-github-token-1`."""
        return self._of("secret", value, f"redacted-{kind}-{{}}".format)

    def name(self, kind: str, name: str) -> str:
        """Like `user1`, `host2`, `owner1`, `repository1`."""
        return self._of(kind, name.casefold(), f"{kind}{{}}".format)

    def email(self, local: str, domain: str) -> str:
        """Like `user1@example.com`: the number of the user of that name; other domains are `mail2.example.com`."""
        place = self._of("domain", domain.casefold(), lambda n: DOMAIN if n == 1 else f"mail{n}.{DOMAIN}")
        return f"{self.name('user', local)}@{place}"

    def ip(self, address: str) -> str:
        """An address reserved for documentation."""
        return self._of("ipv6", address, _ipv6) if ":" in address else self._of("ipv4", address, _ipv4)

    def _of(self, kind: str, value: str, make: Callable[[int], str]) -> str:
        if (kind, value) not in self._given:
            self._given[kind, value] = self._next(kind, make)
        return self._given[kind, value]

    def _next(self, kind: str, make: Callable[[int], str]) -> str:
        while True:
            self._count[kind] += 1
            made = make(self._count[kind])
            if made.casefold() not in self._taken:
                return made


def _ipv4(n: int) -> str:
    return str(_FIRST_V4 + (n - 1) if n <= _LAST_V4 else _MORE_V4 + (n - _LAST_V4))


def _ipv6(n: int) -> str:
    return str(_FIRST_V6 + n)
