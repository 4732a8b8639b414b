"""The Messages API through the official SDK: Claude, its clouds, and every server that speaks the same API.

Streams raw events, never retries (the runner's loop does), and turns whatever a server or a network does into an
`Attempt`. One instance per event loop; the client is made inside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from bench.errors import BenchError
from bench.models.batches import collect, listed, submit
from bench.models.body import Body, as_counted, asked_effort, asked_thinking, countable, request_body
from bench.models.call import IDLE_S, Call
from bench.models.estimate import estimated
from bench.models.failures import attempt_of
from bench.models.heard import Heard
from bench.models.known import known
from bench.models.pool import Pool
from bench.models.protocol import Attempt, Context, Count, CredentialsMissing, Listed, Reply, Request
from bench.models.redact import Redactor, secrets_in

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from bench.models.clients import Client

COUNT_TIMEOUT_S = 60.0
COUNT_RETRIES = 2
NOT_OFFERED = (404, 405, 501)
"""Statuses of a server without the endpoint, which is then not asked for again."""


class Reach(NamedTuple):
    """How a model is reached: `open` makes the client inside the loop; a `paid` server's refusal stops a count."""

    open: Callable[[], Client]
    model_id: str
    paid: bool
    idle_s: float = IDLE_S


class MessagesModel:
    """A model behind the Messages API. Use as an async context manager."""

    def __init__(self, name: str, reach: Reach, *, window: int | None = None, max_output: int | None = None) -> None:
        self.name = name
        self._reach = reach
        self._facts = known(reach.model_id)
        self.window = window if self._facts is None else self._facts.window
        self.max_output = max_output if self._facts is None else self._facts.max_output
        self._pool: Pool | None = None
        self._redactor = Redactor([])
        self._offers_count = True
        self._decoded: tuple[str, dict[str, Any]] = ("", {})

    async def __aenter__(self) -> MessagesModel:
        """Opens the client. Raises CredentialsMissing where there are no credentials, before anything is sent."""
        self._pool = Pool(self._reach.open)
        held = (getattr(self._pool.first, "api_key", None), getattr(self._pool.first, "auth_token", None))
        self._redactor = Redactor([*held, *secrets_in(os.environ)])
        # the SDK warns of models near retirement at each call; a run over hundreds of forks says it nowhere useful
        warnings.filterwarnings("ignore", message="The model '.*' is deprecated", category=DeprecationWarning)
        return self

    async def __aexit__(self, *exc: object) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def ask(self, request: Request, *, timeout_s: float, on_first: Callable[[], None]) -> Reply | Attempt:
        """The reply, or the attempt that brought none; see the protocol. Cancellation goes through."""
        pool = self._opened()
        body = self._body(request)
        call = Call(Heard(request.cache_ttl), on_first, timeout_s, self._reach.idle_s)
        with pool.taken() as client:
            error = await call.make(client, body)
        heard = call.heard
        if error is not None:
            return attempt_of(
                error,
                self._redactor,
                started_at=call.started_at,
                seconds=call.seconds,
                usage=heard.usage,
                listening=call.listening,
            )
        return Reply(
            text=heard.text,
            stop_reason=heard.stop_reason,
            usage=heard.usage,
            request_id=call.request_id,
            tool_calls=heard.tool_calls,
            started_at=call.started_at,
            seconds=call.seconds,
            first_token_seconds=call.first_token_seconds,
            thinking=asked_thinking(self._facts),
            effort=asked_effort(request, self._facts),
            refusal=heard.refusal,
        )

    async def count(self, request: Request) -> Count:
        """Prompt tokens: counted where the endpoint offers it, else estimated.

        Raises CredentialsMissing where a paid server refuses the key or the account: no call of the run could succeed.
        """
        import anthropic
        import httpx2

        client = self._opened().first.with_options(max_retries=COUNT_RETRIES)
        if not self._offers_count:
            return estimated(request, self.name)
        body = self._body(as_counted(request))
        try:
            async with asyncio.timeout(COUNT_TIMEOUT_S):
                counted = await client.messages.count_tokens(**countable(body))
            if isinstance(counted.input_tokens, int):
                return Count(counted.input_tokens, "counted")
        except anthropic.APIStatusError as e:
            self._offers_count = e.status_code not in NOT_OFFERED
            if self._reach.paid and e.status_code in (401, 402, 403):
                raise CredentialsMissing(f"{self.name}: {self._redactor.detail(str(e.api_message or e))}") from None
        except (anthropic.AnthropicError, httpx2.HTTPError, TimeoutError, ValueError, AttributeError):
            pass  # the endpoint failed, not the model: the estimate below is marked as one
        return estimated(request, self.name)

    async def submit(self, requests: Mapping[str, Request]) -> str | Attempt:
        """The id of a batch of these requests, by custom id; see the protocol."""
        return await submit(self._sdk(), {name: self._body(r) for name, r in requests.items()}, self._redactor)

    async def collect(
        self, batch_id: str, requests: Mapping[str, Request]
    ) -> Mapping[str, Reply | Attempt] | Attempt | None:
        """What came of each request of a batch; see the protocol."""
        return await collect(self._sdk(), batch_id, requests, self._facts, self._redactor)

    async def listed(self, since: str) -> list[Listed] | Attempt:
        """The batches that were handed in since then; see the protocol."""
        return await listed(self._sdk(), since, self._redactor)

    def _body(self, request: Request) -> Body:
        return request_body(request, self._reach.model_id, self._facts, self._prefix(request.context))

    def _sdk(self) -> AsyncAnthropic:
        """The client, where it offers batches."""
        import anthropic

        client = self._opened().first
        if not isinstance(client, anthropic.AsyncAnthropic):
            raise BenchError(f"model '{self.name}' takes no batches; leave out --batch")
        return client

    def _opened(self) -> Pool:
        if self._pool is None:
            raise RuntimeError(f"{self.name} is asked outside 'async with'")
        return self._pool

    def _prefix(self, context: Context) -> dict[str, Any]:
        """The decoded context, kept while the same one is asked: forks of a group share one copy."""
        sha256, decoded = self._decoded
        if sha256 != context.sha256 or not sha256:
            decoded = json.loads(context.body)
            self._decoded = (context.sha256, decoded)
        return decoded
