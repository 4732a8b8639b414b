"""List the arms of the project: label, kind, settings, size of the instruction in estimated tokens, first line.

With `import FILE`, the prompts of a promptfoo file become arms first: prompts/<label>.md, nothing overwritten.

examples:
  bench arms
  bench arms --json
  bench arms import promptfooconfig.yaml
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import msgspec

from bench.arms import Arm, ArmFile, list_arms
from bench.cli.output import emit, emit_json, say
from bench.errors import BenchError, shown
from bench.project import find_project
from bench.text import clip, estimate_tokens

COLUMNS = ("arm", "kind", "settings", "tokens", "first line")
FIRST_LINE_CHARS = 60


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", metavar="import FILE", nargs="*", help="take the prompts of a promptfoo file as arms")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON, the settings as written")


def run(args: Namespace) -> int:
    if args.action:
        return _import(args)
    arms = list_arms(find_project())
    emit([_json_row(a) if args.json else _text_row(a) for a in arms], COLUMNS, as_json=args.json)
    return 0


def _import(args: Namespace) -> int:
    from bench.exporting.promptfoo import import_prompts

    match args.action:
        case ["import", file]:
            written, notes = import_prompts(Path(file), find_project())
        case _:
            raise BenchError("'bench arms' lists the arms; 'bench arms import FILE' takes those of a promptfoo file")
    for note in notes:
        say(note)
    if args.json:
        emit_json([str(path) for path in written])
    else:
        print("\n".join(f"written: {shown(path)}" for path in written))
    return 0


def _text_row(arm: Arm) -> dict[str, object]:
    row = _json_row(arm)
    settings = {k: v for k, v in _own_settings(arm).items() if k != "kind"}
    line = row["first_line"]
    return {
        **row,
        "settings": ", ".join(_told(k, v) for k, v in settings.items()) or None,
        "first line": clip(line, FIRST_LINE_CHARS) if isinstance(line, str) else None,
    }


def _json_row(arm: Arm) -> dict[str, object]:
    return {
        "arm": arm.label,
        "kind": arm.kind,
        "settings": _own_settings(arm),
        "tokens": estimate_tokens(arm.text) if arm.text else None,
        "first_line": arm.text.split("\n", 1)[0] or None,
    }


def _own_settings(arm: Arm) -> dict[str, object]:
    """The settings that differ from their defaults, and the size of the reply where there is one, as plain data."""
    defaults = msgspec.to_builtins(ArmFile())
    shown = {"max_tokens"} if arm.asks_model else set()
    return {k: _plain(v) for k, v in msgspec.to_builtins(arm.settings).items() if v != defaults[k] or k in shown}


def _plain(value: object) -> object:
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


def _told(name: str, value: object) -> str:
    match value:
        case True:
            return name
        case dict():
            return f"{name} {', '.join(_told(k, v) for k, v in value.items())}"
        case list() | tuple():
            return f"{name} {' '.join(map(str, value))}"
        case _:
            return f"{name} {value}"
