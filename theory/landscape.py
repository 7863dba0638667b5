"""The loss of a stack with a_t = -b_t = alpha_t: critical points, saddles, and the flow.

L(alpha) is the integral of r^2 over nu, r = prod over t of (1 - alpha_t lam).  Two layers i, j are
singled out and R stands for the product of the others: these identities hold at every T.
"""

from __future__ import annotations

from functools import cache

from sympy import (
    Add,
    Expr,
    ImmutableMatrix,
    Integer,
    Matrix,
    Mul,
    Symbol,
    diff,
    eye,
    hessian,
    ones,
    symbols,
)
from sympy.polys.specialpolys import symmetric_poly

from theory.identities import Derivation, Identity, Steps
from theory.symbols import T, alpha, lam

a_i, a_j, R = symbols("alpha_i alpha_j R", real=True)
MATRICES = (2, 3, 4)


def factor(weight: Expr) -> Expr:
    """1 - weight lam."""
    return 1 - weight * lam


def pair_loss() -> Expr:
    """r^2, in the weights of layers i and j and the product R of the others."""
    return (R * factor(a_i) * factor(a_j)) ** 2


def descent(weight: Symbol) -> Expr:
    """-d(r^2)/d weight: the integrand of the flow."""
    return -diff(pair_loss(), weight)


def _weights(depth: int) -> tuple[Symbol, ...]:
    found: tuple[Symbol, ...] = symbols(f"alpha_1:{depth + 1}", real=True)
    return found


@cache
def critical_points(claimed: Expr | None = None) -> Derivation:
    """Critical points with distinct weights are the optimum.

    `claimed`: what R_i - R_j is, R_i the product of all factors but that of layer i.
    """
    without_i, without_j = R * factor(a_j), R * factor(a_i)
    apart = (a_i - a_j) * lam * R if claimed is None else claimed
    return Derivation(
        "Critical points with distinct weights",
        (
            Identity(
                r"derivative of $r^2$ in $\alpha_i$",
                diff(pair_loss(), a_i),
                -2 * lam * (R * factor(a_i) * factor(a_j)) * without_i,
                symbol=r"\partial_{\alpha_i} r^2",
            ),
            Identity("two products of all factors but one, $R_i - R_j$", without_i - without_j, apart),
            Identity(r"$\alpha_i R_i - \alpha_j R_j$", a_i * without_i - a_j * without_j, (a_i - a_j) * R),
            Identity(
                r"second derivative in $\alpha_i$ and $\alpha_j$: $\lambda r$ times a polynomial of "
                r"degree $T - 1$, $i \ne j$",
                diff(pair_loss(), a_i, a_j),
                4 * lam**2 * R * (R * factor(a_i) * factor(a_j)),
                symbol=r"\partial_{\alpha_i} \partial_{\alpha_j} r^2",
            ),
            Identity(
                r"second derivative in $\alpha_i$",
                diff(pair_loss(), a_i, 2),
                2 * (lam * without_i) ** 2,
                symbol=r"\partial_{\alpha_i}^2 r^2",
            ),
            *(step for depth in (1, *MATRICES) for step in _symmetric(depth)),
        ),
    )


def _symmetric(depth: int) -> Steps:
    """r in the elementary symmetric polynomials of the weights, and their Jacobian."""
    weights = _weights(depth)
    elementary = [symmetric_poly(k, *weights) for k in range(1, depth + 1)]
    expanded = 1 + Add(*((-lam) ** k * e for k, e in enumerate(elementary, start=1)))
    differences = [weights[i] - weights[j] for j in range(depth) for i in range(j)]
    return (
        Identity(
            "$r$ is affine in the symmetric polynomials of the weights",
            Mul(*map(factor, weights)),
            expanded,
            symbol=rf"r_{{{depth}}}",
            case={"T": depth},
        ),
        Identity(
            "the Jacobian of the symmetric polynomials is Vandermonde's",
            Matrix(elementary).jacobian(weights).det(),
            Mul(*differences),
            symbol=r"\det \partial e/\partial\alpha",
            case={"T": depth},
        ),
    )


@cache
def saddles(claimed: Expr | None = None) -> Derivation:
    """At a tie the loss falls on either side.  `claimed`: the second derivative of r^2 along the split."""
    t = Symbol("t", real=True)
    split = pair_loss().subs({a_i: alpha + t, a_j: alpha - t}, simultaneous=True)
    bend = -4 * lam**2 * R**2 * factor(alpha) ** 2 if claimed is None else claimed
    q = factor(alpha)
    return Derivation(
        "Ties are saddles",
        (
            Identity(
                r"$r = R (q^2 - t^2 \lambda^2)$ at $\alpha_i = a + t$, $\alpha_j = a - t$: even in "
                "$t$",
                split,
                (R * (q**2 - t**2 * lam**2)) ** 2,
                symbol="r^2",
            ),
            Identity(
                "second derivative of $r^2$ in $t$ at $t = 0$",
                diff(split, t, 2).subs(t, 0),
                bend,
                symbol=r"\partial_t^2 r^2",
            ),
            Identity(
                "at a tie of all, symbolic $T$: second derivative in one weight",
                diff(pair_loss(), a_i, 2).subs({a_i: alpha, a_j: alpha, R: q ** (T - 2)}, simultaneous=True),
                2 * lam**2 * q ** (2 * T - 2),
                symbol=r"\partial_{\alpha_i}^2 r^2",
            ),
            Identity(
                "at a tie of all, symbolic $T$: second derivative in two weights",
                diff(pair_loss(), a_i, a_j).subs(
                    {a_i: alpha, a_j: alpha, R: q ** (T - 2)}, simultaneous=True
                ),
                4 * lam**2 * q ** (2 * T - 2),
                symbol=r"\partial_{\alpha_i} \partial_{\alpha_j} r^2",
            ),
            *(step for depth in MATRICES for step in _tied_hessian(depth)),
        ),
    )


def _tied_hessian(depth: int) -> Steps:
    """The Hessian of r^2 where all weights are equal, and its eigenvectors."""
    weights, q = _weights(depth), factor(alpha)
    square = Mul(*map(factor, weights)) ** 2
    found = hessian(square, weights).subs(dict.fromkeys(weights, alpha))
    form = 4 * ones(depth, depth) - 2 * eye(depth)
    apart = Matrix([1, -1, *[0] * (depth - 2)])
    everywhere = ones(depth, 1)
    return (
        Identity(
            "the Hessian at a tie of all",
            found.as_immutable(),
            (lam**2 * q ** (2 * depth - 2) * form).as_immutable(),
            symbol=r"\nabla^2 r^2 = \lambda^2 q^{2T-2} (4\, \mathbf{1} \mathbf{1}^{\top} - 2 I)",
            case={"T": depth},
        ),
        Identity(
            "eigenvalue $-2$ on differences",
            ImmutableMatrix(form * apart),
            ImmutableMatrix(-2 * apart),
            symbol=r"(4\, \mathbf{1} \mathbf{1}^{\top} - 2 I) v = -2 v",
            case={"T": depth},
        ),
        Identity(
            "eigenvalue $4T - 2$ on the diagonal",
            ImmutableMatrix(form * everywhere),
            ImmutableMatrix((4 * depth - 2) * everywhere),
            symbol=r"(4\, \mathbf{1} \mathbf{1}^{\top} - 2 I) \mathbf{1} = (4T - 2) \mathbf{1}",
            case={"T": depth},
        ),
    )


@cache
def order_is_kept(claimed: Expr | None = None) -> Derivation:
    """Differences of weights along the flow.  `claimed`: the integrand of d(alpha_i - alpha_j)/dt."""
    rise = 2 * (a_i - a_j) * lam**2 * R**2 * factor(a_i) * factor(a_j) if claimed is None else claimed
    return Derivation(
        "The order of the weights is kept",
        (
            Identity(
                r"$d(\alpha_i - \alpha_j)/dt$ along the flow, integrand over $\nu$",
                descent(a_i) - descent(a_j),
                rise,
                symbol=r"\frac{d}{dt}(\alpha_i - \alpha_j)",
            ),
            Identity("a tie stays a tie", rise.subs(a_i, a_j), Integer(0)),
            Identity(
                r"at a tie, what multiplies $2 (\alpha_i - \alpha_j)$ is a square",
                (lam**2 * R**2 * factor(a_i) * factor(a_j)).subs(a_i, a_j),
                (lam * R * factor(a_j)) ** 2,
            ),
        ),
    )
