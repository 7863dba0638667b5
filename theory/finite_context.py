"""Excess risk at context length L, given (m, zeta), per unit zeta^2.

With scalar weights the prediction is b^T p_T(Lhat) x_q, Lhat = (1/L) sum x_i x_i^T and
b = (1/L) sum y_i x_i; the query integrated out, the excess is v^T Lambda v with
v = p_T(Lhat) b/zeta - m/lam.

Coordinates: the first along m, so that Lambda = diag(lam, 1, ..., 1); r = ||m||, s = r^2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from typing import Any

from sympy import (
    QQ,
    Expr,
    Function,
    Integer,
    Symbol,
    diff,
    exp,
    expand,
    gammasimp,
    integrate,
    oo,
    ring,
    symbols,
)

from theory.gaussian import Covariance, expectation
from theory.identities import Derivation, Identity
from theory.symbols import L, T, alpha, beta, d, lam, s

Entry = tuple[int, int]

r = Symbol("r", positive=True)
#: Coordinates of one token: along m, across m, and its latent variable (y = zeta u).
along, across, latent = symbols("x_1 x_2 u", real=True)
TOKEN: Covariance = {
    (along, along): lam,
    (along, latent): r,
    (latent, latent): Integer(1),
    (across, across): Integer(1),
}
COORDINATES = ((lam, 1 + s), (s, r**2))
#: g(z) = 1 - z p_T(z) and its derivatives at lam, and at 1.
g, g1, dg, ddg = symbols("g g_1 g' g''", real=True)
#: p_T and its derivatives at lam, and at 1.
p, p1, dp, ddp = symbols("p p_1 p' p''", real=True)


@dataclass(frozen=True)
class FiniteContext:
    """An excess risk as an expression in s, lam, d, L and the weights, with its derivation."""

    excess: Expr
    derivation: Derivation


def moment(*factors: Expr) -> Expr:
    """E of a product of polynomials in one token's coordinates."""
    result = Integer(1)
    for factor in factors:
        result *= factor
    return expectation(result, TOKEN)


def centred(product: Expr) -> Expr:
    """One token's contribution to Lhat or b/zeta less its mean."""
    return product - moment(product)


@cache
def depth_one(claimed: Expr | None = None) -> FiniteContext:
    """T = 1, exactly: risk 1 - 2 alpha s + alpha^2 (s lam + (d + 3 s + 2 s^2)/L).  `claimed`: the risk."""
    risk = 1 - 2 * alpha * s + alpha**2 * (s * lam + (d + 3 * s + 2 * s**2) / L)
    risk = risk if claimed is None else claimed
    mean = moment(latent * along)
    spread_along = moment(centred(latent * along), centred(latent * along))
    spread_across = moment(latent * across, latent * across)
    # E (b^T Lambda b)/zeta^2: the mean, and the variance of an average of L tokens in each direction
    quadratic = lam * mean**2 + (lam * spread_along + (d - 1) * spread_across) / L
    derivation = Derivation(
        "The risk at depth 1 and context length $L$",
        (
            Identity(r"mean of $y x/\zeta$ along $m$", mean, r, COORDINATES),
            Identity("its variance along $m$", spread_along, lam + s, COORDINATES),
            Identity("its variance across $m$", spread_across, Integer(1), COORDINATES),
            Identity(
                r"$\mathbb{E}(u_q - \alpha b^\top x_q/\zeta)^2$",
                1 - 2 * alpha * r * mean + alpha**2 * quadratic,
                risk,
                under=COORDINATES,
            ),
        ),
    )
    return FiniteContext(risk - 1 / lam, derivation)


def correction() -> Expr:
    """The 1/L term for any g, in g, g_1, g', g'', s, lam, d."""
    D1 = (g - g1) / (lam - 1)
    D2 = (dg - D1) / (lam - 1)
    spread = 2 * lam**2 * (dg**2 + g * ddg) + (d - 1) * (2 * lam * g * D2 + D1**2)
    return s / lam * spread + ((1 - g) ** 2 + (d - 1) * (1 - g1) ** 2) / lam


def perturbation() -> Expr:
    """The 1/L term from the perturbation of p_T(Lhat) b to second order, in p, p_1, p', p''.

    A = x x^T - Lambda and e = u x - m of one token.  To first order p(Lhat) b moves by
    Dp[A] m + p(Lambda) e, to second by (1/2) D^2p[A, A] m + Dp[A] e; in the eigenbasis Dp and
    D^2p multiply entries by divided differences of p.
    """
    p_la1 = (p - p1) / (lam - 1)  # p[lam, 1]
    p_lla1 = (dp - p_la1) / (lam - 1)  # p[lam, lam, 1]
    A_aa, A_ab = centred(along**2), along * across
    e_a, e_b = centred(latent * along), latent * across
    first_along = dp * A_aa * r + p * e_a
    first_across = p_la1 * A_ab * r + p1 * e_b
    first = lam * moment(first_along, first_along) + (d - 1) * moment(first_across, first_across)
    second_along = (
        r * (ddp / 2 * moment(A_aa, A_aa) + (d - 1) * p_lla1 * moment(A_ab, A_ab))
        + dp * moment(A_aa, e_a)
        + (d - 1) * p_la1 * moment(A_ab, e_b)
    )
    residual_along = p * r - r / lam
    return first + 2 * lam * residual_along * second_along


def by_residual() -> tuple[tuple[Expr, Expr], ...]:
    """p, p_1, p', p'' in terms of g, g_1, g', g'', from p(z) = (1 - g(z))/z."""
    z = Symbol("z", positive=True)
    function = Function("g")(z)
    derivatives = ((diff(function, z, 2), ddg), (diff(function, z), dg), (function, g), (z, lam))
    values = [diff((1 - function) / z, z, order).subs(derivatives) for order in range(3)]
    return (*zip((p, dp, ddp), values, strict=True), (p1, 1 - g1))


@cache
def first_order(claimed: Expr | None = None) -> Derivation:
    """The 1/L term of the excess for every polynomial p_T, with g(z) = 1 - z p_T(z), T and d symbolic.

    `claimed`: the term.
    """
    term = correction() if claimed is None else claimed
    rules = (*by_residual(), *COORDINATES)
    return Derivation(
        "The excess risk to order $1/L$",
        (
            Identity("$L$ to infinity", lam * (p * r - r / lam) ** 2, s / lam * g**2, under=rules),
            Identity("the term of order $1/L$", perturbation(), term, under=rules),
        ),
    )


class WishartMoments:
    """E of products of entries of W = sum over L tokens of t t^T, t centred Gaussian: polynomials in L.

    By Isserlis' rule the pairings of the tokens' coordinates join the entries into cycles; a cycle
    is a sum over one token, which gives a factor L.

    covariance: non-zero entries of the tokens' covariance, in either order, as numbers or
                elements of any commutative ring; length: L in the same ring; one: its unit.
    """

    def __init__(self, covariance: Mapping[Entry, Any], length: Any, one: Any) -> None:
        self._covariance = {**covariance, **{(j, i): value for (i, j), value in covariance.items()}}
        self._length = length
        self._one = one
        self._known: dict[tuple[int, int, tuple[Entry, ...]], Any] = {}

    def __call__(self, *entries: Entry) -> Any:
        """E of the product of W[i, j] over `entries`."""
        if not entries:
            return self._one
        ordered = sorted((min(entry), max(entry)) for entry in entries)
        return self._cycles(*ordered[0], tuple(ordered[1:]))

    def _cycles(self, start: int, end: int, rest: tuple[Entry, ...]) -> Any:
        """Sum over the ways to continue an open cycle from `end` back to `start`."""
        key = (start, end, rest)
        if key not in self._known:
            total = 0 * self._one
            if (end, start) in self._covariance:
                total += self._length * self._covariance[end, start] * self(*rest)
            for index, (i, j) in enumerate(rest):
                others = rest[:index] + rest[index + 1 :]
                for near, far in ((i, j), (j, i)):
                    if (end, near) in self._covariance:
                        total += self._covariance[end, near] * self._cycles(start, far, others)
            self._known[key] = total
        return self._known[key]


def exact_excess(depth: int, size: int) -> tuple[Expr, tuple[Symbol, ...]]:
    """lam times the excess at every order in 1/L, in r and L, and the coefficients of p_T in it."""
    coefficients = symbols(f"c_0:{depth}", real=True)
    domain, norm, length, *weights = ring([r, L, *coefficients], QQ)
    lam_, one = 1 + norm**2, domain.one
    covariance = {(0, 0): lam_, (0, size): norm, (size, size): one}
    covariance |= {(i, i): one for i in range(1, size)}
    moments = WishartMoments(covariance, length, one)
    top = 2 * depth
    total = norm**2 * length**top
    for k, first in enumerate(weights):
        mean = sum(moments(*walk) for walk in _walks(k, 0, size))
        total -= 2 * lam_ * norm * first * length ** (top - k - 1) * mean
        for n, second in enumerate(weights):
            for i in range(size):
                pairs = product(_walks(k, i, size), _walks(n, i, size))
                square = sum(moments(*left, *right) for left, right in pairs)
                variance = lam_ if i == 0 else one
                total += lam_ * first * second * variance * length ** (top - k - n - 2) * square
    return expand(total.as_expr() / L**top), coefficients


def _walks(steps: int, start: int, size: int) -> list[tuple[tuple[int, int], ...]]:
    """Entries of W whose products sum to (W^steps b)_start, b the last column of W."""
    return [tuple(pairwise((start, *path, size))) for path in product(range(size), repeat=steps)]


def _with_residual(residual: Expr) -> Expr:
    """Population excess and 1/L term for g(z) = `residual`, a function of lam."""
    values = (
        (g, residual),
        (g1, residual.subs(lam, 1)),
        (dg, diff(residual, lam)),
        (ddg, diff(residual, lam, 2)),
    )
    return (s / lam * g**2 + correction() / L).subs(values)


@cache
def one_parameter() -> FiniteContext:
    """The excess of the one-parameter stack to order 1/L, in s, lam, T, d, L, alpha; exact at T = 1."""
    return _stack((1 - alpha * lam) ** T)


@cache
def two_parameter() -> FiniteContext:
    """The excess of the two-parameter stack to order 1/L, in s, lam, T, d, L, alpha, beta; exact at T = 1."""
    return _stack(1 + alpha / beta * (1 - (1 + beta * lam) ** T))


def _stack(residual: Expr) -> FiniteContext:
    excess = _with_residual(residual)
    exact = Identity(
        "exact at $T = 1$",
        excess.subs(T, 1),
        depth_one().excess,
        under=((lam, 1 + s),),
    )
    steps = (*first_order().steps, *depth_one().derivation.steps, exact)
    return FiniteContext(excess, Derivation("The excess risk to order $1/L$", steps))


@cache
def least_squares(claimed: Expr | None = None) -> FiniteContext:
    """In-context least squares, L > d + 1: excess d/(lam (L - d - 1)), exactly.  `claimed`: the excess.

    Given the tokens, y = w^T x + e with e Gaussian of variance zeta^2/lam, independent of x
    (`latent_factor.bayes_risk`), so that the excess is E tr((sum z z^T)^-1)/lam with z standard
    Gaussian.  Each diagonal entry of that inverse is 1/chi^2 with L - d + 1 degrees of freedom.
    """
    excess = d / (lam * (L - d - 1)) if claimed is None else claimed
    a, v = symbols("a v", positive=True)
    # chi^2_k = 2 v, v of the gamma law with shape k/2 = a + 1
    inverse = integrate(v ** (a - 1) * exp(-v), (v, 0, oo)) / (2 * integrate(v**a * exp(-v), (v, 0, oo)))
    inverse_mean = gammasimp(inverse).subs(a, (L - d + 1) / Integer(2) - 1)
    step = Identity(
        r"$d$ times $\mathbb{E}[1/\chi^2]$ at $k = L - d + 1$ degrees of freedom, times $1/\lambda$",
        d * inverse_mean / lam,
        excess,
    )
    return FiniteContext(excess, Derivation("The excess of in-context least squares", (step,)))
