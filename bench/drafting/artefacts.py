"""Atoms from what a session left in the world: commits, branches, pull requests and issues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, ways
from bench.drafting.words import Words, plain, sentences
from bench.keys import By, Patterns
from bench.transcripts.model import Transcript

MOST_COMMITS, MOST_BRANCHES, MOST_LINKS = 3, 2, 4
"""Drafted, newest first."""
SHORTEST_HASH = 7

_COMMIT = re.compile(r"(?m)^\[(?P<branch>[^\s\]]+)(?: \([^)]*\))? (?P<hash>[0-9a-f]{7,40})\] (?P<subject>.+)$")
_BRANCH = re.compile(r"\bgit (?:checkout -[bB]|switch -[cC]|worktree add\b[^\n;&|]*? -[bB]) +['\"]?(?P<name>[\w./-]+)")
_LINK = re.compile(r"https?://[\w.-]+/[\w.-]+/[\w.-]+/(?P<kind>pull|issues|merge_requests|-/issues)/(?P<number>\d+)")
_KINDS = {"pull": "pull request", "merge_requests": "merge request"}


def artefacts(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The commits and branches that commands made, and the pull requests and issues that were named."""
    yield from _commits(calls, words, transcript)
    yield from _branches(calls, transcript)
    yield from _links(transcript)


def _commits(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    made = [
        (c.result_at, found)
        for c in reversed(calls)
        if c.result is not None and c.result_at is not None
        for found in reversed(list(_COMMIT.finditer(c.result.text)))
    ]
    for at, found in made[:MOST_COMMITS]:
        subject, short = plain(found["subject"]), found["hash"][:SHORTEST_HASH]
        text = f'Commit {short} on {found["branch"]}: "{subject}"'
        candidate = Candidate("state", text, "okay", "tool", (at,), said=f"{short} {subject}")
        patterns = (Patterns(any=(bounded(short), *both)) for both in _subjects(words, subject, at))
        if drafted := carried(candidate, patterns, transcript):
            yield drafted


def _subjects(words: Words, subject: str, at: int) -> Iterator[tuple[str, ...]]:
    """Ways to name a commit by its subject: two of its words close to each other; or by nothing but its hash."""
    two = [stem for p in ways(words, subject, at) for stem in (*p.all, *p.any)][:2]
    if len(two) == 2:
        yield (rf"commit.{{0,80}}{two[0]}.{{0,60}}{two[1]}",)
    yield ()


def _branches(calls: Sequence[Call], transcript: Transcript) -> Iterator[Candidate]:
    drafted: set[str] = set()
    for call in reversed(calls):
        command = call.arguments.get("command", call.arguments.get("cmd"))
        script = " ".join(map(str, command)) if isinstance(command, list) else str(command or "")
        for found in _BRANCH.finditer("" if call.failed else script):
            name = found["name"]
            if len(drafted) == MOST_BRANCHES or name in drafted:
                continue
            text = f"The work was put on branch {name}."
            candidate = Candidate("state", text, "vital", "assistant", (call.at,), said=name)
            if kept := carried(candidate, [Patterns(all=(bounded(name),))], transcript):
                drafted.add(name)
                yield kept


def _links(transcript: Transcript) -> Iterator[Candidate]:
    drafted: set[str] = set()
    for at in range(len(transcript.messages) - 1, -1, -1):
        message = transcript.messages[at]
        if message.author not in ("person", "assistant"):
            continue
        for found in _LINK.finditer(message.spoken):
            number = found["number"]
            if message.author == "assistant" and found["kind"] not in _KINDS:
                continue  # issues are listed by the dozen; one that a person names is what the work is about
            if len(drafted) == MOST_LINKS or number in drafted:
                continue
            drafted.add(number)
            kind = _KINDS.get(found["kind"], "issue")
            said = next((s for s in sentences(message.spoken) if number in s and not s.startswith("http")), "")
            about = f': "{said}"' if said and len(said.split()) > 2 else ""
            text = f"The {kind} {number}{about}" if about else f"{kind.capitalize()} {number} is {found[0]}"
            by: By = "user" if message.author == "person" else "assistant"
            candidate = Candidate("identifier", text, "okay", by, (at,))
            patterns = Patterns(any=(rf"#{number}\b", rf"{found['kind']}/{number}\b", rf"{kind} {number}\b"))
            if kept := carried(candidate, [patterns], transcript):
                yield kept
