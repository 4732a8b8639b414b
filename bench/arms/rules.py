"""What an arm's settings must keep to beyond their types: one table per kind, sound values, nothing unbuilt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, get_args

from bench.arms.model import MODEL_KINDS, ArmFile, Ceiling, Kind
from bench.project import LABEL
from bench.sweepfile import EFFORTS, commitments_faults

TABLES: tuple[Kind, ...] = ("window", "extract", "tail", "replay", "server", "command")
"""Kinds that have a table of their own, under their own name."""
READ_PARTS = ("summary", "ledger", "state")
"""Parts that ask no model beside the one that writes the summary."""


class Fault(NamedTuple):
    """What is wrong with a setting, and the path of its key in the file."""

    message: str
    at: tuple[str, ...]


def faults(settings: ArmFile, suffix: str) -> Iterator[Fault]:
    """Every fault of an arm's settings, in a file named `*suffix` ('.md' or '.toml'); none where it is sound."""
    yield from _kind(settings, suffix)
    yield from _values(settings)
    if settings.ceiling is not None:
        yield from _ceiling(settings.ceiling)


def _kind(settings: ArmFile, suffix: str) -> Iterator[Fault]:
    kind = settings.kind
    given = [name for name in TABLES if getattr(settings, name) is not None]
    if suffix == ".md" and kind != "prompt":
        yield Fault(f"a .md file is a prompt arm; an arm of kind '{kind}' is a .toml file", ("kind",))
    elif suffix == ".toml" and kind == "prompt" and settings.text is None:
        named = given[0] if given else get_args(Kind)[1]
        told = 'a prompt arm is a .md file, or names the prompt whose text it takes, as in text = "inventory"; '
        yield Fault(f'{told}any other arm names its kind, as in kind = "{named}"', ("kind",))
    elif settings.text is not None and (suffix == ".md" or kind != "prompt"):
        yield Fault("text names the prompt of a prompt arm in a .toml file; take it out", ("text",))
    elif kind == "offered" and settings.offered is None:
        yield Fault("a kind that a package offers is named by its own name", ("kind",))
    elif others := [name for name in given if name != kind]:
        yield Fault(f"an arm of kind '{kind}' takes no table '{others[0]}'; take it out", (others[0],))
    elif kind in TABLES and kind != "server" and kind not in given:
        yield Fault(f"an arm of kind '{kind}' needs its table '{kind}'; docs/formats.md shows it", ("kind",))


def _values(settings: ArmFile) -> Iterator[Fault]:
    asks_model = settings.kind in MODEL_KINDS
    if not settings.parts or len(set(settings.parts)) < len(settings.parts):
        yield Fault("parts names each part once, and at least one", ("parts",))
    if settings.max_tokens < 1:
        yield Fault("max_tokens is 1 or more", ("max_tokens",))
    if settings.effort is not None and settings.effort not in EFFORTS:
        yield Fault(f"effort is one of {', '.join(EFFORTS)}", ("effort",))
    if not asks_model and settings.effort is not None:
        yield Fault(f"an arm of kind '{settings.kind}' asks no model; take effort out", ("effort",))
    if not asks_model and settings.max_tokens != ArmFile().max_tokens:
        yield Fault(f"an arm of kind '{settings.kind}' asks no model; take max_tokens out", ("max_tokens",))
    if settings.text is not None and not LABEL.match(settings.text):
        yield Fault(f"'{settings.text}' is no arm's label", ("text",))
    if settings.commitments is not None and "commitments" not in settings.parts:
        yield Fault("the part 'commitments' is not among the parts; add it, or take its table out", ("commitments",))
    if settings.commitments is not None:
        yield from (Fault(told, ("commitments", name)) for told, name in commitments_faults(settings.commitments))
    yield from _own_table(settings)


def _own_table(settings: ArmFile) -> Iterator[Fault]:
    for name, table in (("window", settings.window), ("extract", settings.extract), ("tail", settings.tail)):
        if table is not None and table.tokens is not None and table.tokens < 1:
            yield Fault("tokens is 1 or more", (name, "tokens"))
    tail, replay, command = settings.tail, settings.replay, settings.command
    if tail is not None and (tail.tokens is None) == (tail.like is None):
        yield Fault("tail takes one of: tokens, or like (another arm's label)", ("tail",))
    if tail is not None and tail.like is not None and not LABEL.match(tail.like):
        yield Fault(f"'{tail.like}' is no arm's label", ("tail", "like"))
    if replay is not None and (not LABEL.match(replay.label) or replay.label.startswith((".", "-"))):
        yield Fault(
            f"replay label '{replay.label}' is no plain name; use letters, digits, dot, dash and underscore",
            ("replay", "label"),
        )
    server = settings.server
    if server is not None and server.instructions is not None and not LABEL.match(server.instructions):
        yield Fault(f"'{server.instructions}' is no arm's label", ("server", "instructions"))
    if settings.kind == "server" and settings.restore and (server is None or server.instructions is None):
        yield Fault("restore needs instructions of our own: the server's prompt asks for no files", ("restore",))
    if command is not None and not (command.run and command.run[0].strip()):
        yield Fault("run names the program and its arguments, as a list", ("command", "run"))
    if command is not None and not 0 < command.timeout_s < float("inf"):
        yield Fault("timeout_s is a number of seconds above 0", ("command", "timeout_s"))


def _ceiling(ceiling: Ceiling) -> Iterator[Fault]:
    fraction, cap, chars = ceiling.fraction, ceiling.cap_tokens, ceiling.chars
    if fraction is None and cap is None and chars is None:
        yield Fault("ceiling names fraction, cap_tokens, both, or chars", ("ceiling",))
    if chars is not None and (fraction is not None or cap is not None):
        yield Fault("chars overrides the ceiling; take fraction and cap_tokens out", ("ceiling", "chars"))
    if fraction is not None and not 0 < fraction <= 1:
        yield Fault("fraction is above 0 and at most 1", ("ceiling", "fraction"))
    for name, value in (("cap_tokens", cap), ("chars", chars)):
        if value is not None and value < 1:
            yield Fault(f"{name} is 1 or more", ("ceiling", name))
