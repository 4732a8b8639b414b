"""Whether a command only looks. What is not known to look counts as having changed something."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from bench.handoff.shell_programs import plain, run_by
from bench.handoff.shell_words import Command, Word

_LOOKS = re.compile(
    r"cd|ls|cat|head|tail|wc|grep|egrep|fgrep|rg|ugrep|echo|printf|pwd|stat|readlink|realpath|file|which|type|"
    r"ps|pgrep|du|df|tree|uniq|cut|jq|yq|test|true|false|\[|\[\[|:|diff|cmp|comm|less|more|nl|tac|od|xxd|"
    r"hexdump|strings|basename|dirname|whoami|id|hostname|uname|uptime|free|column|tr|fold|seq|sleep|md5sum|"
    r"sha1sum|sha256sum|cksum|printenv|lsof|man|for|case|in|esac|done|fi|\}|select|break|continue|return|exit|"
    r"wait|local|declare|export|set|unset|shift|let"
)
"""Programs (and words of the shell's own) that look, whatever their arguments."""
_GIT = re.compile(
    r"status|log|diff|show|rev-parse|fetch|ls-files|blame|grep|describe|cat-file|ls-tree|ls-remote|"
    r"shortlog|rev-list|merge-base|name-rev|count-objects|for-each-ref|whatchanged|version|help"
)
_GIT_ONLY_AS: Mapping[str, tuple[str, ...]] = {
    "worktree": ("list",),
    "stash": ("list", "show"),
    "remote": ("", "-v", "show", "get-url"),
    "branch": ("--show-current", "--list", "-a", "-r", "-v", "-vv"),
    "tag": ("", "-l", "--list"),
    "config": ("--get", "--list", "-l", "--get-all"),
    "reflog": ("", "show"),
    "submodule": ("status",),
}
"""Git commands that look where this stands first behind them ('' for nothing)."""
_GH = {("pr", "issue", "run", "release", "repo", "workflow"): ("view", "list", "checks", "diff", "status")}
_FIND_ACTS = re.compile(r"-(delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$")
_CHANGES_BY_METHOD = re.compile(r"(?i)^(POST|PATCH|PUT|DELETE)$")
_AWK_ACTS = re.compile(r"system\s*\(|>\s*[\"$(]|\|\s*\"|-i\s*inplace")


def only_looks(command: Command) -> bool:
    """Whether a command without redirects into files is known to change nothing that lasts.

    Assignments change a variable of that shell alone, which ends with the call.
    """
    words = run_by(command).words
    if not words:
        return True
    program, arguments = words[0].text.rsplit("/", 1)[-1], words[1:]
    if _LOOKS.fullmatch(program):
        return True
    judge = _BY_ARGUMENTS.get(program)
    return judge is not None and judge(arguments)


def _git(arguments: Sequence[Word]) -> bool:
    rest = list(arguments)
    while rest and rest[0].text.startswith("-"):
        rest = rest[2:] if rest[0].text in ("-C", "-c") else rest[1:]
    if not rest:
        return True
    verb, then = rest[0].text, rest[1].text if len(rest) > 1 else ""
    if _GIT.fullmatch(verb):
        return not any(w.text.startswith("--output") for w in rest)
    return then in _GIT_ONLY_AS.get(verb, ()) and (verb != "branch" or len(plain(rest[1:])) == 0)


def _gh(arguments: Sequence[Word]) -> bool:
    words = [w.text for w in arguments]
    noun, verb = (*words, "", "")[:2]
    if noun == "api":
        method = [words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-X", "--method")]
        sends = any(w in ("-f", "-F", "--field", "--raw-field", "--input") for w in words)
        return not any(map(_CHANGES_BY_METHOD.match, method)) and not (sends and not method)
    return any(noun in nouns and verb in verbs for nouns, verbs in _GH.items())


def _sed(arguments: Sequence[Word]) -> bool:
    return not any(re.match(r"-[a-zA-Z]*i|--in-place", w.text) for w in arguments)


_BY_ARGUMENTS: Mapping[str, Callable[[Sequence[Word]], bool]] = {
    "git": _git,
    "gh": _gh,
    "sed": _sed,
    "awk": lambda a: not any(_AWK_ACTS.search(w.text) for w in a),
    "find": lambda a: not any(_FIND_ACTS.match(w.text) for w in a),
    "sort": lambda a: not any(re.match(r"-[a-z]*o|--output", w.text) for w in a),
    "date": lambda a: not any(re.match(r"-s|--set", w.text) for w in a),
}
"""Programs that look unless their arguments say otherwise."""
