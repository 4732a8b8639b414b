"""Hold a grader against human labels: does it find in a text what people find in it?

FILE is JSON Lines: a text a line with the units that people looked for in it, each with their votes and label (docs:
calibration). The lexical grader is asked by its scored matcher, the text of the unit alone; a judge by its usual
questions, which cost money: its answers are kept in --folder and never paid for twice.

accuracy: share of the units on which grader and people say the same, with a 95 % interval that takes a document's units
as one cluster. kappa (Cohen): agreement beyond chance. precision and recall: of "carried". Tied labels and missing
verdicts are left out and counted. Units that people were unanimous on, and units with numbers, stand apart.

exit status: 0 done, 1 with verdicts missing, 2 bad input, 3 stopped by the budget, 130 interrupted

examples:
  bench calibrate --labels labels.jsonl
  bench calibrate --labels labels.jsonl --grader judge --model claude-opus-5-5 --budget-usd 5 --folder judged
  bench calibrate --labels labels.jsonl --fit --out weights.json    fit the matcher's weights anew, held-out agreement
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cli.output import emit_json, say
from bench.errors import BenchError
from bench.text import ABSENT
from bench.texttable import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.analysis.graders.calibration import Agreed, Calibration
    from bench.calibration.labels import LabelledText

COLUMNS = ("units", "n", "accuracy", "kappa")
TELL_EVERY = 25


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--labels", required=True, type=Path, metavar="FILE", help="human labels, JSON Lines")
    parser.add_argument("--grader", choices=("lexical", "judge"), default="lexical")
    parser.add_argument("--model", metavar="M", help="the judge")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where a judge's answers are kept")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the matcher's weights, for the shipped ones")
    parser.add_argument("--fit", action="store_true", help="fit the matcher's weights on these labels")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where --fit writes them")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--budget-usd", type=float, metavar="X", help="hard stop for the judge, in USD")
    budget.add_argument("--no-budget", action="store_true", help="ask a paid judge without a cap")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> int:
    from bench.calibration.labels import read_labels

    _check(args)
    texts = read_labels(args.labels)
    if args.fit:
        return _fit(args, texts)
    if args.grader == "judge":
        return _judge(args, texts)
    from bench.analysis.graders.calibration import calibration
    from bench.calibration.asked import by_matcher
    from bench.grading.weights import read_weights

    _show(args, calibration(by_matcher(texts, read_weights(args.weights) if args.weights else None)))
    return 0


def _check(args: argparse.Namespace) -> None:
    """Nothing where the options go together; else BenchError."""
    if args.grader == "judge" and not (args.model and args.folder):
        raise BenchError("a judge needs --model M and --folder DIR")
    if args.grader != "judge" and (args.model or args.folder or args.budget_usd is not None or args.no_budget):
        raise BenchError("--model, --folder and a budget are a judge's; say --grader judge as well")
    if args.fit and args.grader == "judge":
        raise BenchError("--fit fits the matcher's weights; a judge has none")
    if bool(args.out) != args.fit:
        raise BenchError("--fit and --out FILE go together")


def _fit(args: argparse.Namespace, texts: Sequence[LabelledText]) -> int:
    import msgspec

    from bench.atomic import write_bytes
    from bench.calibration.fit import fit
    from bench.grading.weights import told

    weights = fit(texts, args.labels.name)
    write_bytes(args.out, msgspec.json.format(msgspec.json.encode(weights), indent=1) + b"\n")
    if args.json:
        emit_json(weights.fitted)
    else:
        print(told(weights))
        print(f"written: {args.out}")
    return 0


def _judge(args: argparse.Namespace, texts: Sequence[LabelledText]) -> int:
    from bench.analysis.graders.calibration import calibration
    from bench.calibration.asked import by_judge
    from bench.grading.means import Means
    from bench.grading.results import GradingInterrupted

    means = Means(budget_usd=args.budget_usd, no_budget=args.no_budget)
    try:
        judged, result = by_judge(texts, args.model, means, args.folder, _progress)
    except GradingInterrupted as interrupted:
        say("interrupted; answers are kept, start again to go on")
        return interrupted.results[-1].exit_status
    for line in result.lines():
        say(line)
    _show(args, calibration(judged))
    return result.exit_status


def _progress(grader: str, done: int, total: int) -> None:
    if done == total or done % TELL_EVERY == 0:
        say(f"{grader}: {done}/{total} texts")


def _show(args: argparse.Namespace, found: Calibration) -> None:
    if args.json:
        of = found.all
        emit_json(
            {
                "accuracy": of.accuracy,
                "kappa": of.kappa,
                "interval": found.interval,
                "n": of.n,
                "unanimous": asdict(found.unanimous),
                "numbers": asdict(found.numbers),
            }
        )
        return
    parts = (("all", found.all), ("unanimous", found.unanimous), ("with numbers", found.numbers))
    print(table([_line(name, of) for name, of in parts], COLUMNS))
    low, high = (f"{100 * end:.1f}" for end in found.interval) if found.interval else (ABSENT, ABSENT)
    print(f"accuracy: 95 % interval {low} to {high} %, clustered by {found.documents} documents")
    print(f"of 'carried': precision {_share(found.precision)}, recall {_share(found.recall)}")
    print(f"left out: {found.tied} tied labels, {found.missing} missing verdicts")


def _line(name: str, of: Agreed) -> dict[str, object]:
    return {"units": name, "n": of.n, "accuracy": of.accuracy, "kappa": of.kappa}


def _share(value: float | None) -> str:
    return ABSENT if value is None else f"{value:.3f}"
