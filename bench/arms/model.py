"""What an arm is: a file's text and its settings. Format: docs/formats.md."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.sweepfile import CommitmentsSpec

Kind = Literal["prompt", "window", "extract", "replay", "tail", "full", "nothing", "server", "command", "offered"]
Part = Literal["summary", "ledger", "commitments", "state"]
MODEL_KINDS: frozenset[str] = frozenset({"prompt", "server"})
"""Kinds that ask a model; all others run once per fixture."""


class Ceiling(Struct, frozen=True, forbid_unknown_fields=True):
    """Handoff ceiling: a fraction of the window, capped; or `chars`, an override that is never clamped."""

    fraction: float | None = None
    cap_tokens: int | None = None
    chars: int | None = None


class WindowSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """The budget cut: newest records within `tokens`. `rule` is 'exact' or the seed's backward walk."""

    tokens: int
    rule: Literal["exact", "seed"] = "exact"


class ExtractSpec(Struct, frozen=True, forbid_unknown_fields=True):
    tokens: int


class TailSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """Newest messages of a size: `tokens`, or the mean handoff size of the arm `like` on the same fixture."""

    tokens: int | None = None
    like: str | None = None


class ReplaySpec(Struct, frozen=True, forbid_unknown_fields=True):
    label: str


class ServerSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """Server-side compaction; `instructions` names the prompt arm whose text is sent, or nothing for the default."""

    instructions: str | None = None


class CommandSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """The user's own pipeline: the transcript as JSON on stdin, the handoff on stdout."""

    run: tuple[str, ...]
    timeout_s: float = 300


class OfferedSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind that an installed package offers, by its name, with the table of that name as it stands in the file."""

    name: str
    options: dict[str, object] = {}


class ArmFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of an arm as written in its file."""

    kind: Kind = "prompt"
    parts: tuple[Part, ...] = ("summary",)
    pins: bool = False
    restore: bool = False
    max_tokens: int = 32000
    effort: str | None = None
    ceiling: Ceiling | None = None
    window: WindowSpec | None = None
    extract: ExtractSpec | None = None
    tail: TailSpec | None = None
    replay: ReplaySpec | None = None
    server: ServerSpec | None = None
    command: CommandSpec | None = None
    offered: OfferedSpec | None = None
    commitments: CommitmentsSpec | None = None
    """Of the part `commitments`: who is asked for it."""
    text: str | None = None
    """Of a prompt arm in a .toml file: the prompt whose text it takes."""


class Arm(Struct, frozen=True, kw_only=True):
    """An arm ready to run: label, settings, and (for prompt arms) the instruction's text."""

    label: str
    settings: ArmFile
    text: str = ""
    """The instruction of a prompt arm: the file's text after its front matter, nothing else."""
    path: Path | None = None

    @property
    def kind(self) -> Kind:
        return self.settings.kind

    @property
    def kind_name(self) -> str:
        """The kind as its file and its rows name it: a package's own name for one that it offers."""
        return self.settings.offered.name if self.settings.offered else self.settings.kind

    @property
    def asks_model(self) -> bool:
        """Whether a model writes its summary."""
        return self.kind in MODEL_KINDS

    @property
    def has_commitments(self) -> bool:
        """Whether a model is asked what the assistant promised, took back or asked in vain."""
        return "commitments" in self.settings.parts

    @property
    def needs_model(self) -> bool:
        """Whether it has cells with a model: for its summary, or for a part of what stands around it."""
        return self.asks_model or self.has_commitments
