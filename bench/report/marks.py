"""The mark of each arm as the figures draw it, small enough for a line of text."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from bench.plots.style import Style, styles

SHAPES = {
    "o": '<circle cx="6" cy="6" r="4.4"/>',
    "s": '<path d="M2 2h8v8h-8z"/>',
    "^": '<path d="M6 1.2 11 10.4H1z"/>',
    "v": '<path d="M6 10.8 11 1.6H1z"/>',
    "D": '<path d="M6 .8 11.2 6 6 11.2.8 6z"/>',
    "d": '<path d="M6 .6 9.6 6 6 11.4 2.4 6z"/>',
    "P": '<path d="M4 1h4v3h3v4H8v3H4V8H1V4h3z"/>',
    "X": '<path d="M3.4 1 6 3.6 8.6 1 11 3.4 8.4 6 11 8.6 8.6 11 6 8.4 3.4 11 1 8.6 3.6 6 1 3.4z"/>',
    "p": '<path d="M6 .8 11.3 4.7 9.3 11H2.7L.7 4.7z"/>',
    "*": '<path d="m6 .4 1.5 3.9 4.1.2-3.2 2.6 1.1 4L6 8.8l-3.5 2.3 1.1-4L.4 4.5l4.1-.2z"/>',
}
"""matplotlib's marker -> its shape in a square of 12."""


def marks(kinds: Mapping[str, str]) -> tuple[dict[str, Markup], Markup]:
    """Mark of each series, of a map from its name to its kind, and the drawings that the marks point to.

    By the colours and shapes of `bench.plots`. A page has thousands of marks, so each drawing stands on it once.
    """
    drawn = {name: (f"m{i}", style) for i, (name, style) in enumerate(styles(kinds).items())}
    shown = {
        name: Markup('<svg class="mark" aria-hidden="true"><use href="#{0}"/></svg>').format(id_)
        for name, (id_, _) in drawn.items()
    }
    return shown, Markup("").join(_drawing(id_, style) for id_, style in drawn.values())


def _drawing(id_: str, style: Style) -> Markup:
    looks = Markup('fill="none" stroke="{0}" stroke-width="1.4"' if style.hollow else 'fill="{0}"').format(style.colour)
    symbol = Markup('<symbol id="{0}" viewBox="0 0 12 12"><g {1}>{2}</g></symbol>')
    return symbol.format(id_, looks, Markup(SHAPES[style.marker]))
