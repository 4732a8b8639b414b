"""Atoms from the shell: what is run again and again, how it last went, and what failed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, quoted, ways
from bench.drafting.words import Words, plain
from bench.keys import Importance, Patterns
from bench.text import clip
from bench.transcripts.model import Transcript

FEWEST_RUNS = 2
"""A command run once is an event, not a way of working."""
LONGEST_COMMAND = 100
LONGEST_ERROR, LONGEST_OUTCOME = 160, 120
"""Characters."""

_SHELLS = re.compile(r"^(?:bash|shell|exec|run_|terminal|execute)", re.IGNORECASE)
_TRIVIAL = re.compile(
    r"^(?:ls|nl|cat|head|tail|grep|rg|find|wc|echo|pwd|which|cd|export|source|set|sleep|printf|sed|awk|jq|file|stat|true|tree"
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
_COUNTS = re.compile(
    r"(?i)\b\d+ (?:passed|passing|failed|failing|pass|fail|skipped|warnings?|errors?|problems?|issues?|tests?)\b"
    r"|\btests?:? +\d+|\btest result: |^ok +\S+|\b(?:found|no) (?:\d+ )?(?:errors?|issues?|problems?)\b"
    r"|\ball checks passed\b"
    r"|^BUILD \w+|^Ran \d+ "
)
"""A line in which a test run or a build says how it went."""
_RUNNER = re.compile(r"(?i)test|check|lint|build|\btsc\b|tsgo|mypy|ruff|jest|cargo|\bmake\b|knip|spec\b")
"""A command that tells how the code stands, so that one run is worth a question."""
_COUNTED = re.compile(r"\d+ [a-z]{4,}")
_GOOD = r"\b(?:pass|succe|green|clean|ok\b|works?\b|without error|no (?:error|issue|problem))"
_BAD = r"\b(?:fail|error|broke|red\b|problem|issue)"
"""How a handoff says how a run went."""
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def commands_run(calls: Sequence[Call], transcript: Transcript) -> Iterator[Candidate]:
    """The commands that were run more than once or counted something, most often run first, with what came of them."""
    runs = _runs(calls)
    often = [c for c in runs if len(runs[c]) >= FEWEST_RUNS or (_RUNNER.search(c) and _outcome(runs[c][-1]))]
    for command in sorted(often, key=lambda c: (-len(runs[c]), -runs[c][-1].at)):
        last = runs[command][-1]
        times = "once" if len(runs[command]) == 1 else f"{len(runs[command])} times"
        failed = ", the last time with a failure" if last.failed else ""
        patterns = list(_command_patterns(command))
        text = f"'{command}' was run {times}{failed}"
        told = Candidate("command", f"{text}.", "okay", "assistant", (last.at,), said=command)
        tried = [(told, patterns)] if len(runs[command]) >= FEWEST_RUNS else []
        if outcome := _outcome(last):
            signs = (*map(bounded, _COUNTED.findall(outcome)), _BAD if last.failed else _GOOD)
            asked = [Patterns(all=(*p.all, *(["|".join(p.any)] if p.any else [])), any=signs) for p in patterns]
            full = replace(told, text=f'{text}; it ended with "{outcome}".', at=last.messages)
            tried.insert(0, (full, asked))
        if found := next(filter(None, (carried(c, p, transcript) for c, p in tried)), None):
            yield found


def _outcome(call: Call) -> str:
    """The last line of a run in which it counts what went well or wrong; empty where there is none."""
    lines = [plain(_ANSI.sub("", line)) for line in (call.result.text if call.result else "").splitlines()]
    counted = [line for line in lines if len(line) <= LONGEST_OUTCOME and _COUNTS.search(line)]
    return counted[-1].strip("=-─ ") if counted else ""


def failures(
    calls: Sequence[Call], words: Words, transcript: Transcript, *, mended: bool = False
) -> Iterator[Candidate]:
    """The last failure of each command, newest first; `mended`: of commands that went through later, else of others."""
    runs = _runs(calls)
    failed = [(command, call) for command, own in runs.items() for call in own if call.failed and not _refused(call)]
    for command, call in sorted(dict(failed).items(), key=lambda c: -c[1].at):
        error = _error_line(call)
        passed = next((c for c in runs[command] if c.at > call.at and not c.failed), None)
        if error is None or call.result_at is None or (passed is not None) is not mended:
            continue
        later = f" It went through later (message {passed.at})." if passed else ""
        text = f"'{clip(command, 60)}' failed: {error}.{later}"
        importance: Importance = "okay" if passed else "vital"
        candidate = Candidate("error", text, importance, "tool", (call.result_at,), said=error)
        if found := carried(candidate, ways(words, error, call.result_at), transcript):
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
