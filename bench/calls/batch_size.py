"""How many requests one Message Batch takes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from bench.models.protocol import Request

BESIDE_BYTES = 2_000
"""Of a request beside its texts: model, settings, custom id, punctuation."""


class BatchLimits(Struct, frozen=True, kw_only=True):
    """The API takes 100,000 requests or 256 MB in a batch; all of it is held in memory while it is sent."""

    requests: int = 100_000
    bytes: int = 64_000_000


def request_bytes(request: Request) -> int:
    """The most that a request's JSON takes in a batch, in bytes."""
    texts = len(request.context.body) + len(msgspec.json.encode(request.instruction)) + len(request.schema or b"")
    return texts + BESIDE_BYTES


def split(requests: Mapping[str, Request], limits: BatchLimits) -> Iterator[list[str]]:
    """The names of the requests, in order, in batches that may be sent; one beyond the limit goes alone."""
    part: list[str] = []
    size = 0
    for name, request in requests.items():
        own = request_bytes(request)
        if part and (len(part) == limits.requests or size + own > limits.bytes):
            yield part
            part, size = [], 0
        part.append(name)
        size += own
    if part:
        yield part
