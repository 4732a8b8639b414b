"""Other packages' work beside a fork: told on the row, never costing it; and kinds of arms that packages offer."""

import _thread
import asyncio
import threading

import pytest
from fakes import PAID, TEXT, FakeModel, attempt, outside, project, reply
from test_plugins import installed  # noqa: F401

from bench import plugins
from bench.arms import load_arm
from bench.errors import BenchError
from bench.forks.run import RunInterrupted, run_sweep
from bench.forks.store import Store


def run(path, world):
    return run_sweep(path, outside=world, grade=False)


class Indexer:
    """Keeps what it was told."""

    def __init__(self):
        self.begun = []

    def beside(self, begun):
        self.begun.append(begun)


class Refuses:
    def beside(self, begun):
        raise plugins.Denied(f"not over {begun.fixture}\nthe rest is not told")


class Breaks:
    def beside(self, _begun):
        raise SystemExit("bad")


class Hangs:
    timeout_s = 0.05

    def __init__(self):
        self.let_go = threading.Event()

    def beside(self, _begun):
        self.let_go.wait(20)


def rows(summary):
    store = Store(summary.folder)
    return [(row, store.parts(row)) for row in store.rows()]


def ended(parts):
    return {one.name: (one.outcome, one.detail) for one in parts.subscribers}


def test_how_each_subscriber_ended_stands_on_the_row_and_the_fork_is_as_without(tmp_path, installed):  # noqa: F811
    indexer, hangs = Indexer(), Hangs()
    installed(plugins.SUBSCRIBERS, indexer=indexer, refuses=Refuses, breaks=Breaks, hangs=hangs)
    model = FakeModel()
    summary = run(project(tmp_path, arms={"a": "Say it.", "b": "Say it."}), outside(model))
    assert summary.outcomes == {"handoff": 2}
    for row, parts in rows(summary):
        assert row.subscribers == "breaks: threw, hangs: timed out, indexer: ok, refuses: denied"
        assert ended(parts) == {
            "breaks": ("threw", "SystemExit: bad"),
            "hangs": ("timed out", "no end after 0.05 s; left running"),
            "indexer": ("ok", None),
            "refuses": ("denied", "not over f1 the rest is not told"),
        }
        assert Store(summary.folder).handoff_text(row) == TEXT
    (begun,) = indexer.begun  # once a fork, not once an arm
    assert (begun.fixture, begun.model, begun.arms, begun.run) == ("f1", PAID, ("a", "b"), "s")
    assert begun.context == model.asked[0].context.body and begun.instruction == "Say it."
    hangs.let_go.set()


def test_a_fork_that_is_asked_again_is_told_once(tmp_path):
    tries = [attempt(), attempt(), reply()]
    indexer = Indexer()
    world = outside(FakeModel(lambda _r, n: tries[min(n, 2)]), subscribers=lambda: {"indexer": indexer})
    summary = run(project(tmp_path, arms={"a": "Say it."}), world)
    assert summary.outcomes == {"handoff": 1} and len(indexer.begun) == 1


def test_without_subscribers_the_row_says_nothing(tmp_path):
    ((row, parts),) = rows(run(project(tmp_path, arms={"a": "Say it."}), outside(FakeModel())))
    assert row.subscribers is None and parts.subscribers == ()


def test_an_interrupt_waits_for_no_subscriber(tmp_path):
    hangs = Hangs()
    hangs.timeout_s = 60

    class Slow(FakeModel):
        async def ask(self, request, *, timeout_s, on_first):
            if self.asked:
                _thread.interrupt_main()
                await asyncio.sleep(60)
            return await super().ask(request, timeout_s=timeout_s, on_first=on_first)

    world = outside(Slow(), subscribers=lambda: {"hangs": hangs})
    with pytest.raises(RunInterrupted) as stop:
        run(project(tmp_path, arms={"a": "Say it.", "b": "Say more."}, sweep="concurrency = 1"), world)
    hangs.let_go.set()
    ((row, parts),) = rows(stop.value.summary)
    assert ended(parts) == {"hangs": ("timed out", "the run was interrupted")}
    assert row.outcome == "handoff"


def test_a_subscriber_that_is_none_is_told_before_anything_is_asked(tmp_path, installed):  # noqa: F811
    installed(plugins.SUBSCRIBERS, bad=object())
    model = FakeModel()
    with pytest.raises(BenchError, match=r"'bad' of handoff_bench\.subscribers is no subscriber: it needs beside"):
        run(project(tmp_path), outside(model))
    assert model.asked == []


class LastWords:
    def build(self, transcript, options):
        if options.get("words", 0) < 1:
            raise ValueError("words is 1 or more")
        return " ".join(transcript.messages[-1].text.split()[-options["words"] :])


def test_a_kind_of_arm_of_another_package_is_named_in_an_arms_file(tmp_path, installed):  # noqa: F811
    installed(plugins.ARMS, **{"last-words": LastWords})
    arms = {"end.toml": 'kind = "last-words"\nparts = ["summary", "state"]\nlast-words = {words = 3}\n'}
    summary = run(project(tmp_path, arms=arms, models=()), outside())
    ((row, parts),) = rows(summary)
    assert (row.kind, row.model, row.outcome, row.deterministic) == ("last-words", "none", "handoff", True)
    assert row.summary_chars == len(Store(summary.folder).summary_text(row)) and row.summary_chars > 0
    assert [p.name for p in parts.parts] == ["summary", "state"]
    path = tmp_path / "prompts/end.toml"
    path.write_text(path.read_text().replace("words = 3", "words = 2"))
    again = run(tmp_path / "sweeps/s.toml", outside())
    assert sorted(r.arm.split("@")[0] for r, _ in rows(again)) == ["end", "end"]  # another option, another version


def test_what_such_a_kind_raises_is_an_attempt_and_its_cell_is_tried_again(tmp_path, installed):  # noqa: F811
    installed(plugins.ARMS, **{"last-words": LastWords})
    summary = run(project(tmp_path, arms={"end.toml": 'kind = "last-words"\n'}, models=()), outside())
    assert (summary.exit_status, len(summary.missing)) == (1, 1)
    assert "api-error: ValueError: words is 1 or more" in next(iter(summary.failures.values()))


@pytest.mark.parametrize(
    ("text", "offered", "told"),
    [
        ('kind = "last-words"\n', None, "end.toml:1: kind: invalid enum value 'last-words'"),
        ('kind = "last-words"\nlast-words = 3\n', LastWords, "end.toml:2: last-words is a table"),
        ('kind = "last-words"\nwindow = {tokens = 3}\n', LastWords, "takes no table 'window'"),
        ('kind = "last-words"\npinz = true\n', LastWords, "end.toml:2: pinz: unknown field"),
    ],
)
def test_a_faulty_arm_of_such_a_kind_is_told_in_one_line(tmp_path, installed, text, offered, told):  # noqa: F811
    if offered:
        installed(plugins.ARMS, **{"last-words": offered})
    path = tmp_path / "end.toml"
    path.write_text(text)
    with pytest.raises(BenchError) as error:
        load_arm(path)
    assert told in str(error.value)
