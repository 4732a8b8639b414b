"""Just enough HTTP/1.1: read one request, write a body or a chunked stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request on a kept-alive connection; None where the client has gone."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return HttpRequest(method, target.partition("?")[0], headers, body)


def head_bytes(status: int, headers: Mapping[str, str]) -> bytes:
    reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Overloaded"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{k}: {v}" for k, v in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Responder:
    """Writes one response; raises ConnectionError where the client has gone."""

    def __init__(self, writer: asyncio.StreamWriter, request_id: str) -> None:
        self._writer = writer
        self.request_id = request_id

    async def json(self, status: int, value: object, headers: Mapping[str, str] | None = None) -> None:
        await self.whole(status, json.dumps(value).encode(), "application/json", headers)

    async def whole(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        await self._send(head_bytes(status, self._headers(kind, headers) | {"content-length": str(len(body))}) + body)

    async def start_stream(self, headers: Mapping[str, str] | None = None) -> None:
        await self._send(
            head_bytes(200, self._headers("text/event-stream", headers) | {"transfer-encoding": "chunked"})
        )

    async def chunk(self, data: bytes) -> None:
        await self._send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def end_stream(self) -> None:
        await self._send(b"0\r\n\r\n")

    def drop(self) -> None:
        """Close the socket in the middle of whatever was being said."""
        self._writer.transport.abort()

    def _headers(self, kind: str, more: Mapping[str, str] | None) -> dict[str, str]:
        return {"content-type": kind, "request-id": self.request_id, **(more or {})}

    async def _send(self, data: bytes) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError("the client has gone")
        self._writer.write(data)
        await self._writer.drain()
