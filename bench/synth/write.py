"""A synthetic fixture on the disk: written message by message, so that its size is bounded by the disk alone."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from bench.atomic import write_text
from bench.errors import BenchError
from bench.fixtures import ABOUT, FACTORS, KEY, TRANSCRIPT, FixtureFile
from bench.keys import Atom, Key, Patterns, Stale
from bench.keywriting import about_yaml, to_yaml
from bench.synth.compactbench import Case
from bench.synth.messages import messages
from bench.synth.plan import WITH_DISTRACTORS, Plan, Request, planned
from bench.transcripts.model import Transcript
from bench.transcripts.write import message_json, to_jsonl

Split = Literal["dev", "holdout"]
"""Beside the key: what recall of an atom can be held against."""
COLUMNS = "atom,kind,distance_messages,distance_tokens,repetitions,distractors"


@dataclass(frozen=True)
class Written:
    """What was written."""

    folder: Path
    messages: int
    tokens: int
    key: Key


@dataclass
class _Ledger:
    """Where each fact was said, while the messages go by."""

    said: dict[int, list[int]]
    tokens_at: dict[int, int]
    messages: int = 0
    tokens: int = 0


def write_synthetic(request: Request, folder: Path) -> Written:
    """Write the fixture into `folder`. Raises BenchError where it is there already, or the request cannot be met."""
    plan = planned(request)
    with _making(folder) as making:
        ledger, digest = _stream(plan, making / TRANSCRIPT)
        key = _key(plan, ledger)
        write_text(making / KEY, to_yaml(key))
        write_text(making / FACTORS, _factors(plan, ledger))
        write_text(making / ABOUT, about_yaml(_about(plan, ledger, digest)))
    return Written(folder, ledger.messages, ledger.tokens, key)


def write_case(case: Case, folder: Path, source: str) -> None:
    """Write the fixture of a CompactBench case into `folder`. Raises BenchError where it is there already."""
    key = Key(version=1, atoms=case.atoms)
    title = f"CompactBench case {case.name}"
    write_made(folder, case.transcript, key, title=title, source=source, licence="unknown", split="dev")


def write_made(
    folder: Path, transcript: Transcript, key: Key, *, title: str, source: str, licence: str, split: Split
) -> None:
    """Write an English fixture of these parts into `folder`. Raises BenchError where it is there already."""
    text = to_jsonl(transcript)
    about = FixtureFile(
        version=1,
        title=title,
        harness="none",
        source=source,
        licence=licence,
        language="en",
        split=split,
        tokens=transcript.tokens,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
    with _making(folder) as making:
        write_text(making / TRANSCRIPT, text)
        write_text(making / KEY, to_yaml(key))
        write_text(making / ABOUT, about_yaml(about))


@contextmanager
def _making(folder: Path) -> Iterator[Path]:
    """A folder beside `folder` that takes its place at the end, whole or not at all."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BenchError("is there already; give another --name, or remove it first", path=folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".tmp"))
    try:
        yield making
        making.chmod(0o755)
        making.rename(folder)
    except OSError as error:
        raise BenchError(f"cannot be written: {error.strerror}", path=folder) from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _stream(plan: Plan, path: Path) -> tuple[_Ledger, str]:
    """Writes the messages; where each fact was said, and the sha256 of the file."""
    ledger, digest = _Ledger(defaultdict(list), {}), hashlib.sha256()
    with path.open("wb") as file:
        for spoken in messages(plan):
            line = msgspec.json.encode(message_json(spoken.message)) + b"\n"
            file.write(line)
            digest.update(line)
            for fact in spoken.facts:
                ledger.said[fact].append(ledger.messages)
                ledger.tokens_at[ledger.messages] = ledger.tokens
            ledger.messages += 1
            ledger.tokens += spoken.message.tokens
    return ledger, digest.hexdigest()


def _key(plan: Plan, ledger: _Ledger) -> Key:
    task, word, part = plan.last
    ask = Atom(
        id="a001",
        tag="ask",
        text=f"The last request is to {task} in the {part}.",
        importance="vital",
        by="user",
        at=(ledger.messages - 1,),
        accept=Patterns(all=(rf"\b{word}", part.replace(" ", "[ _]"))),
        status="reviewed",
    )
    return Key(
        version=1, atoms=(ask, *(_atom(plan, i, ledger.said[i]) for i in range(len(plan.planted)))), never=plan.nevers
    )


def _atom(plan: Plan, i: int, at: list[int]) -> Atom:
    fact = plan.planted[i].fact
    return Atom(
        id=f"a{i + 2:03}",
        tag=fact.tag,
        text=fact.text,
        importance=fact.importance,
        by=fact.by,
        at=tuple(at),
        accept=fact.accept,
        stale=() if fact.stale is None else (Stale(fact.stale, at[0]),),
        status="reviewed",
    )


def _factors(plan: Plan, ledger: _Ledger) -> str:
    """A line an atom: how far its last mention is from the end, how often it was said, and how many near misses,
    nothing where its kind has none."""
    last = ledger.messages - 1
    rows = [COLUMNS, "a001,ask,0,0,1,"]
    for i, planted in enumerate(plan.planted):
        at = ledger.said[i][-1]
        far = ledger.tokens - ledger.tokens_at[at]
        near = planted.distractors if planted.fact.kind in WITH_DISTRACTORS else ""
        rows.append(f"a{i + 2:03},{planted.fact.kind},{last - at},{far},{planted.repetitions},{near}")
    return "\n".join(rows) + "\n"


def _about(plan: Plan, ledger: _Ledger, digest: str) -> FixtureFile:
    r = plan.request
    return FixtureFile(
        version=1,
        title=f"{plan.scenario.title}, synthetic, seed {r.seed}",
        harness="none",
        source=f"bench fixtures synth --scenario {r.scenario} --turns {r.turns} --atoms {r.atoms} --seed {r.seed}"
        + (f" --tokens {r.tokens}" if r.tokens is not None else ""),
        licence="CC0-1.0",
        language="en",
        split="dev",
        tokens=ledger.tokens,
        sha256=digest,
    )
