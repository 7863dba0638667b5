"""What each claim of a theorem rests on, as a picture laid out in layers, grounds to the left.

After Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures": an
arrow over several layers bends in each of them, and neighbours pull one another to their height.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from reports.html.links import ASSUMPTIONS, anchor, ground
from reports.results import TheoremResult
from reports.text.summary import short_id

CHARACTER, PADDING, BOX, ROW, COLUMN, MARGIN = 7.3, 18.0, 24.0, 10.0, 40.0, 1.0
SWEEPS = 8

Grounds = Mapping[str, Sequence[str]]
"""The keys of what a claim rests on, by that of the claim."""
Edge = tuple[str, str]
Place = tuple[float, float, float]
"""Left end, middle, width."""


@dataclass(frozen=True)
class Box:
    """A node: what it says, where it leads, the verdict of a claim or what is found of a ground; its place.

    x, y: its left end and its middle.
    """

    label: str
    target: str
    look: str
    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Picture:
    """Boxes, and curves from box to box as paths of SVG; sentences say the same."""

    width: float
    height: float
    boxes: Sequence[Box]
    curves: Sequence[str]
    sentences: Sequence[str]


def grounds(theorem: TheoremResult) -> Grounds:
    """What each claim rests on: the standing assumptions, hypotheses, earlier claims of the result."""
    assumed = [ASSUMPTIONS] if theorem.assumptions else []
    found: dict[str, list[str]] = {}
    for claim in theorem.claims:
        found[claim.id] = [*assumed, *claim.needs, *(used for used in claim.uses if used in found)]
    return found


def picture(theorem: TheoremResult) -> Picture | None:
    """The picture; None where nothing rests on anything."""
    direct = without_shortcuts(grounds(theorem))
    if not any(direct.values()):
        return None
    columns, edges = _layers(direct)
    _untangle(columns, edges)
    places, width, height = _placed(columns)
    looks = {hypothesis.id: "ground" if hypothesis.holds else "fails" for hypothesis in theorem.hypotheses}
    looks |= {claim.id: claim.verdict for claim in theorem.claims}
    targets = {key: anchor(key) if key in direct else ground(theorem, key) for key in places}
    boxes = [
        Box(short_id(key), targets[key], looks.get(key, "ground"), *at)
        for key, at in places.items()
        if not _is_bend(key)
    ]
    curves = [_curve(places[left], places[right], through=_is_bend(right)) for left, right in edges]
    return Picture(width, height, boxes, curves, list(_sentences(direct)))


def _sentences(direct: Grounds) -> Iterator[str]:
    for claim, under in direct.items():
        if under:
            yield f"{short_id(claim)} rests on {', '.join(map(short_id, under))}."


def without_shortcuts(found: Grounds) -> dict[str, list[str]]:
    """The grounds of each without those that its other grounds rest on."""
    return {
        claim: [key for key in under if not any(key in _below(other, found) for other in under)]
        for claim, under in found.items()
    }


def _below(key: str, found: Grounds) -> set[str]:
    """All that `key` rests on, itself left out."""
    return {deep for under in found.get(key, ()) for deep in (under, *_below(under, found))}


def _layers(direct: Grounds) -> tuple[list[list[str]], list[Edge]]:
    """The keys layer by layer, and the edges between neighbouring layers, bends among them."""
    depths = _depths(direct)
    keys = dict.fromkeys(key for claim, under in direct.items() for key in (*under, claim))
    columns: list[list[str]] = [[] for _ in range(1 + max(depths.values()))]
    for key in keys:
        columns[depths[key]].append(key)
    edges: list[Edge] = []
    for claim, under in direct.items():
        for key in under:
            bends = [f"\0{key}\0{claim}\0{at}" for at in range(depths[key] + 1, depths[claim])]
            for at, bend in enumerate(bends, depths[key] + 1):
                columns[at].append(bend)
            edges += pairwise([key, *bends, claim])
    return columns, edges


def _depths(direct: Grounds) -> dict[str, int]:
    """The layer of each: a claim after all that it rests on, a ground just before the first that needs it."""
    found: dict[str, int] = {}
    for claim, under in direct.items():
        found[claim] = 1 + max((found.get(key, 0) for key in under), default=0)
    bottom = dict.fromkeys(key for under in direct.values() for key in under if key not in direct)
    for key in bottom:
        found[key] = min(found[claim] for claim, under in direct.items() if key in under) - 1
    lowest = min(found.values())
    return {key: depth - lowest for key, depth in found.items()}


def _untangle(columns: list[list[str]], edges: Sequence[Edge]) -> None:
    """Order each layer, in place, by the mean places of the neighbours on one side, then on the other."""
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for at in range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1):
            fixed = {key: place for place, key in enumerate(columns[at - 1 if forward else at + 1])}
            pulls = _pulls(edges, forward, fixed)
            own = {key: float(place) for place, key in enumerate(columns[at])}
            columns[at].sort(key=lambda key: fmean(pulls.get(key, [own[key]])))


def _pulls(edges: Sequence[Edge], forward: bool, fixed: Mapping[str, int]) -> dict[str, list[int]]:
    """The places of the neighbours of each key."""
    pulls: dict[str, list[int]] = {}
    for left, right in edges:
        there, here = (left, right) if forward else (right, left)
        if there in fixed:
            pulls.setdefault(here, []).append(fixed[there])
    return pulls


def _placed(columns: Sequence[Sequence[str]]) -> tuple[dict[str, Place], float, float]:
    """Each layer in the middle of the height; the width and height of all."""
    heights = [sum(_height(key) + ROW for key in column) for column in columns]
    places: dict[str, Place] = {}
    x = MARGIN
    for column, height in zip(columns, heights, strict=True):
        width = max(_width(key) for key in column)
        y = (max(heights) - height + ROW) / 2
        for key in column:
            places[key] = (x, y + _height(key) / 2, width)
            y += _height(key) + ROW
        x += width + COLUMN
    return places, x - COLUMN + MARGIN, max(heights)


def _is_bend(key: str) -> bool:
    return key.startswith("\0")


def _width(key: str) -> float:
    return 0.0 if _is_bend(key) else CHARACTER * len(short_id(key)) + PADDING


def _height(key: str) -> float:
    return 0.0 if _is_bend(key) else BOX


def _curve(left: Place, right: Place, through: bool) -> str:
    """From the right end of one to the left end of the other, level at both; straight through a bend."""
    (x, y, width), (end, height, span) = left, right
    begin = x + width
    middle = (begin + end) / 2
    curve = f"M {begin:.1f} {y:.1f} C {middle:.1f} {y:.1f} {middle:.1f} {height:.1f} {end:.1f} {height:.1f}"
    return f"{curve} H {end + span:.1f}" if through else curve
