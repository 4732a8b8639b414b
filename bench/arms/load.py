"""Arms from their files: `.md` prompts with TOML front matter, `.toml` for all other kinds. Format: docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from bench.arms.model import Arm, ArmFile
from bench.arms.offered import offered_settings
from bench.arms.rules import faults
from bench.errors import BenchError, Problems
from bench.project import Project, checked_label
from bench.schema import load_toml, read_text, toml_line

SUFFIXES = (".md", ".toml")
FENCE = "+++"
"""The line above and below the front matter."""
NOT_ARMS = ("readme.md",)
"""Files of a prompts folder that speak to people, by their name in lower case."""


def load_arm(path: Path) -> Arm:
    """The arm in the file at `path`, its label the file's name. Raises BenchError with file and line."""
    if path.suffix not in SUFFIXES:
        raise BenchError(f"is no arm: an arm is a {' or '.join(SUFFIXES)} file", path=path)
    label = _label(path)
    source = read_text(path)
    head, first_line, text = _split(source, path) if path.suffix == ".md" else (source, 1, "")
    settings = offered_settings(path, head) if path.suffix == ".toml" else None
    settings = settings or load_toml(path, ArmFile, text=head, first_line=first_line)
    for fault in faults(settings, path.suffix):
        raise BenchError(fault.message, path=path, line=toml_line(head, fault.at, first_line))
    if path.suffix == ".md" and not text:
        line = source.count("\n") + 1
        raise BenchError("the prompt is empty; write the instruction below the front matter", path=path, line=line)
    return Arm(label=label, settings=settings, text=_text_of(settings.text, path) or text, path=path)


def _text_of(label: str | None, path: Path) -> str:
    """The text of the prompt that an arm takes its own from, a .md file beside it; empty where it names none."""
    if label is None:
        return ""
    prompt = path.with_name(f"{label}.md")
    if not prompt.is_file():
        line = toml_line(read_text(path), ("text",))
        raise BenchError(f"text names '{label}', and there is no prompt {prompt.name} beside it", path=path, line=line)
    return load_arm(prompt).text


def find_arm(name_or_path: str, project: Project, base: Path) -> Arm:
    """The arm named in `prompts/`, or the one at a path (an entry with '/': relative to `base`, `~` is home).

    The suffix of a path may be left out. Raises BenchError where there is none, naming what is near.
    """
    if "/" in name_or_path:
        return load_arm(_at_path(name_or_path, base))
    label = checked_label(name_or_path, "arm")
    files = arm_files(project)
    for path in files:
        if path.stem == label:
            return load_arm(path)
    labels = [p.stem for p in files]
    near = get_close_matches(label.lower(), [s.lower() for s in labels], n=1, cutoff=0.5)
    hint = next((f"; did you mean '{s}'?" for s in labels if [s.lower()] == near), "; 'bench arms' lists them")
    raise BenchError(f"no arm '{label}'{hint}", path=project.prompts)


def list_arms(project: Project) -> list[Arm]:
    """Every arm of the project, by label. Raises Problems with one line for each file that is wrong."""
    arms, problems = [], []
    for path in arm_files(project):
        try:
            arms.append(load_arm(path))
        except BenchError as e:
            problems += e.problems if isinstance(e, Problems) else [e.problem]
    if problems:
        raise Problems(problems)
    return arms


def arm_files(project: Project) -> list[Path]:
    """The files in `prompts/` that are arms, by label: no README, no hidden files, no shared pieces (`_…`).

    Raises BenchError where two have one label (case does not count), or one is a link that leaves the folder.
    """
    if not project.prompts.is_dir():
        raise BenchError("no such folder; 'bench init' makes one with the shipped prompts", path=project.prompts)
    found = [
        p
        for p in project.prompts.iterdir()
        if p.suffix in SUFFIXES and not p.name.startswith((".", "_")) and p.name.lower() not in NOT_ARMS
    ]
    found.sort(key=lambda p: (p.stem.lower(), p.name))
    home = project.prompts.resolve()
    for path in found:
        if not path.resolve().is_relative_to(home):
            raise BenchError("leads out of the folder; copy the file here", path=path)
    _unique(found)
    return found


def check_distinct(arms: Iterable[Arm]) -> None:
    """Nothing where the labels differ regardless of case; raises BenchError naming the second of a pair."""
    _unique([arm.path or Path(arm.label) for arm in arms])


def _unique(paths: Iterable[Path]) -> None:
    seen: dict[str, Path] = {}
    for path in paths:
        other = seen.setdefault(path.stem.lower(), path)
        if other is not path:
            raise BenchError(
                f"has the label of {other.name}; labels differ by more than case: rename one of them", path=path
            )


def _label(path: Path) -> str:
    if path.stem.startswith("_"):
        raise BenchError("is a shared piece, not an arm: its name begins with '_'", path=path)
    try:
        return checked_label(path.stem, "arm label")
    except BenchError as e:
        raise BenchError(e.problem.message, path=path) from None


def _at_path(entry: str, base: Path) -> Path:
    try:
        path = base / Path(entry).expanduser()
    except RuntimeError:  # `~name` of nobody
        raise BenchError(f"no home folder for '{entry}'") from None
    if path.suffix in SUFFIXES or path.is_file():
        return path
    candidates = [path.with_name(path.name + suffix) for suffix in SUFFIXES]
    return next((c for c in candidates if c.is_file()), candidates[0])


def _split(source: str, path: Path) -> tuple[str, int, str]:
    """Front matter, its first line in the file, and the text below it (all of the file where there is none)."""
    lines = source.split("\n")
    if lines[0].rstrip() != FENCE:
        return "", 1, source.strip()
    for i, line in enumerate(lines[1:], 1):
        if line.rstrip() == FENCE:
            return "\n".join(lines[1:i]), 2, "\n".join(lines[i + 1 :]).strip()
    raise BenchError(f"the front matter is never closed; write a line '{FENCE}' below it", path=path, line=1)
