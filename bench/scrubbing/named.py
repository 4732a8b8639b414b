"""Secrets that only their place gives away: a value with a telling name, a password in an address or on a command line,
what a header carries. `looks.py` judges whether the value is one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.scrubbing.looks import is_credential, is_name, is_password, is_random, is_setting

_NAMED = re.compile(
    r"""(?xi)
    (?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?key|private[_-]?key
       |access[_-]?key[_-]?id|(?:auth|access|bearer|refresh|api|bot|session|_|-|\b)token|credential|_pass|_pwd|\bpwd)
    \\?["'`]?\s*(?::=|=>|[:=])\s*\\?(?P<quote>["'`]?)(?P<value>[^\s"'`,;<>(){}\[\]\\|]{8,200})(?P<after>.?)
    """
)
_SETTING = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|set[ \t]+|\$env:)?[A-Z][A-Z0-9_]*"
    r"(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_KEY|_PWD|_PASS)"
    r"[ \t]?=[ \t]?(?P<quote>[\"']?)(?P<value>[^\s\"'`$(){}<>|;&\\,]{8,200})(?P=quote)[ \t\r]*$"
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


def named(text: str) -> Iterator[tuple[str, str, int]]:
    """(kind, value, place) of each secret of the text that its surroundings give away."""
    for pattern in _PASSWORDS:
        for match in pattern.finditer(text):
            if is_password(match["value"], match.groupdict().get("account")):
                yield "password", match["value"], match.start("value")
    tests = (*((pattern, is_random) for pattern in _RANDOM), (_BASIC, is_credential), (_SETTING, is_setting))
    for pattern, fits in tests:
        for match in pattern.finditer(text):
            if fits(match["value"]):
                yield _kind(match[0]), match["value"], match.start("value")
    for match in _NAMED.finditer(text):
        bare_name = not match["quote"] and is_name(match["value"])
        if not bare_name and match["after"] not in ("(", "[", "{") and is_random(match["value"]):
            yield _kind(match[0]), match["value"], match.start("value")
    for cookie in _COOKIE.finditer(text):
        for match in _CRUMB.finditer(text, cookie.start(), cookie.end()):
            if is_random(match["value"]):
                yield "cookie", match["value"], match.start("value")


def _kind(found: str) -> str:
    return "password" if "pass" in found.casefold() else "token"
