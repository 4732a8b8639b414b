"""The status of a notebook: written last, and the only proof that it ran; that the notebook is there proves nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from bench.atomic import write_bytes
from bench.notebook import Result

State = Literal["ok", "failed", "interrupted"]


class Job(Struct, frozen=True, kw_only=True):
    """A notebook to execute: a template, its parameters (JSON values), and where the result goes."""

    name: str
    """File stem of the executed notebook and its status."""
    template: str
    """Path of the template."""
    folder: str
    """Path of the folder of executed notebooks."""
    parameters: dict[str, Any]
    inputs_sha256: str | None = None
    """What the notebook reads, where that decides whether it must run again."""
    timeout_s: int | None = None
    """Limit of a cell; None where the work has limits of its own."""
    alone_with: str | None = None
    """Jobs of the same name here are never executed at once: a local model fills the machine."""
    leaves_result: bool = False
    """Whether its last cell notes a result; without one it has not run well."""

    def path(self, suffix: str) -> Path:
        """The file of this name with `.ipynb`, `.running.ipynb`, `.failed.ipynb` or `.status.json`."""
        return Path(self.folder) / f"{self.name}{suffix}"


class Failure(Struct, frozen=True):
    """What went wrong: the exception's class and its message, one line."""

    kind: str
    message: str


class Status(Struct, frozen=True, kw_only=True):
    """A .status.json. Paths in it are relative to the run's folder or as the parameters name them."""

    notebook: str
    state: State
    parameters: dict[str, Any]
    template_sha256: str
    inputs_sha256: str | None
    versions: dict[str, str]
    started_at: str
    seconds: float
    starts: int
    """2 where the kernel failed before the first cell and was started once more."""
    error: Failure | None = None
    result: Result | None = None
    """What the notebook's last cell noted; None where it notes none."""


def sha256_of(path: Path) -> str:
    """sha256 (hex) of the file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_status(job: Job, status: Status) -> None:
    """Write the status whole, after everything else."""
    write_bytes(job.path(".status.json"), msgspec.json.format(msgspec.json.encode(status), indent=2) + b"\n")


def read_status(job: Job) -> Status | None:
    """The status of the last execution, None where there is none that can be read."""
    try:
        return msgspec.json.decode(job.path(".status.json").read_bytes(), type=Status)
    except (OSError, msgspec.MsgspecError):
        return None


def current_status(job: Job, versions: dict[str, str]) -> Status | None:
    """The job's status, if it ran well from the same template, parameters, inputs and versions; else None.

    A job that does not say what it reads is never current: only its runner knows what is left to do.
    """
    status = read_status(job)
    same = (
        status is not None
        and status.state == "ok"
        and job.inputs_sha256 is not None
        and status.inputs_sha256 == job.inputs_sha256
        and status.template_sha256 == sha256_of(Path(job.template))
        and status.parameters == job.parameters
        and status.versions == versions
        and job.path(".ipynb").is_file()
    )
    return status if same else None
