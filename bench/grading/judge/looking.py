"""From questions to findings: a claim needs a quote that stands in the output, and gets a second look without one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bench.grading.blind import Seen
from bench.grading.judge.answers import Answers, Said, read_answers
from bench.grading.judge.questions import Question, Sheet
from bench.grading.judge.quotes import verbatim
from bench.grading.judge.replies import Heard
from bench.grading.model import Finding, Invention

Ask = Callable[[Question, int], Awaitable[Heard | None]]
"""Asks a question for the first or second time; None where no answer could be had now."""


@dataclass(frozen=True)
class Looked:
    """What a question came to: a finding for each of its items, and what else is invented."""

    findings: dict[str, Finding]
    inventions: tuple[Invention, ...] = ()
    answered: bool = True
    """Whether an answer could be read at all."""


async def look(ask: Ask, sheet: Sheet, seen: Seen, question: Question, *, together: bool = False) -> Looked | None:
    """The findings of a question; None where some call could not be made now, so that it must be asked again later.

    A malformed answer is asked for once more. What is claimed without a quote from the output is looked at again; if
    there is no quote then either, it is absent. What was not answered is missing.
    `together`: second looks are asked at once.
    """
    heard = await ask(question, 1)
    if heard is not None and heard.call.outcome == "malformed":
        heard = await ask(question, 2)
    if heard is None:
        return None
    answers = _answers(heard, question)
    if answers is None:
        missing = {i: Finding(atom=i, verdict=None, call_id=heard.call.call_id) for i in question.ids}
        return Looked(missing, answered=False)
    findings = _findings(answers, question, seen, heard.call.call_id)
    unsupported = [i for i, finding in findings.items() if finding.evidence_found is False]
    seconds = sheet.second_looks(question, unsupported)
    looks = await (_at_once if together else _in_turn)(ask, seconds)
    for second, again in zip(seconds, looks, strict=False):
        if again is None:
            return None
        said = _answers(again, second)
        findings |= {
            i: _conclusion(finding)
            for i, finding in _findings(said or Answers(), second, seen, again.call.call_id).items()
        }
    return Looked(findings, tuple(_inventions(answers, seen)))


async def _in_turn(ask: Ask, questions: Sequence[Question]) -> list[Heard | None]:
    """The answers, up to the first that could not be had."""
    out: list[Heard | None] = []
    for question in questions:
        out.append(await ask(question, 1))
        if out[-1] is None:
            break
    return out


async def _at_once(ask: Ask, questions: Sequence[Question]) -> list[Heard | None]:
    return list(await asyncio.gather(*(ask(question, 1) for question in questions)))


def _answers(heard: Heard, question: Question) -> Answers | None:
    return read_answers(heard.text, len(question.ids)) if heard.call.outcome == "graded" else None


def _findings(answers: Answers, question: Question, seen: Seen, call_id: str) -> dict[str, Finding]:
    return {id_: _finding(id_, answers.by_item.get(item), seen, call_id) for item, id_ in enumerate(question.ids, 1)}


def _finding(id_: str, said: Said | None, seen: Seen, call_id: str) -> Finding:
    """The finding as claimed; `evidence_found` is False where a claim has no quote that stands in the output."""
    if said is None:
        return Finding(atom=id_, verdict=None, call_id=call_id)
    if said.verdict == "absent":
        return Finding(atom=id_, verdict="absent", call_id=call_id)
    evidence = _evidence(said.quote, seen)
    found = evidence is not None
    return Finding(atom=id_, verdict=said.verdict, evidence=evidence, evidence_found=found, call_id=call_id)


def _conclusion(finding: Finding) -> Finding:
    """The finding of a second look: what still has no quote is absent."""
    if finding.evidence_found is not False:
        return finding
    return Finding(atom=finding.atom, verdict="absent", evidence_found=False, call_id=finding.call_id)


def _inventions(answers: Answers, seen: Seen) -> list[Invention]:
    """What is listed beside the key's own entries, with a quote that stands in the output; the others say nothing."""
    quoted = [(statement, _evidence(quote, seen)) for statement, quote in answers.inventions]
    return [Invention(never="free", text=statement, evidence=e) for statement, e in quoted if e is not None]


def _evidence(quote: str, seen: Seen) -> str | None:
    """The words of the output itself behind a quote of what the judge saw."""
    shown = verbatim(quote, seen.text)
    return None if shown is None else seen.restore(shown)
