"""Draft, check and review a fixture's answer key.

examples:
  bench key draft mine                          propose atoms from the transcript's structure
  bench key draft mine --merge                  add what a key that has atoms does not ask for yet
  bench key draft mine --merge --notes my-run   add what notes on a run's handoffs missed ('bench handoffs feedback')
  bench key draft mine --merge --model claude-sonnet-5-5 --dry-run       what a model's drafting would cost
  bench key draft mine --merge --model claude-sonnet-5-5 --budget-usd 1  have a model propose atoms as well
  bench key check mine                          name atoms that are trivial, unanswerable, overlapping or untrue
  bench key review mine                         go through the drafted atoms: accept, edit, retag, drop

FIXTURE is a name in fixtures/ or a folder. Only --model asks a model: its answers are kept in results/drafts/, so that
none is paid for twice; what it cannot quote from the transcript is dropped. exit status of that: 0 done, 1 with
stretches that got no answer, 2 bad input, 3 stopped by the budget, 130 interrupted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.atomic import write_text
from bench.cli.output import emit, say
from bench.errors import BenchError, shown
from bench.fixtures import KEY, TRANSCRIPT, fixture_folder
from bench.keys import Atom, Key, read_key
from bench.project import Project, find_project
from bench.text import printable
from bench.transcripts.model import Transcript

COLUMNS = ("atom", "kind", "why")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    draft = actions.add_parser("draft", help="propose atoms from the transcript's structure, by notes, or by a model")
    check = actions.add_parser("check", help="name atoms that are trivial, unanswerable, overlapping or untrue")
    review = actions.add_parser("review", help="go through the drafted atoms in the terminal")
    for action in (draft, check, review):
        action.add_argument("fixture", metavar="FIXTURE", help="a fixture's name, or its folder")
    check.add_argument("--json", action="store_true", help="print the table as JSON")
    draft.add_argument("--merge", action="store_true", help="add to the atoms that are there; they stay")
    draft.add_argument("--notes", metavar="RUN|FILE", help="of the notes on these handoffs, instead of from structure")
    draft.add_argument("--model", metavar="M", help="have a model propose atoms as well")
    draft.add_argument("--dry-run", action="store_true", help="say what the model would be asked and cost; ask nothing")
    budget = draft.add_mutually_exclusive_group()
    budget.add_argument(
        "--budget-usd", "--budget", type=float, metavar="X", help="hard stop for all drafting of this fixture, in USD"
    )
    budget.add_argument("--no-budget", action="store_true", help="ask a paid model without a cap")


def run(args: argparse.Namespace) -> int:
    folder = _folder(args.fixture)
    if args.action == "draft":
        return _draft(folder, args)
    return _check(folder, args.json) if args.action == "check" else _review(folder)


def _folder(name: str) -> Path:
    path = Path(name).expanduser()
    return path if path.is_dir() else fixture_folder(name, find_project(), Path.cwd())


def _draft(folder: Path, args: argparse.Namespace) -> int:
    from bench.transcripts import read

    if args.notes and args.model:
        raise BenchError("--notes and --model are two ways to draft; take one after the other")
    if not args.model and (args.dry_run or args.budget_usd is not None or args.no_budget):
        raise BenchError("--dry-run, --budget-usd and --no-budget go with --model")
    path = folder / KEY
    key = read_key(path)[0] if path.is_file() and path.read_bytes().strip() else Key(version=1, atoms=())
    if key.atoms and not args.merge and not args.dry_run:
        raise BenchError(f"has {len(key.atoms)} atoms; --merge adds to them and keeps what is there", path=path)
    transcript = read(folder / TRANSCRIPT)
    if args.model:
        return _draft_with(args, folder, transcript, key)
    drafted = _noted(args.notes, folder, transcript) if args.notes else _structural(transcript)
    _write(folder, key, drafted)
    return 0


def _structural(transcript: Transcript) -> Sequence[Atom]:
    from bench.drafting import draft

    return draft(transcript)


def _noted(where: str, folder: Path, transcript: Transcript) -> Sequence[Atom]:
    from bench.field.noted_atoms import noted_atoms
    from bench.field.stored import open_shelf

    found = noted_atoms(open_shelf(where), _project(), folder.resolve().name, transcript)
    for note, why in found.refused:
        say(printable(f"no atom of the note “{note}”: {why}"))
    if found.elsewhere:
        say(f"{found.elsewhere} note(s) are on handoffs of other fixtures")
    return found.atoms


def _draft_with(args: argparse.Namespace, folder: Path, transcript: Transcript, key: Key) -> int:
    from bench.calls.outside import Outside
    from bench.calls.pricing import Pricing
    from bench.drafting.merge import joined
    from bench.pricetable import load_prices
    from bench.proposing.asking import draft_with, plan_draft

    project = _project()
    if project is None:
        raise BenchError("a model's answers are kept in a project; change into one, or make one with 'bench init'")
    outside = Outside()
    pricing = Pricing(load_prices(project.root), outside.now().date())
    if args.dry_run:
        print(plan_draft(transcript, args.model, pricing, outside).line())
        return 0
    kept = project.results / "drafts" / folder.resolve().name
    done = draft_with(
        transcript,
        args.model,
        kept,
        pricing,
        outside,
        budget_usd=args.budget_usd,
        no_budget=args.no_budget,
        say=say,
    )
    print("\n".join(map(printable, done.lines())))
    structural = _structural(transcript)
    atoms, same = joined(structural, done.checked.atoms)
    if same:
        print(f"{same} of them ask what the structure shows already; kept once")
    if atoms:
        _write(folder, key, atoms)
    return done.exit_status


def _write(folder: Path, key: Key, drafted: Sequence[Atom]) -> None:
    from bench.drafting.merge import merged
    from bench.keywriting import to_yaml

    after = merged(key, drafted)
    write_text(folder / KEY, to_yaml(after))
    print(f"{shown(folder / KEY)}: {len(after.atoms) - len(key.atoms)} atoms drafted, {len(key.atoms)} kept")
    print(f"next: bench key review {shown(folder)}")


def _project() -> Project | None:
    try:
        return find_project()
    except BenchError:  # a fixture's folder may lie outside any project
        return None


def _check(folder: Path, as_json: bool) -> int:
    from bench.checks.worth import doubts

    found = doubts(folder)
    if not found and not as_json:
        print("no atom is trivial, unanswerable, overlapping or untrue")
        return 0
    emit([{"atom": d.atom, "kind": d.kind, "why": d.why} for d in found], COLUMNS, as_json=as_json)
    return BenchError.exit_status if any(d.kind == "unanswerable" for d in found) else 0


def _review(folder: Path) -> int:
    from bench.reviewing.terminal import review

    done = review(folder, lambda prompt: input(printable(prompt)), lambda text: print(printable(text)))
    print(f"{done.accepted} accepted, {done.dropped} dropped, {done.left} still drafted")
    if not done.left:
        say(f"next: bench key check {shown(folder)}")
    return 0
