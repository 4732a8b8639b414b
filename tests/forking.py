"""Processes that are killed, cheap to start: one that has loaded what runs and judges need forks a child for each.

with Forker() as forker:
    child = forker.start("import sys; …", cwd)     # Python code, as `python -c` would run it
    child.send_signal(signal.SIGINT)
    assert child.wait() == 130
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

POLL_S = 0.001
GOING = 1000
"""What is told of a child that goes on; no exit code."""


class Child:
    """One such process. A fork of a parent that it is no child of: its exit code comes from there."""

    def __init__(self, forker: Forker, pid: int) -> None:
        self._forker = forker
        self.pid = pid
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self) -> int:
        """Its exit code once it has ended, minus the signal that ended it."""
        if self.returncode is None:
            self.returncode = self._forker.ask(wait=self.pid)
        return self.returncode

    def killed_after(self, seconds: float) -> bool:
        """Whether it had to be killed then; AssertionError where it ended otherwise than well before."""
        until = time.monotonic() + seconds
        while self._forker.ask(ended=self.pid) == GOING and time.monotonic() < until:
            time.sleep(POLL_S)
        if self._forker.ask(ended=self.pid) == GOING:
            self.kill()
        code = self.wait()
        assert code in (0, -signal.SIGKILL), f"it ended otherwise: status {code}"
        return code != 0


class Forker:
    """The preloaded parent, in a process of its own: a fork of the test's process would inherit its threads' locks."""

    def __enter__(self) -> Forker:
        command = [sys.executable, str(Path(__file__))]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def start(self, code: str, cwd: Path, *argv: str) -> Child:
        """A child that runs the code in that folder, with this process's environment and these arguments."""
        return Child(self, self.ask(code=code, cwd=str(cwd), argv=argv, environ=dict(os.environ)))

    def ask(self, **order: object) -> int:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        assert told, "the parent of the processes to kill is gone"
        return int(told)


def _run(order: dict[str, object]) -> int:
    """The exit code of the code, in a child."""
    try:
        os.environ.clear()
        os.environ.update(order["environ"])  # type: ignore[arg-type]
        os.chdir(str(order["cwd"]))
        sys.argv = ["-c", *order["argv"]]  # type: ignore[misc]
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        exec(str(order["code"]), {"__name__": "__main__"})
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _main() -> None:
    import anthropic.resources.messages  # noqa: F401 - loaded here, once, for all children
    import httpx2  # noqa: F401

    import bench.forks.run
    import bench.grading.judge.run  # noqa: F401

    codes: dict[int, int] = {}
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order or "ended" in order:
            pid, how = (order["wait"], 0) if "wait" in order else (order["ended"], os.WNOHANG)
            if pid not in codes and (ended := os.waitpid(pid, how))[0]:
                codes[pid] = os.waitstatus_to_exitcode(ended[1])
            print(codes.get(pid, GOING), flush=True)
            continue
        child = os.fork()
        if not child:
            os._exit(_run(order))
        print(child, flush=True)


if __name__ == "__main__":
    _main()
