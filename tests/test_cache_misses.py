"""A prompt that should have been read from cache and was not is told, with the first block that differed."""

import json

import pytest
from fakes import FakeModel, outside, project
from loopback import say
from msgspec.structs import replace

from bench.contexts.misses import CacheWatch, difference
from bench.forks.run import run_sweep
from bench.models.protocol import Context, Request
from bench.transcripts.model import Usage

BODY = {
    "system": "Be brief.",
    "tools": [{"name": "Bash"}, {"name": "Read"}],
    "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
}


def request(**changed):
    body = json.dumps(BODY | changed).encode()
    return Request(
        context=Context(mode="native", body=body, sha256=str(hash(body)), tokens=9), instruction="x", max_tokens=9
    )


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (request(), None),
        (replace(request(), instruction="y", max_tokens=10), None),  # behind the breakpoint
        (request(tools=[{"name": "Bash"}, {"name": "Write"}]), "tools[1]"),
        (request(tools=[{"name": "Bash"}]), "tools[1]"),
        (request(system="Be long."), "system"),
        (request(messages=[{"role": "user", "content": [{"type": "text", "text": "a"}]}]), "messages[0].content[1]"),
        (request(system="Be long.", tools=[]), "tools[0]"),  # tools are read first
        (replace(request(), effort="low"), "effort (None, low)"),
        (replace(request(), schema=b"{}"), "the answer's schema, which stands in the system prompt,"),
        (replace(request(), cache_ttl="1h"), "the cache's lifetime (5m, 1h)"),
    ],
)
def test_the_first_part_that_differs_is_named_in_the_order_a_cache_reads(other, differs):
    assert difference(request(), other) == differs


def test_only_what_was_readable_when_a_request_started_can_be_missed():
    watch = CacheWatch()
    wrote, read, nothing = Usage(cache_write_5m=1000), Usage(cache_read=1000), Usage(input=1000)
    assert watch.miss("f/m", request(), wrote, 0.0, 1.0) is None
    assert watch.miss("f/m", request(), wrote, 0.5, 1.5) is None  # sent before the entry could be read
    assert watch.miss("f/m", request(), read, 2.0, 3.0) is None
    assert watch.miss("f/other", request(), wrote, 4.0, 5.0) is None  # another model's cache
    told = watch.miss("f/m", request(), nothing, 13.0, 14.0)
    assert told == (
        "read 0 tokens from cache where 1000 were held: no block differed; the server let it go, 10 s after it was "
        "last used"
    )
    assert watch.miss("f/m", request(), None, 15.0, 16.0) is None  # no usage, nothing to tell


def test_a_run_tells_its_misses(tmp_path, claude_server):
    def script(asked):
        if asked.index == 2:
            server.cache.entries.clear()
        return say("A handoff.")

    server = claude_server(script, minimum_cached=0)
    path = project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 4\nconcurrency = 1")
    summary = run_sweep(path, grade=False)
    (told,) = summary.misses
    assert told.startswith("f1/short/claude-sonnet-5-5/s1-k0-r03: read 0 tokens from cache where ")
    assert "no block differed; the server let it go" in told
    assert f"cache miss: {told}" in summary.lines()
    assert (summary.cache.writes, summary.cache.reads) == (2, 2)


def test_arms_of_another_effort_have_an_entry_of_their_own_and_warm_it_first(tmp_path):
    arms = {"high": "Say it.", "low": "+++\neffort = 'low'\n+++\nSay it."}
    model = FakeModel(latency_s=0.001)
    run_sweep(project(tmp_path, arms=arms, sweep="replicates = 3"), outside=outside(model), grade=False)
    numbers = [n for what, n in model.log if what == "first"]
    for effort in (None, "low"):
        first, *others = [n for n, r in enumerate(model.asked) if r.effort == effort]
        assert model.log.index(("first", first)) < min(model.log.index(("start", n)) for n in others)
    assert len(numbers) == 6
