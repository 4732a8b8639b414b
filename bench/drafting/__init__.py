"""A first answer key from a transcript's structure alone: no model, no guess, every atom carried by its own source.

What it finds: what the user ruled, rejected, corrected, decided and asked (typed turns only); values that changed, the
old one stale; promises and open questions; files written; commands and failures; identifiers and numbers that recur;
the to-do list; the last request. A person reviews all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.drafting import commands, files, promises, recurring, typed, values
from bench.drafting.calls import calls_of
from bench.drafting.candidates import Candidate
from bench.drafting.merge import overlaps
from bench.drafting.words import Words
from bench.keys import Atom
from bench.transcripts.model import Transcript

MOST_ATOMS = 80
"""More than a person will review; every kind has its own bound below it."""

__all__ = ["draft"]


def draft(transcript: Transcript) -> tuple[Atom, ...]:
    """Atoms proposed for the transcript's main line, in the order of its messages, each once, all `drafted`."""
    words = Words(transcript)
    calls = list(calls_of(transcript))
    proposed = [
        *typed.drafted(transcript, words),
        *promises.open_questions(words, transcript),
        *files.open_todos(words, transcript),
        *values.changed_values(calls, words, transcript),
        *promises.promises(words, transcript),
        *files.written_files(calls, transcript),
        *commands.failures(calls, words, transcript),
        *commands.commands_run(calls, transcript),
        *recurring.names(words, transcript, files.stems_of_files(calls)),
        *recurring.numbers(words, transcript),
    ][:MOST_ATOMS]
    named = {f"c{n}": candidate for n, candidate in enumerate(_once(proposed))}
    again = {later.id for _, later in overlaps([candidate.atom(id_) for id_, candidate in named.items()])}
    chosen = sorted((c for id_, c in named.items() if id_ not in again), key=lambda c: c.at)
    return tuple(candidate.atom(f"a{n:03}") for n, candidate in enumerate(chosen, start=1))


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
