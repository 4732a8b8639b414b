"""Stored handoffs to look back into: those of a run, or those that the compactions of a session left behind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol, get_args

from msgspec import Struct
from msgspec.structs import replace

from bench.arms.model import Arm, ArmFile
from bench.errors import BenchError
from bench.forks.cells import NO_MODEL
from bench.forks.store import Store
from bench.grading.subjects import fixtures_of
from bench.handoff.assemble import Handoff, assemble
from bench.handoff.lineage import without_lineage
from bench.rows import OutputRow
from bench.text import estimate_tokens, tokens_of_chars
from bench.transcripts.model import Compaction, Transcript
from bench.transcripts.render import render
from bench.transcripts.view import full_compactions, seen_at, whole_until

Section = Literal["full", "summary", "ledger", "state", "commitments", "transcript"]
SECTIONS: tuple[Section, ...] = get_args(Section)
LINES = 400
"""Lines of a page."""
MATCHES = 50
NOT_STORED = "no summary stored"
"""Of a compaction whose file says only that it was."""
WHOLE_RESULTS = 1 << 60
"""Characters a tool result is cut to in the transcript: a look-back is for what was cut elsewhere."""


class Stored(Struct, frozen=True, kw_only=True):
    """One handoff: its number among those stored (from 1), what it is called, its size, and the sections to read."""

    number: int
    name: str
    at: str | None
    """When it was written, where that is known."""
    model: str | None
    chars: int | None
    """None where a session compacted and its file does not hold the summary; so are the tokens."""
    tokens: int | None
    sections: tuple[Section, ...]


class Shelf(Protocol):
    """Handoffs in the order in which they are numbered."""

    @property
    def name(self) -> str: ...

    def stored(self) -> tuple[Stored, ...]: ...

    def section(self, number: int, section: Section) -> str:
        """The section's text; empty where there is none. Raises BenchError for a number that is not there."""
        ...

    def transcript(self, number: int) -> Transcript:
        """The session as it stood before that handoff, whole."""
        ...

    def conversation(self, number: int) -> str:
        """Names the transcript of a handoff: several may stand for one."""
        ...


class Page(Struct, frozen=True, kw_only=True):
    """Some lines of a section, and what reading them costs. `following`: the next page's first line, if any."""

    text: str
    first: int
    last: int
    lines: int
    tokens: int
    following: int | None


def page(text: str, first: int = 1, limit: int = LINES) -> Page:
    """The lines from `first` (1-based). Raises BenchError for a line that is not there."""
    lines = text.splitlines()
    if not 1 <= first <= max(len(lines), 1) or limit < 1:
        raise BenchError(f"there is no page of {limit} lines from line {first}: the section has {len(lines)} lines")
    shown = "\n".join(lines[first - 1 : first - 1 + limit])
    last = min(first - 1 + limit, len(lines))
    return Page(
        text=shown,
        first=first,
        last=last,
        lines=len(lines),
        tokens=estimate_tokens(shown),
        following=last + 1 if last < len(lines) else None,
    )


def look_up(shelf: Shelf, number: int | None = None, section: Section = "full") -> tuple[Stored, str]:
    """A handoff (the last one where no number is given) and the section's text. Raises BenchError without it."""
    stored = shelf.stored()
    if not stored:
        raise BenchError(f"{shelf.name} holds no handoff")
    if number is None:
        number = stored[-1].number
    found = next((s for s in stored if s.number == number), None)
    if found is None:
        raise BenchError(f"there is no handoff {number}; {shelf.name} has 1 to {len(stored)}")
    if section not in found.sections:
        why = f"; {NOT_STORED}" if found.chars is None else ""
        raise BenchError(f"handoff {number} has no section '{section}'{why}; it has {', '.join(found.sections)}")
    return found, shelf.section(number, section)


@dataclass(frozen=True)
class RunShelf:
    """The handoffs of a run: one an output that brought one."""

    store: Store

    @property
    def name(self) -> str:
        return self.store.name

    @cached_property
    def _rows(self) -> list[OutputRow]:
        return [row for row in self.store.rows() if row.handoff_chars]

    def stored(self) -> tuple[Stored, ...]:
        return tuple(self._stored(number, row) for number, row in enumerate(self._rows, 1))

    def section(self, number: int, section: Section) -> str:
        row = self._row(number)
        if section == "full":
            return self.store.handoff_text(row)
        if section == "summary":
            return self.store.summary_text(row)
        if section == "transcript":
            return render(self.transcript(number).messages, WHOLE_RESULTS)
        text = self.store.handoff_text(row)
        return "\n\n".join(text[p.start : p.end] for p in self.store.parts(row).parts if p.name == section)

    def transcript(self, number: int) -> Transcript:
        row = self._row(number)
        fixture = fixtures_of(self.store.run_json(), self.store.root, [row.fixture])[row.fixture]
        ends = dict(enumerate(fixture.cuts, 1))
        messages = fixture.transcript.messages[: ends.get(row.chain_step)]
        return replace(fixture.transcript, messages=messages) if row.chain_step in ends else fixture.transcript

    def fixture(self, number: int) -> str:
        """Whose handoff it is."""
        return self._row(number).fixture

    def conversation(self, number: int) -> str:
        row = self._row(number)
        until = self.store.run_json().fixtures[row.fixture].cuts
        return f"{row.fixture} until step {row.chain_step}" if until else row.fixture

    def _stored(self, number: int, row: OutputRow) -> Stored:
        parts = {part.name for part in self.store.parts(row).parts}
        chars = row.handoff_chars or 0
        place = [row.fixture, row.arm, *([] if row.model == NO_MODEL else [row.model, f"r{row.replicate:02}"])]
        if (row.chain_step, row.stale_by) != (1, 0):
            place.append(f"s{row.chain_step}-k{row.stale_by}")
        return Stored(
            number=number,
            name="/".join(place),
            at=row.started_at,
            model=None if row.model == NO_MODEL else row.model,
            chars=chars,
            tokens=tokens_of_chars(chars),
            sections=tuple(s for s in SECTIONS if s in ("full", "summary", "transcript") or s in parts),
        )

    def _row(self, number: int) -> OutputRow:
        if not 1 <= number <= len(self._rows):
            raise BenchError(f"there is no handoff {number}; {self.name} has 1 to {len(self._rows)}")
        return self._rows[number - 1]


@dataclass(frozen=True)
class SessionShelf:
    """What the compactions of a session left: their texts as they stand in it; ledger and state as the bench builds
    them at that point, for nobody stored those."""

    session: Transcript
    name: str

    @cached_property
    def _compactions(self) -> list[Compaction]:
        return list(full_compactions(self.session))

    def stored(self) -> tuple[Stored, ...]:
        return tuple(self._stored(number) for number in range(1, len(self._compactions) + 1))

    def section(self, number: int, section: Section) -> str:
        compaction = self._compaction(number)
        match section:
            case "full":
                at = compaction.summary_at
                return compaction.summary or "" if at is None else self.session.messages[at].spoken
            case "summary":
                return without_lineage(self.section(number, "full"))
            case "transcript":
                return render(seen_at(self.session, number).messages, WHOLE_RESULTS)
            case _:
                return "\n\n".join(text for name, text in self._built(number).parts if name == section)

    def transcript(self, number: int) -> Transcript:
        self._compaction(number)
        return whole_until(self.session, number)

    def conversation(self, number: int) -> str:
        return f"{self.name} before compaction {number}"

    def _stored(self, number: int) -> Stored:
        text = self.section(number, "full")
        at = self._compaction(number).summary_at
        written = self.session.messages[at].time if at is not None else None
        there: tuple[Section, ...] = ("full", "summary") if text else ()
        return Stored(
            number=number,
            name=f"compaction {number}",
            at=self._compaction(number).time or written,
            model=None,
            chars=len(text) if text else None,
            tokens=estimate_tokens(text) if text else None,
            sections=(*there, "ledger", "state", "transcript"),
        )

    def _built(self, number: int) -> Handoff:
        arm = Arm(label="look-back", settings=ArmFile(kind="replay", parts=("ledger", "state")))
        # the branch is the one at the end of the file
        return assemble("", arm, replace(self.transcript(number), branch=None))

    def _compaction(self, number: int) -> Compaction:
        if not 1 <= number <= len(self._compactions):
            raise BenchError(f"there is no handoff {number}; {self.name} has 1 to {len(self._compactions)}")
        return self._compactions[number - 1]


def open_shelf(where: str) -> Shelf:
    """The handoffs of a session file, of a run's folder, or of a run of the project by its name."""
    from bench.runs.index import find_run
    from bench.transcripts import read

    path = Path(where)
    if path.is_file():
        return SessionShelf(read(path), path.name)
    return RunShelf(find_run(path if path.is_dir() else where))


def texts(shelf: Shelf) -> Iterator[tuple[Stored, Section, str, str]]:
    """Every handoff and every transcript behind them, each once: handoff, section, what to call it, text."""
    told: set[str] = set()
    for stored in shelf.stored():
        yield stored, "full", stored.name, shelf.section(stored.number, "full")
        conversation = shelf.conversation(stored.number)
        if conversation not in told:
            told.add(conversation)
            yield stored, "transcript", conversation, shelf.section(stored.number, "transcript")
