"""Small sessions, a line a message: `transcript(user("Fix it."), call("t1", "Bash", cmd="ls"), result("t1", "a"))`."""

import json

from bench.fixtures import Fixture, FixtureFile
from bench.keys import Key
from bench.transcripts.model import Compaction, Message, Text, ToolResult, ToolUse, Transcript


def user(text):
    return Message(role="user", author="person", blocks=(Text(text),))


def harness(text, origin="task-notification"):
    return Message(role="user", author="harness", origin=origin, blocks=(Text(text),))


def says(text):
    return Message(role="assistant", author="assistant", blocks=(Text(text),))


def call(id_, name, **arguments):
    return Message(role="assistant", author="assistant", blocks=(ToolUse(id_, name, json.dumps(arguments)),))


def result(id_, text, is_error=False):
    return Message(role="user", author="tool", blocks=(ToolResult(id_, (Text(text),), is_error),))


def summary(text):
    return Message(role="user", author="compaction", blocks=(Text(text),))


def transcript(*messages, compactions=()):
    return Transcript(format="written", messages=messages, compactions=tuple(compactions))


def compacted(at, text=None, *, summary_at=None, preserved=()):
    return Compaction(at=at, summary=text, summary_at=summary_at, preserved=preserved)


def fixture(folder, session):
    about = FixtureFile(
        version=1,
        title="A session",
        harness="none",
        source="written for the test",
        licence="Apache-2.0",
        language="en",
        split="dev",
        tokens=session.tokens,
        sha256="",
    )
    return Fixture(
        name="written",
        folder=folder,
        about=about,
        transcript=session,
        key=Key(version=1, atoms=()),
        key_lines={},
        transcript_sha256="",
        key_sha256="",
    )
