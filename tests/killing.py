"""Runs that are killed: a process that has loaded all that a run needs forks a child for each, so that a kill is cheap.

with Killer() as killer:
    killer.run(sweep, 0.3)     # started, and killed with SIGKILL 0.3 s later if it still runs; True where it was
"""

from __future__ import annotations

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

    def run(self, sweep: Path, kill_after_s: float) -> bool:
        """Whether the run was killed before its end."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{kill_after_s} {sweep}\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline().strip()
        assert told in ("killed", "ended"), f"the run ended otherwise: {told or 'its parent is gone'}"
        return told == "killed"


def _main() -> None:
    import anthropic.resources.messages  # noqa: F401 - loaded here, once, for all children
    import httpx2  # noqa: F401

    from bench.forks.run import run_sweep

    for line in sys.stdin:
        after, _, sweep = line.strip().partition(" ")
        child = os.fork()
        if not child:
            try:
                status = run_sweep(sweep, grade=False).exit_status
            finally:
                os._exit(status if "status" in locals() else 99)
        until = time.monotonic() + float(after)
        while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
            time.sleep(POLL_S)
        if not ended[0]:
            os.kill(child, signal.SIGKILL)
            ended = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(ended[1])
        print({0: "ended", -signal.SIGKILL: "killed"}.get(code, f"status {code}"), flush=True)


if __name__ == "__main__":
    _main()
