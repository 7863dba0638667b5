"""How the figures look that several theorems share."""

from __future__ import annotations

from typing import Any

EXCESS: dict[str, Any] = {
    "kind": "intervals",
    "x": "T",
    "scale": "log",
    "zoom": 16.0,
    "y_label": "excess risk",
    "heading": r"Excess over the Bayes risk against depth, per unit $\mathbb{E}\zeta^2$, on a log axis.",
}
WEIGHT: dict[str, Any] = {"x": "T", "x_scale": "log", "heading": "The one-parameter model against depth."}
DISTANCE: dict[str, Any] = WEIGHT | {
    "panel": "distance",
    "scale": "log",
    "y_label": r"$|\alpha_T - \alpha^{\ast}|$",
}
