"""Runs that are killed: a process that has loaded all that a run needs forks a child for each, so that a kill is cheap.

with Killer() as killer:
    killer.run(sweep, 0.3)     # started, and killed with SIGKILL 0.3 s later if it still runs; True where it was
    killer.run(sweep, batch=True, at="bench.calls.ledger.Ledger.sent")     # killed when it comes to call that
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

POLL_S = 0.001


class Killer:
    """The preloaded parent, in a process of its own: a fork of the test's process would inherit its threads' locks."""

    def __enter__(self) -> Killer:
        command = [sys.executable, str(Path(__file__))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def run(self, sweep: Path, kill_after_s: float = 60.0, *, batch: bool = False, at: str = "") -> bool:
        """Whether the run was killed before its end."""
        assert self._process.stdin and self._process.stdout
        order = {"sweep": str(sweep), "after": kill_after_s, "batch": batch, "at": at, "environ": _servers()}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline().strip()
        assert told in ("killed", "ended"), f"the run ended otherwise: {told or 'its parent is gone'}"
        return told == "killed"


def _servers() -> dict[str, str]:
    """Where the test of this moment has its server."""
    return {k: v for k, v in os.environ.items() if k.startswith("ANTHROPIC_")}


def _die_at(name: str) -> None:
    """Kill this process when it calls that method."""
    where, _, method = name.rpartition(".")
    module, _, class_ = where.rpartition(".")
    owner = getattr(importlib.import_module(module), class_)
    setattr(owner, method, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))


def _main() -> None:
    import anthropic.resources.messages  # noqa: F401 - loaded here, once, for all children
    import httpx2  # noqa: F401

    from bench.forks.run import run_sweep

    for line in sys.stdin:
        order = json.loads(line)
        os.environ.update(order["environ"])
        child = os.fork()
        if not child:
            try:
                if order["at"]:
                    _die_at(order["at"])
                status = run_sweep(order["sweep"], grade=False, batch=order["batch"] or None).exit_status
            finally:
                os._exit(status if "status" in locals() else 99)
        until = time.monotonic() + order["after"]
        while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
            time.sleep(POLL_S)
        if not ended[0]:
            os.kill(child, signal.SIGKILL)
            ended = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(ended[1])
        print({0: "ended", -signal.SIGKILL: "killed"}.get(code, f"status {code}"), flush=True)


if __name__ == "__main__":
    _main()
