"""Atoms from prose by others than the two who talk: subagents' reports, issues, pages and documents that were read."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from bench.drafting.calls import PROSE, Call, file_name, written_names
from bench.drafting.candidates import Candidate, stated
from bench.drafting.prose import Statement
from bench.drafting.statements import best
from bench.drafting.words import Words
from bench.handoff.tools import deed_of, path_of, script_of
from bench.transcripts.model import Message, Transcript

PER_SUBAGENT, PER_ISSUE, PER_PAGE = 8, 8, 4
"""Statements taken of one report, one issue, one page or document: those first that tell most."""
LEAST_LEARNED = 2.0
"""Weight of a statement of theirs: they say more than the session takes up."""
LEAST_SUBJECT = 1.0
"""The same of an issue that the two go on to name: it is what the work is about, and each line of it counts."""

ECHO = 0.5
"""Share of the words of a statement of theirs that what the two say later takes up, from which on it matters."""
LOOSE = 0.3
"""The same where the session has too few of these for a key."""

_ISSUE = re.compile(r"\b(?:gh|glab) (issue|pr|mr) view +#?(\d+)|/(issues|pull|merge_requests)/(\d+)(?![\w/-])")
_KINDS = {"pr": "Pull request", "pull": "Pull request", "mr": "Merge request", "merge_requests": "Merge request"}
_FETCH = re.compile(r"(?i)(?:web_?)?fetch(?:_\w+)?$")
_SHOWS = re.compile(
    r"(?:cd \S+ && )?(?:cat|head|less|sed -n) +(?:-\w+ +|'[\d,$p]+' +|\d+ +)*['\"]?([\w./~@-]+)['\"]?(?: *\||$)"
)
"""A command that shows one file."""
_NUMBERED = re.compile(r"(?m)^\s*\d+[→\t]")
_ERROR_LINE = re.compile(r"(?m)^\w+: (?:error|fatal|warning)\b.*$")
_RESULT = re.compile(r"(?s)<result>(.*?)</result>")
_FIELDS = re.compile(r"(?m)^[a-z][\w -]*:\t.*$")
"""Lines of an issue's head as `gh` prints it."""


class _Source(NamedTuple):
    name: str
    text: str
    most: int


def learned(calls: Sequence[Call], words: Words, transcript: Transcript, *, loose: bool = False) -> Iterator[Candidate]:
    """What issues, pages and documents state that were read, newest first; `loose`: what nobody takes up later, too."""
    own = {name for call in calls for name in written_names(call)}
    for call in reversed(calls):
        issue = _issue(call)
        source = issue or _page(call) or _read(call, own)
        echo = LOOSE if loose else ECHO
        least = LEAST_LEARNED
        if issue and words.is_said_after(issue.name.rsplit(" ", 1)[-1], call.at):
            echo, least = 0.0, LEAST_SUBJECT
        if source is not None and call.result_at is not None and not call.failed:
            for said in best(source.text, call.result_at, words, source.most, least=least, echo=echo):
                yield from stated(said, call.result_at, words, transcript, by="tool", source=source.name)


def subagents(
    calls: Sequence[Call], words: Words, transcript: Transcript, *, loose: bool = False
) -> Iterator[Candidate]:
    """What subagents reported, of each in turn, the newest first: in the result of their call, or in a later notice.

    `loose`: what nobody takes up later, too.
    """
    echo = LOOSE if loose else ECHO
    told = [(c.result_at, c.result.text) for c in calls if c.result and c.result_at is not None and _is_subagent(c)]
    noticed = [(at, text) for at, message in enumerate(transcript.messages) for text in _notices(message)]
    newest_first = sorted((*told, *noticed), key=lambda t: -t[0])
    each = [[(at, s) for s in _told(text, at, words, echo)] for at, text in newest_first]
    for at, said in filter(None, chain.from_iterable(zip_longest(*each))):
        yield from stated(said, at, words, transcript, by="tool", source="A subagent reported")


def _told(text: str, at: int, words: Words, echo: float) -> list[Statement]:
    """What a subagent's report tells, those first that the conversation takes up."""
    found = best(text, at, words, PER_SUBAGENT, least=LEAST_LEARNED, echo=echo)
    return sorted(found, key=lambda s: -words.echo(s.text, at))


def _is_subagent(call: Call) -> bool:
    return deed_of(call.name, call.arguments) == "subagent" and not call.failed


def _notices(message: Message) -> Iterator[str]:
    if message.origin == "task-notification":
        yield from _RESULT.findall(message.spoken)


def _issue(call: Call) -> _Source | None:
    """The issue or change that a shell command printed."""
    if call.result is None or deed_of(call.name, call.arguments) != "shell":
        return None
    found = _ISSUE.search(script_of(call.arguments))
    if found is None:
        return None
    kind = _KINDS.get(found[1] or found[3], "Issue")
    return _Source(
        f"{kind} {found[2] or found[4]}", _FIELDS.sub("", _bodies(_ERROR_LINE.sub("", call.result.text))), PER_ISSUE
    )


def _bodies(text: str) -> str:
    """The prose of an issue: of JSON the bodies in it, else all of it."""
    start = text.find("{")
    if start < 0 or not text[start:].rstrip().endswith("}"):
        return text
    try:
        return "\n\n".join(_texts(msgspec.json.decode(text[start:])))
    except msgspec.DecodeError:
        return text


def _texts(value: object) -> Iterator[str]:
    match value:
        case dict():
            for key, item in value.items():
                if key == "body" and isinstance(item, str):
                    yield item
                elif isinstance(item, list | dict):
                    yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)


def _read(call: Call, own: Container[str]) -> _Source | None:
    """A document that a tool or a shell command showed, and that is not the session's own."""
    if call.result is None:
        return None
    deed = deed_of(call.name, call.arguments)
    path = path_of(call.arguments) if deed == "read" else None
    if deed == "shell" and (shown := _SHOWS.match(script_of(call.arguments).strip())):
        path = shown[1]
    if path is None or not PROSE.search(path):
        return None
    name = file_name(path)
    return None if name in own else _Source(name, _NUMBERED.sub("", call.result.text), PER_PAGE)


def _page(call: Call) -> _Source | None:
    """A page that a tool fetched and gave as prose."""
    url = call.arguments.get("url")
    if call.result is None or not isinstance(url, str) or not _FETCH.search(call.name):
        return None
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return _Source(host or "A page", call.result.text, PER_PAGE)
