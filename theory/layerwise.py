"""A weight of its own for every layer: what the stack can be, and the least excess at each depth.

dnu = (s/lam) dP on {s > 0}.  r = 1 - lam p is the residual of a stack whose embedding is p(Lambda) X.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sympy import Expr, ImmutableMatrix, Integer, Matrix, Poly, Symbol, eye, sqrt, symbols, zeros

from theory.attention import (
    at_depth,
    layer,
    one_parameter_embedding,
    p,
    reduction,
    two_parameter_embedding,
)
from theory.gaussian import expectation
from theory.identities import Derivation, Identity, Inequality, Steps
from theory.latent_factor import token, u
from theory.limits import SUPPORT, above, below, epsilon, optimum
from theory.losses import excess_of_embedding
from theory.symbols import NORM, T, alpha, beta, l1, l2, lam, s

#: Weights of one layer, and the residual before it.
a_t, b_t, r = symbols("a_t b_t r", real=True)
alpha_t = Symbol("alpha_t", real=True)


def next_residual() -> Expr:
    """r_t = (1 + b_t lam) r_(t-1) - (a_t + b_t) lam."""
    return (1 + b_t * lam) * r - (a_t + b_t) * lam


@cache
def embedding(claimed: Expr | None = None) -> Derivation:
    """From F^0 = 0 the residual is a polynomial of degree <= T with r(0) = 1.

    `claimed`: r_t in terms of r = r_(t-1), a_t, b_t and lam.
    """
    step = next_residual() if claimed is None else claimed
    rest = Symbol("q", real=True)

    def through(before: Expr, w_s: Expr, w_v: Expr) -> Expr:
        return step.subs({a_t: w_s, b_t: w_v}, simultaneous=True).subs(r, before)

    tied, two = ((1 - lam * form) for form in (one_parameter_embedding(), two_parameter_embedding()))
    return Derivation(
        "The residual of a stack with weights of its own in each layer",
        (
            *reduction(a_t, b_t),
            Identity("depth 0: $F^{(0)} = 0$", 1 - lam * Integer(0), Integer(1), symbol="r_0"),
            Identity(
                r"one more layer, $r = 1 - \lambda p$",
                1 - lam * layer((1 - r) / lam, Integer(1), lam, a_t, b_t),
                step,
                symbol="r_t",
            ),
            Identity(
                r"$r = 1 + \lambda q$ is inherited, and the degree of $q$ rises by 1 at most",
                through(1 + lam * rest, a_t, b_t),
                1 + lam * ((1 + b_t * lam) * rest - a_t),
                symbol="r_t",
            ),
            Identity(
                r"$a_t = -b_t = \alpha_t$: a factor", through(r, alpha_t, -alpha_t), (1 - alpha_t * lam) * r
            ),
            Identity(
                "the tied stack is a special case, symbolic $T$",
                through(tied, alpha, -alpha),
                at_depth(tied, T + 1),
            ),
            Identity(
                "the two-parameter stack is a special case, symbolic $T$",
                through(two, alpha, beta),
                at_depth(two, T + 1),
            ),
            *(_in_coordinates(size, depth, step) for size, depth in ((2, 1), (3, 2), (2, 3))),
        ),
    )


def weights_of(depth: int) -> list[tuple[Symbol, Symbol]]:
    """(a_1, b_1), ..., (a_T, b_T)."""
    return [(Symbol(f"a_{t}", real=True), Symbol(f"b_{t}", real=True)) for t in range(1, depth + 1)]


def _stack(vector: ImmutableMatrix, weights: Sequence[tuple[Expr, Expr]]) -> ImmutableMatrix:
    """F^T as a full matrix for X = I and m = `vector`."""
    one, found = eye(len(vector)), zeros(len(vector), len(vector))
    for w_s, w_v in weights:
        found = layer(found, one, one + vector * vector.T, w_s, w_v)
    return found.as_immutable()


def _residual(weights: Sequence[tuple[Expr, Expr]], step: Expr) -> Expr:
    """r_T as a polynomial in lam."""
    found: Expr = Integer(1)
    for w_s, w_v in weights:
        found = step.subs({a_t: w_s, b_t: w_v, r: found}, simultaneous=True)
    return found


def _in_coordinates(size: int, depth: int, step: Expr) -> Identity:
    """Lambda F^T = I - r_T(Lambda) for X = I."""
    vector = ImmutableMatrix(symbols(f"m_1:{size + 1}", real=True))
    gram, weights, value = eye(size) + vector * vector.T, weights_of(depth), zeros(size, size)
    for coefficient in Poly(_residual(weights, step), lam).all_coeffs():
        value = gram * value + coefficient * eye(size)
    return Identity(
        "matrices",
        (eye(size) - gram * _stack(vector, weights)).as_immutable(),
        value.as_immutable(),
        symbol=rf"I - \Lambda F^{{{depth}}} = r_{{{depth}}}(\Lambda)",
        case={"d": size, "T": depth},
    )


@cache
def population_loss(claimed: Expr | None = None) -> Derivation:
    """The excess is E[(s/lam) r_T^2], the integral of r_T^2 over nu.  `claimed`: the integrand."""
    integrand = s / lam * r**2 if claimed is None else claimed
    return Derivation(
        "The loss of a stack with weights of its own in each layer",
        (
            *excess_of_embedding(),
            Identity(
                r"in the residual $r = 1 - \lambda p$",
                (s / lam * (1 - lam * p) ** 2).subs(p, (1 - r) / lam),
                integrand,
                under=NORM,
                symbol=r"\text{excess}",
            ),
            _loss_in_coordinates(integrand),
        ),
    )


def _loss_in_coordinates(integrand: Expr) -> Identity:
    """The excess of the stack of full matrices of depth 2, by Isserlis' rule."""
    vector, x, moments = token((1, 1))
    square, weights = vector.dot(vector), weights_of(2)
    prediction = (vector.T * _stack(vector, weights) * x)[0]
    return Identity(
        "the same with full matrices, $(d_1, d_2) = (1, 1)$, $T = 2$, four weights",
        expectation(u - prediction, moments, power=2) - 1 / (1 + square),
        integrand.subs(r, _residual(weights, next_residual())).subs(lam, 1 + s).subs(s, square),
        symbol=r"\text{excess}",
    )


@cache
def best_residual(claimed: int = 1) -> Derivation:
    """The least integral of r^2 over nu, deg r <= T, r(0) = 1, and the polynomial that attains it.

    `claimed`: the power of lam with which nu has to be weighed for r to be orthogonal to lower degrees.
    """
    best, q = symbols("r q", real=True)
    forward, second = recurrence()
    W = second[0] * forward[1] - second[1] * forward[0]
    p_0, p_1, rho_0, rho_1, b_k = *forward[:2], *second[:2], Symbol("b_k", real=True)
    return Derivation(
        "The least excess at depth $T$",
        (
            Identity(
                r"any other polynomial is $r + \lambda q$: where the integral of $\lambda q r$ over "
                r"$\nu$ is 0, $r$ is least",
                (best + lam * q) ** 2,
                best**2 + 2 * lam * q * best + lam**2 * q**2,
                symbol="(r + \\lambda q)^2",
            ),
            Identity(
                r"with $r = 1 + \lambda q$ itself, $q$ of degree $T - 1$: the integral of $r^2$ is "
                "that of $r$",
                best * (1 + lam * q),
                best + lam * q * best,
                symbol="r^2",
            ),
            *(step for depth in (1, 2, 3) for step in _by_determinants(depth, claimed)),
            Identity(
                r"$\pi_k(0)$ and the integrals $\rho_k$ of $\pi_k$ over $\nu$ obey one recurrence, "
                r"$k \ge 1$, so that $\rho_k \pi_{k+1}(0) - \rho_{k+1} \pi_k(0)$ is multiplied by "
                "$b_k$ at every step",
                rho_1 * forward[2] - second[2] * p_1,
                b_k * W,
                symbol=r"\rho_k \pi_{k+1}(0) - \rho_{k+1} \pi_k(0)",
            ),
            Identity(
                r"$e_k = \rho_k/\pi_k(0)$ falls by that over $\pi_k(0) \pi_{k+1}(0)$",
                rho_0 / p_0 - rho_1 / p_1,
                W / (p_0 * p_1),
                symbol="e_k - e_{k+1}",
            ),
        ),
    )


def recurrence() -> tuple[tuple[Expr, Expr, Expr], tuple[Expr, Expr, Expr]]:
    """Three successive values of pi_k(0), and of the integrals of pi_k over nu, k >= 1.

    pi_(k+1) = (lam - a_k) pi_k - b_k pi_(k-1), monic and orthogonal under lam dnu; over nu the term
    lam pi_k integrates to 0.
    """
    a_k, b_k, p_0, p_1, rho_0, rho_1 = symbols("a_k b_k pi_(k-1) pi_k rho_(k-1) rho_k", real=True)
    return (p_0, p_1, -a_k * p_1 - b_k * p_0), (rho_0, rho_1, -a_k * rho_1 - b_k * rho_0)


def _by_determinants(depth: int, shift: int) -> Steps:
    """At a given depth, in the moments n_k of nu: orthogonality, the value, and that it is least."""
    moments = symbols(f"n_0:{2 * depth + 2}", positive=True)
    C, g = moments[0], Matrix([moments[j] for j in range(1, depth + 1)])
    G = Matrix(depth, depth, lambda j, k: moments[j + k + 2])
    rows = [[moments[j + k + shift] for k in range(depth + 1)] for j in range(depth)]
    # The minors along the last row (1, lam, ..., lam^T) of the determinant that is orthogonal to the rows.
    minors = [
        (-1) ** k * Matrix([row[:k] + row[k + 1 :] for row in rows]).det("berkowitz")
        for k in range(depth + 1)
    ]
    found = [minor / minors[0] for minor in minors]

    def over_nu(other: Sequence[Expr], power: int = 0) -> Expr:
        return sum(
            (x * y * moments[j + k + power] for j, x in enumerate(found) for k, y in enumerate(other)),
            Integer(0),
        )

    def shown(left: Expr, right: Expr) -> tuple[Any, Any]:
        """Two sides; of one row and column, and so without their letters, where these fill lines."""
        return (left, right) if depth < 3 else (ImmutableMatrix([[left]]), ImmutableMatrix([[right]]))

    hankel = Matrix(depth + 1, depth + 1, lambda j, k: moments[j + k])
    value = C - (g.T * G.adjugate() * g)[0] / G.det("berkowitz")
    return (
        *(
            Identity(
                rf"the integral of $r \lambda^{{{j + 1}}}$ over $\nu$",
                over_nu([Integer(0)] * j + [Integer(1)], 1),
                Integer(0),
                symbol=rf"\int r\, \lambda^{{{j + 1}}} d\nu",
                case={"T": depth},
            )
            for j in range(depth)
        ),
        Identity(
            r"the integral of $r^2$ over $\nu$",
            *shown(over_nu(found), value),
            symbol="e_T",
            case={"T": depth},
        ),
        Identity(
            "it is a quotient of Hankel determinants",
            *shown(value, hankel.det("berkowitz") / G.det("berkowitz")),
            symbol=r"\mathcal{C} - g^{\top} G^{-1} g",
            case={"T": depth},
        ),
    )


#: Square roots of the ends: l1 = x^2, l2 = (x + y)^2.
x, y = Symbol("x", positive=True), Symbol("y", positive=True)
ROOTS = ((l1, x**2), (l2, (x + y) ** 2))


def rho() -> Expr:
    """(sqrt(l2) - sqrt(l1))/(sqrt(l2) + sqrt(l1)), by the roots x and x + y of the ends."""
    return y / (2 * x + y)


def rho_of_ends() -> Expr:
    """The same in l1 and l2."""
    return rho().subs({x: sqrt(l1), y: sqrt(l2) - sqrt(l1)})


@cache
def chebyshev(claimed: Expr | None = None) -> Derivation:
    """The Chebyshev polynomial of [l1, l2] bounds e_T at every T.  `claimed`: rho."""
    rate = rho() if claimed is None else claimed
    _, worst = optimum()
    w = Symbol("w", positive=True)
    moved = (l1 + l2 - 2 * lam) / (l2 - l1)
    power = Symbol(r"\varrho", positive=True)
    first, second, at = symbols("t u z", real=True)
    return Derivation(
        "The Chebyshev bound",
        (
            Identity(
                r"$z = (\ell_1 + \ell_2 - 2 \lambda)/(\ell_2 - \ell_1)$ at $\lambda = 0$",
                moved.subs(lam, 0),
                1 / worst,
                SUPPORT,
            ),
            Inequality(r"$z \le 1$ on $[\ell_1, \ell_2]$", moved, Integer(1), SUPPORT),
            Inequality(r"$z \ge -1$ on $[\ell_1, \ell_2]$", Integer(-1), moved, SUPPORT),
            Identity(
                "$T_n$ and $U_n$ by pairs, $t = T_n(z)$, $u = U_{n-1}(z)$, obey the recurrence",
                at * (at * first - (1 - at**2) * second) - (1 - at**2) * (at * second + first),
                2 * at * (at * first - (1 - at**2) * second) - first,
                symbol="T_{n+2}(z)",
            ),
            Identity(
                "$T_n^2 + (1 - z^2) U_{n-1}^2$ is the same at every $n$, and 1 at $n = 0$: "
                r"$|T_n| \le 1$ on $[-1, 1]$",
                (at * first - (1 - at**2) * second) ** 2 + (1 - at**2) * (at * second + first) ** 2,
                first**2 + (1 - at**2) * second**2,
                symbol="T_{n+1}^2 + (1 - z^2) U_n^2",
            ),
            *(
                Identity(f"$T_{{{n}}}$ at $(w + 1/w)/2$", value, (w**n + w**-n) / 2)
                for n, value in ((0, Integer(1)), (1, (w + 1 / w) / 2))
            ),
            Identity(
                "$T_{n+2}$ at $(w + 1/w)/2$, symbolic $n = T$",
                2 * (w + 1 / w) / 2 * (w ** (T + 1) + w ** -(T + 1)) / 2 - (w**T + w**-T) / 2,
                (w ** (T + 2) + w ** -(T + 2)) / 2,
                symbol="T_{n+2}",
            ),
            Identity(
                r"$1/\kappa$ is $(w + 1/w)/2$ at $w = \rho$", (rate + 1 / rate) / 2, 1 / worst.subs(ROOTS)
            ),
            Inequality(r"$T_T(1/\kappa) \ge \rho^{-T}/2$", power**-T / 2, (power**T + power**-T) / 2),
            Inequality(r"$\rho < 1$", rate, Integer(1), strict=True),
        ),
    )


@cache
def tied_floor(claimed: Expr | None = None) -> Derivation:
    """What tied weights pay at every alpha, and that layerwise weights pay less.

    |1 - alpha lam| >= kappa - alpha* h near one of the ends.  `claimed`: kappa - alpha* h.
    """
    best, worst = optimum()
    h = Symbol("h", nonnegative=True)
    least = worst - best * h if claimed is None else claimed
    inside = Symbol("v", nonnegative=True)
    low = ((h, below + inside), *SUPPORT)
    high = ((h, above + inside), *SUPPORT)
    return Derivation(
        "What tied weights pay",
        (
            Identity(r"$1 - \alpha^* (\ell_1 + h)$", 1 - best * (l1 + h), least),
            Identity(r"$\alpha^* (\ell_2 - h) - 1$", best * (l2 - h) - 1, least),
            Inequality(
                r"$\alpha = \alpha^* - \epsilon$, $\epsilon \ge 0$: $1 - \alpha \lambda$ is no less "
                r"where $\lambda \le \ell_1 + h$",
                least,
                1 - (best - epsilon) * lam,
                low,
            ),
            Inequality(
                r"$\alpha = \alpha^* + \epsilon$, $\epsilon \ge 0$: $\alpha \lambda - 1$ is no less "
                r"where $\lambda \ge \ell_2 - h$",
                least,
                (best + epsilon) * lam - 1,
                high,
            ),
            Inequality(r"$\rho < \kappa$", rho(), worst.subs(ROOTS), strict=True),
        ),
    )
