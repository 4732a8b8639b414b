"""A fake Messages API on the loopback address, for tests of everything that talks to a model.

with LoopbackServer(overloaded(), say("hello")) as server:
    ...                                   # first request 529, every later one answers
assert server.billed.output == 2
"""

from loopback import wire
from loopback.batches import Batch
from loopback.cache import PromptCache
from loopback.record import Asked, Billed
from loopback.script import (
    Behaviour,
    compacted,
    cut,
    dropped,
    empty,
    failed,
    garbage,
    html_413,
    mischarged,
    overloaded,
    rate_limited,
    refused,
    say,
    spend_limit,
    stalled,
    stream_error,
    think_and_say,
    tool_call,
    unfinished,
)
from loopback.server import LoopbackServer

__all__ = [
    "Asked",
    "Batch",
    "Behaviour",
    "Billed",
    "LoopbackServer",
    "PromptCache",
    "compacted",
    "cut",
    "dropped",
    "empty",
    "failed",
    "garbage",
    "html_413",
    "mischarged",
    "overloaded",
    "rate_limited",
    "refused",
    "say",
    "spend_limit",
    "stalled",
    "stream_error",
    "think_and_say",
    "tool_call",
    "unfinished",
    "wire",
]
