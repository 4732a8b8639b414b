"""What is said in which turn: facts spread over a session's turns, with repetitions and near misses."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field

from bench.errors import BenchError
from bench.keys import Never
from bench.synth.facts import Fact, Pool, Slot, dealt
from bench.synth.scenarios import SCENARIOS, Scenario

MOST_REPETITIONS, MOST_DISTRACTORS = 3, 2
WITH_DISTRACTORS = ("number", "superseded")
"""Kinds of facts that another name with another number of the same unit is nearly."""
NEVERS = 4
"""Products that the session never speaks of."""
LEAST_TURNS = 3
"""A superseded fact needs a turn for the old value, one for the new, and the session a last request."""


@dataclass(frozen=True)
class Request:
    """What a synthetic session shall be. The same request gives the same bytes."""

    scenario: str
    turns: int
    """Messages that the user types."""
    atoms: int
    seed: int
    tokens: int | None = None
    """Estimated tokens to reach with longer files and outputs; None leaves them short."""


@dataclass(frozen=True)
class Saying:
    """One thing said in a turn. `fact` is its index where the saying establishes it."""

    slot: Slot
    text: str
    fact: int | None = None


@dataclass(frozen=True)
class Planted:
    """A fact and how it was planted: the factors that recall can be held against."""

    fact: Fact
    repetitions: int
    """How often it is said, the first time included."""
    distractors: int
    """Near misses in the session: other settings of the same part with other values."""
    changed_in: int | None = None
    """The turn that changed an older value."""


@dataclass(frozen=True)
class Turn:
    """What the user asks for in a turn, and everything else that is said in it."""

    task: str
    part: str
    sayings: tuple[Saying, ...] = ()


@dataclass
class _Laid:
    """The turns while they are laid out."""

    sayings: dict[int, list[Saying]] = field(default_factory=lambda: defaultdict(list))


@dataclass(frozen=True)
class Plan:
    """A whole session before a word of it is written."""

    scenario: Scenario
    request: Request
    turns: tuple[Turn, ...]
    planted: tuple[Planted, ...]
    last: tuple[str, str, str]
    """The last request: what, the word that tells it, the part."""
    nevers: tuple[Never, ...]


def planned(request: Request) -> Plan:
    """The plan of the session. Raises BenchError for an unknown scenario and numbers that cannot be met."""
    scenario = SCENARIOS.get(request.scenario)
    if scenario is None:
        raise BenchError(f"no scenario '{request.scenario}'; there are {', '.join(SCENARIOS)}")
    if request.turns < LEAST_TURNS or request.atoms < 1:
        raise BenchError(f"a session needs at least {LEAST_TURNS} turns and 1 atom")
    # a text as seed is hashed the same way on every machine
    rng = random.Random(f"{request.scenario} {request.turns} {request.atoms} {request.seed} {request.tokens}")
    pool = Pool(scenario, rng)
    nevers = tuple(_never(i, pool.option()) for i in range(NEVERS))
    (last, word), part = pool.task()
    try:
        facts = list(dealt(pool, request.atoms - 1))
    except IndexError:
        raise BenchError(f"{request.atoms} atoms are more than the words of '{scenario.name}' make") from None
    laid = _Laid()
    anchors = _anchors(len(facts), request.turns, rng)
    planted = tuple(_plant(i, f, anchors[i], laid, pool, request.turns, rng) for i, f in enumerate(facts))
    turns = [_turn(i, scenario, laid, rng) for i in range(request.turns - 1)]
    final = Turn(f"{last[0].upper()}{last[1:]} in the {part}.", part)
    return Plan(scenario, request, (*turns, final), planted, (last, word, part), nevers)


def _anchors(facts: int, turns: int, rng: random.Random) -> list[int]:
    """The turn of the last mention of each fact: evenly over the session, in a drawn order of the facts."""
    spread = [1 + (2 * i + 1) * (turns - 2) // (2 * facts) for i in range(facts)]
    rng.shuffle(spread)
    return spread


def _plant(at: int, fact: Fact, anchor: int, laid: _Laid, pool: Pool, turns: int, rng: random.Random) -> Planted:
    older = fact.before is not None
    repetitions = min(1 + rng.randrange(MOST_REPETITIONS), anchor + 1 - older)
    earlier = sorted(rng.sample(range(anchor), repetitions - 1 + older))
    changed_in = None
    if fact.before is not None:
        laid.sayings[earlier.pop(0)].append(Saying("user", fact.before))
        changed_in = (earlier or [anchor])[0]
    first, *again = (*earlier, anchor)
    laid.sayings[first].append(Saying(fact.slot, fact.said, at))
    for turn in again:
        laid.sayings[turn].append(Saying(fact.again_slot, fact.again, at))
    distractors = 0
    for _ in range(rng.randrange(MOST_DISTRACTORS + 1) if fact.kind in WITH_DISTRACTORS else 0):
        if near := pool.near(fact.part):
            said = f"{near.name} is left at {pool.value()} {near.unit}."
            laid.sayings[rng.randrange(turns - 1)].append(Saying("closing", said))
            distractors += 1
    return Planted(fact, repetitions, distractors, changed_in)


def _turn(i: int, scenario: Scenario, laid: _Laid, rng: random.Random) -> Turn:
    task, part = rng.choice(scenario.tasks)[0], rng.choice(scenario.components)
    return Turn(f"{task[0].upper()}{task[1:]} in the {part}.", part, tuple(laid.sayings[i]))


def _never(i: int, option: str) -> Never:
    return Never(id=f"n{i + 1:02}", text=f"The project uses {option}.", match=(rf"\b{option}\b",))
