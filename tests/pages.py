"""The code blocks of a Markdown page, for tests that run them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_BLOCK = re.compile(r"(?ms)^```(?P<language>\w+)\n(?P<text>.*?)^```$")
_FILE = re.compile(r"`([\w./-]+\.(?:toml|md|py|jsonl))`")


class Block(NamedTuple):
    """One fenced block; `file` is the last file name that the paragraph before it names, if any."""

    language: str
    text: str
    file: str | None


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    found = []
    end = 0
    for match in _BLOCK.finditer(text):
        paragraph = text[end : match.start()].strip().rsplit("\n\n", 1)[-1]
        names = _FILE.findall(paragraph)
        found.append(Block(match["language"], match["text"], names[-1] if names else None))
        end = match.end()
    return found
