"""Atoms from changes to files: why one was made, in the words beside it, and what names it brought in."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call, written_names
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, ways
from bench.drafting.statements import has_anchor, tag_of
from bench.drafting.words import NAME, Words, plain, sentences
from bench.handoff.tools import deed_of
from bench.keys import Patterns
from bench.text import clip
from bench.transcripts.model import Transcript

MOST_FILES = 2
"""Files of one change that are named."""
FEWEST_WORDS = 3
"""Content words of a reason that says something."""
MOST_CHARS, LONGEST_DEFINITION = 200, 110
"""Characters of a reason, and of a definition as it is shown."""

_LEAD = re.compile(
    r"^(?:(?:now|next|first|then|also|finally|and|so|great|good|perfect|ok(?:ay)?|done|right|actually|wait|all right)\b"
    r"[\s,.!:—–-]*)*(?:(?:(?:i|we)(?:'ll| will| need to| should| can|'m going to| also need to| have to)|let me|let's"
    r"|time to|need to)\s+(?:also |now |just |first |quickly |then |next )*)?(?:go ahead and )?",
    re.IGNORECASE,
)
_DEED = re.compile(
    r"(?i)^(?:add|updat|chang|fix|replac|remov|use|creat|mov|renam|mak|set|refactor|extract|simplif|convert|handl|exclud"
    r"|includ|revert|wrap|pass|restor|mark|switch|delet|implement|integrat|modif|hid|show|disabl|enabl|allow|increas"
    r"|reduc|extend|support|split|merge|drop|write|rewrite|correct|adjust|ignor|keep|call|return|stor|track|skip|bump"
    r"|introduc|clean|clarif|document|address|declar|export|expos|resolv|improv|unif|swap)[a-z]*\s"
)
_IN_PASSING = re.compile(r"(?i)^(?:mark|updat\w*) (?:the |my )?(?:to-?dos?|tasks?|check(?:list|box)\w*)")
_REASON = re.compile(
    r"(?i)\b(?:because|since|so that|to avoid|instead of|rather than|to prevent|otherwise|in order to)\b"
)
_DEFINITION = re.compile(
    r"(?m)^[+\t ]*(?:(?:export|default|public|private|protected|static|async|pub|abstract)\s+)*"
    r"(?:func|def|class|interface|struct|enum|trait|fn|function|type)\s+(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_]\w{3,})[^\n]*"
)
_OLD = re.compile(r"(?i)^old")
_PROSE = re.compile(r"(?i)\.(?:mdx?|txt|rst|json\w?|ya?ml|toml|csv|html|lock)$")
_ADDED = r"\b(?:add|creat|new|introduc|implement|defin|extract|helper|function|method|class|type|struct)"
"""How a handoff says that a name came in."""


def reasons(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the assistant said beside an edit that it was for, newest first."""
    for call in reversed(_writing(calls)):
        files = written_names(call)[:MOST_FILES]
        found = _reason(call.at, files, transcript)
        if found is None or not files:
            continue
        candidate = Candidate(
            tag_of(found, "file"), f'Changed {", ".join(files)}: "{found}"', "okay", "assistant", (call.at,), said=found
        )
        telling = len(words.ranked(found, call.at)) >= FEWEST_WORDS
        if telling and (drafted := carried(candidate, ways(words, found, call.at), transcript)):
            yield drafted


def definitions(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The functions and types that edits brought into files, those first that the session speaks of most."""
    brought: dict[str, tuple[Call, str]] = {}
    spoken: Counter[str] = Counter()
    for call in _writing(calls):
        files = [name for name in written_names(call)[:MOST_FILES] if not _PROSE.search(name)]
        old, new = _sides(call)
        for found in _DEFINITION.finditer(new) if files else ():
            name = found["name"]
            if NAME.fullmatch(name) and name not in old and not name.casefold().startswith("test"):
                brought[name] = (call, plain(found[0].lstrip("+").rstrip(" {:")))
                spoken[name] = words.holders(name)
    for name in sorted(brought, key=lambda n: (-spoken[n], n)):
        call, line = brought[name]
        [file, *_] = written_names(call)[:MOST_FILES]
        told = f"{name} was added to {file}: {clip(line, LONGEST_DEFINITION)}"
        candidate = Candidate("identifier", told, "okay", "assistant", (call.at,), said=name, slight=True)
        patterns = Patterns(all=(bounded(name),), any=(bounded(file), _ADDED))
        if drafted := carried(candidate, [patterns], transcript):
            yield drafted


def _writing(calls: Sequence[Call]) -> list[Call]:
    return [c for c in calls if not c.failed and deed_of(c.name, c.arguments) == "write"]


def _sides(call: Call) -> tuple[str, str]:
    """The text that a writing call takes away, and the text that it puts there."""
    texts = [(name, value) for name, value in call.arguments.items() if isinstance(value, str)]
    return " ".join(v for n, v in texts if _OLD.match(n)), "\n".join(v for n, v in texts if not _OLD.match(n))


def _reason(at: int, files: Sequence[str], transcript: Transcript) -> str | None:
    """The last sentence of the message that says what the edit is for."""
    for sentence in reversed(list(sentences(transcript.messages[at].spoken))):
        said = _LEAD.sub("", sentence.replace("’", "'"), count=1).rstrip(": ")
        if len(said) > MOST_CHARS or not _DEED.match(said) or sentence.endswith("?"):
            continue
        other = re.sub("|".join(map(re.escape, files)), "", said) if files else said
        if not _IN_PASSING.match(said) and (has_anchor(other) or _REASON.search(said)):
            return said
    return None
