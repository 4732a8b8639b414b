"""A run's folder as a start of it leaves it before the first call."""

from __future__ import annotations

from bench.atomic import write_all
from bench.calls.locks import held
from bench.errors import BenchError
from bench.forks.planning import Laid
from bench.forks.runfile import encode_run_file, merged


def open_folder(laid: Laid) -> None:
    """run.json, and each context and each arm's instruction once.

    Raises BenchError where another process has given the run a version of an arm meanwhile.
    """
    store = laid.store
    with held(store.root / "locks" / "run.lock"):
        now = store.run_json() if store.run_file.exists() else None
        run_file = merged(now, laid.run_file)
        for label, marks in run_file.arms.items():
            if now is not None and marks[: len(now.arms.get(label, ()))] != now.arms.get(label, ()):
                raise BenchError(f"another process gave this run a new version of '{label}'; start again")
        once = [(store.context_path(sha), p.context.body) for sha, p in laid.grid.contexts.items()]
        asked = {a.instruction_sha256: a.instruction.encode("utf-8", "replace") for a in laid.resolved.arms}
        once += [(store.instruction_path(sha), text) for sha, text in asked.items() if sha is not None]
        write_all([f for f in once if not f[0].exists()] + [(store.run_file, encode_run_file(run_file))])
