"""The figures of theorem 6.3: the excess against depth, and the plane of the two weights."""

from __future__ import annotations

from typing import Any

from proofs_check.theorems._figures import EXCESS

PLANE: dict[str, Any] = {
    "name": "loss-plane",
    "x_label": r"$\alpha$",
    "y_label": r"$\beta$",
    "heading": r"The two-parameter model over the $(\alpha, \beta)$ plane.",
}
ORBIT: dict[str, Any] = PLANE | {"kind": "plane", "x": "alpha", "y": "beta", "by": "start"}

FIGURES: tuple[dict[str, Any], ...] = (
    EXCESS
    | {
        "name": "excess",
        "claim": "critical_point_enclosure",
        "series": "excess",
        "y": ("lower", "upper"),
        "curve": "two_parameter",
        "caption": "Two parameters: squares.",
    },
    PLANE
    | {
        "claim": "critical_point_enclosure",
        "series": "loss_plane",
        "kind": "heatmap",
        "x": "alpha",
        "y": ("beta", "log10_excess"),
        "title": "$T = {loss_plane_depth}$",
        "caption": "Level sets of the excess.",
    },
    PLANE
    | {
        "claim": "flow_converges",
        "series": "basin",
        "kind": "plane",
        "x": "alpha0",
        "y": "beta0",
        "by": "outcome",
        "label": "start:",
        "optional": True,
        "caption": "Starts of the flow are marked by where it ends.",
    },
    ORBIT
    | {
        "claim": "flow_converges",
        "series": "orbits",
        "curve": "orbit",
        "label": "flow orbit",
        "caption": "Orbits of the gradient flow (solid) from the open circles.",
    },
    ORBIT
    | {
        "claim": "initialisation_matters",
        "series": "escaping_orbits",
        "curve": "escaping_orbit",
        "label": "escaping orbit",
        "caption": "Dashed orbits never reach the minimum.",
    },
    PLANE
    | {
        "claim": "critical_point_enclosure",
        "series": "critical_points",
        "kind": "plane",
        "x": "alpha",
        "y": "beta",
        "by": "kind",
    },
)
