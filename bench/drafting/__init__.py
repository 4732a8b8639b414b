"""A first answer key from a transcript's structure alone: no model, no guess, every atom carried by its own source.

What it finds: what the user ruled, rejected, corrected, decided, answered, asked and told (typed turns and answers
only); what reports, findings, summaries, written documents, subagents and issues state; values that changed, the old
one stale; why files were changed; promises and open questions; the to-do list; files written; commands with their
outcome and failures; identifiers and numbers that recur; the last request. A person reviews all of it.
"""

from __future__ import annotations

from bench.drafting import (
    answers,
    artefacts,
    choices,
    commands,
    documents,
    edits,
    files,
    learned,
    posted,
    promises,
    recurring,
    reports,
    told,
    typed,
    values,
)
from bench.drafting.calls import calls_of
from bench.drafting.choosing import Kind, choose
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
    chosen = choose(kinds(transcript), transcript, MOST_ATOMS)
    return tuple(c.atom(f"a{n:03}") for n, c in enumerate(sorted(chosen, key=lambda c: c.at), start=1))


def kinds(transcript: Transcript) -> list[Kind]:
    """Every kind of candidates, those first whose words stand where two kinds say the same."""
    words, turns = Words(transcript), turns_of(transcript)
    calls, ledger = list(calls_of(transcript)), handoff_calls(transcript.messages)
    return [
        Kind(values.changed_values(calls, transcript), 8),
        Kind(typed.asks(turns, words, transcript), 11),
        Kind(choices.choices(turns, words, transcript), 6),
        Kind(answers.answers(calls, words, transcript), 8),
        Kind(typed.statements(turns, words, transcript), 14),
        Kind(promises.open_questions(words, transcript), 3),
        Kind(files.open_todos(ledger, words, transcript), 8),
        Kind(reports.reports(turns, words, transcript), 30, share=3),
        Kind(reports.summaries(words, transcript), 20, share=2),
        Kind(documents.documents(calls, words, transcript), 20, share=2),
        Kind(artefacts.artefacts(calls, words, transcript), 9, share=1),
        Kind(posted.posted(calls, words, transcript), 12, share=1),
        Kind(promises.promises(words, transcript), 6, share=1),
        Kind(reports.findings(turns, words, transcript), 16, share=2),
        Kind(told.told(turns, words, transcript), 10, share=1),
        Kind(files.written_files(ledger, words, transcript), 8, share=1),
        Kind(learned.subagents(calls, words, transcript), 16, share=1),
        Kind(learned.learned(calls, words, transcript), 10, share=1),
        Kind(edits.reasons(calls, words, transcript), 10, share=1),
        Kind(commands.failures(calls, words, transcript), 6, share=1),
        Kind(commands.commands_run(calls, transcript), 6, share=1),
        Kind(edits.definitions(calls, words, transcript), 6, share=1),
        Kind(recurring.numbers(words, transcript), 5, share=1),
        Kind(recurring.names(words, transcript, files.stems_of_files(calls)), 8, share=1),
        Kind(files.done_todos(ledger, words, transcript), 6, share=1),
        Kind(commands.failures(calls, words, transcript, mended=True), 3, share=1, last=True),
        Kind(learned.subagents(calls, words, transcript, loose=True), 16, share=1, last=True),
        Kind(learned.learned(calls, words, transcript, loose=True), 10, share=1, last=True),
        Kind(reports.reports(turns, words, transcript, loose=True), 60, share=2, last=True),
        Kind(reports.findings(turns, words, transcript, loose=True), 40, share=1, last=True),
    ]
