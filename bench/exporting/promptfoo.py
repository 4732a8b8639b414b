"""Prompts of a promptfoo file as arms: each entry of its `prompts` list becomes `prompts/<label>.md`.

An entry is a text; `file://…` or a path of a text or Markdown file, relative to the YAML file and inside its folder
(a .txt file may hold several prompts, with lines of `---` between); or a mapping with `raw` (a text) or `id` (either),
and a `label`. Functions, scripts and chat files are no instructions and are refused. White space in a label becomes a
dash; any other sign that a file name cannot hold is refused. Nothing is overwritten, and either all are written or
none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bench.atomic import write_all
from bench.errors import BenchError
from bench.project import Project, checked_label
from bench.schema import nearest_line, read_text, read_yaml

FILE = "file://"
TEXTS = (".txt", ".md")
_BETWEEN = re.compile(r"^---\s*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*([\w.]+)[^}]*\}\}")


def import_prompts(source: Path, project: Project) -> tuple[list[Path], list[str]]:
    """The written files, and a line about each prompt that holds promptfoo's placeholders, which nothing fills in.

    Raises BenchError with file and line, and writes nothing, for an entry that is no text or a label that is taken.
    """
    data, lines = read_yaml(source)
    entries = data.get("prompts") if isinstance(data, dict) else None
    if not isinstance(entries, list) or not entries:
        raise BenchError("has no list of prompts; 'prompts:' is what is imported", path=source)
    texts: dict[str, str] = {}
    taken = {path.stem.lower(): path for path in project.prompts.glob("*.*")}
    for number, entry in enumerate(entries):
        line = nearest_line(lines, ("prompts", number))
        try:
            for label, text in _prompts(entry, number, source):
                _check(label, text, texts, taken)
                texts[label] = text
        except BenchError as e:
            raise BenchError(e.problem.message, path=source, line=line) from None
    files = [(project.prompts / f"{label}.md", _arm(text)) for label, text in texts.items()]
    write_all((path, data.encode()) for path, data in files)
    return [path for path, _ in files], list(_unfilled(texts))


def _prompts(entry: object, number: int, source: Path) -> Iterator[tuple[str, str]]:
    """(label, text) of each prompt of an entry."""
    raw, named = entry, None
    if isinstance(entry, dict):
        raw, named = entry.get("raw", entry.get("id")), entry.get("label")
    if not isinstance(raw, str) or not raw.strip() or not isinstance(named, str | None):
        raise BenchError(f"prompt {number + 1} is no text; an entry is a text, file://…, or has raw or id, and a label")
    path = None if isinstance(entry, dict) and "raw" in entry else _file(raw, source)
    if path is None:
        yield _label(named or f"prompt-{number + 1}"), raw
        return
    parts = [part.strip() for part in _BETWEEN.split(read_text(path))] if path.suffix == ".txt" else [read_text(path)]
    parts = [part for part in parts if part.strip()]
    for i, part in enumerate(parts, 1):
        yield _label((named or path.stem) + (f"-{i}" if len(parts) > 1 else "")), part


def _file(raw: str, source: Path) -> Path | None:
    """The file that an entry names, None where it is the prompt itself."""
    name = raw.removeprefix(FILE)
    if name == raw and ("\n" in raw or Path(raw).suffix not in TEXTS):
        return None
    root = source.resolve().parent
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise BenchError(f"'{raw}' leaves the folder of the file; copy that prompt into it")
    if path.suffix not in TEXTS:
        raise BenchError(f"'{raw}' is no text or Markdown file; a function or chat is no instruction")
    if not path.is_file():
        raise BenchError(f"no such file '{raw}'")
    return path


def _label(named: str) -> str:
    label = checked_label("-".join(named.split()), "arm label")
    if label.startswith("_"):
        raise BenchError(f"arm label '{label}' would be a shared piece; take the '_' off")
    return label


def _check(label: str, text: str, texts: dict[str, str], taken: dict[str, Path]) -> None:
    if not text.strip():
        raise BenchError(f"the prompt '{label}' is empty")
    if label.lower() in taken:
        raise BenchError(f"there is an arm '{taken[label.lower()].name}' already; rename one of the two")
    if label.lower() in {other.lower() for other in texts}:
        raise BenchError(f"two prompts are called '{label}'; give them labels of their own")


def _arm(text: str) -> str:
    """The arm's file. Front matter of a foreign prompt would be settings; an empty one in front makes it text."""
    text = text.strip("\n") + "\n"
    return f"+++\n+++\n{text}" if text.lstrip().startswith("+++") else text


def _unfilled(texts: dict[str, str]) -> Iterator[str]:
    for label, text in texts.items():
        if names := sorted(set(_PLACEHOLDER.findall(text))):
            yield (
                f"{label}: nothing fills in {', '.join(names)}; an arm's text follows the whole conversation, so take "
                "placeholders out"
            )
