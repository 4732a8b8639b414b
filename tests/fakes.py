"""A model that lives in the test's process, and a small project to fork on.

`FakeModel` keeps the cache rules: an entry is written by the first request over a context and can be read by others
from the writer's first content event on. What it answers is one function from the request to a reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from fixture_files import MESSAGES, write_fixture

from bench.calls.outside import Outside
from bench.calls.retry import RetryPolicy
from bench.models.protocol import Attempt, Count, Reply, Request
from bench.text import estimate_tokens
from bench.transcripts.model import Usage

PAID = "claude-sonnet-5-5"
"""2 USD/MTok in, 2.5 written, 0.1 read, 10 out; caches from 512 tokens on."""
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TEXT = "We ruled out Redis. MAX_RETRIES is 5."

Answer = Callable[[Request, int], Reply | Attempt | BaseException]


def reply(text: str = TEXT, *, stop_reason: str | None = "end_turn", usage: Usage | None = None, **more) -> Reply:
    """An answer; its usage is filled in by the model unless given."""
    return Reply(text=text, stop_reason=stop_reason, usage=usage, **more)


def attempt(outcome: str = "api-error", detail: str = "scripted", **more) -> Attempt:
    """A request that brought nothing."""
    usual = {"started_at": "2026-11-30T12:00:00Z", "seconds": 0.1}
    return Attempt(outcome=outcome, detail=detail, **(usual | more))  # type: ignore[arg-type]


def answering(*results: Reply | Attempt | BaseException) -> Answer:
    """The results in order, the last one again and again."""
    return lambda _request, n: results[min(n, len(results) - 1)]


class FakeModel:
    """Answers as `answer` says. `log` holds what happened in order: ('start' | 'first' | 'end', number)."""

    def __init__(
        self,
        answer: Answer = answering(reply()),
        name: str = PAID,
        *,
        window: int | None = 1_000_000,
        max_output: int | None = 128_000,
        latency_s: float = 0.0,
        minimum_cached: int = 0,
        reports_usage: bool = True,
    ) -> None:
        self.name, self.window, self.max_output = name, window, max_output
        self.asked: list[Request] = []
        self.counted: list[Request] = []
        self.log: list[tuple[str, int]] = []
        self.most_in_flight = 0
        self.entered = False
        self._answer = answer
        self._latency_s = latency_s
        self._minimum = minimum_cached
        self._reports_usage = reports_usage
        self._in_flight = 0
        self._readable: set[str] = set()

    async def __aenter__(self) -> FakeModel:
        self.entered = True
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.entered = False

    async def count(self, request: Request) -> Count:
        self.counted.append(request)
        return Count(request.context.tokens + estimate_tokens(request.instruction), "counted")

    async def ask(self, request: Request, *, timeout_s: float, on_first: Callable[[], None]) -> Reply | Attempt:
        assert self.entered and timeout_s > 0
        number = len(self.asked)
        self.asked.append(request)
        self.log.append(("start", number))
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            readable = request.context.sha256 in self._readable  # as it is when the request arrives
            await asyncio.sleep(self._latency_s)
            result = self._answer(request, number)
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, Attempt):
                return result
            self.log.append(("first", number))
            self._readable.add(request.context.sha256)
            on_first()
            await asyncio.sleep(self._latency_s)
            return self._finished(request, result, number, readable)
        finally:
            self._in_flight -= 1
            self.log.append(("end", number))

    def _finished(self, request: Request, result: Reply, number: int, readable: bool) -> Reply:
        held = request.context.tokens if request.context.tokens >= self._minimum else 0
        rest = request.context.tokens - held + estimate_tokens(request.instruction)
        usage = result.usage or Usage(
            input=rest,
            output=estimate_tokens(result.text),
            cache_read=held if readable else 0,
            cache_write_5m=0 if readable else held,
        )
        return Reply(
            text=result.text,
            stop_reason=result.stop_reason,
            usage=usage if self._reports_usage else None,
            tool_calls=result.tool_calls,
            refusal=result.refusal,
            request_id=f"req_{number}",
            started_at="2026-11-30T12:00:00.000Z",
            seconds=0.1,
            first_token_seconds=0.05,
            thinking="adaptive",
            effort=request.effort or "high",
        )


def outside(*models: FakeModel, missing: dict[str, Exception] | None = None, **more) -> Outside:
    """A world with just these models, a clock that stands at noon, and no waiting between retries."""
    here = {m.name: m for m in models}

    def open_model(name: str) -> FakeModel:
        if missing and name in missing:
            raise missing[name]
        return here[name]

    usual = {
        "open_model": open_model,
        "now": lambda: NOW,
        "random": lambda: 0.5,
        "retry": RetryPolicy(first_s=0.0, most_s=0.0, retry_after_most_s=0.0),
    }
    return Outside(**(usual | more))


def project(
    root: Path,
    *,
    arms: dict[str, str] | None = None,
    fixtures: tuple[str, ...] = ("f1",),
    sweep: str = "",
    models: tuple[str, ...] = (PAID,),
    more_arms: tuple[str, ...] = (),
    messages: list[dict[str, object]] | None = None,
) -> Path:
    """A project folder with those prompts and fixtures; returns its sweep file. `sweep` adds lines to it."""
    arms = {"inventory": "List every fact.", "short": "Say it short."} if arms is None else arms
    (root / "prompts").mkdir(parents=True, exist_ok=True)
    (root / "sweeps").mkdir(exist_ok=True)
    (root / "bench.toml").write_text("version = 1\n")
    for label, text in arms.items():
        suffix = "" if "." in label else ".md"
        (root / "prompts" / f"{label}{suffix}").write_text(text)
    first, *rest = messages or MESSAGES
    for name in fixtures:
        # a conversation of its own each, so that contexts can be told apart
        own = first if len(fixtures) == 1 else {**first, "content": f"{first['content']} Session {name}."}
        write_fixture(root / "fixtures" / name, messages=[own, *rest])
    labels = [label.split(".")[0] for label in arms] + list(more_arms)
    path = root / "sweeps" / "s.toml"
    budget = "" if "budget_usd" in sweep else "budget_usd = 100.0\n"
    path.write_text(
        f"fixtures = {list(fixtures)}\narms = {labels}\nmodels = {list(models)}\n{budget}{sweep}\n".replace("'", '"')
    )
    return path
