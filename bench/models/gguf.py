"""What a GGUF file says of its model's context window."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from bench.models.protocol import ModelMissing

MAGIC = b"GGUF"
WINDOW_KEY = ".context_length"
"""Ends the key that holds it; it begins with the architecture's name."""
_STRING, _ARRAY = 8, 9
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""Types of values by their number in the format (version 2 and later)."""


def window_tokens(path: Path) -> int | None:
    """The window that the model was made for, in tokens, which llama.cpp goes by; None where the file does not say.

    Raises ModelMissing for what is no GGUF file.
    """
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise ModelMissing("is no GGUF file", path=path)
        try:
            _, _, pairs = struct.unpack("<IQQ", file.read(20))
            for _ in range(pairs):
                key, (kind,) = _string(file), struct.unpack("<I", file.read(4))
                value = _value(file, kind)
                if key.endswith(WINDOW_KEY) and isinstance(value, int):
                    return value
        except (struct.error, KeyError, UnicodeDecodeError, OverflowError):
            return None  # cut off, or of a later version: llama.cpp will say
    return None


def _string(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    return file.read(length).decode()


def _value(file: BinaryIO, kind: int) -> object:
    """The value that stands next; of texts and lists only the file's position is of use."""
    if kind == _STRING:
        return _string(file)
    if kind == _ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if inner in _SCALARS:
            file.seek(count * struct.calcsize(_SCALARS[inner]), 1)
        else:
            for _ in range(count):
                _value(file, inner)
        return None
    form = _SCALARS[kind]
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return value
