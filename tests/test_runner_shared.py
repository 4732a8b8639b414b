"""Several processes on one run: one works on a group at a time, and they share the budget."""

import threading

from fakes import PAID, FakeModel, answering, outside, project, reply

from bench.calls.locks import Lock
from bench.forks.progress import Lines
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.transcripts.model import Usage


def at_once(path, models, **overrides):
    """The sweep started once a model, all at the same time; what each came to."""
    summaries = {}

    def start(n, model):
        summaries[n] = run_sweep(path, outside=outside(model), grade=False, **overrides)

    threads = [threading.Thread(target=start, args=(n, model)) for n, model in enumerate(models)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [summaries[n] for n in range(len(models))]


def test_what_one_process_does_no_other_does_again(tmp_path):
    path = project(tmp_path, fixtures=("f1", "f2", "f3"), sweep="replicates = 6\nconcurrency = 2")
    models = [FakeModel(latency_s=0.003) for _ in range(3)]
    summaries = at_once(path, models)
    assert sum(len(m.asked) for m in models) == 3 * 2 * 6
    assert [s.exit_status for s in summaries] == [0, 0, 0]
    assert len(Store(tmp_path / "results/s").rows()) == 36
    # no other process asked over a context while its group was worked on
    for sha256 in {r.context.sha256 for m in models for r in m.asked}:
        assert sum(any(r.context.sha256 == sha256 for r in m.asked) for m in models) == 1


def test_the_budget_holds_for_all_of_them_together(tmp_path):
    path = project(tmp_path, fixtures=("f1", "f2", "f3"), sweep="replicates = 8\nbudget_usd = 2.0\nconcurrency = 4")
    full = Usage(input=100, output=30_000)  # 0.3002 USD of the 0.32 that are reserved
    models = [FakeModel(answering(reply(usage=full)), latency_s=0.002) for _ in range(3)]
    summaries = at_once(path, models)
    bill = sum(len(m.asked) for m in models) * 0.3002
    assert 1.5 < bill <= 2.0
    assert {s.exit_status for s in summaries} == {3}


def test_a_held_group_is_waited_for_and_told_once(tmp_path):
    path = project(tmp_path, fixtures=("f1", "f2"))
    other = Lock(Store(tmp_path / "results/s").lock_path(f"f1/{PAID}"))
    assert other.take()
    lines, model = [], FakeModel()

    def tell(line):
        lines.append(line)
        if line.startswith(f"f2/{PAID}  2/2"):
            other.release()  # only now: the free group came first

    run_sweep(path, outside=outside(model), progress=Lines(tell), grade=False)
    assert [line for line in lines if "waiting" in line] == [f"f1/{PAID}: {other.owner} works on it; waiting"]
    assert len(model.asked) == 4


def test_a_commitments_pass_is_asked_by_one_process_and_serves_them_all(tmp_path):
    arms = {n: f'+++\nparts = ["summary", "commitments"]\n+++\nPrompt {n}.' for n in ("a", "b")}
    path = project(tmp_path, arms=arms, fixtures=("f1", "f2"), sweep="replicates = 3\nconcurrency = 2")
    (tmp_path / "prompts/_commitments.md").write_text("Find.")
    found = reply('UNKEPT | T1 | "I will." | not done')
    models = [
        FakeModel(lambda r, _n: found if r.instruction == "Find." else reply(), latency_s=0.003) for _ in range(3)
    ]
    summaries = at_once(path, models)
    asked = [r.instruction for m in models for r in m.asked]
    assert (asked.count("Find."), len(asked)) == (2 * 3, 2 * 3 + 2 * 2 * 3)
    assert [s.exit_status for s in summaries] == [0, 0, 0]
    assert [r.parts_failed for r in Store(tmp_path / "results/s").rows()] == [None] * 12
