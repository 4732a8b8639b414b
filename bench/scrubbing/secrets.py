"""Keys and tokens in a text: the shapes that detect-secrets knows, those of newer vendors, and values named as such.

detect-secrets (Yelp) brings its vendors' shapes; its entropy detectors are left out, since commit hashes, uuids,
checksums and base64 images are what a session is full of.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module

KEPT = re.compile(r"redacted-[a-z0-9-]+-\d+")
"""What stands in the place of a secret; never taken for one."""
SHORTEST = 8
"""Characters of a secret: what is shorter could not be told from a word."""
LEAST_ENTROPY = 2.5
"""Bits a character of a value that is a secret by its name alone; words in a row of three or four lie below."""
HEX_ENTROPY = 3.0
"""The same for a token shape of 32 characters: 'ACaaaa…' of a test is none."""

_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
"""Where a token may begin; the `n` of an escaped line break is no part of it."""
_BLOB = re.compile(r"[A-Za-z0-9+/]{256,}={0,2}")
"""Base64 of a file or an image: no key is that long, and by chance it holds any short shape."""
_LONG_SHAPES = (
    ("private-key", re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"[\s\S]{16,}?(?:-----END [A-Z0-9 ]+-----|\Z)")),
    ("jwt", re.compile(_START + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]{10,})?")),
)  # fmt: skip
"""Shapes that may be longer than a blob, looked for before blobs are set aside."""
_SHAPES = tuple(
    (kind, re.compile(_START + shape))
    for kind, shape in (
        ("anthropic-key", r"sk-ant-[A-Za-z0-9]+-[\w-]{20,}"),
        ("openai-key", r"sk-(?:proj|svcacct|admin|or-v1|lf)-[\w-]{20,}"),
        ("api-key", r"sk-[A-Za-z0-9]{32,}"),
        ("google-key", r"AIza[\w-]{35}"),
        ("google-secret", r"GOCSPX-[\w-]{20,}|ya29\.[\w-]{30,}"),
        ("huggingface-token", r"hf_[A-Za-z0-9]{30,}"),
        ("github-token", r"github_pat_\w{36,}"),
        ("pypi-token", r"pypi-AgE[\w-]{50,}"),
        ("npm-token", r"npm_[A-Za-z0-9]{36}"),
        ("xai-key", r"xai-[A-Za-z0-9]{40,}"),
        ("groq-key", r"gsk_[A-Za-z0-9]{40,}"),
        ("replicate-token", r"r8_[A-Za-z0-9]{30,}"),
        ("perplexity-key", r"pplx-[A-Za-z0-9]{40,}"),
        ("tavily-key", r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,}"),
        ("stripe-key", r"(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}"),
        ("slack-token", r"xox[abeoprs]-[\w-]{20,}|xapp-\d-[\w-]{20,}"),
        ("webhook", r"https://(?:discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}|hooks\.slack\.com/services/[\w/]{20,})"),
        ("digitalocean-token", r"do[opr]_v1_[a-f0-9]{64}"),
        ("shopify-token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
        ("linear-key", r"lin_api_[A-Za-z0-9]{32,}"),
        ("notion-token", r"ntn_[A-Za-z0-9]{40,}"),
        ("supabase-token", r"sb(?:p_[a-f0-9]{40}|_secret_[\w-]{20,})"),
        ("databricks-token", r"dapi[a-f0-9]{32}"),
        ("age-key", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
        ("postman-key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
        ("sentry-token", r"sntr[ysu]{1,2}_[\w=/+-]{40,}"),
    )
)  # fmt: skip
_PLUGINS = (
    ("aws-key", "aws", "AWSKeyDetector"),
    ("azure-key", "azure_storage_key", "AzureStorageKeyDetector"),
    ("discord-token", "discord", "DiscordBotTokenDetector"),
    ("github-token", "github_token", "GitHubTokenDetector"),
    ("gitlab-token", "gitlab_token", "GitLabTokenDetector"),
    ("mailchimp-key", "mailchimp", "MailchimpDetector"),
    ("openai-key", "openai", "OpenAIDetector"),
    ("pypi-token", "pypi_token", "PypiTokenDetector"),
    ("sendgrid-key", "sendgrid", "SendGridDetector"),
    ("slack-token", "slack", "SlackDetector"),
    ("square-secret", "square_oauth", "SquareOAuthDetector"),
    ("telegram-token", "telegram_token", "TelegramBotTokenDetector"),
    ("twilio-key", "twilio", "TwilioKeyDetector"),
    ("cloudant-key", "cloudant", "CloudantDetector"),
)
"""Kind -> module and class of the detector of detect-secrets."""

_NAMED = re.compile(
    r"""(?xi)
    (?:password|passwd|passphrase|secret|api[_-]?key|access[_-]?key|secret[_-]?key|auth[_-]?key|private[_-]?key
       |access[_-]?key[_-]?id|(?:auth|access|bearer|refresh|api|bot|session|_|-|\b)token|credential|_pass|_pwd|\bpwd)
    \\?["'`]?\s*(?::=|=>|[:=])\s*\\?(?P<quote>["'`]?)(?P<value>[^\s"'`,;<>(){}\[\]\\|]{8,200})(?P<after>.?)
    """
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9_+/.~-]{20,}={0,2})")
_IN_URL = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'`<>{}]{0,80}:(?P<value>[^\s/@\"'`<>{}$]{3,200})@")
_SIGN = (
    r"(?i)passw|passphrase|secret|key|token|credential|_pass|pwd|bearer|basic\s|://[^\s/]*:|begin |eyj|sk-|akia|asia"
    r"|abia|acca|a3t|aiza|ya29|hf_|gh[a-z]_|github_pat|npm_|xai-|gsk_|r8_|pplx|tvly|[rs]k_|whsec|xox|xapp|webhook"
    r"|hooks\.|do[opr]_v1|shp|lin_api|ntn_|sb[p_]|dapi|pmak|sntr|gl[a-z]{2,6}-|gr1348941|-us\d|pypi-|sg\.|sq0|\d{8}:"
    r"|\b(?:AC|SK)[a-z0-9]{32}|[mno][\w-]{23,25}\.[\w-]{6}\."
)
"""What every shape below begins with or stands beside; a text without any of it holds none."""
_EXAMPLE = re.compile(r"(?i)example|placeholder|your[_-]?|redacted|x{4,}|\*{3,}|\.{3}|…")
"""How documentation writes a token that is none."""
_MADE_UP = re.compile(
    r"(?i)example|sample|placeholder|your[_-]?|changeme|change-me|dummy|fake|redacted|insert|replace|x{4,}|\*{3,}|\.{3}"
    r"|…|1234567|abcdef|^(?:process|os|env|config|settings|self|this)\.|^\$|^%|^(?:test|my|some)[_-]"
)
"""How a value that stands for one is written in documentation and tests."""
_CODE = re.compile(r"^(?:[A-Za-z_][\w]*\.)+[A-Za-z_]\w*$|^[/~.]|://|^v?\d+(?:[.-]\d+)*\w{0,3}$")
"""A dotted name, a path, an address, a version: what is assigned in code where no secret is."""
_NAME = re.compile(r"[A-Za-z_]\w*")
NAME_DIGITS = 3
"""Digits that a bare name of code does not hold; without quotes a value with fewer is taken for a name."""


@dataclass(frozen=True)
class Secret:
    """A secret as it stands in a text, and where."""

    kind: str
    value: str
    start: int


def secrets_in(text: str) -> list[Secret]:
    """Every secret of the text, each value once, in the order of their places."""
    if len(text) < SHORTEST or not _sign().search(text):
        return []
    found: dict[str, Secret] = {}
    spans: list[tuple[int, int]] = []
    for kind, value, start in _candidates(text):
        end = start + len(value)
        within = any(first <= start and end <= last for first, last in spans)
        if len(value) >= SHORTEST and not KEPT.search(value) and not within:
            spans.append((start, end))
            found.setdefault(value, Secret(kind, value, start))
    return sorted(found.values(), key=lambda s: s.start)


def _candidates(text: str) -> Iterator[tuple[str, str, int]]:
    for kind, shape in _LONG_SHAPES:
        yield from ((kind, m[0], m.start()) for m in shape.finditer(text))
    text = _BLOB.sub(lambda blob: " " * len(blob[0]), text)
    for kind, shape in _SHAPES:
        yield from (
            (kind, m[0], m.start()) for m in shape.finditer(text) if not _EXAMPLE.search(m[0]) and _varied(m[0])
        )
    for kind, shape in _vendors():
        for match in shape.finditer(text):
            if not _EXAMPLE.search(match[0]) and _varied(match[0]):
                yield kind, match[0], match.start()
    for match in _IN_URL.finditer(text):
        if not _EXAMPLE.search(match["value"]):
            yield "password", match["value"], match.start("value")
    for match in _BEARER.finditer(text):
        if _is_random(match["value"]):
            yield "token", match["value"], match.start("value")
    for match in _NAMED.finditer(text):
        bare_name = not match["quote"] and _NAME.fullmatch(match["value"]) and _digits(match["value"]) < NAME_DIGITS
        if not bare_name and match["after"] not in ("(", "[", "{") and _is_random(match["value"]):
            yield "password" if "pass" in match[0].casefold() else "token", match["value"], match.start("value")


@cache
def _sign() -> re.Pattern[str]:
    """The signs as RE2, which takes a text of any length in one pass."""
    import re2

    sign: re.Pattern[str] = re2.compile(_SIGN)
    return sign


@cache
def _vendors() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The shapes of detect-secrets; loading it takes a moment, so only when a text is first searched."""
    detectors = (
        (kind, getattr(import_module(f"detect_secrets.plugins.{module}"), name)) for kind, module, name in _PLUGINS
    )
    return tuple((kind, shape) for kind, detector in detectors for shape in detector.denylist)


def _is_random(value: str) -> bool:
    """Whether a value that is called a secret looks like one: letters and digits mixed, no name, no path, no word."""
    if _MADE_UP.search(value):
        return False
    value = value.rstrip(".:")
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and not _CODE.search(value) and _entropy(value) >= LEAST_ENTROPY


def _digits(value: str) -> int:
    return sum(c.isdigit() for c in value)


def _varied(value: str) -> bool:
    return len(value) < 32 or _entropy(value) >= HEX_ENTROPY


def _entropy(value: str) -> float:
    """Bits a character: Shannon's, of the characters' shares in the value."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
