"""A run as logs of inspect_ai: its JSON log format, version 2, written without the package.

One log a way of grading and model. A sample is an output (fixture, arm, step, staleness), its epoch the replicate, its
output the handoff; its one score, `recall`, is the weighted mean of the atoms' scores (0..1) with every atom's verdict
and evidence in the score's metadata. Where a verdict is missing the recall is of the others, as in our tables; an
output without any verdict has no score. Usage and cost are of the fork alone. Texts of the transcript stay out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench import __version__
from bench.atomic import write_all
from bench.frames import records
from bench.rows import GRADED

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

Record = dict[str, object]

LOG_VERSION = 2
"""Of inspect_ai's log format."""
OUTPUT = ("fixture", "arm", "model", "chain_step", "stale_by", "replicate")
GRADES = ("atom", "tag", "importance", "weight", "verdict", "score", "evidence")
NO_MODEL = "none/none"
"""The model of arms that ask none, in the provider/name form that inspect_ai expects."""


def write_logs(run: Run, folder: Path) -> list[Path]:
    """The logs, written whole into `folder`; a run without verdicts has one log a model without scores."""
    files = []
    for grader, scope in _ways(run):
        for model in sorted(run.outputs["model"].unique()):
            log = log_of(run, grader, scope, str(model))
            name = f"{run.name}_{grader or 'ungraded'}-{scope}_{_safe(str(model))}.json"
            files.append((folder / name, msgspec.json.format(msgspec.json.encode(log), indent=1) + b"\n"))
    write_all(files)
    return [path for path, _ in files]


def log_of(run: Run, grader: str | None, scope: str, model: str) -> Record:
    """The log of one way of grading and one model."""
    made = run.store.run_json()
    rows = run.outputs[run.outputs["model"] == model]
    grades = run.grades[(run.grades["grader"] == grader) & (run.grades["scope"] == scope)] if grader else run.grades[:0]
    mine = grades[grades["model"] == model]
    by_output = dict(iter(mine.groupby(list(OUTPUT), observed=True)))
    texts = _texts(run, scope)
    samples = [_sample(texts, row, by_output.get(_key(row))) for row in records(rows)]
    named = NO_MODEL if model == "none" else model if "/" in model else f"anthropic/{model}"
    scored = [value for part in by_output.values() if (value := recall_of(records(part))) is not None]
    metric: Record = {"name": "mean", "value": sum(scored) / len(scored)} if scored else {}
    score: Record = {
        "name": "recall", "scorer": grader or "none", "scored_samples": len(scored),
        "unscored_samples": len(samples) - len(scored), "metrics": {"mean": metric} if scored else {},
    }  # fmt: skip
    return {
        "version": LOG_VERSION,
        "status": "success",
        "eval": {
            "created": made.started_at, "task": run.name, "task_id": _id(run.name), "run_id": _id(run.name, "run"),
            "eval_id": _id(run.name, grader or "", scope, model), "model": named,
            "dataset": {"name": ", ".join(made.fixtures), "samples": len({s["id"] for s in samples})},
            "config": {"epochs": max((int(str(s["epoch"])) for s in samples), default=1)},
            "packages": {"handoff-bench": __version__},
            "metadata": {"grader": grader, "scope": scope, "seed": made.seed},
        },
        "results": {
            "total_samples": len(samples), "completed_samples": len(samples), "scores": [score] if grader else [],
        },
        "stats": {"started_at": made.started_at, "completed_at": made.resumed_at},
        "samples": samples,
    }  # fmt: skip


def _texts(run: Run, scope: str) -> dict[str, str]:
    """Cell key -> the handoff (or the model's reply alone) of every output that has one."""
    read = run.store.handoff_text if scope == "handoff" else run.store.summary_text
    return {row.cell_key: read(row) for row in run.store.rows() if row.outcome in GRADED}


def _sample(texts: dict[str, str], row: Record, grades: pd.DataFrame | None) -> Record:
    names = [str(row["fixture"]), str(row["arm"]), str(row["model"])]
    sample: Record = {
        "id": f"{'/'.join(names)}/s{row['chain_step']}-k{row['stale_by']}",
        "epoch": row["replicate"],
        "input": f"The transcript of fixture {row['fixture']}, for arm {row['arm']}",
        "target": "",
        "metadata": {k: row[k] for k in (*OUTPUT, "kind", "outcome", "handoff_tokens", "usd_api", "carry_usd")},
        "output": _output(texts.get(str(row["cell_key"]), ""), row),
        "scores": _scores(grades),
    }
    if row["seconds"] is not None:
        sample["total_time"] = row["seconds"]
    return sample


def _output(text: str, row: Record) -> Record:
    """The text as a model's output; empty where none was made."""
    usage: Record = {}
    if row["output_tokens"] is not None:
        writes = [row["cache_write_5m_tokens"], row["cache_write_1h_tokens"]]
        usage = {
            "input_tokens": row["input_tokens"], "output_tokens": row["output_tokens"],
            "input_tokens_cache_read": row["cache_read_tokens"],
            "input_tokens_cache_write": sum(int(str(n)) for n in writes if n is not None),
            "total_tokens": int(str(row["charged_input_tokens"] or 0)) + int(str(row["output_tokens"])),
        }  # fmt: skip
    choice = {"message": {"role": "assistant", "content": text}, "stop_reason": "stop"}
    output: Record = {"model": row["model"], "choices": [choice]}
    return output | ({"usage": usage} if usage else {})


def _scores(grades: pd.DataFrame | None) -> Record:
    atoms = [] if grades is None else records(grades[["grading_pass", *GRADES]])
    value = recall_of(atoms)
    return {} if value is None else {"recall": {"value": value, "metadata": {"atoms": atoms}}}


def recall_of(atoms: list[Record]) -> float | None:
    """The weighted mean of the scores over all passes; None where no verdict is known."""
    judged = [(float(str(a["weight"])), float(str(a["score"]))) for a in atoms if a["score"] is not None]
    weight = sum(w for w, _ in judged)
    return sum(w * score for w, score in judged) / weight if weight else None


def _ways(run: Run) -> Iterator[tuple[str | None, str]]:
    pairs = run.grades[["grader", "scope"]].drop_duplicates()
    yield from ((str(g), str(s)) for g, s in pairs.itertuples(index=False)) if len(pairs) else [(None, "handoff")]


def _key(row: Record) -> tuple[object, ...]:
    return tuple(row[name] for name in OUTPUT)


def _id(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode()).hexdigest()[:22]


def _safe(model: str) -> str:
    kept = "".join(c if c.isalnum() or c in ".-" else "-" for c in model)
    return kept if kept == model else f"{kept[:60]}-{_id(model)[:8]}"
