"""What a run was made from, for the end of the page: hashes, versions, prices with their dates, graders, estimates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from bench.errors import BenchError, collected
from bench.fixtures import Fixture
from bench.frames import records
from bench.grading.subjects import fixtures_of
from bench.pricetable import Row, load_prices
from bench.project import find_project
from bench.runs.words import usd, whole
from bench.text import ABSENT, Figure

if TYPE_CHECKING:
    from bench.runs.index import Run

HASH_CHARS = 12
"""Of a sha256 that are shown; run.json has all of it."""
Line = Mapping[str, object]


@dataclass(frozen=True)
class Details:
    """When the run was last worked on; facts by name; tables with a title each, their lines by heading; and
    what is an estimate, in sentences.
    """

    resumed: str
    facts: Line
    tables: Sequence[tuple[str, Sequence[Line]]]
    estimates: Sequence[str]


def run_fixtures(run: Run) -> tuple[dict[str, Fixture], list[str]]:
    """The run's fixtures that stand as it found them, and a note on each that does not."""
    file, found, notes = run.store.run_json(), {}, []
    for name, mark in file.fixtures.items():
        try:
            fixture = fixtures_of(file, run.root, [name])[name]
        except BenchError as error:
            notes.append(f"{name}: {error.problem.message}.")
            continue
        found[name] = fixture
        if fixture.key_sha256 != mark.key_sha256:
            notes.append(f"{name}: its key has changed since the run; atoms have no text and no source here.")
    return found, notes


def details(run: Run, fixtures: Mapping[str, Fixture]) -> Details:
    """All of it; `fixtures` are those that are still there."""
    tables = [
        ("Fixtures", list(_fixtures(run, fixtures))),
        ("Arms", list(_arms(run))),
        ("Graders", list(_graders(run))),
        ("Prices, USD per million tokens", list(_prices(run))),
        ("Calls", list(_calls(run))),
    ]
    facts, told = _facts(run), [(title, lines) for title, lines in tables if lines]
    return Details(when(run.store.run_json().resumed_at), facts, told, list(_estimates(run)))


def _facts(run: Run) -> Line:
    file = run.store.run_json()
    sweep = file.sweep
    stale = sweep.stale_by if isinstance(sweep.stale_by, str) else ", ".join(map(str, sweep.stale_by))
    carry = None if sweep.carry is None else f"{sweep.carry.turns} turns at the prices of {sweep.carry.model}"
    return {
        "run": file.run,
        "sweep": file.sweep_file,
        "started": when(file.started_at),
        "resumed": when(file.resumed_at),
        "replicates": sweep.replicates,
        "context": sweep.context,
        "compactions in a row": sweep.chain,
        "stale by, messages": stale,
        "cost to carry": carry,
        "budget": None if sweep.budget_usd is None else f"{usd(sweep.budget_usd)} USD",
        "seed": file.seed,
        "versions": ", ".join(f"{name} {version}" for name, version in file.versions.items()) or None,
        "git commit": _short(file.git_commit),
        "price table sha256": _short(file.prices_sha256),
    }


def _fixtures(run: Run, fixtures: Mapping[str, Fixture]) -> Iterator[Line]:
    for name, mark in run.store.run_json().fixtures.items():
        there = fixtures.get(name)
        yield {
            "fixture": name,
            "title": there.about.title if there else None,
            "tokens": Figure(whole(there.about.tokens)) if there else None,
            "licence": there.about.licence if there else None,
            "transcript sha256": _short(mark.transcript_sha256),
            "key sha256": _short(mark.key_sha256),
            "contexts": ", ".join(f"{kind} {sha[:HASH_CHARS]}" for kind, sha in mark.contexts.items()) or None,
        }


def _arms(run: Run) -> Iterator[Line]:
    for versions in run.store.run_json().arms.values():
        for arm in versions:
            yield {
                "arm": arm.label,
                "kind": arm.kind,
                "version sha256": _short(arm.version_sha256),
                "prompt file sha256": _short(arm.prompt_sha256),
                "instruction sha256": _short(arm.instruction_sha256),
            }


def _graders(run: Run) -> Iterator[Line]:
    keys = ["grader", "grader_model", "scope", "grader_sha256"]
    for _, part in run.grades.groupby(keys, dropna=False, sort=False):
        (one,) = records(part[keys].head(1))
        yield {
            "grader": one["grader"],
            "model": one["grader_model"],
            "scope": one["scope"],
            "passes": Figure(part["grading_pass"].nunique()),
            "verdicts": Figure(whole(int(part["verdict"].notna().sum()))),
            "without a verdict": Figure(whole(int(part["verdict"].isna().sum()))),
            "grader sha256": _short(str(one["grader_sha256"])),
        }


def _prices(run: Run) -> Iterator[Line]:
    """The rows of the price table by which any call was priced, with what they rest on."""
    project = collected([], find_project, run.root)
    table = load_prices(project.root if project else None)
    carry = run.store.run_json().sweep.carry
    used = {str(name) for frame in (run.calls, run.outputs) for name in frame["price_row"].dropna().unique()}
    then = date.fromisoformat(run.store.run_json().resumed_at[:10])
    rows = [
        row for row in table.rows if row.name in used or (carry and row.model == carry.model and row.holds_on(then))
    ]
    for row in rows:
        yield {
            "row": row.name,
            "input": _price(row.usd.input),
            "output": _price(row.usd.output),
            "cache read": _price(row.usd.cache_read),
            "write 5 min": _price(row.usd.cache_write_5m),
            "write 1 h": _price(row.usd.cache_write_1h),
            "holds": _holds(row),
            "source": "; ".join(f"{s.title}, {s.date}" for n in row.sources if (s := table.sources.get(n))) or None,
        }


def _calls(run: Run) -> Iterator[Line]:
    for purpose, calls in run.calls.groupby("purpose", sort=False):
        known = calls["usd_api"].dropna()
        yield {
            "purpose": str(purpose),
            "calls": Figure(whole(len(calls))),
            "USD, of those known": Figure(usd(float(known.sum()))),
            "cost unknown": Figure(whole(len(calls) - len(known))),
        }


def _estimates(run: Run) -> Iterator[str]:
    """What on the page is an estimate, or is not known."""
    yield "Sizes called tokens are characters / 4, everywhere."
    outputs = run.outputs
    guessed = int((outputs["usage_source"] == "estimated").sum())
    if guessed:
        yield f"The usage of {guessed} of {len(outputs)} outputs is estimated: their model reported none."
    for reason, n in outputs["usd_reason"].value_counts().items():
        yield f"The cost of {n} of {len(outputs)} outputs is not known: {reason}."


def _holds(row: Row) -> str:
    since = f"from {row.from_}" if row.from_ else ""
    until = f"to {row.to}" if row.to else ""
    return " ".join(filter(None, (since, until))) or "always"


def _price(value: float) -> Figure:
    return Figure(f"{value:g}")


def when(moment: str) -> str:
    """`2026-01-31 14:05 UTC` of a moment in ISO 8601, UTC."""
    return f"{moment[:16].replace('T', ' ')} UTC"


def _short(sha256: str | None) -> str:
    return ABSENT if sha256 is None else sha256[:HASH_CHARS]
