"""What a failed request means: whether it may have been billed, whether to ask again, whether to stop the run.

The classes and statuses are the SDK's (2.x). A stream's errors come as a bare APIStatusError of status 200, so that the
error's *type* decides there; a dropped connection comes as the HTTP library's own exception.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal, NamedTuple

from bench.models.protocol import Attempt
from bench.models.redact import Redactor
from bench.transcripts.model import Usage

MOST_RETRY_AFTER_S = 600.0
"""A server's `retry-after` beyond ten minutes is cut to it: the run's own limits decide then."""
FINAL_TYPES = {"invalid_request_error", "not_found_error", "request_too_large"}
"""Errors of a stream that the same request would meet again; others (overloaded_error, api_error, …) pass."""
STOPPING_TYPES = {"authentication_error", "permission_error", "billing_error"}
STOPPING_STATUSES = {401, 402, 403}
RETRYABLE_STATUSES = {408, 409, 429}
REFUSED_UNREAD = {408, 499}
"""4xx that do not say the server did no work."""
_SPENT = re.compile(r"usage limits?|extra usage|credit balance|spend(ing)? limit", re.IGNORECASE)
"""A 400 for a limit the account set itself has no code of its own; its wording is all there is."""


class Meaning(NamedTuple):
    """What a failure means for the run."""

    detail: str
    outcome: Literal["api-error", "timeout"] = "api-error"
    billed: Literal["no", "possibly", "yes"] = "possibly"
    retryable: bool = True
    stop_run: bool = False
    retry_after: float | None = None


def attempt_of(
    error: Exception, redactor: Redactor, *, started_at: str, seconds: float, usage: Usage | None, listening: bool
) -> Attempt:
    """The attempt that `error` ended. `listening`: the stream had begun, so that a parsing error is the server's.

    Raises `error` where it is none that a server or a network causes.
    """
    meaning = _meaning(error, listening)
    if meaning is None:
        raise error
    return Attempt(
        outcome=meaning.outcome,
        detail=redactor.detail(meaning.detail),
        started_at=started_at,
        seconds=seconds,
        usage=usage,
        billed=meaning.billed,
        retry_after=meaning.retry_after,
        retryable=meaning.retryable and not meaning.stop_run,
        stop_run=meaning.stop_run,
    )


def _meaning(error: Exception, listening: bool) -> Meaning | None:
    import anthropic
    import httpx2

    match error:
        case anthropic.APIStatusError():
            return _of_stream(error) if error.status_code < 400 else _of_status(error)
        case anthropic.APIConnectionError():
            return _of_connection(error.__cause__ or error, "no answer")
        case httpx2.HTTPError() | httpx2.StreamError():
            return _of_connection(error, "the stream broke off")
        case TimeoutError():
            return Meaning(str(error) or "timed out", outcome="timeout")
        case EOFError():
            return Meaning(str(error))
        case OSError():
            return _of_connection(error, "the connection failed")
        case anthropic.APIError():
            return Meaning(f"{type(error).__name__}: {error}")
        case anthropic.AnthropicError():
            # credentials that cannot be loaded: nothing was sent
            return Meaning(f"{type(error).__name__}: {error}", billed="no", retryable=False, stop_run=True)
        case AssertionError() | AttributeError() | ValueError() | TypeError() | KeyError() | IndexError() if listening:
            return Meaning(f"the stream is malformed ({type(error).__name__}: {error})")
    return None


def _of_status(error: object) -> Meaning:
    """An error that came in place of a stream."""
    import anthropic

    assert isinstance(error, anthropic.APIStatusError)
    status, code = error.status_code, error.error_code or ""
    said = error.api_message or _page(error.body)
    stop = (
        status in STOPPING_STATUSES
        or code.endswith("spend_limit_reached")
        or error.type in STOPPING_TYPES
        or (status == 400 and bool(_SPENT.search(said)))
    )
    asked = error.response.headers.get("x-should-retry")
    retryable = asked == "true" if asked in ("true", "false") else status in RETRYABLE_STATUSES or status >= 500
    unread = status == 529 or (400 <= status < 500 and status not in REFUSED_UNREAD)
    return Meaning(
        f"{status} {error.type or type(error).__name__}: {said}",
        outcome="timeout" if status in (408, 504) else "api-error",
        billed="no" if unread else "possibly",
        retryable=retryable,
        stop_run=stop,
        retry_after=retry_after_s(error.response.headers, datetime.now(UTC)),
    )


def _of_stream(error: object) -> Meaning:
    """An SSE `error` event: status 200, the type says what it is."""
    import anthropic

    assert isinstance(error, anthropic.APIStatusError)
    kind: str = error.type or "error"
    return Meaning(
        f"in the stream: {kind}: {error.api_message or _page(error.body)}",
        outcome="timeout" if kind == "timeout_error" else "api-error",
        retryable=kind not in FINAL_TYPES,
        stop_run=kind in STOPPING_TYPES,
    )


def _of_connection(cause: BaseException, what: str) -> Meaning:
    """A connection that failed: nothing was sent where it was never made."""
    import httpx2

    unsent = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    timeout = isinstance(cause, httpx2.TimeoutException)
    return Meaning(
        f"{'no connection' if unsent else what} ({type(cause).__name__}: {cause})",
        outcome="timeout" if timeout else "api-error",
        billed="no" if unsent else "possibly",
    )


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds the server asks to wait, 0..MOST_RETRY_AFTER_S; None where it does not say or says nonsense."""
    millis, plain = headers.get("retry-after-ms"), headers.get("retry-after")
    seconds = _number(millis, 1000.0)
    if seconds is None:
        seconds = _number(plain, 1.0)
    if seconds is None and plain:
        try:
            until = parsedate_to_datetime(plain)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds()
    return None if seconds is None else min(max(seconds, 0.0), MOST_RETRY_AFTER_S)


def _number(text: str | None, unit: float) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return None if math.isnan(value) else value / unit


def _page(body: object) -> str:
    """What an answer that is no JSON error says: its text without tags."""
    return re.sub(r"<[^>]*>", " ", body) if isinstance(body, str) else str(body or "no message")
