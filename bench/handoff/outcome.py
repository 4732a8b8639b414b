"""How a tool call ended, as far as what it printed supports it: a transcript stores no exit code to rely on.

A result that is marked as an error has failed. One that is not may have failed all the same (a command in a pipe,
a program that only warns), so what it printed is read. Three rules keep a text that merely speaks of errors apart:
a tool that hands back a text has failed only where that text begins as an error; of a command that only looks, only
lines in which a program complains count; and a numbered line is the line of a file.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from bench.text import clip

Ended = Literal["ok", "failed", "refused", "reads as failed", "no output", "no result"]
"""failed: marked as an error. refused: the user or a rule of the harness stopped the call. reads as failed: not
marked, but the output reads so. no output: an empty result. no result: the transcript holds none."""
Kind = Literal["acts", "looks", "hands back a text"]

ERROR_CHARS = 200
"""Longest error line that is kept."""
SCANNED_CHARS = 4000
"""How much of an output is read for a failure, from its beginning and from its end."""

_ERROR = re.compile(
    r"(?i)\b(no such file or directory|command not found|permission denied|cannot access"
    r"|traceback \(most recent call last\))|(^|[:\])|>] ?)(fatal|error)(\[\w+\]| TS\d+)?: "
)
"""A warning is no failure: a command that only warned has done its work. `error:` counts where it opens a line or
follows a place, not inside a sentence."""
_RUN_FAILED = re.compile(
    r"^(--- FAIL: |FAIL(ED)?\b|ERROR \S+::|npm (ERR!|error) |make(\[\d+\])?: \*\*\*|panic: |BUILD FAILED)"
    r"|^(=+ .*|Tests?:? .*|\s*)\b[1-9]\d* (failed|failing|errors?)\b|^ℹ fail [1-9]|\btest result: FAILED"
    r"|^[×✗✘✖] (?!.*\(0 errors)|^\w*(Error|Exception): \S|(?i:^exit(ed)?( with)?( code| status)?:? [1-9]\d*$)"
)
"""How test runners and builds say that they failed: seen where a pipe (`| tail`) hid it from the harness."""
_COMPLAINS = re.compile(r"(?i)^(\S*/)?[\w.+-]{1,24}: ")
"""A program's own line begins with its name: `grep: x: No such file or directory`."""
_NUMBERED = re.compile(r"^\s*\d+(→|\t|[:|-])")
_TELLING = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)^(error|fatal|E  )\W|^[×✗✘✖] |^command timed out",
        r"--- FAIL|^FAILED\b|\bpanic: |\b\w*(Error|Exception): ",
        r"^\S+?:\d+(:\d+:?|:) \S",
        r"(?i)\b(error|fatal|not found|no such|denied|failed|cannot|undefined|unable)\b",
        r"(?i)\b(ignored by|rejected|refus(ed|ing)|aborted|invalid|conflict)\b",
    )
)
"""What a line looks like that names the cause of a failure, most telling first."""
_STATUS = re.compile(r"^Exit code \d+$")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f]")
_TAG = re.compile(r"</?(tool_use_error|error)>")
_FRAME = "│┃║━─═╭╰╮╯┌└┐┘|❯ "
"""What boxes and rulers are drawn with."""
_BY_USER = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "[Request interrupted by user",
)
_BY_RULE = ("Permission for this action was denied", "Permission to use ", "Claude requested permissions to ")
_SAID = re.compile(r"\bthe user said:\s*(.+)", re.DOTALL)
_REASON = re.compile(r"\bReason: ([^.\n]+)")


class Outcome(Struct, frozen=True):
    """How a call ended, and the line that says why: of a refusal what the user said. Empty where nothing says it."""

    ended: Ended
    error: str = ""

    @property
    def bad(self) -> bool:
        return self.ended in ("failed", "refused", "reads as failed")


def outcome_of(output: str | None, *, flagged: bool, kind: Kind = "acts") -> Outcome:
    """How a call ended that printed `output` (None: no result stands in the transcript)."""
    if flagged:
        text = (output or "").strip()
        if text.startswith(_BY_USER):
            said = _SAID.search(text)
            return Outcome("refused", clip(" ".join(said[1].split()), ERROR_CHARS) if said else "")
        if text.startswith(_BY_RULE):
            reason = _REASON.search(text)
            return Outcome("refused", clip(reason[1], ERROR_CHARS) if reason else _cause(text, kind))
        return Outcome("failed", _cause(text, kind))
    if output is None:
        return Outcome("no result")
    if not output.strip():
        return Outcome("no output")
    line = _complaint(output, kind)
    return Outcome("ok") if line is None else Outcome("reads as failed", clip(line, ERROR_CHARS))


def _complaint(output: str, kind: Kind) -> str | None:
    """The line in which an unmarked output tells of a failure, one that names a cause first; None where none does."""
    lines = [line for line in _lines(_ends(output)) if line]
    if kind == "hands back a text":
        lines = lines[:1]
    lines = [line for line in lines if not _NUMBERED.match(line)]
    errors = [line for line in lines if _ERROR.search(line) and (kind != "looks" or _COMPLAINS.match(line))]
    failures = [line for line in lines if _RUN_FAILED.search(line)] if kind == "acts" and not errors else []
    return next(iter(errors or failures), None)


def _cause(output: str, kind: Kind) -> str:
    """The line of a failed call's output that names the cause, else its first line of words.

    A tool that is no shell says what is wrong first; what follows is the text it was given.
    """
    lines = [line for line in _lines(_ends(output)) if any(map(str.isalnum, line))]
    told = [line for line in lines if not _STATUS.match(line)] or lines
    if kind != "hands back a text":
        for telling in _TELLING:
            for line in told:
                if telling.search(line):
                    return clip(line, ERROR_CHARS)
    return clip(told[0], ERROR_CHARS) if told else ""


def _ends(output: str) -> str:
    if len(output) <= 2 * SCANNED_CHARS:
        return output
    return f"{output[:SCANNED_CHARS]}\n{output[-SCANNED_CHARS:]}"


def _lines(output: str) -> list[str]:
    """The lines without escape codes, tags and frames; of a line that was written over, its last state."""
    states = (line.rstrip("\r").rsplit("\r", 1)[-1] for line in output.split("\n"))
    return [" ".join(_TAG.sub("", _CONTROL.sub("", state)).split()).strip(_FRAME) for state in states]
