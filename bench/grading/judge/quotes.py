"""Whether a quote stands in a text, and as what."""

from __future__ import annotations

import re


def verbatim(quote: str, text: str) -> str | None:
    """The passage of `text` that is quoted: exactly, else alike but for white space; None where there is none.

    A quote without a letter or digit says nothing and is none.
    """
    quote = quote.strip()
    if not any(c.isalnum() for c in quote):
        return None
    if quote in text:
        return quote
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    return found[0] if found else None
