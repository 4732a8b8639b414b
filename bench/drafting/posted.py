"""Atoms from prose that the session sent off by a shell command: commit messages, pull requests, issues, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, stated
from bench.drafting.statements import best
from bench.drafting.words import Words
from bench.handoff.tools import deed_of, script_of
from bench.transcripts.model import Transcript

PER_MESSAGE = 4
"""Statements of one message: those first that tell most."""
SHORTEST = 40
"""Characters of a text that has more than a subject line."""

_POSTED = (
    ("Commit message", re.compile(r"\bgit (?:-C \S+ )?commit\b")),
    ("Pull request", re.compile(r"\b(?:gh|glab) (?:pr|mr) (?:create|edit|comment|review)\b")),
    ("Issue", re.compile(r"\b(?:gh|glab) issue (?:create|edit|comment|close)\b")),
)
_HEREDOC = re.compile(r"(?s)<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(.*?)\n\s*\2\b")
_QUOTED = re.compile(r"""(?s)(?:-m|-F|--message|--body|-b|--comment|-c)[ =](?:"((?:[^"\\]|\\.)*)"|'([^']*)')""")
_SIGNED = re.compile(r"(?im)^.*(?:co-authored-by|generated with|signed-off-by).*$")


def posted(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The statements of what was sent off, newest first, without what failed."""
    for call in reversed(calls):
        if call.failed or deed_of(call.name, call.arguments) != "shell":
            continue
        script = script_of(call.arguments)
        source = next((name for name, cue in _POSTED if cue.search(script)), None)
        text = _SIGNED.sub("", _prose(script)) if source else ""
        if source and len(text) >= SHORTEST:
            for said in best(text, call.at, words, PER_MESSAGE):
                yield from stated(said, call.at, words, transcript, source=source)


def _prose(script: str) -> str:
    """The texts that a script gives its commands: what stands in it as a document, else in quotation marks."""
    documents = [found[3] for found in _HEREDOC.finditer(script)]
    quoted = [found[1] or found[2] or "" for found in _QUOTED.finditer(script)]
    return "\n\n".join(map(_body, documents or [text.replace("\\n", "\n") for text in quoted]))


def _body(text: str) -> str:
    """What stands below the subject of a message, where it has one."""
    subject, blank, body = text.strip().partition("\n\n")
    return body if blank and "\n" not in subject else text if "\n" in text.strip() else ""
