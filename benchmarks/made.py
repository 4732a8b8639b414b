"""Made inputs: sessions in the shape of real ones, a key and handoffs to grade. The same seed gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from random import Random
from uuid import UUID

from bench.keys import Atom, Key, Patterns

SEED = 7
_VOCABULARY = (
    "account adapter batch branch bucket buffer cache cell check client clock cluster column commit config "
    "counter cursor daemon deadline decoder default digest disk driver edge encoder entry error event export "
    "fallback field filter flag folder format gate handler header heap import index journal key lane latch layer "
    "ledger limit line loader lock logger loop mapper marker merge message metric module mutex node offset option "
    "output packet page parser patch path policy pool port prefix probe query queue quota range reader record "
    "region registry release report request reserve result retry root route row rule runner sample schema scope "
    "script section segment server session shard signal slot socket source stage state store stream suffix switch "
    "symbol table target task template thread ticket token trace tree trigger tuple update value vector version "
    "view watcher window worker writer zone "
)
WORDS = _VOCABULARY.split()
TYPED_EVERY = 6
"""Rounds from one typed message to the next."""
MOST_LINES = 100
"""Of a tool's result: a record of the session then has about 3 KB in about 30 members, as real ones have."""

Json = dict[str, object]


def sentence(rng: Random, words: int = 12) -> str:
    return " ".join(rng.choices(WORDS, k=words)).capitalize() + "."


def listing(rng: Random, lines: int) -> str:
    """Something like a file: numbered lines of calls, figures and remarks, with signs that JSON escapes."""
    return "\n".join(
        f'{n:>5}\t{rng.choice(WORDS)}.{rng.choice(WORDS)}("{rng.choice(WORDS)}", {rng.randrange(10_000)})'
        f"  # {sentence(rng, 4)}"
        for n in range(1, lines + 1)
    )


def conversation(rng: Random) -> Iterator[Json]:
    """Endless Messages API messages of a coding session, user and assistant by turns."""
    for n in count():
        if n % TYPED_EVERY == 0:
            yield {"role": "user", "content": sentence(rng, 30)}
            yield {"role": "assistant", "content": [_call(rng, n, sentence(rng, 25))]}
        else:
            yield {"role": "assistant", "content": [_text(sentence(rng, 25)), _call(rng, n)]}
        result = {
            "type": "tool_result",
            "tool_use_id": f"toolu_{n}",
            "content": listing(rng, rng.randint(2, MOST_LINES)),
        }
        yield {"role": "user", "content": [result]}
        if n % TYPED_EVERY == TYPED_EVERY - 1:
            yield {"role": "assistant", "content": [_text(sentence(rng, 40))]}


def messages_session(size: int, seed: int = SEED) -> str:
    """A session as Messages API JSON, a message a line, of about `size` bytes; it ends with an answer."""
    return _cut((json.dumps(m) for m in conversation(Random(seed))), size)


def claude_session(size: int, seed: int = SEED) -> str:
    """A session as Claude Code writes it: a record a block, tool results told twice, of about `size` bytes."""
    return _cut(map(json.dumps, _records(Random(seed))), size)


def _records(rng: Random) -> Iterator[Json]:
    parent: str | None = None
    for n, message in enumerate(conversation(rng)):
        content = message["content"]
        for block in content if isinstance(content, list) else [content]:
            uuid = str(UUID(int=rng.getrandbits(128)))
            yield _record(n, message["role"] == "user", block, uuid, parent)
            parent = uuid


def _record(n: int, by_user: bool, block: object, uuid: str, parent: str | None) -> Json:
    """One block of the n-th message, with all that Claude Code writes beside it."""
    inner: Json = {"role": "user" if by_user else "assistant", "content": block if isinstance(block, str) else [block]}
    record: Json = {
        "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/me/project",
        "sessionId": "0b1c2d3e", "version": "2.1.7", "gitBranch": "main", "type": inner["role"], "message": inner,
        "uuid": uuid, "timestamp": f"2026-01-{1 + n // 1440 % 28:02}T{n // 60 % 24:02}:{n % 60:02}:00.000Z",
    }  # fmt: skip
    if not by_user:
        written = {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 0}
        usage = {
            "input_tokens": 9, "cache_creation_input_tokens": 300, "cache_read_input_tokens": n * 100,
            "cache_creation": written, "output_tokens": 40, "service_tier": "standard",
        }  # fmt: skip
        inner |= {"id": f"msg_{n}", "type": "message", "model": "claude-sonnet-5-5", "usage": usage}
        inner |= {"stop_reason": None, "stop_sequence": None}
        record["requestId"] = f"req_{n}"
    elif isinstance(block, dict):
        record["toolUseResult"] = {"stdout": block["content"], "stderr": "", "interrupted": False, "isImage": False}
    else:
        record |= {"thinkingMetadata": {"level": "high", "disabled": False, "triggers": []}, "todos": []}
    return record


def _cut(lines: Iterator[str], size: int) -> str:
    out, held = [], 0
    while held < size:
        out.append(next(lines) + "\n")
        held += len(out[-1])
    return "".join(out)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _call(rng: Random, n: int, command: str = "") -> Json:
    command = command or f"grep -rn {rng.choice(WORDS)} src/{rng.choice(WORDS)}.ts"
    return {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": {"command": command}}


def answer_key(rng: Random, atoms: int) -> Key:
    """A key of four patterns an atom: an identifier that must be there, and one of three ways to put it."""
    return Key(version=1, atoms=tuple(_atom(rng, n) for n in range(atoms)))


def handoff(rng: Random, key: Key, chars: int) -> str:
    """A handoff that carries about half of the atoms, names a quarter of them without saying it, and fills up."""
    lines = []
    for atom in key.atoms:
        name = atom.accept.all[0]
        told = rng.random()
        if told < 0.5:
            lines.append(f"- {atom.text}")
        elif told < 0.75:
            lines.append(f"- {name}: {sentence(rng, 8)}")
    rng.shuffle(lines)
    text = "\n".join(lines)
    while len(text) < chars:
        text += "\n" + sentence(rng)
    return text[:chars]


def _atom(rng: Random, n: int) -> Atom:
    name, first, second = f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{n}", *rng.sample(WORDS, 2)
    number = rng.randrange(10, 10_000)
    said = (
        rf"(keep|kept|hold|held|stay|set)\w*\b[^.;]{{0,60}}\b{number}\b",
        rf"\b{number}\b[^.;]{{0,60}}({first}|{second})",
        rf"({first}|{second})s?\b[^.;]{{0,40}}\b(is|are|was|at|of)\b[^.;]{{0,20}}\b{number}\b",
    )
    return Atom(
        id=f"a{n:03}",
        tag="number",
        text=f"{name} keeps its {first} at {number} for the {second}.",
        importance="okay",
        by="user",
        at=(0,),
        accept=Patterns(all=(name,), any=said),
    )
