"""The files that a conversation touched: through file tools, with what is known of their text, and by shell words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bench.handoff.calls import Call
from bench.handoff.known_text import KnownText, after_change, after_edit, after_read, after_write
from bench.handoff.patches import patched_files
from bench.handoff.shell import mentioned_in
from bench.handoff.shell_texts import printed, texts_written
from bench.handoff.written import is_absolute, removals, removed_at

_FIRST_LINE = ("offset", "start_line", "start")
_CONTENT = ("content", "file_text", "contents", "new_source")
_OLD, _NEW = ("old_string", "old_str", "old_text"), ("new_string", "new_str", "new_text")


class Touched(Struct, frozen=True):
    """A file, the message of its last touch, what is known of its text, and whether a later command removed it."""

    path: str
    at: int
    known: KnownText | None = None
    removed: bool = False


class Mention(Struct, frozen=True):
    """A path-shaped word of a shell command, as it stands there, and what commands showed or wrote of that file."""

    word: str
    at: int
    known: KnownText | None = None


def touched_files(calls: Sequence[Call]) -> tuple[Touched, ...]:
    """Every file that file tools touched, the one touched last first. What the shell showed of it is known, too."""
    found: dict[str, Touched] = {}
    shown: dict[str, KnownText] = {}
    for call in calls:
        for path in call.shell_placed.writes:
            if path in found:
                found[path] = replace(found[path], known=after_change(found[path].known))
        for path, text in _after_shell(shown, call):
            shown[path] = text
            if (own := _same(path, found)) is not None:
                known = text if not text.old else after_change(found[own].known)
                found[own] = replace(found[own], known=known)
        for path in (call.path,) if call.path is not None else call.writes if call.deed == "write" else ():
            before = found[path].known if path in found else shown.get(_same(path, shown) or "")
            found[path] = Touched(path, call.at, known_after(before, call, path))
            if (own := _same(path, shown)) is not None and (known := found[path].known) is not None:
                shown[own] = known
    removed = removals(calls)
    last = {path: i for i, call in enumerate(calls) for path in (call.path, *call.writes) if path is not None}
    newest = sorted(found.values(), key=lambda file: -file.at)
    return tuple(replace(f, removed=last[f.path] < removed_at(f.path, removed)) for f in newest)


def mentions_in(calls: Sequence[Call]) -> tuple[Mention, ...]:
    """Every path-shaped word that a shell command named, the newest command's first."""
    known: dict[str, KnownText] = {}
    for call in calls:
        known.update(_after_shell(known, call))
    found = [
        Mention(word, call.at, known.get(call.placed(word))) for call in calls for word in mentioned_in(call.script)
    ]
    return tuple(sorted(found, key=lambda mention: -mention.at))


def _after_shell(known: Mapping[str, KnownText], call: Call) -> Iterator[tuple[str, KnownText]]:
    """The files whose text is another after a shell command, or better known, with that text."""
    if not call.script or call.outcome.bad:
        return
    after: dict[str, KnownText] = {}
    for path in map(call.placed, call.shell.writes):
        if path in known:
            after[path] = replace(known[path], old=True)
    after.update((call.placed(path), after_write(text, call.at)) for path, text in texts_written(call.script))
    if call.output and (shown := call.shown):
        before = after.get(shown.path, known.get(shown.path))
        if read := after_read(before, printed(call.output), call.at, shown.first):
            after[shown.path] = read
    yield from after.items()


def _same(path: str, others: Iterable[str]) -> str | None:
    """The one of the paths that is this file: itself, or the only one that it is the end of, or that is its end."""
    tail = f"/{path.removeprefix('./')}"
    fits = []
    for other in others:
        if other == path:
            return other
        if (not is_absolute(path) and other.endswith(tail)) or (
            not is_absolute(other) and path.endswith(f"/{other.removeprefix('./')}")
        ):
            fits.append(other)
    return fits[0] if len(fits) == 1 else None


def known_after(known: KnownText | None, call: Call, path: str | None = None) -> KnownText | None:
    """What is known of a file's text once a file tool's call has read, written or edited it.

    `path`: which of the files of a patch.
    """
    if call.outcome.bad or call.output is None:
        return known
    if call.deed == "read":
        return after_read(known, call.output, call.at, _number(call.arguments, _FIRST_LINE))
    content = _text(call.arguments, _CONTENT)
    if content is not None:
        return after_write(content, call.at)
    if call.path is None and path is not None:
        return _after_patch(known, call, path)
    edits = call.arguments.get("edits")
    for edit in edits if isinstance(edits, list) else [call.arguments]:
        known = _edited(known, edit, call.at) if isinstance(edit, dict) else after_change(known)
    return known


def _after_patch(known: KnownText | None, call: Call, path: str) -> KnownText | None:
    patches = (value for value in call.arguments.values() if isinstance(value, str))
    patched = next((file for patch in patches for file in patched_files(patch) if file.path == path), None)
    if patched is None or (patched.content is None and patched.edits is None):
        return after_change(known)
    if patched.content is not None:
        return after_write(patched.content, call.at)
    for old, new in patched.edits or ():
        known = after_edit(known, old, new, call.at)
    return known


def _edited(known: KnownText | None, edit: Mapping[str, object], at: int) -> KnownText | None:
    old, new = _text(edit, _OLD), _text(edit, _NEW)
    if old is None or new is None:
        return after_change(known)
    return after_edit(known, old, new, at, everywhere=edit.get("replace_all") is True)


def _text(arguments: Mapping[str, object], names: Iterable[str]) -> str | None:
    return next((value for name in names if isinstance(value := arguments.get(name), str)), None)


def _number(arguments: Mapping[str, object], names: Iterable[str]) -> int | None:
    numbers = (arguments.get(name) for name in names)
    return next((n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)
