"""A fixture made of a session: the transcript as the model saw it at a compaction, and a first key drafted from it."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bench.atomic import write_text
from bench.drafting import draft
from bench.errors import BenchError
from bench.fixtures import ABOUT, KEY, TRANSCRIPT, FixtureFile
from bench.keys import Key
from bench.keywriting import about_yaml, to_yaml
from bench.project import checked_label, find_project
from bench.scrubbing import Replaced, report_csv, scrub
from bench.transcripts import holding, read, read_all
from bench.transcripts.model import Transcript
from bench.transcripts.values import dict_of, dicts_of, text_of
from bench.transcripts.view import full_compactions, seen_at, whole_until
from bench.transcripts.write import to_jsonl

UNDETERMINED = "und"
"""The language code for 'not determined'; a person fills it in."""
UNKNOWN_LICENCE = "unknown"
LONGEST_NAME = 80
"""Characters of a fixture's name made of a file's name."""
SYSTEM, TOOLS, STOCK = "system.md", "tools.json", "replays/stock.md"
REPORT = "scrubbed.csv"
"""What was replaced where: message, kind, count; never what it was."""


@dataclass(frozen=True)
class Imported:
    """What an import made."""

    folder: Path
    transcript: Transcript
    key: Key
    at: int | None
    """Number of the compaction at which the session was cut; None for its end."""
    compactions: int
    """How many full ones the session has."""
    before: Transcript
    """The session that it is of, with all its messages and compactions."""
    stock: bool
    """Whether the harness's own summary was kept as a replay."""
    other_sessions: int
    """Sessions of the file that were left aside."""
    replaced: tuple[Replaced, ...] | None = None
    """What scrubbing replaced where; None where it was not asked for."""


@dataclass(frozen=True)
class _Content:
    """What a fixture is written from, scrubbed or as it was."""

    transcript: Transcript
    stock: str | None
    source: str
    replaced: tuple[Replaced, ...] | None


def import_session(
    file: Path,
    *,
    at: int | None = None,
    leaf: str | None = None,
    name: str | None = None,
    to: Path | None = None,
    whole: bool = False,
    scrubbed: bool = True,
) -> Imported:
    """Make a fixture folder `to`/`name` of the session in `file`; `to` defaults to the project's fixtures.

    The transcript is what the model saw at its `at`-th compaction (default: the last one, else the session's end); with
    `whole`, all that stood before that point. `leaf`: the id of a record; the session that holds it, along the branch
    to it. Secrets and traces of people are replaced before anything is written,
    unless `scrubbed` is False. Raises BenchError for a file that cannot be read or holds no message, a compaction that
    is not there, and a folder that is already filled. Nothing is left behind where it fails.
    """
    sessions = read_all(file) if leaf is None else [read(file, leaf=leaf)]
    session = next((s for s in sessions if s.messages), None)
    if session is None:
        raise BenchError(f"holds no message, only {holding(sessions[0])}", path=file)
    fulls = full_compactions(session)
    at = at if at is not None else len(fulls) or None
    seen = _cut(session, at, whole, file)
    seen = replace(seen, tools_json=_definitions(seen.tools_json))
    content = _content(seen, None if at is None else fulls[at - 1].summary, file.name, scrubbed)
    label = checked_label(name, "fixture") if name is not None else _label(file, Path(content.source).stem)
    folder = (to if to is not None else find_project().fixtures) / label
    _refuse_filled(folder)
    kept, key = _write(folder, content, label, at)
    others = sum(bool(s.messages) for s in sessions) - 1
    return Imported(folder, kept, key, at, len(fulls), session, content.stock is not None, others, content.replaced)


def _content(seen: Transcript, stock: str | None, source: str, scrubbed: bool) -> _Content:
    if not scrubbed:
        return _Content(seen, stock, source, None)
    done = scrub(seen, {"file name": source, **({} if stock is None else {"stock": stock})})
    return _Content(done.transcript, done.beside.get("stock"), done.beside["file name"], done.replaced)


def _cut(session: Transcript, at: int | None, whole: bool, file: Path) -> Transcript:
    try:
        seen = whole_until(session, at) if whole else seen_at(session, at)
    except BenchError as error:
        raise BenchError(error.problem.message, path=file) from None
    if not seen.messages:
        raise BenchError(f"no message stands before compaction {at}", path=file)
    return seen


def _definitions(tools_json: str | None) -> str | None:
    """Those of the session's tools that a fixture can hold, as the Messages API defines them; None for none.

    What OpenAI's form nests in `function` is brought out. A tool without a schema (one that the server runs) stays out:
    a native context makes its tools from the calls that stand in it.
    """
    tools = dicts_of(msgspec.json.decode(tools_json or "[]"))
    kept = [found for tool in tools if (found := _definition(tool))]
    return msgspec.json.encode(kept).decode() if kept else None


def _definition(tool: dict[str, object]) -> dict[str, object] | None:
    given = dict_of(tool.get("function")) or tool
    name, schema = text_of(given.get("name")), given.get("input_schema", given.get("parameters"))
    if name is None or not isinstance(schema, dict):
        return None
    if "input_schema" in tool:
        return tool
    description = text_of(given.get("description"))
    return {"name": name, **({"description": description} if description else {}), "input_schema": schema}


def _label(file: Path, stem: str) -> str:
    """A plain name for the fixture from the file's name, scrubbed where the rest is."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", stem)[:LONGEST_NAME].strip(".-_")
    if not plain:
        raise BenchError("give the fixture a name with --name; the file's name holds no plain letter", path=file)
    return plain


def _refuse_filled(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        raise BenchError("is there already; give another --name, or remove it first", path=folder)


def _write(folder: Path, content: _Content, label: str, at: int | None) -> tuple[Transcript, Key]:
    """The folder, whole or not at all; the transcript as it reads back, and the key drafted from that."""
    seen = content.transcript
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".tmp"))
    try:
        text = to_jsonl(seen)
        write_text(making / TRANSCRIPT, text)
        kept = replace(read(making / TRANSCRIPT), harness_version=seen.harness_version)
        key = Key(version=1, atoms=draft(kept))
        about = _described(seen, kept, content.source, label, at, text)
        files = {
            KEY: to_yaml(key),
            STOCK: content.stock,
            SYSTEM: seen.system or None,
            TOOLS: seen.tools_json or None,
            REPORT: None if content.replaced is None else report_csv(content.replaced),
            ABOUT: about_yaml(about),
        }
        for name, text_ in files.items():
            if text_ is not None:
                write_text(making / name, text_)
        making.chmod(0o755)
        making.rename(folder)
    except OSError as error:
        raise BenchError(f"cannot be written: {error.strerror}", path=folder) from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return kept, key


def _described(seen: Transcript, kept: Transcript, source: str, label: str, at: int | None, text: str) -> FixtureFile:
    point = "up to its end" if at is None else f"up to compaction {at}"
    return FixtureFile(
        version=1,
        title=f"Session {label}, {point}",
        harness=" ".join(filter(None, (seen.format, seen.harness_version))),
        source=source,
        licence=UNKNOWN_LICENCE,
        language=UNDETERMINED,
        split="dev",
        tokens=kept.tokens,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        system=SYSTEM if seen.system else None,
        tools=TOOLS if seen.tools_json else None,
    )
