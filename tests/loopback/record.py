"""What the server remembers of a request: its bytes, when it began, what it cost."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

from loopback.http import HttpRequest


@dataclass
class Billed:
    """Tokens by class, as the server would put them on the bill."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0

    def add(self, other: Billed) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


@dataclass
class Asked:
    """One request as it came in, and what became of it."""

    index: int
    """0-based, over requests of the same path."""
    path: str
    headers: dict[str, str]
    raw: bytes
    body: dict[str, Any]
    at: float
    request_id: str = ""
    """As the answer's header has it."""
    began_at: float | None = None
    """When the first byte of a 200 went out."""
    billed: Billed = field(default_factory=Billed)
    status: int | None = None
    whole: bool = False
    """The answer was sent to its end."""

    @property
    def last_text(self) -> str:
        """The last text block of the last message: the instruction of a fork."""
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else str(content[-1].get("text", ""))


def asked_of(index: int, request: HttpRequest) -> Asked:
    body = json.loads(request.body or b"{}")
    return Asked(index, request.path, dict(request.headers), request.body, body, time.monotonic())
