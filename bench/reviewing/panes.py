"""What forms in notebooks share: text that a browser cannot take for markup, and panes that scroll."""

from __future__ import annotations

import html

from bench.text import clip, printable
from bench.transcripts.model import Transcript

NEIGHBOURS = 1
"""Messages shown before and after each that an atom names."""
MOST_CHARS = 6_000
"""Characters of a message in a pane; the rest is named by its length."""


def escaped(text: str) -> str:
    """`text` as HTML that shows it as it is: no markup of a transcript's reaches the page."""
    return html.escape(printable(text))


def pane(inner: str, height: str) -> str:
    """HTML of a box that scrolls; `inner` is HTML already."""
    style = f"max-height:{height};overflow:auto;border:1px solid #ccc;padding:8px;line-height:1.4"
    return f'<div style="{style}">{inner}</div>'


def messages_html(transcript: Transcript, at: tuple[int, ...]) -> str:
    """The messages that an atom names, marked, each with its neighbours; HTML."""
    last = len(transcript.messages) - 1
    shown = sorted({j for i in at for j in range(i - NEIGHBOURS, i + NEIGHBOURS + 1) if 0 <= j <= last})
    return "".join(_message_html(transcript, i, named=i in at) for i in shown)


def _message_html(transcript: Transcript, i: int, *, named: bool) -> str:
    message = transcript.messages[i]
    text = clip(message.text, MOST_CHARS)
    more = f" ({len(message.text):,} characters)" if text != message.text else ""
    edge = "4px solid #2a6f97" if named else "4px solid #eee"
    head = f"<b>message {i}, {escaped(message.author)}</b>{more}"
    body = f'<pre style="white-space:pre-wrap;margin:2px 0;font-size:12px">{escaped(text)}</pre>'
    return f'<div style="border-left:{edge};padding-left:8px;margin-bottom:8px">{head}{body}</div>'
