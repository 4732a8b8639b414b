"""The readers, and which of them reads a file. A reader is one small object; others join by entry point."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from bench.errors import BenchError
from bench.plugins import READERS, offered
from bench.transcripts.foreign import looks_like
from bench.transcripts.head import Head, read_head
from bench.transcripts.model import Transcript

GROUP = READERS.name
"""Entry points of other packages: each is a Reader (an object, or a class without arguments)."""


@runtime_checkable
class Reader(Protocol):
    """Reads one harness's session files."""

    name: str
    """The format's name, as transcripts carry it."""
    told: str
    """The format in a person's words, for lists of what can be read."""

    def detect(self, head: Head) -> bool:
        """Whether a file that begins so is of this format."""
        ...

    def read(self, path: Path) -> list[Transcript]:
        """The sessions of the file. Called only where `detect` said yes."""
        ...


@runtime_checkable
class Branching(Protocol):
    """A reader of files that hold a tree of records: it can follow another branch than the newest."""

    def read_branch(self, path: Path, leaf: str) -> Transcript:
        """The session along the branch to the record that `leaf` names. Raises BenchError where there is none."""
        ...


def readers() -> list[Reader]:
    """The readers that come with the bench, in the order in which they are asked."""
    from bench.transcripts.anthropic_messages import AnthropicMessages
    from bench.transcripts.claude_code import ClaudeCode
    from bench.transcripts.codex import Codex
    from bench.transcripts.copilot_cli import CopilotCli
    from bench.transcripts.gemini_cli import GeminiCli
    from bench.transcripts.markdown import Markdown
    from bench.transcripts.mini_swe_agent import MiniSweAgent
    from bench.transcripts.openhands import OpenHands
    from bench.transcripts.pi import Pi
    from bench.transcripts.swe_agent import SweAgent

    # what is told by a name of its own comes before what is told by its shape
    json_lines: list[Reader] = [ClaudeCode(), Pi(), Codex(), CopilotCli(), GeminiCli()]
    return [*json_lines, OpenHands(), SweAgent(), MiniSweAgent(), AnthropicMessages(), Markdown()]


@cache
def further_readers() -> tuple[Reader, ...]:
    """Readers that other installed packages offer. Raises BenchError for one that is none."""
    return tuple(cast(Reader, reader) for _, reader in offered(READERS))


def reader_of(head: Head) -> Reader | None:
    """The reader that claims a file with this head; the bench's own are asked first."""
    own = next((reader for reader in readers() if reader.detect(head)), None)
    return own or next((reader for reader in further_readers() if reader.detect(head)), None)


def chosen_reader(path: Path) -> Reader:
    """The reader of the file. Raises BenchError in one line for a missing, empty, foreign or unknown file."""
    head = read_head(path)
    reader = reader_of(head)
    if reader is not None:
        return reader
    if head.empty:
        raise BenchError("is empty; give a session file", path=path)
    seen = looks_like(head)
    what = f"looks like {seen}, which cannot be read yet" if seen else _unknown(head)
    can = ", ".join(r.told for r in (*readers(), *further_readers()))
    raise BenchError(f"{what}; can be read: {can}", path=path)


def _unknown(head: Head) -> str:
    if head.records or head.is_document:
        return "is JSON of no format known here"
    return "is no session file: none of its lines is a JSON object"
