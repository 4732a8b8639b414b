"""The vectors' shapes and ours: messages, calls and renderings, one converted into the other."""

import json
import re

from bench.handoff.calls import Call
from bench.handoff.known_text import after_read
from bench.handoff.ledger_rows import Row
from bench.transcripts.model import Message, Text, ToolResult, ToolUse
from bench.transcripts.origin import PERSON, origin_of

ENDED = {
    "ok": "ok",
    "failed": "errored",
    "refused": "errored",
    "reads as failed": "unflagged, output reads as an error",
    "no result": "no result in transcript",
    "no output": "no result in transcript",
}
"""How a call ended, in our words -> in the vectors', which know fewer ways."""
LEDGER_WORDS = {"failed": "errored", "refused": "errored", "no result": "no result in transcript"}
REFUSED = re.compile(r"The user doesn't want|Permission |Claude requested permissions|\[Request interrupted")
CLIPPED_ALIKE = 120


def name_of(use):
    return use.get("name") or use.get("tool") or "?"


def message_of(row):
    """A vector's message as ours. A user turn without a handle is one that the seed's engine does not vouch for."""
    kind = origin_of(row["text"]) if row["role"] == "user" else None
    author = "assistant" if row["role"] == "assistant" else "person" if kind == PERSON else "harness"
    results = tuple(ToolResult(r.get("tool_use_id", ""), (Text(r["text"]),)) for r in row.get("toolResults", ()))
    return Message(role=row["role"], author=author, blocks=(Text(row["text"]), *results), origin=kind)


def session_of(rows):
    """The messages with their calls. A vector's call holds its own result, which stands in its message here too."""
    out = []
    for i, row in enumerate(rows):
        plain = message_of(row)
        blocks = [Text(row["text"])] if row.get("toolUses") else list(plain.blocks)
        for j, use in enumerate(row.get("toolUses", ())):
            id_ = f"call {i}.{j}"
            blocks.append(ToolUse(id_, name_of(use), json.dumps(use.get("input") or {})))
            if "text" in use:
                blocks.append(ToolResult(id_, (Text(use["text"]),), use.get("isError") is True))
        out.append(Message(role=plain.role, author=plain.author, blocks=tuple(blocks), origin=plain.origin))
    return out


def call_of(use):
    return Call(
        at=0,
        name=name_of(use),
        arguments=use.get("input") or {},
        output=use.get("text"),
        flagged=use.get("isError") is True,
    )


def row_of(row):
    """A row of the vectors' ledger as ours; its outcomes do not tell a refusal from a failure, its detail does."""
    ended = next(ours for ours, theirs in ENDED.items() if theirs == row["outcome"])
    if ended == "failed" and REFUSED.match(row["detail"]):
        ended = "refused"
    wrote = (row["target"],) if row["name"] in ("Write", "Edit", "NotebookEdit") else ()
    return Row(
        name=row["name"],
        target=row["target"],
        ended=ended,
        error=row["detail"],
        shell=row["name"] == "Bash",
        only_looks=row["readOnly"],
        writes=(*wrote, *row.get("writes", ())),
    )


def said(outcome):
    return {"outcome": ENDED[outcome.ended], "detail": outcome.error}


def vouched(rows):
    return [message_of(row) for row in rows if row["role"] != "user" or "handle" in row]


def ledger_outline(text):
    """What a rendered ledger says, in whichever words: counts, files, failures, commands, how many are left out."""
    if not text:
        return None
    head, *sections = re.split(r"\n+### ", text)
    counts = [int(n) for n in re.findall(r"(\d+) (?:tool call|call|shell command|file)", head)]
    out = {"counts": counts}
    folder = re.search(r"…/ is `(.*)`", text)
    for section in sections:
        title, _, body = section.partition("\n")
        body = body.replace("`…/", f"`{folder[1]}") if folder else body
        name = next(n for n in ("file", "fail", "command") if n in title.lower())
        out[name] = _items(name, body)
        left_out = re.search(r"(\d+) older commands?( that only looked|[^\d]*(\d+))", body)
        if left_out and name == "command":
            out["left out"] = (int(left_out[1]), int(left_out[3] or left_out[1]))
    return out


def _items(name, body):
    lines = re.sub(r"\n  - ", ": ", body).strip().split("\n")
    return [_item(name, line) for line in lines if re.match(r"- (?!\(left out|\d+ older )", line)]


def _item(name, line):
    code = re.search(r"`(.*)`", line)
    # both are clipped, theirs before lines that a backslash continued are joined
    shown = " ".join(code[1].replace("\\ ;", " ").split())[:CLIPPED_ALIKE] if code else ""
    around = line[2:].replace(code[0], "", 1) if code else line[2:]
    if name == "file":
        return shown, sorted(re.findall(r"\w+", around))
    for ours, theirs in LEDGER_WORDS.items():
        around = re.sub(rf"\b{ours}\b(?! in)", theirs, around)
    return shown, re.sub(r"[^\w]+", " ", around).strip()


def commitments_outline(text):
    """Kind by kind the quotations and notes of a rendered list of commitments, whichever words stand around them."""
    return [_quotes(section.partition("\n")[2]) for section in re.split(r"\n+### ", text)[1:]]


def _quotes(section):
    lines = re.sub(r"\n  - ?", ": ", section.strip("\n")).split("\n")
    found = [re.match(r'- (?:"(?P<quote>.*?)"(?:: |:$|$))?(?P<note>.*)', line) for line in lines if line]
    return [(f["quote"] or "", f["note"].strip()) for f in found]


def read_lines(text):
    """The lines that a read printed, by their numbers."""
    known = after_read(None, text, 0)
    return known.lines if known else {}
