"""A template of CompactBench as a fixture: its turns with drawn words, its ground truth as atoms.

CompactBench (compactbench on GitHub) describes cases as YAML: variables with generators, turns with {{placeholders}},
blocks of distracting turns, ground truth. The words are this bench's own, so a case is alike, not the same. Paraphrase
depths are not followed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, quoted
from bench.errors import BenchError
from bench.keys import Atom, Patterns, Stale, Tag
from bench.schema import load_yaml
from bench.text import clip
from bench.transcripts.model import Message, Text, Transcript

DENIED = r"\b(?:never|not|no|avoid\w*|forb\w+|without|(?:do|must|should|ca)n.?t)\b[^.;\n]{0,40}?"
"""Before what must not be done: a pattern that holds the denial itself."""
_NAME = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_WORDS: dict[str, tuple[str, ...]] = {
    "person_name": ("Anneke", "Bashir", "Ciara", "Dmytro", "Eun-ji", "Folake", "Goran", "Hinemoa", "Ilse", "Joaquin"),
    "action_phrase": (
        "sort the ledger by hand", "ship without a changelog", "merge on green only", "pin every dependency",
        "round amounts upwards", "restart the queue nightly", "mail raw exports", "share one admin account",
        "rename tables in place", "skip the dry run",
    ),
    "project_noun": (
        "tariff rollout", "archive split", "reader upgrade", "label clean-up", "depot survey", "quota pilot",
    ),
    "org_name": ("Alder Freight", "Brook Optics", "Cinder Mills", "Dune Records", "Elm Analytics"),
}  # fmt: skip
_DRAWN: dict[str, Callable[[random.Random], str]] = {
    "date_iso": lambda rng: f"{rng.randint(2024, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
    "amount_usd": lambda rng: f"${rng.randint(100, 99_999):,}",
    "product_sku": lambda rng: f"SKU-{rng.choice('ABCDEFGH')}{rng.choice('KLMNPQRS')}{rng.randint(100, 9999)}",
}
_DISTRACTORS = (
    ("Could you tidy the notes of last week?", "The notes are sorted by day now."),
    ("How long is the staging log?", "It holds a little over two thousand lines."),
    ("Please check the spelling of the intro.", "One comma was missing; the rest reads well."),
    ("Is the calendar link still valid?", "Yes, it opens the shared calendar."),
)


class _Variable(Struct, frozen=True):
    name: str
    generator: str


class _Turn(Struct, frozen=True):
    role: Literal["user", "assistant", "system", "distractor_block"]
    template: str = ""
    tags: tuple[str, ...] = ()
    count: str | int = 0


class _Turns(Struct, frozen=True):
    turns: tuple[_Turn, ...]


class _Policy(Struct, frozen=True):
    distractor_turns: dict[str, int] = {}


class _Truth(Struct, frozen=True):
    immutable_facts: tuple[str, ...] = ()
    locked_decisions: tuple[str, ...] = ()
    forbidden_behaviors: tuple[str, ...] = ()
    unresolved_items: tuple[str, ...] = ()
    deferred_items: tuple[str, ...] = ()


class _Item(Struct, frozen=True):
    prompt: str
    expected: dict[str, Any]


class _Template(Struct, frozen=True):
    key: str
    transcript: _Turns
    ground_truth: _Truth
    difficulty_policy: _Policy = _Policy()
    variables: tuple[_Variable, ...] = ()
    evaluation_items: tuple[_Item, ...] = ()


class _File(Struct, frozen=True):
    template: _Template


class Case(Struct, frozen=True):
    """A template made concrete."""

    name: str
    transcript: Transcript
    atoms: tuple[Atom, ...]
    left_out: tuple[str, ...]
    """Ground truth that no turn of the case states, so that no key can ask for it."""


def case_of(path: Path, *, difficulty: str, seed: int) -> Case:
    """The case of a template at a difficulty (easy, medium, hard, elite), its words drawn by the seed.

    Raises BenchError for a file that is no template, an unknown generator or placeholder, and a difficulty it lacks.
    """
    template = load_yaml(path, _File)[0].template
    values = _drawn(template, seed, path)

    def filled(text: str) -> str:
        return _NAME.sub(lambda m: _value(m[1], values, path), text)

    messages = tuple(_messages(template, difficulty, filled, path))
    transcript = Transcript(format="anthropic-messages", messages=messages)
    atoms: list[Atom] = []
    left_out: list[str] = []
    for tag, text in _truth(template):
        found = _atom(tag, text, template, values, transcript, filled)
        if found is None:
            left_out.append(text)
        elif all(found.accept != a.accept for a in atoms):
            atoms.append(found.atom(f"a{len(atoms) + 1:02}"))
    return Case(template.key, transcript, tuple(atoms), tuple(left_out))


def _drawn(template: _Template, seed: int, path: Path) -> dict[str, str]:
    rng = random.Random(f"{template.key} {seed}")
    values: dict[str, str] = {}
    free: dict[str, list[str]] = {}
    for variable in template.variables:
        generator = variable.generator
        if generator in _WORDS:
            words = free.setdefault(generator, rng.sample(_WORDS[generator], len(_WORDS[generator])))
            if not words:
                raise BenchError(f"asks for more of '{generator}' than there are", path=path)
            values[variable.name] = words.pop()
        elif generator in _DRAWN:
            values[variable.name] = _DRAWN[generator](rng)
        else:
            raise BenchError(
                f"generator '{generator}' is not known; known are {', '.join((*_WORDS, *_DRAWN))}", path=path
            )
    return values


def _value(name: str, values: dict[str, str], path: Path) -> str:
    if name not in values:
        raise BenchError(f"placeholder '{name}' is no variable of the template", path=path)
    return values[name]


def _messages(template: _Template, difficulty: str, filled: Callable[[str], str], path: Path) -> Iterator[Message]:
    for turn in template.transcript.turns:
        if turn.role != "distractor_block":
            author: Literal["assistant", "person"] = "assistant" if turn.role == "assistant" else "person"
            yield Message(role=turn.role, author=author, blocks=(Text(filled(turn.template)),))
            continue
        count = turn.count
        if isinstance(count, str) and not count.isdigit():
            count = template.difficulty_policy.distractor_turns.get(difficulty, -1)
        if int(count) < 0:
            raise BenchError(f"has no difficulty '{difficulty}'", path=path)
        for i in range(int(count)):
            asked, said = _DISTRACTORS[i // 2 % len(_DISTRACTORS)]
            if i % 2 == 0:
                yield Message(role="user", author="person", blocks=(Text(asked),))
            else:
                yield Message(role="assistant", author="assistant", blocks=(Text(said),))


def _truth(template: _Template) -> Iterator[tuple[Tag, str]]:
    truth = template.ground_truth
    yield from (("decision", t) for t in truth.locked_decisions)
    if not truth.locked_decisions:  # beside a decision, what is forbidden is the older one: stale, not a rule
        yield from (("constraint", t) for t in truth.forbidden_behaviors)
    yield from (("identifier", t) for t in truth.immutable_facts)
    yield from (("pending", t) for t in (*truth.unresolved_items, *truth.deferred_items))


def _atom(
    tag: Tag,
    text: str,
    template: _Template,
    values: dict[str, str],
    transcript: Transcript,
    filled: Callable[[str], str],
) -> Candidate | None:
    """The atom for a line of ground truth, established by the last turn that holds all its drawn words."""
    words = [values[name] for name in _NAME.findall(text)] or [filled(text)]
    at = max((i for i, m in enumerate(transcript.messages) if all(w in m.text for w in words)), default=None)
    if at is None:
        return None
    said = clip(transcript.messages[at].text, 200)
    older = (
        [f for f in map(filled, template.ground_truth.forbidden_behaviors) if f not in words]
        if tag == "decision"
        else []
    )
    stale = tuple(Stale(bounded(o), max(at, 1)) for o in older if o.casefold() not in said.casefold())
    by: Literal["assistant", "user"] = "assistant" if transcript.messages[at].role == "assistant" else "user"
    candidate = Candidate(tag, said, "okay" if tag == "identifier" else "vital", by, (at,), stale=stale)
    ways = [
        Patterns(all=tuple(map(bounded, words))),
        Patterns(all=(DENIED + quoted(words[0]), *map(bounded, words[1:]))),
    ]
    return carried(candidate, ways, transcript)
