"""Theorem 4.1: the gap between linear self-attention and the Bayes risk, per unit E zeta^2.

Expectations are handled by linearity: a product f(s) g(s') of independent copies
s, s' becomes E f E g, and each E f is a symbol of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from sympy import Add, Expr, Integer, Mul, Rational, Symbol, symbols

from theory.identities import Derivation, Identity, Inequality
from theory.symbols import NORM, c, lam, s

#: An independent copy of s.
s2 = Symbol("s'", positive=True)
lam2 = 1 + s2

E_s = Symbol(r"\mathbb{E}[s]", positive=True)
E_slam = Symbol(r"\mathbb{E}[s\lambda]", positive=True)
E_ratio = Symbol(r"\mathbb{E}[s/\lambda]", positive=True)
E_square_ratio = Symbol(r"\mathbb{E}[s^2/\lambda]", positive=True)
E_cube_ratio = Symbol(r"\mathbb{E}[s^3/\lambda]", positive=True)
MOMENTS: dict[Expr, Expr] = {s: E_s, s * (1 + s): E_slam, s / (1 + s): E_ratio}


def expectation_of_copies(terms: Expr, moments: Mapping[Expr, Expr] = MOMENTS) -> Expr:
    """E of a sum of products f(s) g(s'), each f and g a key of `moments`.

    Raises KeyError for a factor whose expectation has no symbol.
    """
    total = Integer(0)
    for term in Add.make_args(terms):
        coefficient, factors = term.as_coeff_mul()
        own = Mul(*(factor for factor in factors if factor.has(s)))
        copied = Mul(*(factor.xreplace({s2: s}) for factor in factors if factor.has(s2)))
        total += coefficient * moments[own] * moments[copied]
    return total


def integrand() -> Expr:
    """s s' (s - s')^2/(lam lam'), symmetric and non-negative."""
    return s * s2 * (s - s2) ** 2 / ((1 + s) * lam2)


@dataclass(frozen=True)
class Gap:
    """The best scalar layer, in the moments E_s, E_slam and E_ratio."""

    best: Expr
    risk: Expr
    gap: Expr
    derivation: Derivation


@cache
def scalar(claimed: Expr | None = None) -> Gap:
    """Best c = E s/E[s lam], risk 1 - (E s)^2/E[s lam], gap E[s/lam] - (E s)^2/E[s lam].

    `claimed`: the risk in the moments' symbols.
    """
    best = E_s / E_slam
    risk = 1 - E_s**2 / E_slam if claimed is None else claimed
    gap = E_ratio - E_s**2 / E_slam
    pointwise = c**2 * s * (1 + s) - 2 * c * s + s / (1 + s)
    excess = c**2 * E_slam - 2 * c * E_s + E_ratio
    derivation = Derivation(
        "The best scalar layer",
        (
            Identity("the excess is a quadratic in $c$", s * lam * (c - 1 / lam) ** 2, pointwise, under=NORM),
            Identity("and so is its expectation", _linear_in_moments(pointwise), excess),
            Identity(
                r"completing the square: $c = \mathbb{E}\,s/\mathbb{E}[s \lambda]$ is best",
                excess,
                gap + E_slam * (c - best) ** 2,
            ),
            Identity(r"$s/\lambda + 1/\lambda = 1$ at every $s$", s / lam + 1 / lam, Integer(1), under=NORM),
            Identity(
                "so the LSA risk, excess and Bayes risk together, is",
                gap + (1 - E_ratio),
                risk,
                symbol=r"R_{\mathrm{LSA}}",
            ),
        ),
    )
    return Gap(best, risk, gap, derivation)


def _linear_in_moments(pointwise: Expr) -> Expr:
    """E of a sum of coefficients, free of s, times keys of MOMENTS."""
    total = Integer(0)
    for term in Add.make_args(pointwise):
        coefficient, function = term.as_independent(s)
        total += coefficient * MOMENTS[function]
    return total


@cache
def lagrange(claimed: Expr | None = None) -> Derivation:
    """gap = (1/2) E E' [s s' (s - s')^2/(lam lam')]/E[s lam].  `claimed`: the factor 1/2."""
    half = Rational(1, 2) if claimed is None else claimed
    expanded = s * (1 + s) * (s2 / lam2) + s / (1 + s) * (s2 * lam2) - 2 * s * s2
    double = expectation_of_copies(expanded)
    return Derivation(
        "The gap as a double expectation",
        (
            Identity(r"the integrand, expanded: $\lambda - \lambda' = s - s'$", integrand(), expanded),
            Identity(
                "its expectation, term by term, any law",
                half * double,
                E_slam * E_ratio - E_s**2,
                symbol=r"\tfrac12 \mathbb{E}\mathbb{E}' \frac{s s' (s-s')^2}{\lambda \lambda'}",
            ),
            Identity("the gap, any law", half * double / E_slam, scalar().gap, symbol=r"\mathrm{gap}"),
            _lagrange_for_atoms(3, half),
        ),
    )


def _atoms(count: int) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...]]:
    return symbols(f"s_1:{count + 1}", positive=True), symbols(f"p_1:{count + 1}", positive=True)


def _over_atoms(function: Expr, values: tuple[Symbol, ...], masses: tuple[Symbol, ...]) -> Expr:
    return Add(*(mass * function.subs(s, value) for value, mass in zip(values, masses, strict=True)))


def _gap_of_atoms(values: tuple[Symbol, ...], masses: tuple[Symbol, ...]) -> Expr:
    """(gap) E[s lam] for atoms, from its definition as a difference of risks."""
    mean, slam, ratio = (_over_atoms(f, values, masses) for f in (s, s * (1 + s), s / (1 + s)))
    return ratio * slam - mean**2


def _lagrange_for_atoms(count: int, half: Expr) -> Identity:
    values, masses = _atoms(count)
    double = Add(
        *(
            first * second * integrand().subs({s: value, s2: other})
            for (value, first), (other, second) in product(zip(values, masses, strict=True), repeat=2)
        )
    )
    return Identity(
        f"{count} atoms with symbolic masses: "
        r"$\mathbb{E}[s/\lambda] \mathbb{E}[s \lambda] - (\mathbb{E}\,s)^2$",
        _gap_of_atoms(values, masses),
        half * double,
    )


@cache
def equality_case(claimed: Expr | None = None) -> Derivation:
    """The gap is 0 iff s is constant on {s > 0}.  `claimed`: the integrand s s' (s - s')^2/(lam lam').

    The integrand is non-negative and vanishes only where s = 0, s' = 0 or s = s'; a double
    expectation of it is 0 iff it vanishes almost surely, and independent copies agree almost
    surely on {s, s' > 0} iff s is constant there.
    """
    form = integrand() if claimed is None else claimed
    gap_between = Symbol("t", positive=True)
    value, mass = Symbol("s_0", positive=True), Symbol("p", positive=True)
    single = _gap_of_atoms((value,), (mass,))
    return Derivation(
        "When the gap is 0",
        (
            Inequality(
                "positive for $s' > s > 0$; symmetric",
                Integer(0),
                form.subs(s2, s + gap_between),
                strict=True,
            ),
            Identity(
                "unchanged by exchanging $s$ and $s'$", form, form.subs({s: s2, s2: s}, simultaneous=True)
            ),
            Identity("0 where $s' = s$", form.subs(s2, s), Integer(0)),
            Identity("0 where $s' = 0$", form.subs(s2, 0), Integer(0)),
            Identity("one value $s_0 > 0$ of mass $p$, the rest at 0: the gap is 0", single, Integer(0)),
        ),
    )


@dataclass(frozen=True)
class GapInMoments:
    """The gap in E_slam, E_ratio, E_square_ratio and E_cube_ratio."""

    gap: Expr
    derivation: Derivation


@cache
def in_moments(claimed: Expr | None = None) -> GapInMoments:
    """gap = (E[s^3/lam] E[s/lam] - E[s^2/lam]^2)/E[s lam].  `claimed`: the gap."""
    gap = (E_cube_ratio * E_ratio - E_square_ratio**2) / E_slam if claimed is None else claimed
    moments = {**MOMENTS, s**2 / (1 + s): E_square_ratio, s**3 / (1 + s): E_cube_ratio}
    own, copied = s / (1 + s), s2 / lam2
    expanded = s**2 * own * copied - 2 * (s * own) * (s2 * copied) + own * s2**2 * copied
    double = expectation_of_copies(expanded, moments)
    steps = (
        Identity("the square multiplied out", integrand(), expanded),
        Identity(
            "the double expectation, any law",
            Rational(1, 2) * double / E_slam,
            gap,
            symbol=r"\frac{1}{2 \mathbb{E}[s\lambda]} \mathbb{E}\mathbb{E}' "
            r"\frac{s s' (s-s')^2}{\lambda \lambda'}",
        ),
    )
    return GapInMoments(gap, Derivation("The gap in moments of one copy", steps))
