"""The files that a session wrote, each once, with the tools that wrote it, and whether it took them away again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class Writing(Protocol):
    """A tool call that may have written or removed files."""

    @property
    def name(self) -> str: ...

    @property
    def writes(self) -> tuple[str, ...]: ...

    @property
    def removes(self) -> tuple[str, ...]: ...


class Written(Struct, frozen=True):
    """A file, the tools that wrote it, the places of the calls among those given, and whether it was removed later."""

    path: str
    tools: tuple[str, ...]
    calls: tuple[int, ...]
    removed: bool = False


def written_files(calls: Sequence[Writing]) -> tuple[Written, ...]:
    """Every file written, in the order of the first writing, each once however many calls and spellings it has.

    A relative path is counted under the one absolute path that ends in it. Where none or several do it stands by
    itself: which folder its command ran in is not known.
    """
    by_path: dict[str, list[int]] = {}
    for i, call in enumerate(calls):
        for path in call.writes:
            by_path.setdefault(path, []).append(i)
    absolute = _by_name(filter(is_absolute, by_path))
    gathered: dict[str, list[int]] = {}
    for path, at in by_path.items():
        gathered.setdefault(_home(path, absolute), []).extend(at)
    removed = removals(calls)
    return tuple(
        Written(
            path=path,
            tools=tuple(dict.fromkeys(calls[i].name for i in sorted(at))),
            calls=tuple(sorted(set(at))),
            removed=max(at) < removed_at(path, removed),
        )
        for path, at in sorted(gathered.items(), key=lambda item: min(item[1]))
    )


def removals(calls: Iterable[Writing]) -> dict[str, int]:
    """Path or folder as it was named -> place of the last call that removed it."""
    return {path: i for i, call in enumerate(calls) for path in call.removes}


def removed_at(path: str, removed: Mapping[str, int]) -> int:
    """Place of the last call that removed the file or a folder it lies in; -1 where none did.

    A removal by a relative path counts for a file whose path ends in it, one of a folder only by its whole path.
    """
    steps = path.split("/")
    above = ("/".join(steps[:n]) for n in range(1, len(steps) + 1))
    tails = ("/".join(steps[n:]) for n in range(1, len(steps)))
    named = [removed[p] for p in (*above, *tails) if p in removed]
    return max(named, default=-1)


def is_absolute(path: str) -> bool:
    """Whether the path says where it begins: at the root, a drive, or the home folder."""
    return path.startswith(("/", "~")) or path[1:3] in (":\\", ":/")


def _by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rsplit("/", 1)[-1], []).append(path)
    return by_name


def _home(path: str, absolute: Mapping[str, list[str]]) -> str:
    """The absolute path that this one is counted under."""
    if is_absolute(path):
        return path
    tail = "/" + path.removeprefix("./")
    fits = [other for other in absolute.get(path.rsplit("/", 1)[-1], ()) if other.endswith(tail)]
    return fits[0] if len(fits) == 1 else path
