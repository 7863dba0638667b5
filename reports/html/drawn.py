"""Matplotlib's figures inside of a page: SVG with names of their own, and what is seen in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from markupsafe import Markup

from reports.figures import to_svg
from reports.html.mathematics import plain

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

_DROPPED = {"metadata", "style"}
_REFERENCE = re.compile(r"(?<=^#)|(?<=url\(#)")
_ROUND = {"stroke-linejoin": "round", "stroke-linecap": "butt"}
"""What Matplotlib's style sheet says, which would hold for the whole page."""


def inline(figure: Figure, name: str, title: str) -> Markup:
    """The figure as an `svg` element.

    name:  begins all ids in it, and no other figure's.
    title: in plain characters.
    """
    root = ElementTree.fromstring(to_svg(figure))
    _bare(root)
    for element in root.iter():
        for key, value in element.attrib.items():
            element.attrib[key] = f"{name}-{value}" if key == "id" else _REFERENCE.sub(f"{name}-", value)
    size = {
        key: f"{float(root.attrib.pop(key).removesuffix('pt')) * 4 / 3:.0f}" for key in ("width", "height")
    }
    named = {"role": "img", "aria-labelledby": f"{name}-title", "aria-describedby": f"{name}-desc"}
    root.attrib |= size | named | _ROUND
    for place, (tag, text) in enumerate([("title", title), ("desc", described(figure))]):
        spoken = ElementTree.Element(tag, {"id": f"{name}-{tag}"})
        spoken.text = text
        root.insert(place, spoken)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _bare(element: Element) -> None:
    """Names without their spaces, which HTML does not have; nothing that is not drawn."""
    element.tag = element.tag.rpartition("}")[2]
    for key in list(element.attrib):
        element.attrib[key.rpartition("}")[2]] = element.attrib.pop(key)
    for child in list(element):
        if child.tag.rpartition("}")[2] in _DROPPED:
            element.remove(child)
        else:
            _bare(child)


def described(figure: Figure) -> str:
    """Each panel, and of each curve how many points it has, where it begins and where it ends."""
    axes = [panel for panel in figure.axes if panel.get_label() != "<colorbar>"]
    return " ".join(_panel(panel, number if len(axes) > 1 else 0) for number, panel in enumerate(axes, 1))


def _panel(axes: Axes, number: int) -> str:
    named = [f"Panel {number}" if number else "", plain(axes.get_title())]
    over = f"{plain(axes.get_ylabel()) or 'values'} against {plain(axes.get_xlabel()) or 'x'}"
    head = ", ".join(filter(None, [*named, over]))
    seen = "; ".join([*_curves(axes), *_marks(axes)])
    return f"{head}: {seen}." if seen else f"{head}."


def _curves(axes: Axes) -> Iterator[str]:
    bars = [(str(bar.get_label()), bar.lines[0]) for bar in axes.containers if hasattr(bar, "lines")]
    for label, line in [*bars, *((str(line.get_label()), line) for line in axes.lines)]:
        points = line.get_xydata()
        if label.startswith("_") or len(points) == 0:
            continue
        (x, first), (end, last) = points[0], points[-1]
        at = f"{_at(axes.yaxis, first)} at {_at(axes.xaxis, x)}"
        if first == last and len(points) == 2:
            yield f"{plain(label)}, level at {_at(axes.yaxis, first)}"
        elif len(points) == 1:
            yield f"{plain(label)}, {at}"
        else:
            to = f"{_at(axes.yaxis, last)} at {_at(axes.xaxis, end)}"
            yield f"{plain(label)}, {len(points)} points, from {at} to {to}"


def _marks(axes: Axes) -> Iterator[str]:
    """Points of a plane, levels with their names, the cells of a heat map."""
    import numpy as np

    for points in axes.collections:
        label, count = str(points.get_label()), len(np.asarray(points.get_offsets()))
        if not label.startswith("_"):
            yield f"{plain(label)}, {count} {'point' if count == 1 else 'points'}"
    yield from (f"a level, {plain(text.get_text())}" for text in axes.texts if text.get_text())
    for image in axes.images:
        rows, columns = image.get_size()
        yield f"{rows} by {columns} cells"


def _at(axis: Axis, place: float) -> str:
    """A number as the axis would label it."""
    label = axis.get_major_formatter()(place)
    return plain(label) or f"{place:.3g}"
