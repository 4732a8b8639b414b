"""Secrets that only their place gives away: a value with a telling name, a password in an address or on a command line,
what a header carries. `looks.py` judges whether the value is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.scrubbing.looks import is_credential, is_name, is_password, is_random, is_setting
from bench.scrubbing.sieve import Sieved, found

_NAMED = re.compile(
    r"""(?xi)
    (?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?key|private[_-]?key
       |access[_-]?key[_-]?id|(?:auth|access|bearer|refresh|api|bot|session|_|-|\b)token|credential|_pass|_pwd|\bpwd)
    \\?["'`]?\s*(?::=|=>|[:=])\s*\\?(?P<quote>["'`]?)(?P<value>[^\s"'`,;<>(){}\[\]\\|]{8,200})(?P<after>.?)
    """
)
_SETTING = re.compile(
    r"(?m)(?:^|(?<=[\s(:]))(?:\$env:)?[A-Z][A-Z0-9_]*"
    r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_KEY|_PWD|_PASS)"
    r"[ \t]?=[ \t]?[\"']?(?P<value>[^\s\"'`$(){}<>|;&\\,]{8,200})(?:[\"']|(?=\s|$))"
)
"""A line of an .env file, or of a shell that exports one."""
_BASIC = re.compile(r"(?i)\bbasic\s+(?P<value>[A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=])")
_COOKIE = re.compile(r"(?i)\bcookie\\?[\"']?\s*:\s*[^\r\n]{0,2000}")
_CRUMB = re.compile(r"(?i)(?<![\w.-])[\w.-]*(?:sess|sid|auth|token|jwt|csrf|xsrf)[\w.-]*=(?P<value>[\w%+/.~-]{16,400})")
_RANDOM = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\b(?:bearer|basic|ssws)\s+(?P<value>[\w+/.~-]{20,}={0,2})",
        r"(?i)\bauthorization\\?[\"']?\s*[:=]\s*\\?[\"']?(?:token|apikey|key)\s+(?P<value>[\w+/.~-]{16,}={0,2})",
        r"(?i)[?&](?:amp;)?(?:key|sig|signature|auth|[\w-]{0,20}token|[\w-]{0,20}secret)=(?P<value>[\w%+/.~-]{16,400}={0,2})",
        r"(?i)\s--?(?:[\w-]{1,20}-)?(?:token|password|passwd|pass|api-?key|secret|credential)[ \t]+[\"']?"
        r"(?P<value>[^\s\"'`$(){}<>|;&\\-][^\s\"'`$(){}<>|;&\\]{7,200})",
        r"\b[a-z][a-z0-9+.-]{1,20}://(?P<value>[\w~-]{20,200})@",
    )
)
"""What a header, a query, an option or an address carries as a token."""
_PASSWORDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b[a-z][a-z0-9+.-]{1,20}://(?P<account>[^\s/:@\"'`<>{}]{0,80}):(?P<value>[^\s/@\"'`<>{}$]{3,200})@",
        r"\b(?:curl|wget|https?|xh)\s[^\n|;&]{0,200}?(?:-u|--user|-a|--auth)[ =]?\\?[\"']?(?P<account>[\w.@+-]+):"
        r"(?P<value>[^\s\"'`$\\]{3,200})",
        r"\bsshpass\s+-p ?\\?[\"']?(?P<value>[^\s\"'`$\\]{3,200})",
        r"\b(?:mysql|mysqldump|mysqladmin|mariadb)\s[^\n|;&]{0,200}?(?<=\s)-p(?P<value>[^\s\"'`$\\-][^\s\"'`$\\]{2,200})",
        r"\b(?:docker|podman|buildah)\s+login\s[^\n|;&]{0,200}?(?:-p|--password)[ =]\\?[\"']?"
        r"(?P<value>[^\s\"'`$\\-][^\s\"'`$\\]{2,200})",
        r"\bredis-cli\s[^\n|;&]{0,200}?(?<=\s)-a\s+\\?[\"']?(?P<value>[^\s\"'`$\\]{3,200})",
        r"\b(?:machine\s+\S{1,200}|default)\s+login\s+(?P<account>\S{1,80})\s+password\s+(?P<value>[^\s\"'`$\\]{3,200})",
    )
)
"""Passwords in an address, as arguments of programs, and in a .netrc."""
SIGNS = (
    r"passw|passphrase|secret|key|token|credential|_pass|pwd|bearer|basic\s|ssws|authorization|cookie|://[^\s/]*[:@]|[?&]"
    r"|--?pass|-u|--user|--auth|\s-a|\s-p|sshpass"
)
"""What each of them stands beside, whatever its case. RE2's syntax."""


_SIEVED = (
    *(Sieved("password", pattern) for pattern in _PASSWORDS),
    *(Sieved("random", pattern) for pattern in _RANDOM),
    Sieved("basic", _BASIC),
    Sieved("setting", _SETTING),
    Sieved("named", _NAMED),
    Sieved("cookie", _COOKIE),
)


def named(text: str) -> Iterator[tuple[str, str, int]]:
    """(kind, value, place) of each secret of the text that its surroundings give away."""
    for place, match in found(_SIEVED, text):
        if place == "cookie":
            for crumb in _CRUMB.finditer(text, match.start(), match.end()):
                if is_random(crumb["value"]):
                    yield "cookie", crumb["value"], crumb.start("value")
        elif _fits(place, match):
            kind = "password" if place == "password" or "pass" in match[0].casefold() else "token"
            yield kind, match["value"], match.start("value")


def _fits(place: str, match: re.Match[str]) -> bool:
    value = match["value"]
    match place:
        case "password":
            return is_password(value, match.groupdict().get("account"))
        case "basic":
            return is_credential(value)
        case "setting":
            return is_setting(value)
        case "named":
            bare_name = not match["quote"] and is_name(value)
            return not bare_name and match["after"] not in ("(", "[", "{") and is_random(value)
        case _:
            return is_random(value)
