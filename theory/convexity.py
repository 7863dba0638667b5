"""Strict convexity of the one-parameter loss."""

from __future__ import annotations

from functools import cache

from sympy import Expr, diff

from theory.identities import Derivation, Identity
from theory.losses import one_parameter
from theory.symbols import NORM, T, alpha, lam, s


@cache
def one_parameter_convexity(claimed: Expr | None = None) -> Derivation:
    """The derivative -2T s q^(2T-1), q = 1 - alpha lam, and the curvature as a square.

    The curvature is 0 only where q = 0: at one alpha for each s > 0, so the derivative
    rises strictly.  `claimed`: the derivative's integrand.
    """
    loss, q = one_parameter(), 1 - alpha * lam
    slope = -2 * T * s * q ** (2 * T - 1) if claimed is None else claimed
    assert loss.curvature is not None
    return Derivation(
        "The derivative rises strictly",
        (
            Identity(
                "derivative of the integrand",
                diff(loss.integrand, alpha),
                slope,
                under=NORM,
                symbol=r"\partial_\alpha \tfrac{s}{\lambda} (1 - \alpha \lambda)^{2T}",
            ),
            Identity(
                "the curvature is a square times a positive number",
                loss.curvature.expr,
                2 * T * (2 * T - 1) * s * lam * (q ** (T - 1)) ** 2,
                under=NORM,
            ),
            Identity("at alpha = 0", slope.subs(alpha, 0), -2 * T * s),
            Identity("at alpha = 1, where q = -s", slope.subs(alpha, 1), 2 * T * s ** (2 * T), under=NORM),
        ),
    )
