"""Clients of one model: another one is opened where those there are have enough in flight."""

import asyncio
from contextlib import ExitStack

from asking import request
from loopback import say

from bench.models import Reply, open_model
from bench.models.pool import MOST_IN_FLIGHT, Pool


class Client:
    closed = False

    async def close(self):
        self.closed = True


def test_calls_go_to_the_client_with_the_fewest_and_a_further_one_is_opened_only_when_all_are_full(monkeypatch):
    monkeypatch.setattr("bench.models.pool.MOST_IN_FLIGHT", 2)
    opened = []

    def open_():
        opened.append(Client())
        return opened[-1]

    pool = Pool(open_)
    with ExitStack() as calls:
        taken = [calls.enter_context(pool.taken()) for _ in range(5)]
    assert [opened.index(client) for client in taken] == [0, 0, 1, 1, 2]
    with pool.taken() as again, pool.taken() as more:
        assert [opened.index(again), opened.index(more)] == [0, 1]
    assert len(opened) == 3 and pool.first is opened[0]
    asyncio.run(pool.close())
    assert all(client.closed for client in opened)


def test_a_failed_call_gives_its_place_back(monkeypatch):
    monkeypatch.setattr("bench.models.pool.MOST_IN_FLIGHT", 1)
    pool = Pool(Client)
    for _ in range(3):
        try:
            with pool.taken() as client:
                raise OSError
        except OSError:
            assert client is pool.first


def test_more_forks_than_one_client_takes_are_all_asked_at_once(claude_server):
    many = MOST_IN_FLIGHT + 10
    server = claude_server(say(first_token_after=0.5), minimum_cached=0)

    async def run():
        async with open_model("claude-sonnet-5-5") as model:
            asks = [model.ask(request(), timeout_s=30, on_first=lambda: None) for _ in range(many)]
            return await asyncio.gather(*asks)

    assert all(isinstance(reply, Reply) for reply in asyncio.run(run()))
    assert server.most_in_flight == many
