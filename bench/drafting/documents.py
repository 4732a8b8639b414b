"""Atoms from prose that the session wrote: designs, plans and notes in files, and plans handed in for approval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bench.drafting.calls import PROSE, Call, file_name
from bench.drafting.candidates import Candidate, stated
from bench.drafting.statements import best
from bench.drafting.words import Words
from bench.handoff.patches import patched_paths
from bench.handoff.tools import deed_of, path_of
from bench.keys import Tag
from bench.transcripts.model import Transcript

PER_WRITING, PER_EDIT = 12, 3
"""Statements of a document as it was written, and of a change to it: those first that tell most."""

_PLAN = re.compile(r"(?i)plan|design|spec|rfc|adr|decision|requirement|proposal|architecture")
"""What in a document's name makes decisions of its statements."""
_STEP = re.compile(r"(?im)^[^\w\n]{0,20}(?:expected|run|commit|step \d+|verify|git \w+)\b.*$|^.*\bto the imports?\b.*$")
"""A line of a plan that says how it is worked through, not what will be."""
_NEW = ("content", "file_text", "new_string", "new_str", "newText", "new_source", "text")
"""Arguments that hold the text as it is after the call."""
_WHOLE = ("content", "file_text")
_ADDED = re.compile(r"(?m)^\+(?!\+\+)(.*)$")


def documents(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The statements of documents and plans, the newest writing first; one that was written again stands as it is."""
    whole: set[str] = set()
    for call in reversed(calls):
        found = _written(call)
        if found is None or call.failed or found[0] in whole:
            continue
        path, text, is_whole = found
        if is_whole:
            whole.add(path)
        name = file_name(path)
        otherwise: Tag = "decision" if _PLAN.search(name) else "state"
        text = _STEP.sub("", text)
        for said in best(text, call.at, words, PER_WRITING if is_whole else PER_EDIT, echo=0.0):
            yield from stated(said, call.at, words, transcript, source=name, otherwise=otherwise)


def _written(call: Call) -> tuple[str, str, bool] | None:
    """The document that a call wrote, the text, and whether that is all of it; None where it wrote none."""
    if isinstance(plan := call.arguments.get("plan"), str):
        return "The plan", plan, True
    if deed_of(call.name, call.arguments) != "write":
        return None
    path = path_of(call.arguments)
    if path is None:
        return _patched(call.arguments)
    text = next((v for k in _NEW if isinstance(v := call.arguments.get(k), str)), None)
    if text is None or not PROSE.search(path):
        return None
    return path, text, any(k in call.arguments for k in _WHOLE)


def _patched(arguments: Mapping[str, object]) -> tuple[str, str, bool] | None:
    """The document that a patch changes, and the lines that it adds; None where it changes none or several files."""
    patch = next((v for v in arguments.values() if isinstance(v, str) and "*** Begin Patch" in v), "")
    paths = patched_paths(patch)
    if len(paths) != 1 or not PROSE.search(paths[0]):
        return None
    return paths[0], "\n".join(_ADDED.findall(patch)), False
