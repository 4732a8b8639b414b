"""Arms of a kind that an installed package offers: their settings from the file, and their text."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from bench import plugins
from bench.arms.model import ArmFile, Kind, OfferedSpec
from bench.errors import BenchError
from bench.schema import convert, toml_line
from bench.text import clip, printable
from bench.transcripts.model import Transcript

_KIND = re.compile(r"""(?m)^\s*kind\s*=\s*["']([^"'\n]+)["']""")
REASON_CHARS = 300
"""Most of a package's complaint that is kept."""


class Text(Struct, frozen=True):
    """The text that a package's arm wrote; `failed` says why there is none."""

    text: str = ""
    failed: str | None = None


def offered_settings(path: Path, source: str) -> ArmFile | None:
    """The settings in `source` of an arm whose kind a package offers; None for the bench's own kinds and for others.

    Raises BenchError with file and line, as for any arm; what stands in the kind's own table is the package's to check.
    """
    named = _KIND.search(source)
    if named is None or named[1] in get_args(Kind) or not plugins.is_arm_kind(named[1]):
        return None
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError:
        return None  # told with its line by whoever reads the file as one of the bench's own
    name = named[1]
    options = data.pop(name, {})
    if not isinstance(options, dict):
        raise BenchError(f"{name} is a table", path=path, line=toml_line(source, (name,)))
    spec = OfferedSpec(name, options)
    settings = convert({**data, "kind": "offered"}, ArmFile, path, lambda at: toml_line(source, at))
    return replace(settings, offered=spec)


def offered_text(spec: OfferedSpec, transcript: Transcript) -> Text:
    """What the package makes of the transcript. Raises BenchError where the package is gone or bad; whatever its code
    raises is told in `failed`.
    """
    kind = plugins.arm_kind(spec.name)
    try:
        text = kind.build(transcript, spec.options)
    except Exception as error:  # another's code: anything at all may go wrong in it
        return Text(failed=_told(f"{type(error).__name__}: {error}"))
    if not isinstance(text, str):
        return Text(failed=_told(f"it gave {type(text).__name__}, not a text"))
    return Text(text)


def _told(why: str) -> str:
    return clip(printable(why).replace("\n", " "), REASON_CHARS)
