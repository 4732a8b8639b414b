"""The handoff text of every arm that needs no model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from bench.arms.command import run_command
from bench.arms.extract import extract_text
from bench.arms.model import Arm, TailSpec
from bench.arms.newest import full_text, tail_text, window_text
from bench.arms.offered import offered_text
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.project import checked_label
from bench.rows import Outcome
from bench.schema import read_text
from bench.transcripts.model import Transcript, Usage


class Built(Struct, frozen=True, kw_only=True):
    """What an arm handed up without a model of the bench's, or the outcome and the reason why it has nothing."""

    text: str = ""
    outcome: Outcome = "handoff"
    detail: str | None = None
    usage: Usage | None = None
    """What a command arm reported that it used; None where it said nothing."""


def build(
    arm: Arm, fixture: Fixture, *, tail_tokens: int | None = None, stopped: Callable[[], bool] = lambda: False
) -> Built:
    """The text of `arm` over the fixture's transcript. Blocks while a command arm's program runs, until `stopped`.

    `tail_tokens`: mean handoff size of the arm that a tail is `like`; None where that arm has no handoff here.
    Raises BenchError for an arm that asks a model, and for a replay that cannot be read.
    """
    settings, transcript = arm.settings, fixture.transcript
    match arm.kind:
        case "full":
            return Built(text=full_text(transcript))
        case "nothing":
            return Built()
        case "window" if settings.window:
            return Built(text=window_text(transcript, settings.window))
        case "extract" if settings.extract:
            return Built(text=extract_text(transcript, settings.extract.tokens))
        case "tail" if settings.tail:
            return _tail(settings.tail, transcript, tail_tokens)
        case "replay" if settings.replay:
            return _replay(replay_path(fixture, settings.replay.label))
        case "command" if settings.command:
            folder = arm.path.parent if arm.path else Path.cwd()
            ran = run_command(settings.command, transcript, folder, os.environ, stopped)
            return Built(text=ran.text, outcome=ran.outcome, detail=ran.detail, usage=ran.usage)
        case "offered" if settings.offered:
            made = offered_text(settings.offered, transcript)
            return Built(text=made.text, outcome="api-error" if made.failed else "handoff", detail=made.failed)
        case _:
            raise BenchError(
                f"the arm '{arm.label}' of kind '{arm.kind}' cannot be built without a model", path=arm.path
            )


def replay_path(fixture: Fixture, label: str) -> Path:
    """Where the fixture keeps the text that a replay arm hands up, whether it is there or not.

    A step of a chain has one of its own, `stock.s1.md`: the text for the whole conversation would tell what is to come.
    """
    step = "" if fixture.step is None else f".s{fixture.step}"
    return fixture.folder / "replays" / f"{checked_label(label, 'replay')}{step}.md"


def _tail(spec: TailSpec, transcript: Transcript, tail_tokens: int | None) -> Built:
    tokens = spec.tokens if spec.tokens is not None else tail_tokens
    if tokens is None:
        return Built(
            outcome="nothing-to-fork", detail=f"no handoff of '{spec.like}' on this fixture to take the size of"
        )
    return Built(text=tail_text(transcript, tokens))


def _replay(path: Path) -> Built:
    if not path.is_file():
        return Built(outcome="nothing-to-fork", detail=f"no replays/{path.name} in {_folder(path)}")
    text = read_text(path).strip()
    if not text:
        return Built(outcome="nothing-to-fork", detail=f"replays/{path.name} in {_folder(path)} is empty")
    return Built(text=text)


def _folder(replay: Path) -> str:
    """The fixture's folder as a person knows it: rows name no place of a machine."""
    fixture = replay.parents[1]
    return f"{fixture.parent.name}/{fixture.name}"
