"""Whether a value looks like a secret, where its name or its place says that it may be one: code is full of names for
secrets, and of values that stand for one."""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from itertools import pairwise

SHORTEST_PASSWORD = 6
"""Characters of a password whose place leaves no doubt that it is one."""
LEAST_ENTROPY = 2.5
"""Bits a character of a value that is a secret by its name alone; words in a row of three or four lie below."""
HEX_ENTROPY = 3.0
"""The same for a token shape of 32 characters: 'ACaaaa…' of a test is none."""
NAME_DIGITS = 3
"""Digits that a bare name of code does not hold; a value without quotes and with fewer is a name, unless drawn."""
DRAWN_LENGTH, DRAWN_CHANGES = 16, 0.45
"""Characters of a value that was drawn at random, and the share of its neighbours that are of different kinds (small
letter, capital, digit): about 0.6 in drawn ones, 0.3 in camelCase."""

_EXAMPLE = re.compile(r"(?i)example|placeholder|your[_-]?|redacted|x{4,}|\*{3,}|\.{3}|…")
"""How documentation writes a token that is none."""
_MADE_UP = re.compile(
    r"(?i)example|sample|placeholder|your[_-]?|change[_-]?me|dummy|fake|redacted|insert|replace|x{4,}|\*{3,}|\.{3}"
    r"|…|1234567|abcdef|^(?:process|os|env|config|settings|self|this)\.|^\$|^%|^(?:test|my|some)[_-]"
)
"""How a value that stands for one is written in documentation and tests."""
_CODE = re.compile(r"^(?:[A-Za-z_][\w]*\.)+[A-Za-z_]\w*$|^[/~.]|://|^v?\d+(?:[.-]\d+)*\w{0,3}$")
"""A dotted name, a path, an address, a version: what is assigned in code where no secret is."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_WORD = re.compile(r"[A-Za-z]+|[A-Z0-9_]+|\d+")
_SETUP_WORDS = """
    password passwd secret postgres postgresql mysql mariadb mongo mongodb redis rabbitmq guest admin administrator root
    test testing tester user username pass changeme default letmein welcome docker oracle neo4j minio minioadmin develop
    development production staging database localhost clickhouse elastic kafka wordpress django airflow superset gitea
    grafana keycloak hasura supabase prisma strapi token basic x-oauth-basic oauthaccesstoken credentials password123
    postgres123 admin123 secret123 pass123 test123 passw0rd p@ssw0rd p@ssword hunter2"""
_SETUPS = frozenset(_SETUP_WORDS.split())
"""Passwords that setups and lessons come with. They are nobody's, and taken out wherever they stand they would take the
session's own words with them."""


def is_example(value: str) -> bool:
    """Whether a key's shape is filled with what documentation puts there, or with one character again and again."""
    return bool(_EXAMPLE.search(value)) or (len(value) >= 32 and _entropy(value) < HEX_ENTROPY)


def is_random(value: str) -> bool:
    """Whether a value that is called a secret looks like one: letters and digits mixed, no name, no path, no word."""
    if _MADE_UP.search(value):
        return False
    value = value.rstrip(".:")
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and not _CODE.search(value) and _entropy(value) >= LEAST_ENTROPY


def is_name(value: str) -> bool:
    """Whether a value without quotes reads as a name of code."""
    if not _NAME.fullmatch(value) or sum(c.isdigit() for c in value) >= NAME_DIGITS:
        return False
    return len(value) < DRAWN_LENGTH or _changes(value) < DRAWN_CHANGES


def is_password(value: str, account: str | None = None) -> bool:
    """Whether what stands where a password stands is one: no variable, no stand-in, none that setups come with, and
    none that repeats its account's name."""
    if len(value) < SHORTEST_PASSWORD or value.casefold() in _SETUPS or value == account:
        return False
    return not _EXAMPLE.search(value) and not _CODE.search(value) and not value.isdecimal()


def is_setting(value: str) -> bool:
    """Whether what an environment file sets a secret to is one, also where it is only words in a row."""
    if _MADE_UP.search(value) or not is_password(value):
        return False
    return not _WORD.fullmatch(value) or is_random(value)


def is_credential(value: str) -> bool:
    """Whether the base64 of a `Basic` header holds an account and a password."""
    try:
        text = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    account, colon, password = text.partition(":")
    return (
        bool(colon and password) and text.isprintable() and password.casefold() not in _SETUPS and account != password
    )


def _changes(value: str) -> float:
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value]
    return sum(a != b for a, b in pairwise(kinds)) / max(len(value) - 1, 1)


def _entropy(value: str) -> float:
    """Bits a character: Shannon's, of the characters' shares in the value."""
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)
