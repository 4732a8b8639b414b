"""Small pure functions over text that several parts of the bench share."""

from __future__ import annotations

import unicodedata

CHARS_PER_TOKEN = 4
"""The bench's one estimator: tokens = ceil(characters / 4). A model's own counts stand only in usage columns."""

ABSENT = "—"
"""What a missing value looks like in a table; never 0."""


class Figure(str):
    """A number already put into words (`73.2`, `+1.0`, a dash for none): a table shows it as it is, to the right."""


def estimate_tokens(text: str) -> int:
    """Estimated tokens of `text`: ceil(characters / 4)."""
    return tokens_of_chars(len(text))


def tokens_of_chars(chars: int) -> int:
    """Estimated tokens of that many characters: ceil(characters / 4)."""
    return -(-chars // CHARS_PER_TOKEN)


def printable(text: str) -> str:
    """`text` safe for a terminal: control and format characters (but newline and tab) shown as escapes.

    Transcripts are hostile input; an escape sequence of theirs must not reach the reader's terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        c
        if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
        else c.encode("unicode_escape").decode()
        for c in text
    )


def count(n: int, noun: str, plural: str | None = None) -> str:
    """`1 file`, `2 files`; `plural` where it takes no s."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def clip(text: str, chars: int) -> str:
    """`text` if it has at most `chars` characters, else its first `chars - 1` and an ellipsis."""
    return text if len(text) <= chars else text[: max(chars - 1, 0)] + "…"
