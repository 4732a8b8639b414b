"""A model's name as sweeps write it, taken apart: where it is asked, and under which id."""

from __future__ import annotations

import hashlib
import re
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from bench.errors import BenchError
from bench.plugins import is_model
from bench.project import LABEL

FORMS = "claude-…, local, local:/path.gguf, http(s)://host[:port][/prefix]#model, bedrock:ID, vertex:ID"
SLUG_CHARS = 40
"""A folder name stays readable in a listing; the hash after it keeps it unique."""
HASH_DIGITS = 8

Kind = Literal["claude", "local", "server", "bedrock", "vertex", "plugin"]
Family = Literal["claude", "local", "server"]


class ModelName(NamedTuple):
    """`name` taken apart. `id` goes into the request; `where`: a server's URL, a GGUF's path, or who offers it."""

    name: str
    kind: Kind
    id: str
    where: str | None = None


def parse_name(name: str) -> ModelName:
    """The name taken apart. Raises BenchError with the list of forms where it is none of them."""
    scheme, colon, rest = name.partition(":")
    match scheme:
        case "local" if not colon:
            return ModelName(name, "local", "local")
        case "local" if rest.strip():
            return ModelName(name, "local", "local", rest)
        case "bedrock" if re.fullmatch(r"[\w.:/@-]+", rest):
            return ModelName(name, "bedrock", rest)
        case "vertex" if re.fullmatch(r"[\w.:/@-]+", rest):
            return ModelName(name, "vertex", rest)
        case "http" | "https" if colon:
            return _server(name)
    if re.fullmatch(r"claude-[a-z0-9][a-z0-9.-]*", name):
        return ModelName(name, "claude", name)
    if is_model(name):
        return ModelName(name, "plugin", rest, scheme)
    raise _malformed(name, "is none of the forms a model's name has")


def slug(name: str) -> str:
    """A folder name for the model: the name itself where it is plain, else a readable part and 8 hex of its hash."""
    if LABEL.match(name) and not name.startswith((".", "-")):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[-SLUG_CHARS:].strip("-.")
    return f"{readable}-{digest}" if readable else digest


def family(name: str) -> Family:
    """Whose rules a context for this model keeps: Claude's (on whichever cloud), a local model's, another server's."""
    match parse_name(name).kind:
        case "claude" | "bedrock" | "vertex":
            return "claude"
        case "local":
            return "local"
        case "server" | "plugin":
            return "server"


def _server(name: str) -> ModelName:
    # names go into every row and file, so that one with a key in it would publish the key
    if re.search(r"//[^/#]*@", name) or "?" in name:
        without = re.sub(r"//[^/#]*@", "//", name).partition("?")[0]
        raise _malformed(
            without, "holds a user, password or query; names are written into results, so set BENCH_SERVER_KEY"
        )
    address, _, model = name.partition("#")
    try:
        parts = urlsplit(address)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise _malformed(name, "has no valid address") from None
    if not host:
        raise _malformed(name, "has no host")
    if not model or not re.fullmatch(r"[\w.:/@+-]+", model):
        raise _malformed(name, "names no model after '#'")
    if parts.path.rstrip("/").endswith("/v1"):
        raise _malformed(name, "ends in /v1, which the client adds itself; leave it out")
    return ModelName(name, "server", model, address.rstrip("/"))


def _malformed(name: str, why: str) -> BenchError:
    return BenchError(f"model '{name}' {why}; forms: {FORMS}")
