"""A shell script as its simple commands: words, redirects, heredocs, and what stands inside substitutions.

It reads the text, it does not run it: a word knows whether the shell would have rewritten it, and nothing is expanded.
Never raises; a quote or heredoc that is never closed runs to the end. Linear in the text but for nested back-ticks.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

DEEPEST = 12
"""Substitutions inside each other that are looked into; what lies deeper is skipped."""
_SPACE = " \t\r"
_ENDS = "\n;&|()"
_REWRITTEN = "$`*?{}~"
_REDIRECTS = ("&>>", "&>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "<>", ">(", "<(", ">", "<")
"""Longest first, so that none is read as the beginning of another."""


class Word(Struct, frozen=True):
    """A word without its quotes. `literal`: the shell hands it on as it stands."""

    text: str
    literal: bool = True


class Redirect(Struct, frozen=True):
    """`> target`, `2>> target`, or a heredoc (`<<`), whose text is `body`; its target is literal where it is quoted."""

    op: str
    target: Word
    body: str | None = None


class Command(Struct, frozen=True):
    """One program with its words (the program's name first, assignments before it left out), and its redirects."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()


def commands_in(script: str) -> tuple[Command, ...]:
    """Every simple command of the script, also those in subshells and substitutions, each after what it contains."""
    lexer = _Lexer(script)
    lexer.run(0, closing="")
    return tuple(Command(tuple(d.words), tuple(d.redirects)) for d in lexer.found)


class _Draft:
    """A command while it is read."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []


class _Heredoc(NamedTuple):
    """A heredoc whose body is still to come: at the end of the line."""

    draft: _Draft
    place: int
    tabs: bool


class _Lexer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[_Draft] = []

    def run(self, depth: int, closing: str) -> None:
        """Commands up to `closing` (')' of a substitution, or '' for the end of the text)."""
        draft = _Draft()
        heredocs: list[_Heredoc] = []
        opened = 0
        while self.at < len(self.text):
            self._skip_blanks()
            c = self.text[self.at : self.at + 1]
            if c == "#":
                self._skip_to("\n")
            elif c == ")" and closing == ")" and not opened:
                break
            elif self._redirect(draft, heredocs, depth):
                continue
            elif self.text.startswith("((", self.at) and not draft.words:
                self._skip_past("))")
            elif c in _ENDS:
                if c == "(" or (c == ")" and opened):
                    opened += 1 if c == "(" else -1
                self.at += 1
                draft = self._ended(draft)
                if c == "\n":
                    self._read(heredocs)
            elif c:
                draft.words.append(self._word(depth))
        self._ended(draft)

    def _ended(self, draft: _Draft) -> _Draft:
        if draft.words or draft.redirects:
            self.found.append(draft)
            return _Draft()
        return draft

    def _read(self, heredocs: list[_Heredoc]) -> None:
        for doc in heredocs:
            target = doc.draft.redirects[doc.place].target
            doc.draft.redirects[doc.place] = Redirect("<<", target, self._body(target.text, doc.tabs))
        heredocs.clear()

    def _redirect(self, draft: _Draft, heredocs: list[_Heredoc], depth: int) -> bool:
        """Read a redirect that begins here; False where none does."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at].isdigit():
            self.at += 1
        op = next((o for o in _REDIRECTS if self.text.startswith(o, self.at)), None)
        if op is None:
            self.at = start
            return False
        self.at += len(op)
        if op in (">(", "<("):
            self._inner(depth)
            draft.words.append(Word("", literal=False))
            return True
        self._skip_blanks()
        if op in ("<<", "<<-"):
            quoted = self.text[self.at : self.at + 1] in ("'", '"', "\\")
            heredocs.append(_Heredoc(draft, len(draft.redirects), op == "<<-"))
            draft.redirects.append(Redirect("<<", Word(self._word(depth).text, quoted), ""))
        else:
            draft.redirects.append(Redirect(op, self._word(depth)))
        return True

    def _word(self, depth: int) -> Word:
        """The word that begins here, up to a blank or an operator."""
        out: list[str] = []
        literal = True
        while self.at < len(self.text):
            c = self.text[self.at]
            if c in _SPACE or c in _ENDS or c in "<>":
                break
            if c == "\\":
                out.append(self.text[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif c == "'":
                end = self.text.find("'", self.at + 1)
                end = len(self.text) if end < 0 else end
                out.append(self.text[self.at + 1 : end])
                self.at = end + 1
            elif c == '"':
                inside, fixed = self._double_quoted(depth)
                out.append(inside)
                literal = literal and fixed
            elif c in "$`":
                out.append(self._expansion(depth))
                literal = False
            else:
                literal = literal and (c not in _REWRITTEN or (c == "~" and not out and self._home()))
                out.append(c)
                self.at += 1
        return Word("".join(out), literal)

    def _home(self) -> bool:
        """`~/…` is one place for a whole session."""
        return self.text.startswith("~/", self.at)

    def _double_quoted(self, depth: int) -> tuple[str, bool]:
        self.at += 1
        out: list[str] = []
        literal = True
        while self.at < len(self.text) and self.text[self.at] != '"':
            c = self.text[self.at]
            if c == "\\":
                pair = self.text[self.at : self.at + 2]
                out.append("" if pair == "\\\n" else pair[1:] if pair[1:] in ("$", "`", '"', "\\") else pair)
                self.at += 2
            elif c in "$`":
                out.append(self._expansion(depth))
                literal = False
            else:
                out.append(c)
                self.at += 1
        self.at += 1
        return "".join(out), literal

    def _expansion(self, depth: int) -> str:
        """The text of `$name`, `${…}`, `$(…)` or back-ticks; commands inside are found too."""
        start = self.at
        if self.text.startswith("$((", self.at):
            self._skip_past("))")
        elif self.text.startswith("$(", self.at):
            self.at += 2
            self._inner(depth)
        elif self.text.startswith("${", self.at):
            self._skip_past("}")
        elif self.text[self.at] == "`":
            end = self.text.find("`", self.at + 1)
            end = len(self.text) if end < 0 else end
            if depth < DEEPEST:
                inner = _Lexer(self.text[self.at + 1 : end])
                inner.run(depth + 1, closing="")
                self.found += inner.found
            self.at = end + 1
        else:
            self.at += 1
        return self.text[start : self.at]

    def _inner(self, depth: int) -> None:
        """The commands of a substitution whose opening has been read, and its ')'."""
        if depth < DEEPEST:
            self.run(depth + 1, closing=")")
        else:
            self._skip_to(")")
        self.at += 1

    def _body(self, delimiter: str, tabs: bool) -> str:
        """The lines of a heredoc that begins here."""
        lines: list[str] = []
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            self.at = end + 1
            if (line.lstrip("\t") if tabs else line).rstrip(_SPACE) == delimiter:
                break
            lines.append(line.lstrip("\t") if tabs else line)
        return "".join(f"{line}\n" for line in lines)

    def _skip_blanks(self) -> None:
        """Blanks, and line breaks behind a backslash: the line goes on."""
        while True:
            if self.text[self.at : self.at + 1] in (" ", "\t", "\r"):
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            else:
                break

    def _skip_to(self, mark: str) -> None:
        end = self.text.find(mark, self.at)
        self.at = len(self.text) if end < 0 else end

    def _skip_past(self, mark: str) -> None:
        self._skip_to(mark)
        self.at += len(mark)
