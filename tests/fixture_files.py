"""A small fixture on disk, for tests: 6 messages, 3 atoms, one thing never said."""

import json
from pathlib import Path

from bench.fixtures import ABOUT, KEY, TRANSCRIPT, sha256_of

MESSAGES = [
    {"role": "user", "content": "Please add a rate limiter. Use Redis for the rate limiter."},
    {"role": "assistant", "content": [
        {"type": "text", "text": "I read the config first."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "src/limit.ts"}},
    ]},
    {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "export const MAX_RETRIES = 5\n"},
    ]},
    {"role": "assistant", "content": [{"type": "text", "text": "MAX_RETRIES is 5 in src/limit.ts."}]},
    {"role": "user", "content": "Stop: no Redis, we ruled out Redis, production runs none."},
    {"role": "assistant", "content": [{"type": "text", "text": "Understood. I will keep the buckets in Postgres."}]},
]  # fmt: skip

KEY_YAML = """\
version: 1
atoms:
  - id: a1
    tag: rejected
    text: The user ruled out Redis for the rate limiter.
    importance: vital
    by: user
    at: [4]
    accept:
      all: ['redis']
      any: ['rule[sd]? out', 'reject']
    stale:
      - {match: 'use redis for the rate limiter', until: 4}
    wrong: ['redis (is|was) chosen']
  - id: a2
    tag: number
    text: MAX_RETRIES is 5.
    importance: okay
    by: tool
    at: [2]
    accept: {all: ['max_retries', '\\b5\\b']}
  - id: a3
    tag: promise
    text: The assistant will keep the buckets in Postgres.
    importance: okay
    by: assistant
    at: [5]
    accept: {all: ['postgres', 'bucket']}
never:
  - {id: n1, text: The deploy target is Kubernetes., match: ['kubernetes', 'k8s']}
"""

ABOUT_YAML = """\
version: 1
title: A rate limiter
harness: anthropic-messages
source: written for a test
licence: Apache-2.0
language: en
split: dev
tokens: {tokens}        # as checked
sha256: "{sha256}"
"""


def write_fixture(folder: Path, *, key=KEY_YAML, messages=MESSAGES, about=None) -> Path:
    """The folder, holding a fixture whose tokens and sha256 are right."""
    from bench.transcripts import read

    folder.mkdir(parents=True, exist_ok=True)
    transcript = folder / TRANSCRIPT
    transcript.write_text("".join(json.dumps(m) + "\n" for m in messages))
    (folder / KEY).write_text(key)
    about = about or ABOUT_YAML.format(tokens=read(transcript).tokens, sha256=sha256_of(transcript))
    (folder / ABOUT).write_text(about)
    return folder


def write_project(root: Path) -> Path:
    """A project with one fixture, `small`, and a prompt arm, `short`."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "bench.toml").write_text("version = 1\n")
    write_fixture(root / "fixtures" / "small")
    (root / "prompts").mkdir()
    (root / "prompts" / "short.md").write_text("Write down what matters.\n")
    (root / "sweeps").mkdir()
    return root
