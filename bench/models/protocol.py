"""The one protocol between the bench and a model. Models know nothing of arms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct

from bench.errors import BenchError
from bench.transcripts.model import Usage


class ModelMissing(BenchError):
    """The model is not on this machine (a package, a file, an extra); a run can go on without it."""


class CredentialsMissing(BenchError):
    """No credentials, or ones that are refused. Raised when a model is opened or counts, before anything is paid."""


class Context(Struct, frozen=True, kw_only=True):
    """The exact request prefix of a group of forks. `body` is its canonical JSON: {"system", "tools", "messages"}.

    The last block of the last message carries the one cache breakpoint; `sha256` is of `body`'s bytes.
    """

    mode: Literal["native", "rendered"]
    body: bytes
    sha256: str
    tokens: int
    """Estimated tokens (ceil(characters / 4) of the text in it)."""


class Request(Struct, frozen=True, kw_only=True):
    """One fork (or judge call): the context and, after its breakpoint, the instruction as the last text block."""

    context: Context
    instruction: str
    max_tokens: int
    effort: str | None = None
    schema: bytes | None = None
    """JSON schema of the answer (judge calls), as JSON bytes."""
    cache_ttl: Literal["5m", "1h"] = "5m"
    cached: bool = True
    """Whether the breakpoint is sent: a prompt that few others share costs less without an entry of its own."""
    compaction: bool = False
    """The server compacts the context itself; `instruction` replaces its own prompt, and empty leaves that."""


class Reply(Struct, frozen=True, kw_only=True):
    """What came back. `text` joins the text blocks; a reply without `stop_reason` was cut off."""

    text: str
    stop_reason: str | None
    usage: Usage | None
    """None where the server reported nothing."""
    request_id: str | None = None
    tool_calls: int = 0
    started_at: str = ""
    seconds: float = 0.0
    first_token_seconds: float | None = None
    thinking: str | None = None
    """What was asked about thinking ('adaptive', 'off'), as recorded on the row; None where nothing was."""
    effort: str | None = None
    """The effort that was sent; None for a model that takes none."""
    refusal: str | None = None
    """Category of a refusal, where the API names one."""


class Attempt(Struct, frozen=True, kw_only=True):
    """A request that brought no final answer: `outcome` is api-error, timeout, aborted, or expired (in a batch)."""

    outcome: Literal["api-error", "timeout", "aborted", "expired"]
    detail: str
    started_at: str
    seconds: float
    usage: Usage | None = None
    """Usage seen before it broke, if any."""
    billed: Literal["no", "possibly", "yes"] = "possibly"
    """'no' where the server refused it (4xx, 429, 529) before any work."""
    retry_after: float | None = None
    """Seconds, as the server asked."""
    retryable: bool = True
    stop_run: bool = False
    """A refusal that never heals by waiting (spend limit, bad key): stop the whole run."""


class Count(Struct, frozen=True):
    """Prompt tokens of a request: counted by the model's endpoint, or estimated."""

    tokens: int
    source: Literal["counted", "estimated"]


class Listed(Struct, frozen=True):
    """A Message Batch as the server lists it."""

    batch_id: str
    requests: int
    ended: bool


class Model(Protocol):
    """A model that can be asked. One instance per process and event loop; use as an async context manager."""

    name: str
    """As named in the sweep."""
    window: int | None
    """Context window in tokens, None where unknown."""
    max_output: int | None

    async def __aenter__(self) -> Model: ...
    async def __aexit__(self, *exc: object) -> None: ...

    async def ask(self, request: Request, *, timeout_s: float, on_first: Callable[[], None]) -> Reply | Attempt:
        """One request over the wire, streamed; never retries, never raises for what a server or network does.

        `on_first` is called at the first content event (from then on the cache entry can be read).
        """
        ...

    async def count(self, request: Request) -> Count:
        """Prompt tokens of the request: counted where the endpoint offers it (not 404, 405, 501), else estimated."""
        ...


@runtime_checkable
class BatchModel(Protocol):
    """A model that can also be asked through Message Batches."""

    async def submit(self, requests: Mapping[str, Request]) -> str | Attempt:
        """The id of a batch of these requests, by custom id; never retries."""
        ...

    async def collect(
        self, batch_id: str, requests: Mapping[str, Request]
    ) -> Mapping[str, Reply | Attempt] | Attempt | None:
        """What came of each request; None while the batch is worked on, an Attempt where it cannot be asked for."""
        ...

    async def listed(self, since: str) -> Sequence[Listed] | Attempt:
        """The batches that were handed in since then (ISO 8601 UTC), anybody's; an Attempt where it is not told."""
        ...
