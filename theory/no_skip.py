"""The stack without skip, F^0 = X: what bounds its excess from below, at one depth and at all."""

from __future__ import annotations

from functools import cache

from sympy import Expr, diff, exp, symbols

from theory.identities import Derivation, Identity
from theory.symbols import NORM, T, beta, lam, s

#: E[s lam z^(2T)] - 2 E[s z^T] + E[s/lam], z = 1 + beta lam: the three parts of the loss.
z = 1 + beta * lam
SQUARE = s * lam * z ** (2 * T)
CROSS = s * z**T
CONSTANT = s / lam


@cache
def one_depth(claimed: Expr | None = None) -> Derivation:
    """Bounds over intervals of beta, and outside a bounded one.  `claimed`: the integrand of the loss."""
    integrand = s * lam * (z**T - 1 / lam) ** 2 if claimed is None else claimed
    return Derivation(
        r"The loss over an interval of $\beta$",
        (
            Identity("three parts", integrand, SQUARE - 2 * CROSS + CONSTANT, under=NORM),
            Identity(
                r"the first is convex in $\beta$: its second derivative is an even power",
                diff(SQUARE, beta, 2),
                2 * T * (2 * T - 1) * s * lam**3 * z ** (2 * T - 2),
                symbol=r"\partial_\beta^2\, s \lambda z^{2T}",
            ),
            Identity(
                "second derivative of the cross term",
                diff(CROSS, beta, 2),
                T * (T - 1) * s * lam**2 * z ** (T - 2),
                symbol=r"\partial_\beta^2\, s z^T",
            ),
            Identity(
                r"which for even $T$ is an even power of $z$, and for odd $T$ rises with $\beta$",
                diff(T * (T - 1) * s * lam**2 * z ** (T - 2), beta),
                T * (T - 1) * (T - 2) * s * lam**3 * z ** (T - 3),
                symbol=r"\partial_\beta^3\, s z^T",
            ),
            Identity("Cauchy-Schwarz for the cross term", CROSS**2, SQUARE * CONSTANT),
            Identity(
                r"the derivative: with $|z|^T \ge 1 \ge 1/\lambda$ its sign is that of "
                "$z^{T-1} z^T$, of $z$",
                diff(integrand, beta),
                2 * T * s * lam**2 * z ** (T - 1) * (z**T - 1 / lam),
                under=NORM,
                symbol=r"\partial_\beta\, s \lambda (z^T - 1/\lambda)^2",
            ),
        ),
    )


@cache
def all_depths(claimed: Expr | None = None) -> Derivation:
    """When |1 + beta lam|^T = 1/lam at two values of lam.  `claimed`: their ratio on one side of the pole."""
    z_i, z_j, b, L_i, u, w = symbols("z_i z_j b L_i u w", positive=True)
    same = (1 - z_j) / (1 - z_i) if claimed is None else claimed
    lam_i, lam_j = (1 - z_i) / b, (1 - z_j) / b
    slope = L_i / (exp(L_i * u) - 1)
    growth = exp(w) * (1 - w)
    return Derivation(
        r"Two values of $\lambda$ fitted at once",
        (
            Identity(
                "a weighted square",
                s * lam * (z**T - 1 / lam) ** 2,
                s / lam * (lam * z**T - 1) ** 2,
                under=NORM,
            ),
            Identity(
                r"$\lambda = (1 - z)/b$, $b = -\beta$; both $z$ positive",
                lam_j / lam_i,
                same,
                symbol=r"\lambda_j/\lambda_i",
            ),
            Identity(
                "$z_i$ positive, $z_j$ negative of modulus $z_j$",
                ((1 + z_j) / b) / lam_i,
                (1 + z_j) / (1 - z_i),
                symbol=r"\lambda_j/\lambda_i",
            ),
            Identity(
                r"$z = \exp(-L u)$, $u = 1/T$: the derivative of $\log(1 - z)$ in $u$ is "
                r"$L z/(1 - z) = L/(\exp(L u) - 1)$",
                diff(1 - exp(-L_i * u), u),
                L_i * exp(-L_i * u),
                symbol=r"\partial_u (1 - z)",
            ),
            Identity(
                "it falls in $L$: with $w = L u$ the sign of its derivative is that of "
                r"$\exp(w)(1 - w) - 1$",
                diff(slope, L_i) * (exp(L_i * u) - 1) ** 2,
                growth.subs(w, L_i * u) - 1,
            ),
            Identity("which is 0 at $w = 0$ and falls", diff(growth, w), -w * exp(w)),
            Identity(
                "so $(1 - z)/u$ tends to $L$, and the ratio on one side to $L_j/L_i$, as $T$ grows",
                diff(1 - exp(-L_i * u), u).subs(u, 0),
                L_i,
            ),
        ),
    )
