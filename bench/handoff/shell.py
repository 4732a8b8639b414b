"""What a shell command does to files, as far as its text says: what it writes, whether it only looks, what it names.

A path that the shell would have put together (a variable, a pattern) is left out: a write may be missed, none is
made up. `~/…` stands for one place and is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from bench.handoff.inline_script import Effects, effects_of
from bench.handoff.patches import patched_paths
from bench.handoff.shell_looks import only_looks
from bench.handoff.shell_programs import after, plain, run_by
from bench.handoff.shell_words import Command, Redirect, Word, commands_in

_PATH_SHAPED = re.compile(r"/|\.[A-Za-z0-9]+$")
"""What tells a path from another word: a slash, or an ending."""
_NO_WORK = re.compile(r"^/dev/|\.log$")
"""Written, but no work: devices, and the log that a check keeps of itself."""
_WORD_BREAKS = re.compile(r"[\s\"'`;|&()<>,]+")
_REWRITTEN = frozenset("$*?{}~")
_WRITING_OPS = (">", ">>", ">|", "&>", "&>>", "<>", ">&")
_INTERPRETERS = re.compile(r"^(python[\d.]*|node|bun|deno|ruby|perl)$")
_IN_PLACE = ("perl", "ruby")
"""Interpreters that may edit files as `sed -i` does."""
_PATCH_PROGRAMS = ("apply_patch", "applypatch")


class Reading(Struct, frozen=True):
    """What the text of a command says. Paths are as written there, in order, each once."""

    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    """Files and folders that it deletes or moves away."""
    only_looks: bool = False


def read_shell(script: str) -> Reading:
    """What the script writes and whether every command in it only looks."""
    commands = commands_in(script)
    writes = dict.fromkeys(path for command in commands for path in _writes(command))
    removes = dict.fromkeys(path for command in commands for path in _removes(command))
    return Reading(
        writes=tuple(path for path in writes if not _NO_WORK.search(path)),
        removes=tuple(removes),
        only_looks=bool(commands) and all(map(_looks, commands)),
    )


def mentioned_in(script: str) -> tuple[str, ...]:
    """Every path-shaped word of the script in order, also words of its quoted text; `./` and `name=` before it go."""
    words = (word.rpartition("=")[2].removeprefix("./") for word in _WORD_BREAKS.split(script))
    return tuple(w for w in words if _PATH_SHAPED.search(w) and not _REWRITTEN & set(w))


def _writes(command: Command) -> Iterator[str]:
    """Paths that one command writes, those of its redirects first."""
    yield from (r.target.text for r in command.redirects if _into_file(r) and r.target.literal)
    own = run_by(command)
    if not own.words:
        return
    program, arguments = own.words[0].text.rsplit("/", 1)[-1], own.words[1:]
    if effects := _script_effects(program, own):
        yield from (p for p in effects.writes if _PATH_SHAPED.search(p))
    elif program in _PATCH_PROGRAMS:
        yield from patched_paths("\n".join(_texts(own)))
    elif program in _WRITERS:
        yield from (w.text for w in _WRITERS[program](arguments) if w.literal and _PATH_SHAPED.search(w.text))


def _removes(command: Command) -> Iterator[str]:
    words = run_by(command).words
    if words and words[0].text == "git":
        words = words[1:]
    if not words or words[0].text not in ("rm", "mv", "unlink", "rmdir"):
        return
    files = plain(words[1:])
    yield from (w.text.rstrip("/") for w in (files[:-1] if words[0].text == "mv" else files) if w.literal and w.text)


def _looks(command: Command) -> bool:
    if any(_into_file(r) and not r.target.text.startswith("/dev/") for r in command.redirects):
        return False
    own = run_by(command)
    program = own.words[0].text.rsplit("/", 1)[-1] if own.words else ""
    effects = _script_effects(program, own)
    return only_looks(command) if effects is None else effects.only_looks


def _into_file(redirect: Redirect) -> bool:
    if redirect.op not in _WRITING_OPS or not redirect.target.text:
        return False
    return not (redirect.op == ">&" and (redirect.target.text.isdigit() or redirect.target.text == "-"))


def _script_effects(program: str, command: Command) -> Effects | None:
    """Effects of the script that an interpreter is handed; None for other programs and for script files."""
    if not _INTERPRETERS.match(program) or (program in _IN_PLACE and _in_place(command.words)):
        return None
    python = program.startswith("python")
    flags = ("-c",) if python else ("-e", "--eval", "-p", "--print")
    words = [w.text for w in command.words]
    scripts = [words[i + 1] for i, w in enumerate(words[:-1]) if w in flags]
    if not scripts and not [w for w in words[1:] if not w.startswith("-")]:
        scripts = [r.body for r in command.redirects if r.body is not None]
    found = [effects_of(script, python=python) for script in scripts]
    if not found:
        return None
    return Effects(tuple(p for e in found for p in e.writes), all(e.only_looks for e in found))


def _texts(command: Command) -> Iterator[str]:
    yield from (w.text for w in command.words[1:])
    yield from (r.body for r in command.redirects if r.body is not None)


def _destination(arguments: Sequence[Word]) -> list[Word]:
    """Where `cp` and `mv` put what they are given: the last word; below it, where that is written as a folder."""
    *sources, target = plain(arguments, ("-t", "-S")) or [Word("")]
    if not sources:
        return []
    if not target.text.endswith("/"):
        return [target]
    return [Word(target.text + s.text.rstrip("/").rsplit("/", 1)[-1], target.literal and s.literal) for s in sources]


def _edited_in_place(arguments: Sequence[Word]) -> list[Word]:
    """The files of `sed -i` and `perl -i`; the script is no file."""
    if not _in_place(arguments):
        return []
    # BSD's sed takes an empty suffix behind -i
    files = [w for w in plain(arguments, ("-e", "-f", "--expression", "--file")) if w.text]
    scripted = any(w.text in ("-e", "-f") or re.match(r"--(expression|file)|-\w*e$", w.text) for w in arguments)
    if scripted and not any(w.text in ("-e", "-f") for w in arguments):
        return files[1:]  # perl -pi -e: the script follows a bundle of options
    return files if scripted else files[1:]


def _in_place(arguments: Sequence[Word]) -> bool:
    return any(re.match(r"-[a-zA-Z]*i|--in-place", w.text) for w in arguments)


_WRITERS: Mapping[str, Callable[[Sequence[Word]], list[Word]]] = {
    "tee": plain,
    "touch": lambda a: plain(a, ("-t", "-d", "-r")),
    "sed": _edited_in_place,
    **dict.fromkeys(_IN_PLACE, _edited_in_place),
    "mv": _destination,
    "git": lambda a: _destination(a[1:]) if a and a[0].text == "mv" else [],
    "cp": _destination,
    "install": _destination,
    "curl": lambda a: after(a, ("-o", "--output")),
    "wget": lambda a: after(a, ("-O", "--output-document")),
    "sort": lambda a: after(a, ("-o", "--output")),
}
