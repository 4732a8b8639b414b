"""What of an answer has been heard so far: raw stream events in, text, stop reason and usage out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.models.usage import Ttl, usage_of
from bench.transcripts.model import Usage


class Heard:
    """Takes the raw events of one stream. Raises AttributeError for an event without its parts."""

    def __init__(self, ttl: Ttl) -> None:
        self._ttl = ttl
        self._texts: dict[int, list[str]] = {}
        self._usage: dict[str, object] = {}
        self._open: str | None = None
        self.stop_reason: str | None = None
        self.refusal: str | None = None
        self.tool_calls = 0

    def take(self, event: Any) -> bool:
        """Note one event; True where it belongs to a content block."""
        match event.type:
            case "message_start":
                self._count(getattr(event.message, "usage", None))
            case "content_block_start":
                self._begin(event.index, event.content_block)
                return True
            case "content_block_delta":
                if event.delta.type == "text_delta":
                    self._texts.setdefault(event.index, []).append(event.delta.text)
                elif event.delta.type == "compaction_delta":
                    self._texts.setdefault(event.index, []).append(event.delta.content or "")
                return True
            case "content_block_stop":
                self._open = None
                return True
            case "message_delta":
                self._count(getattr(event, "usage", None))
                self.stop_reason = event.delta.stop_reason
                self.refusal = getattr(getattr(event.delta, "stop_details", None), "category", None)
        return False

    @property
    def text(self) -> str:
        """The text blocks, joined by newlines; a summary of the server's counts as one."""
        return "\n".join(t for _, parts in sorted(self._texts.items()) if (t := "".join(parts)))

    @property
    def usage(self) -> Usage | None:
        """Usage as last reported; None where nothing was."""
        return usage_of(self._usage, self._ttl)

    @property
    def thinking(self) -> bool:
        """A thinking block is open: it may stay silent for minutes, since recent models omit what it says."""
        return self._open is not None and "thinking" in self._open

    def _begin(self, index: int, block: Any) -> None:
        self._open = block.type
        if block.type == "text":
            self._texts.setdefault(index, []).append(block.text)
        elif block.type == "compaction":
            # the server's own summary comes whole; null where it has none
            self._texts.setdefault(index, []).append(block.content or "")
        self.tool_calls += block.type.endswith("tool_use")

    def _count(self, usage: Any) -> None:
        """Later counters overwrite earlier ones; what a later event leaves out stays."""
        if usage is None:
            return
        told = usage if isinstance(usage, Mapping) else usage.model_dump(exclude_none=True, warnings=False)
        self._usage.update({k: v for k, v in told.items() if v is not None})
