"""Small makers for tests that ask a model."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence

from bench.models import Attempt, Context, Count, Reply, Request, open_model
from bench.text import tokens_of_chars

QUESTION = "What must the next session know?"


def context(messages: Sequence[object], *, system: object = "", tools: Sequence[object] = ()) -> Context:
    """A native context of these messages."""
    body = json.dumps({"system": system, "tools": list(tools), "messages": list(messages)}).encode()
    tokens = tokens_of_chars(len(json.dumps(messages)))
    return Context(mode="native", body=body, sha256=hashlib.sha256(body).hexdigest(), tokens=tokens)


def said(text: str = "We chose SQLite. " * 40) -> Context:
    """A context of one user message."""
    return context([{"role": "user", "content": [{"type": "text", "text": text}]}])


def request(context_: Context | None = None, **more: object) -> Request:
    """A fork over `context_`; the rest as the keyword arguments say."""
    values: dict[str, object] = {"instruction": QUESTION, "max_tokens": 1000, **more}
    return Request(context=context_ or said(), **values)  # type: ignore[arg-type]


def ask(
    name: str = "claude-sonnet-5-5", *requests: Request, timeout_s: float = 10.0, firsts: list[int] | None = None
) -> Reply | Attempt:
    """The answer to the last of the requests, asked one after the other; `firsts` gets an entry at each first event."""

    async def run() -> Reply | Attempt:
        async with open_model(name) as model:
            for each in requests or (request(),):
                noted = (lambda: firsts.append(1)) if firsts is not None else (lambda: None)
                answer = await model.ask(each, timeout_s=timeout_s, on_first=noted)
        return answer

    return asyncio.run(run())


def count(name: str = "claude-sonnet-5-5", asked: Request | None = None) -> Count:
    """The model's count of the request's prompt."""

    async def run() -> Count:
        async with open_model(name) as model:
            return await model.count(asked or request())

    return asyncio.run(run())
