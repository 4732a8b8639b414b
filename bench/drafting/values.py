"""Atoms from values that changed: what an edit replaced, what a person corrected from one value to another.

The new value is asked for and the old one is stale from the message of the change on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, quoted, stem_pattern
from bench.drafting.turns import typed_text
from bench.drafting.vocabulary import WEAK
from bench.drafting.words import content_words, is_name, sentences
from bench.keys import By, Patterns, Stale
from bench.transcripts.model import Transcript

MOST_VALUES = 8
"""Drafted, newest first."""
BETWEEN = 40
"""Characters that may stand between a name and its stale value."""

_VALUE = r"\d[\d_,]*(?:\.\d+)*(?:ms|s|m|h|%|px|kb|mb|gb|KB|MB|GB)?"
_SETTING = re.compile(rf"(?P<name>[A-Za-z_][\w.-]*[\w])[\"']?\s*(?::\s*\w+\s*)?[:=]+\s*[\"']?(?P<value>{_VALUE})\b")
"""A name that is given a number: `MAX_RETRIES = 5`, `"timeout": 30`, `retries: int = 3`."""
_FROM_TO = re.compile(rf"(?i)\b(?:from|not|instead of)\s+(?P<old>{_VALUE})\s+(?:to|but|->|→)\s+(?P<new>{_VALUE})\b")
_OLD_NAMES, _NEW_NAMES = ("old_string", "old_str", "oldText"), ("new_string", "new_str", "newText")


def changed_values(calls: Sequence[Call], transcript: Transcript) -> Iterator[Candidate]:
    """The values that an edit or a typed turn changed, each with the value that it took the place of."""
    drafted: set[str] = set()
    for candidate in (*_by_edits(calls), *_by_words(transcript)):
        name = candidate.accept.all[0]
        if len(drafted) == MOST_VALUES or name in drafted:
            continue
        if found := carried(candidate, _ways(candidate.accept), transcript):
            drafted.add(name)
            yield found


def _ways(accept: Patterns) -> Iterator[Patterns]:
    """The patterns; then with the name as part of a word: an edit's JSON has the `n` of a line break before it."""
    name, value = accept.all
    yield accept
    yield Patterns(all=(name.removeprefix(r"\b"), value))


def _by_edits(calls: Sequence[Call]) -> Iterator[Candidate]:
    for call in reversed(calls):
        old, new = _argument(call, _OLD_NAMES), _argument(call, _NEW_NAMES)
        if call.failed or old is None or new is None:
            continue
        for name, before, after in _changes(old, new):
            yield _changed(name, bounded(name), before, after, call.at, "assistant")


def _argument(call: Call, names: tuple[str, ...]) -> str | None:
    return next((v for name in names if isinstance(v := call.arguments.get(name), str)), None)


def _changes(old: str, new: str) -> Iterator[tuple[str, str, str]]:
    """Each name whose number differs between lines that an edit put in each other's place: name, old, new."""
    before, after = old.splitlines(), new.splitlines()
    for kind, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "replace":
            continue
        values = {m["name"]: m["value"] for line in before[i:i_end] for m in _SETTING.finditer(line)}
        for match in (m for line in after[j:j_end] for m in _SETTING.finditer(line)):
            name = match["name"]
            if len(name) > 2 and values.get(name, match["value"]) != match["value"]:
                yield name, values[name], match["value"]


def _by_words(transcript: Transcript) -> Iterator[Candidate]:
    """Sentences like "raise the timeout from 30 to 60", typed or reported; the word before "from" names the value."""
    for at in range(len(transcript.messages) - 1, -1, -1):
        message = transcript.messages[at]
        by: By = "assistant" if message.author == "assistant" else "user"
        for sentence in sentences(message.spoken if by == "assistant" else typed_text(message)):
            match = _FROM_TO.search(sentence)
            if match is None or match["old"] == match["new"]:
                continue
            before = [w for w in content_words(sentence[: match.start()]) if w.casefold() not in WEAK]
            name = next((w for w in reversed(before) if is_name(w)), before[-1]) if before else None
            if name is not None:
                # without the old value: whoever repeats the text must not be graded stale
                text = f"{sentence[: match.start()]}to {match['new']}{sentence[match.end() :]}"
                yield _changed(name, stem_pattern(name), match["old"], match["new"], at, by, text=text)


def _changed(name: str, pattern: str, old: str, new: str, at: int, by: By, *, text: str = "") -> Candidate:
    stale = Stale(rf"{pattern}\w*[^.;\n]{{0,{BETWEEN}}}?\b{quoted(old)}\b", max(at, 1))
    accept = Patterns(all=(pattern, rf"\b{quoted(new)}\b"))
    told = text or f"{name} was changed and is {new} now."
    return Candidate("number", told, "vital", by, (at,), accept, (stale,), said=text or f"{name} {new}")
