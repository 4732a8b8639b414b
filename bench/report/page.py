"""The page as HTML: one file that holds all it needs, and that runs nothing but its own script.

Whatever is put into the template is escaped, and control and bidirectional characters are shown as escapes before; only
markup that this package made passes as it is. The content policy names the hashes of the one style and the one script:
markup that slipped through all the same would neither run nor load anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from bench.report.data import Page
from bench.report.highlight import Piece
from bench.report.outputs import LETTERS, Output
from bench.text import ABSENT, Figure, printable

if TYPE_CHECKING:
    from jinja2 import Environment, Template


MOST_BYTES = 3_000_000
"""Of a page: what a mail still takes."""


def render(page: Page, articles: Iterable[tuple[Output, Markup]]) -> str:
    """The page with these outputs' texts (from `article`); the others are linked."""
    shown = list(articles)
    style, script = Markup(_asset("style.css")), Markup(_asset("script.js"))
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none';"
        " form-action 'none'"
    )
    return _template("page.html").render(
        page=page,
        names={o.id: o.name for o in page.outputs},
        articles=[text for _, text in shown],
        data=_data(page, {output.id for output, _ in shown}),
        policy=policy,
        most=MOST_BYTES // 1_000_000,
        style=style,
        script=script,
    )


def article(output: Output, pieces: Iterable[Piece]) -> Markup:
    """One output's text with its evidence marked."""
    return Markup(_template("output.html").render(output=output, pieces=pieces))


def _data(page: Page, on_page: set[str]) -> dict[str, Any]:
    """What the script needs: the outputs, their verdicts by letter, and the atoms that the letters stand for."""
    said: dict[str, list[str]] = {}
    for one in page.disputes:
        told = printable(f"{one.atom} disputed by a person: {one.verdict}; {one.note}")
        said.setdefault(one.output, []).append(told)
    return {
        "words": {letter: verdict or "not graded" for verdict, letter in LETTERS.items()},
        "pair": page.pair,
        "atoms": {printable(f): [printable(a) for a in atoms] for f, atoms in page.fixture_atoms.items()},
        "outputs": [
            {
                "id": o.id, "fixture": printable(o.fixture), "name": printable(o.name), "label": o.label,
                "facts": printable(_facts(o)), "file": o.file, "verdicts": o.verdicts, "here": o.id in on_page,
                "recall": o.recall, "disputes": said.get(o.id, []), "more": o.more,
            }
            for o in page.outputs
        ],
    }  # fmt: skip


def _facts(output: Output) -> str:
    """`recall 75.0 · 812 tokens · 0.0114 USD to write · truncated`."""
    outcome = "" if output.outcome == "handoff" else f"{output.outcome} {output.detail}".strip()
    cost = "" if output.cost == ABSENT else f"{output.cost} USD to write"
    return " · ".join(filter(None, (f"recall {output.recall}", f"{output.tokens} tokens", cost, outcome)))


def _shown(value: object) -> object:
    """What stands for a value on the page, before it is escaped."""
    if isinstance(value, Markup):
        return value
    return ABSENT if value is None else printable(str(value))


def _number(value: object) -> bool:
    """Whether a table sets the value to the right."""
    return isinstance(value, Figure | int | float)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bench.report"), autoescape=True, finalize=_shown, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.tests["number"] = _number
    return environment


def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _asset(name: str) -> str:
    from importlib.resources import files

    return (files("bench.report") / "templates" / name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
