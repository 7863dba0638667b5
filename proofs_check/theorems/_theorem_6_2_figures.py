"""The figures of theorem 6.2: the minimiser and the excess against depth."""

from __future__ import annotations

from typing import Any

from proofs_check.theorems._figures import DISTANCE, EXCESS, WEIGHT

ENDS = ("lower", "upper")
MINIMISER: dict[str, Any] = {"name": "minimiser", "claim": "minimiser_enclosure"}
EXCESS_HERE: dict[str, Any] = EXCESS | {"name": "excess", "claim": "bayes_optimal", "series": "excess"}

FIGURES: tuple[dict[str, Any], ...] = (
    MINIMISER
    | WEIGHT
    | {
        "series": "alpha_T",
        "kind": "intervals",
        "y": ENDS,
        "curve": "one_parameter",
        "y_label": r"$\alpha_T$",
        "caption": r"The minimiser $\alpha_T$; its enclosures are narrower than the markers.",
    },
    *(
        MINIMISER
        | WEIGHT
        | {"kind": "level", "y": key, "curve": curve, "label": label, "caption": caption, "optional": True}
        for key, curve, label, caption in (
            ("alpha_star", "limit", r"$\alpha^{\ast}$", r"Dashed: $\alpha^*$."),
            (
                "alpha_unsquared",
                "false_limit",
                r"$\alpha^{\ast}$ of the unsquared norm",
                "Dotted: what its formula gives for the unsquared norm.",
            ),
        )
    ),
    MINIMISER
    | DISTANCE
    | {
        "series": "alpha_T",
        "kind": "intervals",
        "y": ENDS,
        "minus": "alpha_star",
        "optional": True,
        "curve": "distance",
        "label": r"$|\alpha_T - \alpha^{\ast}|$",
        "caption": r"The distance of $\alpha_T$ to $\alpha^*$ has logarithmic axes.",
    },
    EXCESS_HERE
    | {
        "y": ENDS,
        "curve": "one_parameter",
        "caption": "One parameter: circles.",
    },
    EXCESS_HERE
    | {
        "kind": "lines",
        "y": "bound",
        "curve": "bound",
        "label": r"$\mathbb{E}[s/\lambda]\,\kappa^{2T}$",
        "caption": "The thin line bounds their excess at every depth.",
    },
)
