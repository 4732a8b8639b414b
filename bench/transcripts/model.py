"""One immutable model of an agent session, whatever harness wrote it."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from bench.text import tokens_of_chars

Role = Literal["user", "assistant", "system"]
Author = Literal["person", "assistant", "tool", "harness", "compaction"]
"""Who produced a turn: a person typed it, the model, a tool's result, the harness (reminders, notices, command
output), or a compaction (its summary, a user record that nobody typed)."""

IMAGE_CHARS = 4800
"""What an image counts in characters: pi's rule, both for user images and in tool results."""


class Text(Struct, frozen=True, tag="text"):
    text: str


class Thinking(Struct, frozen=True, tag="thinking"):
    """Never sent on: contexts carry no thinking. The text may be empty (only a signature was stored)."""

    text: str


class Image(Struct, frozen=True, tag="image"):
    """`data` is base64, absent where the source only pointed at the image. Documents come as images of their type."""

    media_type: str
    data: str | None = None


class ToolUse(Struct, frozen=True, tag="tool_use"):
    """A call. `input_json` is the arguments as compact JSON, keys in the source's order."""

    id: str
    name: str
    input_json: str

    @property
    def input(self) -> Any:
        return msgspec.json.decode(self.input_json)


class Other(Struct, frozen=True, tag="other"):
    """A block of a kind the model does not know: kept as JSON text, counted, never guessed at."""

    kind: str
    json: str


class ToolResult(Struct, frozen=True, tag="tool_result"):
    tool_use_id: str
    content: tuple[Text | Image | Other, ...]
    is_error: bool = False

    @property
    def text(self) -> str:
        """The text of the result; blocks of unknown kinds as their JSON. Parts joined by newlines."""
        parts = (b.text if isinstance(b, Text) else b.json for b in self.content if not isinstance(b, Image))
        return "\n".join(parts)


Block = Text | Thinking | Image | ToolUse | ToolResult | Other


class Usage(Struct, frozen=True):
    """Tokens as the API reported them for one answer; `input` excludes what was read from or written to the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0


class Message(Struct, frozen=True, kw_only=True):
    """One message of the conversation; fragments of one answer are merged into one."""

    role: Role
    author: Author
    blocks: tuple[Block, ...]
    id: str | None = None
    record_ids: tuple[str, ...] = ()
    """The ids of the records that made this message, in file order."""
    time: str | None = None
    """ISO 8601, as the source wrote it."""
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    origin: str | None = None
    """What exactly the harness produced, where `author` is 'harness' (e.g. 'task-notification', 'interrupt')."""
    line: int | None = None
    """1-based line of its first record in the source file."""

    @property
    def text(self) -> str:
        """What keys and graders read: text, tool input as JSON, tool results; no thinking. Parts joined by newlines."""
        return "\n".join(part for b in self.blocks if (part := _words(b)))

    @property
    def spoken(self) -> str:
        """Only the text blocks, joined by newlines."""
        return "\n".join(b.text for b in self.blocks if isinstance(b, Text))

    @property
    def chars(self) -> int:
        """Characters of `text`, and IMAGE_CHARS an image."""
        return len(self.text) + IMAGE_CHARS * self.images

    @property
    def images(self) -> int:
        inner = (c for b in self.blocks if isinstance(b, ToolResult) for c in b.content)
        return sum(isinstance(b, Image) for b in (*self.blocks, *inner))

    @property
    def tokens(self) -> int:
        """Estimated tokens: ceil(chars / 4)."""
        return tokens_of_chars(self.chars)

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        return tuple(b for b in self.blocks if isinstance(b, ToolUse))

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        return tuple(b for b in self.blocks if isinstance(b, ToolResult))


class Compaction(Struct, frozen=True, kw_only=True):
    """A point where the harness compacted. The model went on with `summary`, the preserved messages and all after."""

    at: int
    """Index into the main line: messages[:at] stood before the compaction."""
    kind: Literal["full", "micro"] = "full"
    """'micro' cleared tool results (`cleared`) and wrote no summary."""
    trigger: str | None = None
    summary: str | None = None
    summary_at: int | None = None
    """Index of the summary's message in the main line, where the file has one."""
    preserved: tuple[int, ...] = ()
    """Indices of messages before `at` that stayed in the context word for word."""
    cleared: tuple[str, ...] = ()
    tokens_before: int | None = None
    """Tokens as the harness recorded them (its own count), absent where it did not."""
    tokens_after: int | None = None
    time: str | None = None
    line: int | None = None


class Side(Struct, frozen=True, kw_only=True):
    """A conversation beside the main line: a subagent's, or a branch that was rewound."""

    kind: Literal["sidechain", "branch"]
    id: str
    messages: tuple[Message, ...]


class Unread(Struct, frozen=True):
    """A line (or record) that could not be read, and why. Nothing is lost silently."""

    line: int
    reason: str


class Counts(Struct, frozen=True):
    """What a whole file holds: side conversations and rewound branches included, progress copies of them not."""

    user: int
    """User records with something other than tool results, whoever produced them; a record written twice is two."""
    assistant: int
    """Distinct answers; where a harness keeps an answer's texts and calls as records of their own, its texts."""
    tool_calls: int
    """Distinct ids of tool calls."""


class Spent(Struct, frozen=True, kw_only=True):
    """What a session used of one model, where the harness tells it for the whole and not answer by answer."""

    model: str | None
    usage: Usage
    requests: int | None = None
    """How many answers that were, where it says so."""
    time: str | None = None
    """When it was told."""


class Transcript(Struct, frozen=True, kw_only=True):
    """One session: the main line, what stood beside it, where it was compacted, and what could not be read."""

    format: str
    messages: tuple[Message, ...]
    sides: tuple[Side, ...] = ()
    compactions: tuple[Compaction, ...] = ()
    unread: tuple[Unread, ...] = ()
    records: dict[str, int] = {}
    """How many records of each type the file held, unknown types included."""
    session_id: str | None = None
    forked_from: str | None = None
    """The session whose messages stand at this one's beginning as copies, where the file says so."""
    cwd: str | None = None
    branch: str | None = None
    harness_version: str | None = None
    system: str | None = None
    """The system prompt, where the source holds one (a request body)."""
    tools_json: str | None = None
    """Tool definitions as a JSON list, where the source holds them."""
    spent: tuple[Spent, ...] = ()
    counted: Counts | None = None
    """What the reader counted over the file; None where the messages and sides are all there is."""

    @property
    def counts(self) -> Counts:
        """Counts over the whole file, see `Counts`."""
        if self.counted is not None:
            return self.counted
        every = [*self.messages, *(m for side in self.sides for m in side.messages)]
        return Counts(
            user=sum(m.role == "user" and any(not isinstance(b, ToolResult) for b in m.blocks) for m in every),
            assistant=sum(m.role == "assistant" for m in every),
            tool_calls=len({use.id for m in every for use in m.tool_uses}),
        )

    @property
    def tool_calls(self) -> int:
        """Distinct tool_use ids of the main line."""
        return len({use.id for m in self.messages for use in m.tool_uses})

    @property
    def tokens(self) -> int:
        """Estimated tokens of the main line: the sum over its messages."""
        return sum(m.tokens for m in self.messages)


def _words(block: Block) -> str:
    match block:
        case Text(text):
            return text
        case ToolUse(_, _, input_json):
            return input_json
        case ToolResult():
            return block.text
        case Other(_, json):
            return json
        case _:
            return ""
