"""How much of a run is noise, and from where: the split, the grader alone, and what other designs would give."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.runs.index import Run
from bench.runs.sources import contested, left_out, noise
from bench.runs.told import Told
from bench.runs.varying import VARYING, varying_tables
from bench.runs.view import Grading, gradings
from bench.runs.words import points

if TYPE_CHECKING:
    import pandas as pd

DESIGNS = ((1, 3, 1), (1, 5, 1), (1, 10, 1), (3, 2, 1), (3, 5, 1), (3, 5, 3), (6, 2, 1), (6, 5, 1), (10, 2, 1))
"""(fixtures, replicates, passes) that a projection is worked out for."""
ABOUT = (
    "SD: points that a source adds to one verdict, or to a whole run; share: of what moves the recall of one run graded"
    " once"
)
ABOUT_DESIGNS = (
    "SE: of a difference of two arms, in points; a design sees about three times that, or more with few runs"
)


def projections(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line a design of `DESIGNS`: fixtures, replicates, passes, and in points se_these (these facts) and
    se_like_these (transcripts like these; NA where the run does not tell how arms differ from fixture to fixture).

    Raises BenchError where the run has no two replicates of any arm on a fixture, or all of them are alike.
    """
    import pandas as pd

    from bench.analysis.arms.spread import POINTS
    from bench.analysis.noise import run_components
    from bench.analysis.statistics.projection import Sources, se_like_these, se_these

    ranked = contested(run, grading, with_truncated)
    found = run_components(ranked)
    why = _nothing_varies(ranked, found["replicate"])
    if why or found["replicate"] is None:
        raise BenchError(why, path=run.root)
    across = found["fixture x arm"]
    replicate, passes = (max(0.0, found[name] or 0.0) for name in ("replicate", "pass"))
    of = Sources(max(0.0, across or 0.0), replicate, passes)
    lines = [
        (*one, POINTS * se_these(of, *one), None if across is None else POINTS * se_like_these(of, *one))
        for one in DESIGNS
    ]
    table = pd.DataFrame(lines, columns=["fixtures", "replicates", "passes", "se_these", "se_like_these"])
    return table.astype({"se_these": "Float64", "se_like_these": "Float64"})


def _nothing_varies(ranked: pd.DataFrame, replicate: float | None) -> str:
    """Why the run does not tell how runs vary; empty where it does."""
    from bench.analysis.units import NO_MODEL

    if (ranked["model"] == NO_MODEL).all():
        return "no arm asks a model: each is the same each time, and no run tells how runs vary"
    if replicate is None:
        return "no arm has two replicates on a fixture; nothing tells how runs vary"
    from bench.analysis.recall import pass_recall
    from bench.analysis.units import SERIES

    recalls = pass_recall(ranked).groupby([*SERIES, "fixture"], observed=True)["recall"]
    alike = bool((recalls.nunique() < 2).all())
    return "all runs of an arm on a fixture are alike; nothing tells how far the next would lie" if alike else ""


def noise_tables(run: Run, *, with_truncated: bool = False) -> dict[str, pd.DataFrame]:
    """sources, designs, reliability, spreads, readings and key, each of every way of grading: grader, scope, and the
    columns of `noise`, `projections`, `atom_reliability`, `arm_spreads`, `pass_readings` and `key_sizes`."""
    import pandas as pd

    found: dict[str, list[pd.DataFrame]] = {}
    for grading in gradings(run):
        tables = {"sources": noise, "designs": projections} | {name: of for name, (_, of, _) in VARYING.items()}
        for name, of in tables.items():
            try:
                table = of(run, grading=grading, with_truncated=with_truncated)
            except BenchError:  # one replicate: nothing to project from, which the split says, too
                table = pd.DataFrame()
            kept = table.drop(columns=["grader", "scope"], errors="ignore")
            found.setdefault(name, []).append(kept.assign(grader=grading.grader, scope=grading.scope))
    return {name: pd.concat(tables, ignore_index=True) for name, tables in found.items()}


def show_noise(run: Run, *, with_truncated: bool = False) -> Told:
    """The split of every way of grading, the grader alone, and other designs, as people read them."""
    from bench.frames import records

    tables, notes = [], []
    for grading in gradings(run):
        by = f"{run.name}: graded by {grading.grader} on the {grading.scope}"
        lines = records(noise(run, grading=grading, with_truncated=with_truncated))
        tables.append((f"{by}, where its variation comes from", [_source(line) for line in lines]))
        notes += [f"{line['source']}: {line['why_none']}" for line in lines if line["why_none"]]
        notes += _grader(run, grading, with_truncated)
        more, about = varying_tables(run, grading, with_truncated)
        tables += [(f"{by}, {title}", lines) for title, lines in more]
        notes += about
        try:
            designs = records(projections(run, grading=grading, with_truncated=with_truncated))
        except BenchError as error:
            notes.append(error.problem.message)
            continue
        tables.append((f"{by}, what other designs would give", [_design(line) for line in designs]))
        notes.append(ABOUT_DESIGNS)
    return Told(tables, [*dict.fromkeys(notes), ABOUT])


def _grader(run: Run, grading: Grading, with_truncated: bool) -> list[str]:
    """The grader alone, and the SD of replicates with its limits."""
    from bench.analysis.arms.spread import POINTS, pooled_sd
    from bench.analysis.graders.grader_noise import grader_noise
    from bench.analysis.recall import run_recall
    from bench.analysis.statistics.normal_range import sigma_limits_of
    from bench.analysis.units import SERIES, named
    from bench.frames import records
    from bench.runs.expected import spread_lines, worth_passes

    ranked = contested(run, grading, with_truncated)
    out = left_out(run, grading, with_truncated)
    told = [f"controls are left out: {', '.join(out)}"] if out else []
    told += [
        f"the grader alone: SD of a pass {line['pass_sd']:.1f} points ({line['df']} degrees of freedom); two gradings"
        f" of one output differ by more than {line['repeatability']:.1f} one time in twenty"
        for line in records(grader_noise(ranked))
        if isinstance(line["pass_sd"], float)
    ]
    known = named(run_recall(ranked).dropna(subset=["recall"])).groupby(["name", *SERIES, "fixture"], observed=True)
    recalls = {f"{key[0]} on {key[-1]}": [POINTS * float(r) for r in one] for key, one in known["recall"]}
    pooled = pooled_sd(list(recalls.values()))
    limits = None if pooled is None else sigma_limits_of(pooled[1])
    if pooled is not None and pooled[0] and limits is not None:
        sd, df = pooled
        told.append(
            f"replicates of an arm: SD {sd:.1f} points over all arms ({df} degrees of freedom, 95 % limits"
            f" {sd * limits[0]:.1f} to {sd * limits[1]:.1f})"
        )
        told += spread_lines(recalls, sd, df)
    return [*told, *worth_passes(run, ranked)]


def _source(line: dict[str, object]) -> dict[str, object]:
    from bench.text import Figure

    sd, share, moves = line["sd"], line["share"], line["run_variance"]
    return {
        "source": line["source"], "levels": line["levels"],
        "SD": Figure(f"{sd:.1f}") if isinstance(sd, float) else None,
        "moves a run by": Figure(f"{math.sqrt(moves):.1f}") if isinstance(moves, float) else None,
        "share %": Figure(points(share)) if isinstance(share, float) else None,
    }  # fmt: skip


def _design(line: dict[str, object]) -> dict[str, object]:
    from bench.text import Figure

    ends = {"SE, these facts": line["se_these"], "SE, transcripts like these": line["se_like_these"]}
    told = {name: Figure(f"{se:.1f}") if isinstance(se, float) else None for name, se in ends.items()}
    return {**{c: line[c] for c in ("fixtures", "replicates", "passes")}, **told}
