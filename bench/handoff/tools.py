"""What the tools of agents do, by their names: run a shell, read or write a file, search, start a subagent."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Literal

from bench.handoff.patches import patched_paths

Deed = Literal["shell", "read", "write", "search", "subagent", "other"]
"""search: hands back text of files or pages that it found."""
Arguments = Mapping[str, object]

PATHS = ("file_path", "notebook_path", "path", "filename", "target_file", "filePath", "absolute_path")
"""Arguments that name a file, in the order in which they are tried."""
_DEEDS: tuple[tuple[Deed, re.Pattern[str]], ...] = (
    (
        "shell",
        re.compile(
            r"bash|shell|local_shell|shell_command|exec|exec_command|execute_bash|execute_command|run_commands?"
            r"|run_shell_command|run_terminal_cmd|run_in_terminal|terminal"
        ),
    ),
    ("read", re.compile(r"read|read_?files?|notebookread|view|view_file|open_file|cat|fetch_file")),
    (
        "write",
        re.compile(
            r"write|write_?file|create_?file|edit|edit_?file|multi_?edit|notebook_?edit|replace|str_replace"
            r"|replace_in_file|insert|apply_?patch|save_file|editor"
        ),
    ),
    (
        "search",
        re.compile(
            r"grep|glob|ls|list|list_?dir(ectory)?|find|search\w*|webfetch|web_?search|web_?fetch|fetch|codebase_search"
        ),
    ),
    ("subagent", re.compile(r"agent|task|dispatch_agent|spawn_agent|delegate")),
)
_VERB_TOOLS = re.compile(r"str_replace_(based_edit_tool|editor)|text_editor\w*|edit_tool")
"""Tools of many deeds, whose argument `command` says which."""
_TARGETS = (
    "command", "cmd", "file_path", "notebook_path", "path", "pattern", "url", "description", "query", "filename",
    "target_file", "filePath", "absolute_path",
)  # fmt: skip
"""Arguments that say what a call was aimed at, the first that is given."""
_SHELL_FLAGS = ("-c", "-lc", "-cl", "-lic")


def deed_of(name: str, arguments: Arguments) -> Deed:
    """What a call of the tool does; 'other' where its name says nothing."""
    plain = name.rsplit("__", 1)[-1].rsplit(".", 1)[-1].casefold()
    if _VERB_TOOLS.fullmatch(plain):
        return "read" if arguments.get("command") == "view" else "write"
    return next((deed for deed, names in _DEEDS if names.fullmatch(plain)), "other")


def script_of(arguments: Arguments) -> str:
    """The shell script that a call runs: text, a list of words, or several commands; empty where there is none."""
    given = next((arguments[k] for k in ("command", "cmd", "script", "commands") if arguments.get(k)), "")
    if isinstance(given, str):
        return given
    words = [w for w in given if isinstance(w, str)] if isinstance(given, list | tuple) else []
    if len(words) == 3 and words[1] in _SHELL_FLAGS:
        return words[2]
    if "commands" in arguments and given is arguments["commands"]:
        return "\n".join(words)
    return shlex.join(words)


def folder_named(arguments: Arguments) -> str | None:
    """The folder that a call names for its script to begin in; None where it names none."""
    named = (arguments.get(key) for key in ("workdir", "cwd"))
    return next((folder for folder in named if isinstance(folder, str)), None)


def path_of(arguments: Arguments) -> str | None:
    """The file that a call names; None where it names none."""
    named = (arguments.get(key) for key in PATHS)
    return next((path.strip() for path in named if isinstance(path, str) and path.strip()), None)


def paths_written(arguments: Arguments) -> tuple[str, ...]:
    """The files that a writing tool's call names: one, or those of a patch."""
    path = path_of(arguments)
    if path is not None:
        return (path,)
    patches = (value for value in arguments.values() if isinstance(value, str))
    return tuple(dict.fromkeys(p for patch in patches for p in patched_paths(patch)))


def target_of(arguments: Arguments) -> str:
    """What the call was aimed at, on one line; empty where no argument says it."""
    for key in _TARGETS:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.replace("\n", " ; ").strip()
    return script_of(arguments).replace("\n", " ; ").strip() or ", ".join(paths_written(arguments))
