"""Atoms from the shell: what is run again and again, how it last went, and what failed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, quoted, ways
from bench.drafting.words import Words, plain
from bench.keys import Patterns
from bench.text import clip
from bench.transcripts.model import Transcript

MOST_COMMANDS = 6
MOST_FAILURES = 6
MOST_MENDED = 2
"""Commands drafted, most often run first; failures, newest first, and of those the ones that went through later."""
FEWEST_RUNS = 2
"""A command run once is an event, not a way of working."""
LONGEST_COMMAND = 100
LONGEST_ERROR = 160
"""Characters."""

_SHELLS = re.compile(r"^(?:bash|shell|exec|run_|terminal|execute)", re.IGNORECASE)
_TRIVIAL = re.compile(
    r"^(?:ls|cat|head|tail|grep|rg|find|wc|echo|pwd|which|cd|export|source|set|sleep|printf|sed|awk|jq|file|stat|true|tree"
    r"|diff|for|while|if|do|done|fi|then|else|mkdir|chmod|chown|cp|mv|rm|touch|kill|test|gh"
    r"|git (?:status|diff|log|show|branch|blame|rev-parse|ls-files|remote|fetch|stash|config|cat-file|add|commit|push"
    r"|pull|checkout|switch|mv|rm|tag|rebase|merge|cherry-pick|reset|restore|worktree))\b"
)
"""Commands that look around, or that every session has."""
_TOKEN = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|&&|\|\||[;\n|]|\d?>>?(?:&\d|\s*\S+)|.""", re.DOTALL)
_ASSIGNMENT = re.compile(r"^(?:\w+=\S*\s+)+")
_HARNESS = re.compile(r"the user doesn't want|request interrupted|tool_use_error|hook (?:error|blocked)", re.IGNORECASE)
_ERRORS = tuple(
    re.compile(pattern)
    for pattern in (
        r"--- FAIL: \S+",
        r"^FAILED \S+",
        r"^\S+\.\w+:\d+(?::\d+)?: .+",
        r"\bpanic: .+",
        r"^E\s{2,}(\S.*)",
        r"\b\w*(?:Error|Exception)\b: .+",
        r"(?i)\b(?:fatal|error)\b ?[:\[].+",
        r"(?i)^.*\b(?:cannot|undefined|unused|failed|not found|no such)\b.*",
    )
)
"""What names the cause of a failure, most telling first."""
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def commands_run(calls: Sequence[Call], transcript: Transcript) -> Iterator[Candidate]:
    """The commands of the session that do something and were run more than once."""
    runs = _runs(calls)
    often = [c for c in sorted(runs, key=lambda c: (-len(runs[c]), -runs[c][-1].at)) if len(runs[c]) >= FEWEST_RUNS]
    for command in often[:MOST_COMMANDS]:
        last = runs[command][-1]
        went = "" if last.result is None else ", the last time with a failure" if last.failed else ""
        text = f"'{command}' was run {len(runs[command])} times{went}."
        candidate = Candidate("command", text, "okay", "assistant", (last.at,))
        if found := carried(candidate, _command_patterns(command), transcript):
            yield found


def failures(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The last failure of each command, newest first, and whether the same command went through later."""
    runs = _runs(calls)
    failed = [(command, call) for command, own in runs.items() for call in own if call.failed and not _refused(call)]
    newest = dict(failed)
    drafted = mended = 0
    for command, call in sorted(newest.items(), key=lambda c: -c[1].at):
        error = _error_line(call)
        if error is None or call.result_at is None or drafted == MOST_FAILURES:
            continue
        passed = next((c for c in runs[command] if c.at > call.at and not c.failed), None)
        if passed and mended == MOST_MENDED:
            continue
        later = f" It went through later (message {passed.at})." if passed else ""
        text = f"'{clip(command, 60)}' failed: {error}.{later}"
        candidate = Candidate("error", text, "okay" if passed else "vital", "tool", (call.result_at,))
        if found := carried(candidate, ways(words, error, call.result_at), transcript):
            drafted += 1
            mended += passed is not None
            yield found


def _runs(calls: Sequence[Call]) -> dict[str, list[Call]]:
    """The calls of each command that is more than a look around."""
    runs: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        for command in dict.fromkeys(_commands(call)):
            runs[command].append(call)
    return runs


def _commands(call: Call) -> Iterator[str]:
    """The commands of a shell call, each without what it is piped or redirected into."""
    if not _SHELLS.match(call.name):
        return
    given = call.arguments.get("command", call.arguments.get("cmd", call.arguments.get("commands")))
    for text in given if isinstance(given, list) else [given]:
        if isinstance(text, str):
            yield from (c for part in _split(text.split("<<")[0]) if (c := plain(part)) and _is_telling(c))


def _split(text: str) -> Iterator[str]:
    """The commands of a shell line. Signs inside quotes split nothing; a quote without an end spoils what follows."""
    command, piped = "", False
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in ("&&", "||", ";", "\n"):
            yield _ASSIGNMENT.sub("", command.strip())
            command, piped = "", False
        elif token == "|":
            piped = True
        elif token in ("'", '"'):
            return
        elif not piped and not re.match(r"\d?>", token):
            command += token
    yield _ASSIGNMENT.sub("", command.strip())


def _is_telling(command: str) -> bool:
    return bool(re.match(r"[\w./]", command)) and len(command) <= LONGEST_COMMAND and not _TRIVIAL.match(command)


def _command_patterns(command: str) -> Iterator[Patterns]:
    """The command whole where it is short; else its first words and what else tells it apart."""
    head, *rest = command.split()
    first = [head, *rest[:1]] if rest and not rest[0].startswith("-") else [head]
    telling = [bounded(w.strip("'\"")) for w in rest[1:] if len(w) > 2 and not w.startswith("-")]
    if len(command.split()) > 3 and telling:
        yield Patterns(all=(bounded(" ".join(first)),), any=tuple(telling[:3]))
    yield Patterns(all=(bounded(command),))
    yield Patterns(all=(quoted(" ".join(first)),))


def _refused(call: Call) -> bool:
    return call.result is not None and bool(_HARNESS.search(call.result.text))


def _error_line(call: Call) -> str | None:
    """The line of a failed call's result that names the cause."""
    lines = [_ANSI.sub("", line).strip() for line in (call.result.text if call.result else "").splitlines()]
    for error in _ERRORS:
        for line in lines:
            if found := error.search(line):
                return clip(plain(found[found.lastindex or 0]).rstrip(". "), LONGEST_ERROR)
    return None
