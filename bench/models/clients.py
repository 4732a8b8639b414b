"""The SDK's client for a name. Imports the SDK (1.5 s) when called, not before."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bench.models.names import ModelName
from bench.models.protocol import CredentialsMissing, ModelMissing
from bench.models.redact import Redactor, secrets_in

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicBedrock, AsyncAnthropicVertex

    Client = AsyncAnthropic | AsyncAnthropicBedrock | AsyncAnthropicVertex

CONNECT_S = 10.0
SERVER_KEY = "BENCH_SERVER_KEY"
"""The key for `http(s)://…#model` servers. Never the account's own: a sweep file from elsewhere could name any host."""
PLACEHOLDER_KEY = "local"
"""Servers without keys ignore it; the SDK wants one."""
HOW_TO_LOG_IN = "set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, or an SDK profile with ANTHROPIC_PROFILE)"


def open_client(name: ModelName) -> Client:
    """The client, inside the running loop. Raises CredentialsMissing or ModelMissing before any request."""
    match name.kind:
        case "claude":
            return _claude()
        case "bedrock":
            return _cloud(name, "AsyncAnthropicBedrock", "bedrock", "botocore", "AWS_REGION and AWS credentials")
        case "vertex":
            wanted = "CLOUD_ML_REGION, ANTHROPIC_VERTEX_PROJECT_ID and Google credentials"
            return _cloud(name, "AsyncAnthropicVertex", "vertex", "google.auth", wanted)
    return server_client(name.where or "", os.environ.get(SERVER_KEY) or PLACEHOLDER_KEY)


def server_client(url: str, key: str, *, keep_alive: bool = True) -> AsyncAnthropic:
    """A client for a Messages server at `url`. The account's key and profile are not looked at."""
    import anthropic
    import httpx2

    limits = httpx2.Limits(max_connections=1000, max_keepalive_connections=100 if keep_alive else 0)
    http = anthropic.DefaultAsyncHttpxClient(limits=limits, timeout=_timeouts())
    return anthropic.AsyncAnthropic(base_url=url, api_key=key, http_client=http, **_options())


def _claude() -> AsyncAnthropic:
    import anthropic

    if os.environ.get("ANTHROPIC_BASE_URL") == "":
        raise CredentialsMissing("ANTHROPIC_BASE_URL is set but empty; unset it")
    try:
        client = anthropic.AsyncAnthropic(**_options())
    except (anthropic.AnthropicError, ValueError, TypeError, OSError) as e:
        raise CredentialsMissing(f"the credentials cannot be used: {_told(e)}; {HOW_TO_LOG_IN}") from None
    sent = {h.lower() for h in client.default_headers}
    if client.credentials is None and not sent & {"authorization", "x-api-key"}:
        raise CredentialsMissing(f"no credentials for Claude; {HOW_TO_LOG_IN}")
    return client


def _cloud(name: ModelName, class_: str, extra: str, needs: str, wanted: str) -> Client:
    if not _installed(needs):
        raise ModelMissing(f"model '{name.name}' needs an extra of the SDK: pip install 'anthropic[{extra}]'")
    import anthropic

    try:
        client: Client = getattr(anthropic, class_)(**_options())
    except (anthropic.AnthropicError, ValueError, TypeError, ImportError, OSError) as e:
        raise CredentialsMissing(f"model '{name.name}': {_told(e)}; set {wanted}") from None
    return client


def _options() -> dict[str, Any]:
    return {"max_retries": 0, "timeout": _timeouts()}


def _timeouts() -> Any:
    """No limit but on connecting: the call's own two clocks decide, and pings would reset a read limit."""
    import httpx2

    return httpx2.Timeout(None, connect=CONNECT_S)


def _told(error: Exception) -> str:
    return Redactor(secrets_in(os.environ)).detail(str(error))


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
