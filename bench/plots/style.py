"""How every figure looks: one palette, one set of markers, the same arm the same in all of them.

The colours are Okabe and Ito's, told apart by people with any common colour blindness; markers differ as well, so that
a grey print is readable. Controls are hollow and grey. Shipped arms have their slot by name. Any other starts at a hash
of its name and moves on past what the run's arms have taken; a figure is given all arms of its run, also those that it
does not draw, so that an arm looks the same in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from bench.analysis.units import CONTROLS
from bench.text import printable

if TYPE_CHECKING:
    from matplotlib.artist import Artist

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#E69F00", "#56B4E9", "#7A5C3E", "#332288")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
INK = "#222222"
MUTED = "#6B6B6B"
FAINT = "#D9D9D9"
CONTROL = "#555555"
CONTROL_MARKERS = {"full": "*", "nothing": "X", "tail": "d"}

SLOTS = {
    "inventory": 0, "nine-sections": 1, "short": 2, "two-copy": 3, "answer-sheet": 4, "ten-questions": 5,
    "window-1k": 6, "window-4k": 7, "window-16k": 27, "window-64k": 10, "extract-1k": 28, "stock": 21,
}  # fmt: skip
"""Shipped arm -> slot; a slot is a colour (modulo 8) and, with its eighth, a marker. Twelve arms share eight colours:
those that shipped sweeps and the README compare share neither colour nor marker."""

TIP = "tip:"
"""Begins the id of an element of a figure; what follows is its tooltip in the report."""

DPI = 150
RC: Mapping[str, object] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    # a dollar sign in an atom's text is a dollar sign, not mathematics
    "text.parse_math": False,
    # the page's or the figure's own ground shows through
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#ECECEC",
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    # equal data give equal bytes, and words in an SVG stay words
    "svg.hashsalt": "handoff-bench",
    "svg.fonttype": "none",
}


@dataclass(frozen=True)
class Style:
    """How an arm is drawn; `hollow` marks a control."""

    colour: str
    marker: str
    hollow: bool = False

    @property
    def face(self) -> str:
        return "none" if self.hollow else self.colour

    @property
    def edge(self) -> str:
        return self.colour if self.hollow else "white"

    @property
    def ink(self) -> str:
        """The colour darkened by a third, for words: amber and sky blue are too pale to read on white."""
        red, green, blue = (int(self.colour[i : i + 2], 16) * 2 // 3 for i in (1, 3, 5))
        return f"#{red:02x}{green:02x}{blue:02x}"


def styles(kinds: Mapping[str, str]) -> dict[str, Style]:
    """Style of each of `kinds`, which maps the name of a series (`arm`, `arm@version`, `arm · model`) to its kind."""
    slots = _slots(sorted({base(name) for name, kind in kinds.items() if kind not in CONTROLS}))
    seen: dict[str, int] = {}
    found = {}
    for name in sorted(kinds):
        arm = base(name)
        variant = seen[arm] = seen.get(arm, -1) + 1
        found[name] = _style(kinds[name], slots.get(arm, 0), variant)
    return found


def base(name: str) -> str:
    """The arm's own label: without a version, model, step or staleness."""
    return name.split(" · ")[0].split("@")[0]


def drawable(text: str) -> str:
    """`text` in one line, with a box for each character that the figures' font lacks."""
    from matplotlib.font_manager import findfont, get_font

    font = get_font(findfont("DejaVu Sans"))
    return "".join(c if font.get_char_index(ord(c)) else "□" for c in " ".join(printable(text).split()))


def tip(artist: Artist, text: str) -> None:
    """Give the artist a tooltip in the report's SVG."""
    artist.set_gid(TIP + text)


def _style(kind: str, slot: int, variant: int) -> Style:
    if kind in CONTROLS:
        return Style(CONTROL, CONTROL_MARKERS[kind], hollow=True)
    step = slot // len(PALETTE) * 3 + variant
    return Style(PALETTE[slot % len(PALETTE)], MARKERS[(slot + step) % len(MARKERS)])


def _slots(arms: Sequence[str]) -> dict[str, int]:
    """Slot of each arm; a user's own starts at its hash and moves on while the colour (or else the slot) is taken."""
    slots = {arm: SLOTS[arm] for arm in arms if arm in SLOTS}
    for arm in (a for a in arms if a not in SLOTS):
        start, n = crc32(arm.encode()), len(PALETTE)
        order = [(start + i) % n + row * n for row in range(len(MARKERS)) for i in range(n)]
        colours = {slot % n for slot in slots.values()}
        fresh = [slot for slot in order if slot % n not in colours] or [s for s in order if s not in slots.values()]
        slots[arm] = fresh[0] if fresh else order[0]
    return slots
