"""The conformance vectors of the handoff functions, through one table: seed function -> ours.

A row converts a vector's arguments to our types, calls our function, and shapes its answer as the vector has it.
An exception is a rule: what kind of input, and why the seed is wrong there. There is none so far.
"""

import json

import pytest

from bench.handoff.ceiling import handoff_ceiling
from bench.handoff.guard import guard
from bench.handoff.lineage import handoff_lineage_of, lineage_of
from bench.handoff.pins import is_pinnable, pin_skip_counts, pinned
from bench.handoff.scratchpad import without_scratchpad
from bench.transcripts.model import Message, Text, ToolResult
from bench.transcripts.origin import PERSON, origin_of

DECIDERS = {"chars": "override", "window unknown": "default: window unknown"}


def message_of(row):
    """A vector's message as ours. A user turn without a handle is one that the seed's engine does not vouch for."""
    kind = origin_of(row["text"]) if row["role"] == "user" else None
    author = "assistant" if row["role"] == "assistant" else "person" if kind == PERSON else "harness"
    results = tuple(ToolResult(r.get("tool_use_id", ""), (Text(r["text"]),)) for r in row.get("toolResults", ()))
    return Message(role=row["role"], author=author, blocks=(Text(row["text"]), *results), origin=kind)


def vouched(rows):
    return [message_of(row) for row in rows if row["role"] != "user" or "handle" in row]


def scratchpad(text):
    kept = without_scratchpad(text)
    return {"text": kept.text, "analysisChars": kept.analysis_chars, "unwrapped": kept.unwrapped}


def replacement(rows, handoff):
    turns = pinned(vouched(rows))
    return [
        {"role": "assistant", "text": handoff, "toolUses": []},
        *({"role": "user", "text": turn, "toolUses": []} for turn in turns),
    ]


def size_guard(rows, options):
    def pointer(index, chars):
        return options["pointer"].replace("{index}", str(index)).replace("{chars}", str(chars))

    got = guard([row["text"] for row in rows], options["maxChars"], pointer)
    trimmed = [new != row["text"] for new, row in zip(got.texts, rows, strict=True)]
    return {
        "messages": [
            {k: v for k, v in {**row, "text": text}.items() if k != "handle" or not cut}
            for row, text, cut in zip(rows, got.texts, trimmed, strict=True)
        ],
        "trimmedTurns": got.trimmed_turns,
        "charsBefore": got.chars_before,
        "charsAfter": got.chars_after,
        "overCeiling": got.over_ceiling,
    }


def lineage(found):
    return None if found is None else {"session": found.session, "n": found.n, "prev": found.prev}


def ceiling(options=None):
    names = {"window": "window", "override": "chars", "fraction": "fraction", "capTokens": "cap_tokens"}
    got = handoff_ceiling(**{names[k]: v for k, v in (options or {}).items()})
    over = {"overSafeCapChars": got.over_safe_cap_chars, "overSafeCapTokens": got.over_safe_cap_tokens}
    return {
        "window": got.window,
        "fraction": got.fraction,
        "capTokens": got.cap_tokens,
        "chars": got.chars,
        "decider": DECIDERS.get(got.decider, got.decider),
        **(over if got.over_safe_cap_chars else {}),
    }


# seed function -> ours, in the vectors' shape
OURS = {
    "withoutScratchpad": scratchpad,
    "originOf": lambda row: origin_of(row["text"]),
    "isPinnable": lambda row: is_pinnable(message_of(row)) and "handle" in row,
    "pinSkipCounts": lambda rows: pin_skip_counts(vouched(rows)),
    "replacementFor": replacement,
    "applySizeGuard": size_guard,
    "lineageOf": lambda text: lineage(lineage_of(text)),
    "handoffLineageOf": lambda row: None if row.get("toolResults") else lineage(handoff_lineage_of(row["text"])),
    "handoffCeiling": ceiling,
}


@pytest.mark.shared
@pytest.mark.parametrize("function", OURS)
def test_every_vector_of(function, shared):
    path = shared / "conformance" / "handoff" / f"{function}.jsonl"
    if not path.is_file():
        pytest.skip(f"BENCH_SHARED holds no conformance/handoff/{function}.jsonl")
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert cases
    for n, case in enumerate(cases, 1):
        assert OURS[function](*case["args"]) == case["expect"], f"line {n}"
