"""The landscape of two layers with weights of their own, in the plane (alpha_1, alpha_2)."""

from __future__ import annotations

from typing import Any

import numerics
from proofs_check.engine.claims import Record
from proofs_check.engine.context import Run
from proofs_check.theorems import _layerwise as layerwise
from proofs_check.theorems import _layerwise_steps as steps
from proofs_check.theorems import _quantities as quantities
from reports.results import Series

DEPTH = 2
SPAN = -0.5, 1.75
"""The part of the plane that is drawn, in units of the larger optimal weight."""

PLANE: dict[str, Any] = {
    "name": "layerwise-plane",
    "claim": "flow_converges",
    "x": "alpha_1",
    "y": "alpha_2",
    "x_label": r"$\alpha_1$",
    "y_label": r"$\alpha_2$",
    "heading": r"The excess of two layers with weights of their own, and the gradient flow.",
    "optional": True,
}
FIGURE: tuple[dict[str, Any], ...] = (
    PLANE
    | {
        "series": "loss_plane",
        "kind": "heatmap",
        "y": ("alpha_2", "log10_excess"),
        "caption": "Level sets; minima (stars) at the two orders of the reciprocal Gauss nodes, and between "
        "them, on the diagonal, the tied optimum, a saddle (diamond).",
    },
    PLANE
    | {
        "series": "plane_orbits",
        "kind": "plane",
        "by": "start",
        "curve": "orbit",
        "label": "flow orbit",
        "caption": "Orbits from the open circles; one that starts on the diagonal stays there.",
    },
    PLANE | {"series": "plane_points", "kind": "plane", "by": "kind"},
)


def draw(run: Run, record: Record) -> None:
    """Level sets, critical points and orbits, each orbit with its mirror image."""
    low, high = sorted(steps.targets(run, DEPTH))
    tied = float(quantities.minimiser(run, DEPTH).middle)
    rows = numerics.layerwise.flow.loss_plane(run.law, SPAN[0] * high, SPAN[1] * high)
    record.series["loss_plane"] = Series(["alpha_1", "alpha_2", "log10_excess"], rows)
    record.series["plane_points"] = Series(
        ["alpha_1", "alpha_2", "kind"],
        [[low, high, "minimum"], [high, low, "minimum"], [tied, tied, "saddle"]],
    )
    orbits: list[list[Any]] = []
    for name, ended in layerwise.followed(run, DEPTH).items():
        orbits += [[name, one, other] for one, other in ended.orbit]
        if not name.startswith("tied"):
            orbits += [[f"{name}, mirrored", other, one] for one, other in ended.orbit]
    record.series["plane_orbits"] = Series(["start", "alpha_1", "alpha_2"], orbits)
