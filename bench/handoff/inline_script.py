"""What a script handed to an interpreter writes: `python3 -c '…'`, `node -e '…'`, a heredoc.

Python is read by its own parser, so code inside a string of the script is no code; other languages, and Python that
does not parse, by the calls' shape. Only paths that stand in the script as plain strings are known.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator

from msgspec import Struct

LONGEST_SCRIPT = 60_000
"""Characters; a longer one is not looked into."""
_WRITE_MODE = re.compile(r"[wax]|r\+")
_PATH_WRITERS = ("write_text", "write_bytes", "touch")
_CHANGES = frozenset({
    *_PATH_WRITERS, "write", "writelines", "remove", "unlink", "rename", "replace_file", "makedirs", "mkdir", "rmdir",
    "rmtree", "move", "copy", "copy2", "copyfile", "copytree", "symlink", "symlink_to", "chmod", "chown", "truncate",
    "system", "popen", "run", "call", "check_call", "check_output", "Popen", "exec", "eval", "execute", "commit",
    "kill", "post", "put", "patch", "delete", "request", "urlopen", "urlretrieve", "save", "dump", "to_csv", "to_json",
    "savefig", "connect", "extractall", "__import__", "import_module", "main",
})  # fmt: skip
"""Names of calls after which a Python script may have changed something beside its output."""
_PRINTED = ("stdout", "stderr")
_OTHER_WRITES = re.compile(
    r"""(?:\bwriteFile(?:Sync)?|\bappendFile(?:Sync)?|\bcreateWriteStream|\bBun\.write|\bFile\.write)\(\s*(['"`])([^'"`$\n]+)\1"""
    r"""|\b(?:open|File\.open|File\.new)\(\s*(?P<q>['"])(?P<path>[^'"\n]+)(?P=q)\s*,\s*['"][wax]"""
)


class Effects(Struct, frozen=True):
    """Paths that a script writes, and whether it is known to change nothing else."""

    writes: tuple[str, ...]
    only_looks: bool


def effects_of(script: str, *, python: bool) -> Effects:
    """What the script does to files. A script that cannot be read to its end is not known to only look."""
    tree = _parsed(script) if python and len(script) <= LONGEST_SCRIPT else None
    if tree is None:
        return Effects(tuple(_by_shape(script[:LONGEST_SCRIPT])), only_looks=False)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    writes = tuple(dict.fromkeys(path for call in calls for path in _written(call)))
    return Effects(writes, only_looks=not any(map(_changes, calls)))


def _parsed(script: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(script)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _by_shape(script: str) -> Iterator[str]:
    for line in script.split("\n"):
        for found in _OTHER_WRITES.finditer(line):
            if not _in_string(line[: found.start()]):
                yield found[2] or found["path"]


def _in_string(before: str) -> bool:
    """Whether a quote that opens in `before` is still open at its end."""
    quote, escaped = "", False
    for c in before:
        if escaped:
            escaped = False
        elif c == "\\" and quote:
            escaped = True
        elif quote:
            quote = "" if c == quote else quote
        elif c in "'\"`":
            quote = c
    return bool(quote)


def _written(call: ast.Call) -> Iterator[str]:
    name, owner = _name(call), call.func.value if isinstance(call.func, ast.Attribute) else None
    if name == "open":
        # open("x", "w"), Path("x").open("w")
        method = _path_of(owner) is not None
        target = _path_of(owner) if method else _text(call.args[0]) if call.args else None
        modes = [*call.args[0 if method else 1 :][:1], *(k.value for k in call.keywords if k.arg == "mode")]
        if target is not None and any(_WRITE_MODE.match(_text(mode) or "") for mode in modes):
            yield target
    elif name in _PATH_WRITERS and (path := _path_of(owner)) is not None:
        yield path


def _changes(call: ast.Call) -> bool:
    name = _name(call)
    if name in ("write", "writelines") and isinstance(call.func, ast.Attribute):
        stream = call.func.value
        return not (isinstance(stream, ast.Attribute) and stream.attr in _PRINTED)
    return name is None or name in _CHANGES or any(True for _ in _written(call))


def _name(call: ast.Call) -> str | None:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None


def _path_of(node: ast.expr | None) -> str | None:
    """The path in `Path("x")`."""
    if isinstance(node, ast.Call) and _name(node) in ("Path", "PurePath") and len(node.args) == 1:
        return _text(node.args[0])
    return None


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
