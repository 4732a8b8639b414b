"""A figure as a piece of an HTML page that allows no inline style.

matplotlib puts its looks into `style` attributes and a `<style>` of its own, which a strict content policy does not
apply; the same words as presentation attributes are no style and always apply. Ids that nothing points to go, since
several figures of one page would share them; so does the white ground, which is the page's. Elements whose id begins
with `TIP` get the rest of it as a tooltip.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from bench.plots.save import svg
from bench.plots.style import TIP
from bench.text import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
DROPPED = (f"{{{SVG}}}metadata", f"{{{SVG}}}style")
GROUND = "patch_1"
"""Id of the rectangle behind the whole figure, the first that matplotlib draws."""
_POINTED_AT = re.compile(r"url\(#([^)]+)\)")
_DEFAULTS = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What matplotlib's own `<style>` says of every element."""


def inline(figure: Figure, name: str, title: str) -> Markup:
    """The figure as `<svg>` with an accessible title; `name` is unique in the page, words are text."""
    root = ElementTree.fromstring(svg(figure))
    for parent in list(root.iter()):
        for child in [c for c in parent if c.tag in DROPPED or c.get("id") == GROUND]:
            parent.remove(child)
    pointed = {name for element in root.iter() for name in _targets(element)}
    for element in root.iter():
        _tooltip(element)
        _without_style(element)
        if element.get("id") not in pointed:
            element.attrib.pop("id", None)
    told = ElementTree.Element(f"{{{SVG}}}title", {"id": f"{name}-title"})
    told.text = printable(title)
    root.insert(0, told)
    root.attrib.update(_DEFAULTS | {"role": "img", "aria-labelledby": f"{name}-title"})
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    # ElementTree escaped every text and attribute; it is a picture of ours, not a transcript's markup
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _targets(element: ElementTree.Element) -> list[str]:
    """Ids that the element points to."""
    found = [m for value in element.attrib.values() for m in _POINTED_AT.findall(value)]
    link = element.get(f"{{{XLINK}}}href", "")
    return [*found, link[1:]] if link.startswith("#") else found


def _tooltip(element: ElementTree.Element) -> None:
    name = element.get("id", "")
    if name.startswith(TIP):
        told = ElementTree.Element(f"{{{SVG}}}title")
        told.text = printable(name.removeprefix(TIP))
        element.insert(0, told)


def _without_style(element: ElementTree.Element) -> None:
    for part in filter(None, element.attrib.pop("style", "").split(";")):
        name, _, value = (word.strip() for word in part.partition(":"))
        if name != "font-family":  # the page's
            element.set(name, value)
