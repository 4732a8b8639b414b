"""Made sessions for tests: short builders of Claude Code records and Messages API messages."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = "s-1"


def record(kind: str, uuid: str | None, parent: str | None = None, **fields: object) -> dict[str, object]:
    """A record in the parent chain."""
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, **fields}


def user(uuid: str, parent: str | None, content: object, **fields: object) -> dict[str, object]:
    return record("user", uuid, parent, message={"role": "user", "content": content}, **fields)


def result(uuid: str, parent: str | None, call: str, text: object = "done", **fields: object) -> dict[str, object]:
    return user(uuid, parent, [{"type": "tool_result", "tool_use_id": call, "content": text}], **fields)


def answer(
    uuid: str, parent: str | None, *blocks: object, id: str | None = None, output: int | None = None, **fields: object
) -> dict[str, object]:
    """An assistant record; strings become text blocks, pairs (id, name) tool calls."""
    message: dict[str, object] = {"role": "assistant", "model": "claude-test", "content": [_block(b) for b in blocks]}
    if id:
        message["id"] = id
    if output is not None:
        message["usage"] = {"input_tokens": 10, "output_tokens": output}
    return record("assistant", uuid, parent, message=message, **fields)


def boundary(uuid: str, logical: str | None, parent: str | None = None, **metadata: object) -> dict[str, object]:
    return record(
        "system", uuid, parent, subtype="compact_boundary", logicalParentUuid=logical,
        compactMetadata={"trigger": "auto", "preTokens": 1000, **metadata},
    )  # fmt: skip


def _block(block: object) -> object:
    match block:
        case str():
            return {"type": "text", "text": block}
        case (id_, name):
            return {"type": "tool_use", "id": id_, "name": name, "input": {"n": 1}}
        case _:
            return block


def jsonl(*records: object) -> str:
    return "".join(json.dumps(r) + "\n" for r in records)


def written(folder: Path, *records: object, name: str = "session.jsonl") -> Path:
    path = folder / name
    path.write_text(jsonl(*records))
    return path
