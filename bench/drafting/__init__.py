"""A first answer key from a transcript's structure alone: no model, no guess, every atom carried by its own source.

What it finds: what the user ruled, rejected, corrected, decided and asked (typed turns only); values that changed, the
old one stale; promises and open questions; files written; commands and failures; identifiers and numbers that recur;
the to-do list; the last request. A person reviews all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.drafting import artefacts, choices, commands, files, promises, recurring, reports, typed, values
from bench.drafting.calls import calls_of
from bench.drafting.candidates import Candidate
from bench.drafting.everywhere import everywhere
from bench.drafting.merge import overlaps
from bench.drafting.turns import turns_of
from bench.drafting.words import Words
from bench.handoff.calls import calls_of as handoff_calls
from bench.keys import Atom
from bench.transcripts.model import Transcript

MOST_ATOMS = 60
"""As many as a person reviews in one sitting; every kind has its own bound below it."""

__all__ = ["draft"]


def draft(transcript: Transcript) -> tuple[Atom, ...]:
    """Atoms proposed for the transcript's main line, in the order of its messages, each once, all `drafted`."""
    words, turns = Words(transcript), turns_of(transcript)
    calls, ledger = list(calls_of(transcript)), handoff_calls(transcript.messages)
    proposed = [
        *values.changed_values(calls, transcript),
        *typed.asks(turns, words, transcript),
        *choices.choices(turns, words, transcript),
        *typed.statements(turns, words, transcript),
        *promises.open_questions(words, transcript),
        *files.open_todos(ledger, words, transcript),
        *promises.promises(words, transcript),
        *artefacts.artefacts(calls, words, transcript),
        *reports.facts(turns, words, transcript),
        *files.written_files(ledger, words, transcript),
        *commands.failures(calls, words, transcript),
        *commands.commands_run(calls, transcript),
        *recurring.numbers(words, transcript),
        *recurring.names(words, transcript, files.stems_of_files(calls)),
    ]
    named = {f"c{n}": candidate for n, candidate in enumerate(_once(proposed))}
    again = {later.id for _, later in overlaps([candidate.atom(id_) for id_, candidate in named.items()])}
    told = [candidate for id_, candidate in named.items() if id_ not in again]
    trivial = everywhere([candidate.atom(f"c{n}") for n, candidate in enumerate(told)], transcript)
    kept = [candidate for n, candidate in enumerate(told) if f"c{n}" not in trivial][:MOST_ATOMS]
    return tuple(candidate.atom(f"a{n:03}") for n, candidate in enumerate(sorted(kept, key=lambda c: c.at), start=1))


def _once(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """The candidates without those that ask for the same thing again: same patterns, or the same words."""
    patterns: set[object] = set()
    texts: set[str] = set()
    for candidate in candidates:
        said = candidate.text.split(": ", 1)[-1].casefold()
        if candidate.accept in patterns or said in texts:
            continue
        patterns.add(candidate.accept)
        texts.add(said)
        yield candidate
