"""The best M = diag(a_1 I, ..., a_K I) for K isotropic independent modalities, p_i = |v_i|^2.

With D_i = E p_i + Var p_i the normal equations are D_i a_i = E p_i (1 - sum_j a_j E p_j): each weight is
E p_i/D_i times what is missing, and what is missing is 1/(1 + tau), tau = sum_j (E p_j)^2/D_j.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Add, Expr, ImmutableMatrix, Integer, Symbol, diag, eye, symbols

from theory.identities import Derivation, Identity, Inequality, Steps
from theory.losses import matrix_excess
from theory.modalities import gradient
from theory.symbols import lam

WIDTHS = (1, 2, 1)


def means(count: int) -> tuple[Symbol, ...]:
    """E p_1, ..., E p_K."""
    return tuple(Symbol(rf"\mathbb{{E}}[p_{i}]", positive=True) for i in range(1, count + 1))


def variances(count: int) -> tuple[Symbol, ...]:
    """Var p_1, ..., Var p_K."""
    return tuple(Symbol(rf"\operatorname{{Var}}(p_{i})", nonnegative=True) for i in range(1, count + 1))


@dataclass(frozen=True)
class Several:
    """The best weights and the least risk, in `means` and `variances`."""

    best: tuple[Expr, ...]
    risk: Expr
    derivation: Derivation


@cache
def several(count: int, claimed: tuple[Expr, ...] | None = None) -> Several:
    """The best M for `count` modalities; its gradient is spread over blocks of WIDTHS where there are three.

    claimed: the weights.
    """
    E, V = means(count), variances(count)
    own = [mean + variance for mean, variance in zip(E, V, strict=True)]
    tau = Add(*(mean**2 / d for mean, d in zip(E, own, strict=True)))
    best = tuple(mean / d / (1 + tau) for mean, d in zip(E, own, strict=True)) if claimed is None else claimed
    a = symbols(f"a_1:{count + 1}", real=True)
    missing = 1 - Add(*(w * mean for w, mean in zip(a, E, strict=True)))
    risk = missing**2 + Add(*(w**2 * d for w, d in zip(a, own, strict=True)))
    slopes = [w * d - missing * mean for w, d, mean in zip(a, own, E, strict=True)]
    at_best = dict(zip(a, best, strict=True))
    away = [w - b for w, b in zip(a, best, strict=True)]
    # With E p_i = r_i D_i everything is a polynomial over 1 + tau.
    ratios = symbols(f"r_1:{count + 1}", positive=True)
    in_ratios = tuple((v, mean / r - mean) for v, mean, r in zip(V, E, ratios, strict=True))
    steps: Steps = (
        *((_spread(E, V, slopes, a),) if count == len(WIDTHS) else ()),
        *(
            Identity(
                "the derivative in a weight is 0 at the best ones",
                slope.subs(at_best),
                Integer(0),
                under=in_ratios,
            )
            for slope in slopes
        ),
        Identity(r"the least risk is $1/(1 + \tau)$", risk.subs(at_best), 1 / (1 + tau), under=in_ratios),
        Identity(
            "the risk over the least one is a sum of squares: convex, and one minimiser",
            risk,
            1 / (1 + tau)
            + Add(*(x * mean for x, mean in zip(away, E, strict=True))) ** 2
            + Add(*(x**2 * d for x, d in zip(away, own, strict=True))),
            under=in_ratios,
        ),
        Inequality("each square has a positive factor", Integer(0), Add(*own), strict=True),
        _above_bayes(count, a),
    )
    derivation = Derivation("The best matrix for several modalities", steps)
    return Several(best, 1 / (1 + tau), derivation)


def _spread(
    E: tuple[Symbol, ...], V: tuple[Symbol, ...], slopes: list[Expr], a: tuple[Symbol, ...]
) -> Identity:
    """The gradient at diag(a_1 I, ...) is a multiple of the identity in each block."""
    blocks = [
        (size, (Integer(1), mean, mean**2 + variance))
        for size, mean, variance in zip(WIDTHS, E, V, strict=True)
    ]
    weights = [w for w, size in zip(a, WIDTHS, strict=True) for _ in range(size)]
    parts = [2 * slope / size * eye(size) for slope, size in zip(slopes, WIDTHS, strict=True)]
    return Identity(
        r"the gradient in $M$ at $\operatorname{diag}(a_1 I, \dots, a_K I)$ is block scalar",
        gradient(weights, blocks),
        ImmutableMatrix(diag(*parts)),
        symbol=r"\nabla_M = \operatorname{diag}(2 \rho_1 I/d_1, \dots, 2 \rho_K I/d_K)",
        case={"(d_1, d_2, d_3)": WIDTHS},
    )


def _above_bayes(count: int, a: tuple[Symbol, ...]) -> Identity:
    """The excess at a prompt is a sum of squares."""
    p = symbols(f"p_1:{count + 1}", nonnegative=True)
    away = [w - 1 / (1 + Add(*p)) for w in a]
    return Identity(
        r"the excess at a prompt is a sum of squares: 0 iff $a_i = 1/\lambda$ or $p_i = 0$ for every $i$",
        matrix_excess(
            Add(*(w * x for w, x in zip(a, p, strict=True))),
            Add(*(w**2 * x for w, x in zip(a, p, strict=True))),
        ),
        Add(*(x * w**2 for x, w in zip(p, away, strict=True)))
        + Add(*(x * w for x, w in zip(p, away, strict=True))) ** 2,
        under=((lam, 1 + Add(*p)),),
    )
