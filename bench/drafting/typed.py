"""Atoms from what a person typed: rules, rejections, corrections, decisions, requests. Cues are English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.drafting.candidates import Candidate, carried
from bench.drafting.words import Words, plain, sentences, ways
from bench.keys import Tag
from bench.text import clip
from bench.transcripts.model import Message, ToolResult, Transcript

PER_MESSAGE = 2
"""Statements taken from one turn: a pasted review of forty sentences is one event of the session."""
MOST_ASKS = 12
"""Requests drafted, newest first; older ones are mostly done and buried in the rest."""
ASK_WORDS = 3
STATEMENT_WORDS = 2
"""Content words that a turn needs to be a request of its own ('yes', 'go on' have none), a sentence to be a rule."""
LONG_TURN = 12
"""Lines; a longer turn is a paste with a word before and after it."""

_CUES: tuple[tuple[Tag, re.Pattern[str]], ...] = (
    (
        "rejected",
        re.compile(
            r"^(?:no|nope|nah)\b(?! problem)|^(?:hold|stop)\b"
            r"|\b(?:remove|revert|undo|drop|scrap) (?:this|that|it|them|the)\b"
            r"|\b(?:don'?t|do not|didn'?t) (?:want|need|like)\b|\b(?:doesn'?t|does not|won'?t|will not) work\b"
            r"|\bnot (?:really )?(?:feasible|useful|needed|necessary|worth|an option)\b|\binstead of\b|\brather than\b"
            r"|\btoo? (?:much|big|risky|complex|many|slow)\b|\b(?:rule[ds]? out|reject|forget about)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "correction",
        re.compile(
            r"\b(?:that|this|it|which)(?:'s| is| was) (?:not|wrong|incorrect)\b"
            r"|\b(?:not correct|incorrect|misleading)\b"
            r"|\b(?:is|are|was|were) (?:wrong|off)\b|\byou (?:wrote|said|forgot|missed|misunderstood)\b"
            r"|\bactually\b|\bi meant\b|\bmy mistake\b|\bi messed up\b|\bshould(?:'ve| have) been\b|\bthe issue is\b",
            re.IGNORECASE,
        ),
    ),
    (
        "constraint",
        re.compile(
            r"\b(?:always|never|must(?:n'?t)?|do not|don'?t|make sure|keep in mind|from now on|remember to)\b"
            r"|\b(?:prefer|without)\b"
            r"|\bshould(?:n'?t| not)?\b|\b(?:has|have|need|needs) to\b|\bonly\b|\bnot allowed\b",
            re.IGNORECASE,
        ),
    ),
    (
        "decision",
        re.compile(
            r"\blet'?s (?:go|use|do|store|keep|implement|put|add|make|just)\b|\bgo with\b|\bput it in\b"
            r"|^(?:yes|yeah|ok|okay|sure)\b.*\b(?:implement|add|use|do|write|keep|continue)\b",
            re.IGNORECASE,
        ),
    ),
)
_QUESTION = re.compile(r"[?？]\s*$|\bwonder(?:ing)? (?:if|whether|what|how)\b", re.IGNORECASE)
_ASKING = re.compile(r"^(?:can|could|would|will) (?:you|we)\b|^please\b", re.IGNORECASE)
_REFUSED = re.compile(r"(?s)the user said:\s*\n(.+)")
_COMMAND_ARGUMENTS = re.compile(r"(?s)<command-args>(.*?)</command-args>")
_ENVELOPE = re.compile(r"^\s*<(?:command-|bash-|local-command)")


_PROMPT_LINE = re.compile(r"^\S*(?:\(\w+\) )?[\w.-]+@[\w.-]+:.*[$#] |^[$%>❯] \S")
_OUTPUT_LINE = re.compile(r"[✔✓✗━─│┃╭╰█]|\w\.\w+[:(]\d+[:,]\d+|^\s*at \S+ \(|^\s*\d+ ?[|│]|^\s*[{}<\]]")


def typed_text(message: Message) -> str:
    """What a person typed in a user turn; of a slash command its arguments; a shell line is no prose."""
    if message.author != "person":
        return ""
    text = message.spoken
    if _ENVELOPE.match(text):
        return "\n".join(found.strip() for found in _COMMAND_ARGUMENTS.findall(text))
    return _without_pastes(text)


def _without_pastes(text: str) -> str:
    """The turn without terminal output and long quotations: a person's rules are in a person's words."""
    lines: list[str] = []
    pasted = False
    for line in text.splitlines():
        pasted = bool(_PROMPT_LINE.search(line)) or (pasted and bool(line.strip()))
        if not pasted and not _OUTPUT_LINE.search(line):
            lines.append(line)
    filled = [line for line in lines if line.strip()]
    return "\n".join([*filled[:3], *filled[-2:]] if len(filled) > LONG_TURN else lines)


def refusals(message: Message) -> Iterator[str]:
    """What a person said when refusing a tool call: it arrives inside the call's result."""
    for block in message.blocks:
        if isinstance(block, ToolResult) and block.is_error and (found := _REFUSED.search(block.text)):
            yield found[1]


def drafted(transcript: Transcript, words: Words) -> Iterator[Candidate]:
    """Statements and requests of every typed turn, the last request first."""
    typed = [(i, text) for i, m in enumerate(transcript.messages) if (text := typed_text(m)).strip()]
    asking = [(i, text) for i, text in typed if len(words.ranked(plain(text), i)) >= ASK_WORDS]
    for i, text in asking[-1:]:
        yield from _ask(text, i, words, transcript, last=True)
    for i, message in enumerate(transcript.messages):
        for text in refusals(message):
            yield from _statements(text, i, words, transcript, otherwise="rejected")
        yield from _statements(typed_text(message), i, words, transcript)
    for i, text in asking[-MOST_ASKS:-1]:
        yield from _ask(text, i, words, transcript)


def _statements(
    text: str, at: int, words: Words, transcript: Transcript, otherwise: Tag | None = None
) -> Iterator[Candidate]:
    found = 0
    for sentence in sentences(text):
        tag = _tag(sentence) or (None if _QUESTION.search(sentence) else otherwise)
        if tag is None or found == PER_MESSAGE or len(words.ranked(sentence, at)) < STATEMENT_WORDS:
            continue
        said = f'{_TOLD[tag]} "{sentence}"'
        patterns = ways(sentence, words.ranked(sentence, at), firm=True)
        if candidate := carried(Candidate(tag, said, "vital", "user", (at,)), patterns, transcript):
            found += 1
            yield candidate


_TOLD: dict[Tag, str] = {
    "rejected": "The user turned down or took back:",
    "correction": "The user corrected:",
    "constraint": "The user's rule:",
    "decision": "The user decided:",
}


def _tag(sentence: str) -> Tag | None:
    """What a typed sentence sets, by its cues; questions set nothing, unless they ask for something to be done."""
    if _QUESTION.search(sentence) and not _ASKING.match(sentence):
        return None
    if _ASKING.match(sentence):
        return "constraint" if re.search(r"\bmake sure\b", sentence, re.IGNORECASE) else None
    return next((tag for tag, cue in _CUES if cue.search(sentence)), None)


def _ask(text: str, at: int, words: Words, transcript: Transcript, *, last: bool = False) -> Iterator[Candidate]:
    """The request of a turn: its asking sentence, else its first with enough words."""
    parts = [s for s in sentences(text) if len(words.ranked(s, at)) >= ASK_WORDS]
    parts.sort(key=lambda s: not (_ASKING.match(s) or _QUESTION.search(s)))
    for sentence in [*parts, clip(plain(text), 200)][:1]:
        told = "The last request, open at the end:" if last else "The user asked:"
        candidate = Candidate("ask", f'{told} "{sentence}"', "vital" if last else "okay", "user", (at,))
        if found := carried(candidate, ways(sentence, words.ranked(sentence, at)), transcript):
            yield found
