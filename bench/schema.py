"""Reading a person's file into a struct, with the line of whatever is wrong with it.

msgspec validates (unknown fields refused, types held); this module finds the line for its `$.atoms[3].tag` paths.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bench.errors import BenchError
from bench.schema_hints import did_you_mean, fields_at, values_at

T = TypeVar("T")
Lines = dict[tuple[str | int, ...], int]
"""Path inside the document -> 1-based line."""

MOST_NESTED, MOST_PARTS = 100, 1_000_000
"""Of a YAML file: an alias may name a part that holds it, and a few lines of aliases billions of parts."""

_AT = re.compile(r" - at `(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")


def read_text(path: Path) -> str:
    """The file as UTF-8 text without a byte-order mark. Raises BenchError where it is missing or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BenchError("no such file", path=path) from None
    except IsADirectoryError:
        raise BenchError("is a folder, not a file", path=path) from None
    except UnicodeDecodeError as e:
        line = path.read_bytes()[: e.start].count(b"\n") + 1
        raise BenchError("not UTF-8 text; save it as UTF-8", path=path, line=line) from None
    except OSError as e:
        raise BenchError(f"cannot be read: {e.strerror}", path=path) from None


def load_toml(path: Path, type_: type[T], *, text: str | None = None, first_line: int = 1) -> T:
    """The TOML file (or `text`, which begins at `first_line` of it) as `type_`. Raises BenchError with the line."""
    source = read_text(path) if text is None else text
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as e:
        found = re.search(r"line (\d+)", str(e))
        line = (int(found[1]) if found else len(source.splitlines())) + first_line - 1  # else: "at end of document"
        raise BenchError(f"not valid TOML: {str(e).split(' (at')[0]}", path=path, line=line) from None
    except RecursionError:
        raise BenchError("not valid TOML: parts stand in each other too deep", path=path) from None
    return convert(data, type_, path, lambda at: toml_line(source, at, first_line))


def load_yaml(path: Path, type_: type[T]) -> tuple[T, Lines]:
    """The YAML file as `type_`, and the line of each part by its path. Raises BenchError with the line."""
    data, lines = read_yaml(path)
    return convert(data, type_, path, lambda at: nearest_line(lines, at)), lines


def read_yaml(path: Path) -> tuple[object, Lines]:
    """The YAML file as plain data, and the line of each part by its path. Raises BenchError with the line."""
    import yaml

    source = read_text(path)
    try:
        # libyaml's, where the package was built with it: some ten times faster, and nested parts cannot overflow
        node = yaml.compose(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        lines: Lines = {}
        scalar = yaml.constructor.SafeConstructor().construct_object
        return (None if node is None else _plain(node, (), lines, path, scalar)), lines
    except yaml.YAMLError as e:
        mark = getattr(e, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        raise BenchError(f"not valid YAML: {getattr(e, 'problem', None) or e}", path=path, line=line) from None


def convert(data: object, type_: type[T], path: Path, line_of: Any = None) -> T:
    """`data` as `type_`; a ValidationError becomes a BenchError at the line that `line_of(path)` gives."""
    try:
        return msgspec.convert(data, type_, strict=True)
    except msgspec.ValidationError as e:
        message, at = _told(str(e), type_)
        line = line_of(at) if line_of is not None else None
        where = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in at).lstrip(".")
        raise BenchError(f"{where + ': ' if where else ''}{message}", path=path, line=line) from None


def _told(error: str, type_: object) -> tuple[str, tuple[str | int, ...]]:
    found = _AT.search(error)
    message = _AT.sub("", error).replace("Object", "the table", 1) if found else error
    steps = _STEP.finditer(found["path"][1:]) if found else ()
    at: list[str | int] = []
    for step in steps:
        if step["key"]:
            at.append(step["key"])
        elif step["index"] != "...":
            at.append(int(step["index"]))
    unknown = re.search(r"unknown field `([^`]*)`", error)
    if unknown:
        message = f"unknown field; {did_you_mean(unknown[1], fields_at(type_, tuple(at)))}"
        at.append(unknown[1])
    elif message.startswith("Invalid enum value") and (values := values_at(type_, tuple(at))):
        message = f"{message}; it is one of {', '.join(values)}"
    return message[0].lower() + message[1:], tuple(at)


def nearest_line(lines: Lines, at: tuple[str | int, ...]) -> int | None:
    """The line of the part at path `at`, or of the nearest part that holds it."""
    while at not in lines and at:
        at = at[:-1]
    return lines.get(at)


def toml_line(source: str, at: tuple[str | int, ...], first_line: int = 1) -> int:
    """The 1-based line of the key at path `at` in TOML text that begins at `first_line` of its file.

    TOML's parser keeps no marks, so the key is found by its name; `first_line` where it does not stand there.
    """
    keys = [s for s in at if isinstance(s, str)]
    for key in reversed(keys):
        found = re.search(rf"(?m)^(?:.*[{{,]|\s*\[*)\s*[\"']?{re.escape(key)}[\"']?\s*[=\]]", source)
        if found:
            return source.count("\n", 0, found.end()) + first_line
    return first_line


def _plain(node: Any, at: tuple[str | int, ...], lines: Lines, path: Path, scalar: Callable[[Any], object]) -> object:
    """The node as plain data, its lines noted. Duplicate keys are refused: YAML would silently keep the last."""
    import yaml

    lines[at] = line = node.start_mark.line + 1
    if len(at) > MOST_NESTED:
        raise BenchError(f"parts stand in each other more than {MOST_NESTED} deep", path=path, line=line)
    if len(lines) > MOST_PARTS:
        raise BenchError(f"more than {MOST_PARTS:,} parts: its aliases (*) multiply them", path=path, line=line)
    match node:
        case yaml.MappingNode():
            out: dict[str, object] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                if key in out:
                    raise BenchError(f"the key '{key}' stands here twice", path=path, line=key_node.start_mark.line + 1)
                out[key] = _plain(value_node, (*at, key), lines, path, scalar)
                lines[(*at, key)] = key_node.start_mark.line + 1
            return out
        case yaml.SequenceNode():
            return [_plain(child, (*at, i), lines, path, scalar) for i, child in enumerate(node.value)]
        case _:
            return scalar(node)
