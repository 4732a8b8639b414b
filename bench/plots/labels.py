"""Direct labels that do not overlap: each beside its point, moved away as far as it must, with a line back to it.

Candidates are 16 directions at growing distances. Labels are placed one by one, the most crowded first, at the cheapest
candidate: outside the axes is forbidden, other labels and marks are dear, distance is cheap. A few rounds place each
label anew among the others. Deterministic; all arithmetic in pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, hypot, inf, pi, sin
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DIRECTIONS = 16
DISTANCES_PT = (7, 12, 18, 26, 36, 50, 68, 90)
LEADER_FROM_PT = 14
"""A label further away than this gets a line to its point."""
ROUNDS = 3
PAD_PX = 3.0
DOT_PT, MARK_PT = 3.0, 5.5
LINE_STEP_PX = 12.0
CROWD_PX = 160.0
OUTSIDE, ON_LABEL, ON_MARK, ON_DOT, ON_LINE, CROSSES = 1e6, 60.0, 70.0, 10.0, 5.0, 40.0
"""What a candidate costs, in points of distance: it leaves the axes; covers a label, a labelled point, a dot or a piece
of the line; its leader crosses another."""

BACKGROUND = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
"""Behind a label, so that a line under it does not cut its words. (An outline would make the words of an SVG paths.)"""


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Pixels of area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return wide * high if wide > 0 and high > 0 else 0.0

    def around(self, by: float) -> Box:
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.right >= other.right
            and self.bottom <= other.bottom
            and self.top >= other.top
        )


@dataclass(frozen=True)
class Label:
    """A text that belongs to a point in data coordinates."""

    text: str
    x: float
    y: float
    colour: str


class _Spot(NamedTuple):
    box: Box
    distance: float
    cost: float

    def reach(self, anchor: tuple[float, float]) -> Box:
        """All that the label and its leader may cover."""
        x, y = anchor
        left, bottom, right, top = self.box
        return Box(min(left, x), min(bottom, y), max(right, x), max(top, y)).around(PAD_PX)


_Placed = tuple[tuple[float, float], _Spot, Box]
"""A label that stands: its point, its spot, and the spot's reach."""


def place_labels(
    axes: Axes,
    labels: Sequence[Label],
    dots: Sequence[tuple[float, float]],
    lines: Sequence[tuple[float, float]] = (),
    size: float = 9.0,
) -> None:
    """Draw `labels` on `axes`, whose limits and size must be final, clear of each other's points, of the smaller `dots`
    and of the line through `lines`. All points are in data coordinates.
    """
    scale = axes.figure.dpi / 72
    points = [(*_pixel(axes, *dot), DOT_PT * scale, ON_DOT) for dot in dots]
    points += [(*_pixel(axes, label.x, label.y), MARK_PT * scale, ON_MARK) for label in labels]
    points += [(*point, 1.0, ON_LINE) for point in _along([_pixel(axes, *corner) for corner in lines], LINE_STEP_PX)]
    anchors = [_pixel(axes, label.x, label.y) for label in labels]
    sizes = [_extent(axes, label.text, size) for label in labels]
    inside = Box(*axes.bbox.extents)
    options = [
        _standing(_spots(anchor, extent, scale), points, inside) for anchor, extent in zip(anchors, sizes, strict=True)
    ]
    for label, anchor, spot in zip(labels, anchors, _choose(anchors, options), strict=True):
        _draw(axes, label, anchor, spot, size, scale)


def _standing(spots: list[_Spot], points: list[tuple[float, float, float, float]], inside: Box) -> list[_Spot]:
    """The spots with what each costs whatever the other labels do: distance, and marks and lines under it."""
    import numpy as np

    x, y, radius, price = np.array(points, dtype=float).reshape(-1, 4).T
    found = []
    for spot in spots:
        left, bottom, right, top = spot.box.around(PAD_PX)
        under = (x + radius > left) & (x - radius < right) & (y + radius > bottom) & (y - radius < top)
        outside = 0.0 if inside.holds(spot.box) else OUTSIDE
        found.append(spot._replace(cost=spot.cost + outside + float(price[under].sum())))
    return found


def _choose(anchors: list[tuple[float, float]], options: list[list[_Spot]]) -> list[_Spot]:
    chosen: dict[int, _Spot] = {}
    crowd = [sum(abs(x - a) + abs(y - b) < CROWD_PX for a, b in anchors) for x, y in anchors]
    order = sorted(range(len(anchors)), key=lambda i: (-crowd[i], anchors[i]))
    for _ in range(ROUNDS):
        for i in order:
            others = [(anchors[j], spot, spot.reach(anchors[j])) for j, spot in chosen.items() if j != i]
            chosen[i] = _cheapest(anchors[i], options[i], others)
    return [chosen[i] for i in range(len(anchors))]


def _cheapest(anchor: tuple[float, float], spots: list[_Spot], others: list[_Placed]) -> _Spot:
    """The spot that costs least beside the others, of equals the first; a dearer one is not held against them."""
    best, least = spots[0], inf
    for spot in sorted(spots, key=lambda spot: spot.cost):
        if spot.cost >= least:
            break
        cost = spot.cost + _conflict(anchor, spot, others)
        if cost < least:
            best, least = spot, cost
    return best


def _conflict(anchor: tuple[float, float], spot: _Spot, others: list[_Placed]) -> float:
    """What a spot costs beside the labels already placed: covering them, and leaders that cross."""
    box, end, cost = spot.box.around(PAD_PX), _nearest(spot.box, anchor), 0.0
    reach = spot.reach(anchor)
    for point, other, its_reach in others:
        if not reach.overlap(its_reach):
            continue
        if area := box.overlap(other.box):
            cost += ON_LABEL + area
        if _meet(anchor, end, point, _nearest(other.box, point)) or _through(anchor, end, other.box):
            cost += CROSSES
    return cost


def _spots(anchor: tuple[float, float], extent: tuple[float, float], scale: float) -> list[_Spot]:
    x, y = anchor
    wide, high = extent
    spots = []
    for distance in DISTANCES_PT:
        for i in range(DIRECTIONS):
            dx, dy = cos(2 * pi * i / DIRECTIONS), sin(2 * pi * i / DIRECTIONS)
            left = x + dx * distance * scale - wide * (1 - dx) / 2
            bottom = y + dy * distance * scale - high * (1 - dy) / 2
            # right of the point reads best, then left, then above and below
            taste = 0.0 if i == 0 else 2.0 if i == DIRECTIONS // 2 else 3.0
            spots.append(_Spot(Box(left, bottom, left + wide, bottom + high), distance, distance + taste))
    return spots


def _draw(axes: Axes, label: Label, anchor: tuple[float, float], spot: _Spot, size: float, scale: float) -> None:
    dx, dy = (spot.box.left - anchor[0]) / scale, (spot.box.bottom - anchor[1]) / scale
    axes.annotate(
        label.text, (label.x, label.y), (dx, dy), textcoords="offset points", fontsize=size, color=label.colour,
        ha="left", va="bottom", zorder=6, bbox=BACKGROUND,
    )  # fmt: skip
    if spot.distance > LEADER_FROM_PT:
        end = axes.transData.inverted().transform(_nearest(spot.box.around(PAD_PX), anchor))
        axes.plot([label.x, end[0]], [label.y, end[1]], color=label.colour, lw=0.6, alpha=0.7, zorder=2.5)


def _extent(axes: Axes, text: str, size: float) -> tuple[float, float]:
    probe = axes.text(0.5, 0.5, text, fontsize=size, transform=axes.transAxes, va="bottom")
    box = probe.get_window_extent()
    probe.remove()
    return box.width, box.height


def _pixel(axes: Axes, x: float, y: float) -> tuple[float, float]:
    px, py = axes.transData.transform((x, y))
    return float(px), float(py)


def _along(corners: Sequence[tuple[float, float]], step: float) -> list[tuple[float, float]]:
    """Points every `step` pixels along the line through `corners`."""
    points = []
    for (ax, ay), (bx, by) in pairwise(corners):
        n = max(int(hypot(bx - ax, by - ay) / step), 1)
        points += [(ax + (bx - ax) * k / n, ay + (by - ay) * k / n) for k in range(n + 1)]
    return points


def _nearest(box: Box, point: tuple[float, float]) -> tuple[float, float]:
    """The point of `box` nearest to `point`."""
    return min(max(point[0], box.left), box.right), min(max(point[1], box.bottom), box.top)


def _through(a: tuple[float, float], b: tuple[float, float], box: Box) -> bool:
    """Whether the line from a to b passes through the box, sampled every eighth of its length."""
    steps = [(a[0] + (b[0] - a[0]) * k / 8, a[1] + (b[1] - a[1]) * k / 8) for k in range(1, 9)]
    return any(box.left < x < box.right and box.bottom < y < box.top for x, y in steps)


def _meet(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], d: tuple[float, float]) -> bool:
    """Whether the segments a-b and c-d cross."""
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
