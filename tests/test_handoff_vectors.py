"""The conformance vectors of the handoff functions, through one table: seed function -> ours.

A row converts a vector's arguments to our types, calls our function, and shapes its answer as the vector has it. Texts
that are rendered are compared by what they say, not by their words, which are our own.

An exception is a rule: on what kind of input ours differs, why the seed is wrong there, what must hold all the same.
"""

import json
import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
from handoff_vectors import (
    REFUSED,
    call_of,
    commitments_outline,
    ledger_outline,
    message_of,
    name_of,
    read_lines,
    row_of,
    said,
    session_of,
    vouched,
)

from bench.handoff.calls import calls_of, subagent_ran
from bench.handoff.ceiling import handoff_ceiling
from bench.handoff.commitments import Finding, assistant_turns, judged, render_commitments, tool_index
from bench.handoff.guard import guard
from bench.handoff.known_text import KnownText
from bench.handoff.ledger import BUDGET_CHARS, render_ledger
from bench.handoff.ledger_rows import ledger_rows
from bench.handoff.lineage import handoff_lineage_of, lineage_of
from bench.handoff.openers import Opener, openers_in, prior_handoff_in
from bench.handoff.pins import is_pinnable, pin_skip_counts, pinned
from bench.handoff.restore import BY_RECENCY, Restored, choose, fitted, restore_pair, restore_row
from bench.handoff.restore_request import Request, asked_in
from bench.handoff.scratchpad import without_scratchpad
from bench.handoff.shell import read_shell
from bench.handoff.touched import Mention, Touched, mentions_in, touched_files
from bench.handoff.window import reading
from bench.text import clip
from bench.transcripts.blocks import usage_of
from bench.transcripts.origin import origin_of

DECIDERS = {"chars": "override", "window unknown": "default: window unknown"}
CAME = {"fresh": "disk", "stored": "transcript", "failed": "not known", "dropped": "no room"}
WHY = {"not read": "not touched", "memory f": "memory file", "named tw": "named twice", "over the": "over the cap"}
"""The first letters of the seed's reasons -> ours."""
HIT = {"row cut off": "truncated row", "length": "length", None: None}


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


def rows_of(messages):
    return [
        {
            "name": row.name,
            "target": row.target,
            **said(call.outcome),
            "writes": list(row.writes) if row.shell else [],
            "readOnly": row.only_looks,
        }
        for calls in [calls_of(session_of(messages))]
        for row, call in zip(ledger_rows(calls), calls, strict=True)
    ]


def ledger(rows, options):
    return ledger_outline(render_ledger(list(map(row_of, rows)), budget=None if options["full"] else BUDGET_CHARS))


def turns_of(messages):
    return re.sub(r"(?m)^\[T(\d+)\]$", r"===== turn \1 =====", assistant_turns(session_of(messages)))


def findings_of(reply):
    return [
        {"kind": f.kind, "turn": f.turn, "quote": f.quote, "note": f.note} for f in judged(reply, 1_000_000).findings
    ]


def cap_of(reply, max_tokens):
    got = judged(reply, max_tokens)
    return {"rows": len(got.findings), "hitCap": got.hit_cap is not None, "hitCapReason": HIT[got.hit_cap]}


def commitments(findings):
    return commitments_outline(render_commitments([Finding(**f) for f in findings], budget=1_000_000))


def requests_in(text):
    asked = asked_in(text)
    return {"summary": asked.text, "requests": [request_row(r) for r in asked.requests]}


def request_row(request):
    return {"path": request.path, "from": request.first, "to": request.last, "reason": request.reason}


def request_of(row):
    return Request(path=row["path"], first=row["from"], last=row["to"], reason=row["reason"])


def candidates(messages):
    return [
        {"path": f.path, "at": f.at, "lines": dict(f.known.lines) if f.known else None}
        for f in touched_files(calls_of(session_of(messages)))
    ]


def mentions(messages):
    return [{"token": m.word, "at": m.at} for m in mentions_in(calls_of(session_of(messages)))]


def chosen(options):
    known = {c["path"]: c["stored"] for c in options["candidates"]}
    got = choose(
        [request_of(r) for r in options["requests"]],
        [Touched(c["path"], c["at"], KnownText({1: "x"}, 0)) for c in options["candidates"]],
        [Mention(m["token"], m["at"]) for m in options["shellMentions"]],
        most=options["maxFiles"],
    )
    recency = "most recently touched; the summary named no usable file"
    return {
        "files": [
            {**request_row(f), "reason": recency if f.reason == BY_RECENCY else f.reason, "stored": known.get(f.path)}
            for f in got.files
        ],
        "source": got.source,
        "rejected": [{"path": r.path, "why": r.why} for r in got.refused],
    }


def restored_of(row):
    return Restored(
        path=row["path"],
        first=row["from"],
        last=row["to"],
        reason=row["reason"],
        came=CAME[row["source"]],
        text=row["text"],
        clipped_chars=row["clippedChars"],
        detail=row.get("detail", ""),
    )


def restored_row(file):
    return {
        "path": file.path, "from": file.first, "to": file.last, "reason": file.reason, "source": file.came,
        "text": file.text, "clippedChars": file.clipped_chars,
    }  # fmt: skip


def pair(file):
    first, last = file["from"], file["to"]
    asked, printed = restore_pair(
        Restored(path=file["path"], first=first, last=last, came="transcript", text=file["text"]), file["id"]
    )
    use, result = asked.tool_uses[0], printed.tool_results[0]
    return [
        {
            "role": asked.role, "text": asked.spoken,
            "toolUses": [{"tool_use_id": use.id, "tool": use.name, "input": use.input}],
        },
        {
            "role": printed.role, "text": printed.spoken, "toolUses": [],
            "toolResults": [{"tool_use_id": result.tool_use_id, "text": result.text}],
        },
    ]  # fmt: skip


def numbers(file):
    row = restore_row(restored_of(file))
    return {
        "path": row.path, "lines": row.lines, "reason": row.reason, "source": row.came, "chars": row.chars,
        "approxTokens": row.tokens, "clippedChars": row.clipped_chars, "detail": row.detail, "ms": file["ms"],
    }  # fmt: skip


def window(options):
    context, opener = options["context"] or {}, options["opener"]
    got = reading(
        turn=options["turn"],
        messages=options["messages"],
        opener=None if opener is None else Opener(**opener),
        tokens=context.get("tokens"),
        window=context.get("window"),
        percent=context.get("percent"),
        time=options["at"],
    )
    return {
        "at": got.time, "session": options["session"], "turn": got.turn, "first": got.first, "phase": got.phase,
        "arm": got.arm, "design": got.design, "compaction": got.compaction, "tokens": got.tokens,
        "window": got.window, "percent": got.percent, "messages": got.messages, "handoffChars": got.handoff_chars,
        "handoffTokens": got.handoff_tokens, "handoffPercent": got.handoff_percent,
    }  # fmt: skip


def openers(messages):
    found = openers_in(list(map(message_of, messages)))
    return [{"kind": o.kind, "index": o.index, "n": o.n, "chars": o.chars} for o in found]


def prior(messages):
    found = prior_handoff_in(list(map(message_of, messages)))
    return None if found is None else {"index": found.index, "lineage": lineage(found.lineage)}


def usage(given):
    got = usage_of(given)
    return None if got is None else {
        "input": got.input, "output": got.output, "cacheRead": got.cache_read,
        "cacheWrite": got.cache_write_5m + got.cache_write_1h,
    }  # fmt: skip


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
    "openersIn": openers,
    "priorHandoffIn": prior,
    "subagentRanThisTurn": lambda rows: subagent_ran(session_of(rows)),
    "targetOf": lambda use: clip(call_of(use).target, 300),
    "outcomeOf": lambda use: said(call_of(use).outcome),
    "shellWrites": lambda command: list(read_shell(command).writes),
    "isReadOnlyCommand": lambda command: read_shell(command).only_looks,
    "ledgerRows": rows_of,
    "renderLedger": ledger,
    "assistantTurns": turns_of,
    "toolIndex": lambda rows: tool_index(session_of(rows)),
    "commitmentsFrom": findings_of,
    "commitmentsOutcome": cap_of,
    "renderCommitments": commitments,
    "parseRestoreRequests": requests_in,
    "restoreCandidates": candidates,
    "shellMentions": mentions,
    "chooseRestores": chosen,
    "fitRestores": lambda files, room: [restored_row(f) for f in fitted(list(map(restored_of, files)), room)],
    "restorePair": pair,
    "restoreRow": numbers,
    "windowReading": window,
    "usageOf": usage,
}

# what a vector expects, shaped as ours where ours says it in other words
EXPECTED = {
    "renderLedger": ledger_outline,
    "renderCommitments": commitments_outline,
    "restoreCandidates": lambda files: [
        {"path": f["path"], "at": f["at"], "lines": None if f["stored"] is None else read_lines(f["stored"])}
        for f in files
    ],
    "chooseRestores": lambda got: {
        **got, "rejected": [{"path": r["path"], "why": WHY[r["why"][:8]]} for r in got["rejected"]]
    },
    "fitRestores": lambda files: [restored_row(restored_of(f)) for f in files],
    "restoreRow": lambda row: {**row, "source": CAME[row["source"]], "detail": row.get("detail", "")},
}  # fmt: skip


class Rule(NamedTuple):
    """Where ours differs, and what must hold between our answer and the seed's all the same."""

    why: str
    applies: Callable[..., bool]
    holds: Callable[..., bool]


def flagged_and_long(use):
    text = use.get("text", "")
    return use.get("isError") is True and (
        "\n" in text or "<tool_use_error>" in text or REFUSED.match(text) is not None
    )


def uses_of(rows):
    return [use for row in rows for use in row.get("toolUses", ())]


FAILED_RUN = re.compile(r"(?m)^(FAIL\b|--- FAIL)|\b[1-9]\d* (failed|failing)\b|(error|fatal): ")

CAUSE = Rule(
    """A failed call's first line is seldom its cause: `Exit code 1`, a banner, a tag, or the harness's own sentences
    about a refusal, above what the user said. Ours quotes the line that names the cause.""",
    flagged_and_long,
    lambda got, expected: got["outcome"] == expected["outcome"],
)
UNSEEN = Rule(
    """The seed's `error:` and `fatal:` want a letter right behind the colon, so it never sees one with a blank; and of
    a test run behind a pipe, whose status is the pipe's, it sees no failure. Both are failures that nothing marks.""",
    lambda use: name_of(use) == "Bash" and bool(FAILED_RUN.search(use.get("text", ""))),
    lambda got, expected: (got["outcome"][:9], expected["outcome"]) == ("unflagged", "ok"),
)
HOME = Rule(
    """`~/x` is one place in a whole session, and the seed's own ledger folds paths by it, but its reader of commands
    leaves it out with the variables; and it cuts a command at a line break that a backslash joins.""",
    lambda command: "~/" in command or "\\\n" in command,
    lambda got, expected: [p for p in got if not p.startswith("~/")] == expected,
)
LOOKS = Rule(
    """Comments, line breaks that a backslash joins, quoted text of several lines and assignments change nothing, but
    the seed takes what follows them for programs it does not know; and its list of those that look lacks `gh release`,
    `gh repo`, `git tag -l` and `git branch -v`.""",
    lambda command: bool(re.search(r"\n|^\w+=|gh (release|repo)|git (tag -l|branch -v)", command)),
    lambda got, expected: got and not expected,
)


def differs_by_a_rule(use):
    command = use["input"].get("command", "")
    return any(rule.applies(use) for rule in (CAUSE, UNSEEN)) or any(rule.applies(command) for rule in (HOME, LOOKS))


def row_agrees(got, expected):
    return (
        (got["name"], got["target"]) == (expected["name"], expected["target"])
        and (got["outcome"] == expected["outcome"] or UNSEEN.holds(got, expected))
        and HOME.holds(got["writes"], expected["writes"])
        and (got["readOnly"] or not expected["readOnly"])
    )


def file_agrees(got, expected):
    return (got["path"], got["at"]) == (expected["path"], expected["at"]) and bool(
        got["lines"] or not expected["lines"]
    )


def has_slip(rows, _options):
    """Whether a call of a file tool failed and a later one of the same tool on the same target went through."""
    tried = [(row["name"], row["target"], row["outcome"]) for row in rows if row["name"] != "Bash"]
    return any((name, target, "ok") in tried[i:] for i, (name, target, how) in enumerate(tried) if how == "errored")


EXCEPTIONS: dict[str, list[Rule]] = {
    "outcomeOf": [CAUSE, UNSEEN],
    "shellWrites": [HOME],
    "isReadOnlyCommand": [LOOKS],
    "ledgerRows": [
        Rule(
            "As for the outcome, the writes and the looking of a single call.",
            lambda rows: any(map(differs_by_a_rule, uses_of(rows))),
            lambda got, expected: all(row_agrees(g, e) for g, e in zip(got, expected, strict=True)),
        )
    ],
    "renderLedger": [
        Rule(
            "A slip that the next try put right says nothing of where things stand; ours only counts it.",
            has_slip,
            lambda got, expected: (
                {**got, "fail": None} == {**expected, "fail": None} and set(got["fail"]) < set(expected["fail"])
            ),
        )
    ],
    "restoreCandidates": [
        Rule(
            """A file that was written, or edited after it was read, comes back from the seed as it was before: it reads
            the disk first, and the transcript only where that fails. A fixture has no disk: ours follows edits.""",
            lambda rows: any(name_of(use) in ("Write", "Edit", "MultiEdit") for use in uses_of(rows)),
            lambda got, expected: all(file_agrees(g, e) for g, e in zip(got, expected, strict=True)),
        ),
        Rule(
            "Of a file that was read in parts the seed keeps the last part; ours keeps every line it has seen.",
            lambda rows: any("offset" in use["input"] for use in uses_of(rows)),
            lambda got, expected: all(
                file_agrees(g, e) and (e["lines"] or {}).items() <= (g["lines"] or {}).items()
                for g, e in zip(got, expected, strict=True)
            ),
        ),
    ],
}


def rule_for(function, args, got, expected):
    """The rule by which ours may differ here; None where none allows it."""
    rules = EXCEPTIONS.get(function, ())
    return next((rule for rule in rules if rule.applies(*args) and rule.holds(got, expected)), None)


@pytest.mark.shared
@pytest.mark.parametrize("function", OURS)
def test_every_vector_of(function, shared):
    path = shared / "conformance" / "handoff" / f"{function}.jsonl"
    if not path.is_file():
        pytest.skip(f"BENCH_SHARED holds no conformance/handoff/{function}.jsonl")
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert cases
    shaped = EXPECTED.get(function, lambda expect: expect)
    for n, case in enumerate(cases, 1):
        got, expected = OURS[function](*case["args"]), shaped(case["expect"])
        assert got == expected or rule_for(function, case["args"], got, expected), f"line {n}: {got} for {expected}"


@pytest.mark.shared
def test_the_table_has_a_row_for_every_function(shared):
    named = {path.stem for path in (shared / "conformance" / "handoff").glob("*.jsonl")}
    if not named:
        pytest.skip("BENCH_SHARED holds no conformance/handoff")
    assert named == set(OURS)
