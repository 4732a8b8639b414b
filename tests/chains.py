"""A session of three asks, each with a call of its own, and what a chain makes of it: for tests."""

from __future__ import annotations

import json

HEAD = "<!-- handoff: session={fixture} n={n} prev={prev} -->\n\n"


def ask(n: int) -> list[dict[str, object]]:
    """Four messages: what a person asks for, a call, its result, an answer."""
    return [
        {"role": "user", "content": f"Ask {n}: mend module {n}."},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"make -C mod{n}"}},
        ]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": f"mod{n} is built"}]},
        {"role": "assistant", "content": [{"type": "text", "text": f"Module {n} is mended with flag-{n}."}]},
    ]  # fmt: skip


MESSAGES = [message for n in (1, 2, 3) for message in ask(n)]
CUTS = (4, 8)
"""Each stretch is as long as the others, and begins with what a person typed."""

KEY = """\
version: 1
atoms:
  - {id: one, tag: ask, text: Module 1 is to be mended., importance: vital, by: user, at: [0], accept: {all: ['ask 1']}}
  - id: flag
    tag: number
    text: The flag in use is flag-3.
    importance: vital
    by: assistant
    at: [11]
    accept: {all: ['flag-3']}
    stale: [{match: 'flag-1', until: 7}, {match: 'flag-2', until: 11}]
  - id: built
    tag: state
    text: Modules 1 and 2 are built.
    importance: okay
    by: tool
    at: [2, 6]
    accept: {all: ['mod2 is built']}
    stale: [{match: 'mod1 is being built', until: 2}, {match: 'mod2 is not wanted', until: 9}]
never:
  - {id: n1, text: The deploy target is Kubernetes., match: ['kubernetes']}
"""


def lineage(n: int, fixture: str = "f1") -> str:
    """The line that a handoff of that step opens with, and the blank line behind it."""
    return HEAD.format(fixture=fixture, n=n, prev=n - 1 or "none")


def body(step: int, opener: str | None) -> bytes:
    """A step's messages, written out by hand: the handoff before it, then the stretch, one breakpoint at its end."""
    first, call, result, answer = ask(step)
    opening = [] if opener is None else [{"type": "text", "text": opener}]
    said = [{"type": "text", "text": first["content"]}]
    results = [{**result["content"][0], "content": [{"type": "text", "text": f"mod{step} is built"}]}]
    last = [{**answer["content"][0], "cache_control": {"type": "ephemeral"}}]
    messages = [
        {"role": "user", "content": opening + said},
        call,
        {"role": "user", "content": results},
        {"role": "assistant", "content": last},
    ]
    return json.dumps(messages, separators=(",", ":")).encode()
