"""A command arm: the user's own pipeline, in any language. The transcript goes in as JSON, the handoff comes out.

stdin    {"version": 1, "tokens": n, "messages": [...]}, the messages in the shape of the Messages API, each with
         "typed" (whether a person typed it), without thinking
stdout   the handoff, UTF-8
stderr   anything; a line {"usage": {"input_tokens": …, "output_tokens": …}} (the API's names) is taken as usage

The program sees neither the arm's nor the fixture's name. It runs in the arm file's folder with this process's
environment, so API keys reach it; their values are struck from all that it prints. After `timeout_s` its whole process
group is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.arms.model import CommandSpec
from bench.arms.wire import stdin_of
from bench.environment import struck
from bench.rows import Outcome
from bench.text import clip, printable
from bench.transcripts.model import Transcript, Usage

DETAIL_CHARS = 300
"""Most of a program's complaint that is kept."""
LOOK_UP_S = 0.25
"""How often a program's run is looked up from, in seconds, to see whether it is to be stopped."""
SCRIPTS = (".bash", ".cjs", ".js", ".mjs", ".php", ".pl", ".py", ".r", ".rb", ".sh", ".ts")
"""Ends of the names of scripts, which an interpreter reads."""
DRAIN_S = 2.0
"""How long the output of a killed program is waited for, in seconds."""


class Ran(Struct, frozen=True, kw_only=True):
    """What a program brought: its handoff, or the outcome and the reason why there is none."""

    text: str = ""
    outcome: Outcome = "handoff"
    detail: str | None = None
    usage: Usage | None = None


class ApiUsage(Struct, frozen=True):
    """Usage by the API's names; fields it does not know are passed over, counts below 0 are refused."""

    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_creation: CacheCreation | None = None

    def __post_init__(self) -> None:
        if (
            min(self.input_tokens, self.output_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens)
            < 0
        ):
            raise ValueError("a count of tokens is not below 0")


class CacheCreation(Struct, frozen=True):
    """Cache writes by lifetime."""

    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class UsageLine(Struct, frozen=True):
    usage: ApiUsage


def missing_program(spec: CommandSpec, folder: Path, env: Mapping[str, str]) -> str | None:
    """Why the program of `spec` cannot start, by a look at the disk; None where it can. Nothing is run.

    A script that is the program's first argument (`python3 mine.py`) is looked for, too.
    """
    program, *rest = spec.run
    where = str(folder / program) if "/" in program else program
    if shutil.which(where, path=env.get("PATH")) is not None:
        script = rest[0] if rest and Path(rest[0]).suffix in SCRIPTS and not rest[0].startswith("-") else None
        if script is None or (folder / script).is_file():
            return None
        return f"no file '{script}' beside the arm; write it, or mend the arm's command.run"
    if Path(where).is_file() and "/" in program:
        return f"the program '{program}' may not be executed; use chmod +x, or name its interpreter first"
    return f"no program '{program}' here; install it, or mend the arm's command.run"


def run_command(
    spec: CommandSpec,
    transcript: Transcript,
    folder: Path,
    env: Mapping[str, str],
    stopped: Callable[[], bool] = lambda: False,
) -> Ran:
    """What the program of `spec` made of the transcript; never raises for what a program does.

    Outcomes: handoff; empty-reply (it printed nothing); api-error (it could not start, or failed; the detail is the
    last line of its stderr); timeout; aborted (`stopped`, which is looked at now and then, said so: a thread gets no
    interrupt).
    """
    try:
        process = _started(spec, stdin_of(transcript), folder, env)
    except (OSError, ValueError) as e:
        reason = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
        return Ran(outcome="api-error", detail=_detail(f"'{spec.run[0]}' cannot start: {reason}", env))
    with process:
        try:
            out, err = _talk(process, spec.timeout_s, stopped)
        except (subprocess.TimeoutExpired, InterruptedError) as ended:
            _kill_group(process)
            usage, _ = _usage(_rest(process))
            if isinstance(ended, InterruptedError):
                return Ran(outcome="aborted", detail="interrupted; killed", usage=usage)
            return Ran(outcome="timeout", detail=f"no end after {spec.timeout_s:g} s; killed", usage=usage)
        except BaseException:  # an interrupt must not leave the program running
            _kill_group(process)
            raise
    return _read(process.returncode, out, err.decode("utf-8", "replace"), env)


def _started(spec: CommandSpec, said: bytes, folder: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """The program with `said` on its stdin: a file without a name, not a pipe, which `communicate` stops feeding at its
    first timeout, so that a program slow to start would wait for the rest for ever.
    """
    with tempfile.TemporaryFile() as stdin:
        stdin.write(said)
        stdin.seek(0)
        return subprocess.Popen(
            spec.run,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(env),
            start_new_session=True,
        )


def _talk(process: subprocess.Popen[bytes], timeout_s: float, stopped: Callable[[], bool]) -> tuple[bytes, bytes]:
    """What the program prints once it has ended. Raises TimeoutExpired, or InterruptedError where it was `stopped`."""
    until = time.monotonic() + timeout_s
    while True:
        left = until - time.monotonic()
        try:
            return process.communicate(timeout=max(0.0, min(left, LOOK_UP_S)))
        except subprocess.TimeoutExpired:  # nothing is lost: the next call goes on where this one stopped
            if left <= LOOK_UP_S:
                raise
            if stopped():
                raise InterruptedError from None


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the program and all that it started, also where the program itself has ended already."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _rest(process: subprocess.Popen[bytes]) -> str:
    """The stderr of a killed program; a child that left the group and holds the pipe open is not waited for."""
    try:
        return process.communicate(timeout=DRAIN_S)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        return ""


def _read(status: int, out: bytes, err: str, env: Mapping[str, str]) -> Ran:
    usage, trouble = _usage(err)
    if status != 0:
        lines = [line for line in err.splitlines() if line.strip() and not line.lstrip().startswith("{")]
        said = lines[-1].strip() if lines else "it said nothing on stderr"
        how = f"killed by signal {-status}" if status < 0 else f"exit status {status}"
        return Ran(outcome="api-error", detail=_detail(f"{how}: {said}", env), usage=usage)
    text = struck(out.decode("utf-8", "replace"), env)
    if not text.strip():
        return Ran(outcome="empty-reply", detail="it printed nothing", usage=usage)
    if b"\xef\xbf\xbd" not in out and "�" in text:
        trouble = "its output was not all UTF-8; bad bytes stand as U+FFFD"
    return Ran(text=text, detail=trouble, usage=usage)


def _usage(err: str) -> tuple[Usage | None, str | None]:
    """The usage on the last line of stderr that names one, and what is wrong with it where it cannot be read."""
    for line in reversed(err.splitlines()):
        if not (line.lstrip().startswith("{") and '"usage"' in line):
            continue
        try:
            told = msgspec.json.decode(line, type=UsageLine).usage
        except (msgspec.DecodeError, ValueError) as e:
            return None, clip(printable(f"usage line not read: {e}"), DETAIL_CHARS)
        split = told.cache_creation or CacheCreation(told.cache_creation_input_tokens, 0)
        return Usage(
            input=told.input_tokens,
            output=told.output_tokens,
            cache_read=told.cache_read_input_tokens,
            cache_write_5m=split.ephemeral_5m_input_tokens,
            cache_write_1h=split.ephemeral_1h_input_tokens,
        ), None
    return None, None


def _detail(text: str, env: Mapping[str, str]) -> str:
    return clip(printable(struck(text, env)).replace("\n", " "), DETAIL_CHARS)
