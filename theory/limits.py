"""Limits in the depth: the minimax weight, the one-inequality argument, the rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TypeVar

from sympy import (
    Expr,
    Integer,
    Max,
    Symbol,
    diff,
    exp,
    expand_log,
    gamma,
    gammasimp,
    integrate,
    log,
    oo,
    powsimp,
    symbols,
)

from theory.identities import Derivation, Identity, Inequality
from theory.symbols import T, l1, l2, lam

Number = TypeVar("Number", Fraction, Expr)

#: Distances that parametrise lam = l1 + below, l2 = l1 + below + above.
below, above = symbols("b a", nonnegative=True)
SUPPORT = ((lam, l1 + below), (l2, l1 + below + above))
epsilon = Symbol("epsilon", positive=True)


def alpha_star(m_lo: Number, m_hi: Number) -> Number:
    """2/(2 + m_lo + m_hi), m_lo and m_hi the ends of the support of s = ||m||^2.

    >>> alpha_star(Fraction(1), Fraction(4))
    Fraction(2, 7)
    """
    return 2 / (2 + m_lo + m_hi)


def kappa(m_lo: Number, m_hi: Number) -> Number:
    """(m_hi - m_lo)/(2 + m_lo + m_hi): the largest |1 - alpha* lam| on the support.

    >>> kappa(Fraction(1), Fraction(4))
    Fraction(3, 7)
    """
    return (m_hi - m_lo) / (2 + m_lo + m_hi)


def optimum() -> tuple[Expr, Expr]:
    """(alpha*, kappa) in the symbols l1 = 1 + m_lo, l2 = 1 + m_hi."""
    return alpha_star(l1 - 1, l2 - 1), kappa(l1 - 1, l2 - 1)


@cache
def minimax(claimed: Expr | None = None) -> Derivation:
    """argmin over a of max |1 - a lam| over [l1, l2] is alpha*, both ends active.  `claimed`: alpha*."""
    best, worst = optimum()
    best = best if claimed is None else claimed
    return Derivation(
        "The minimax weight",
        (
            Identity("the lower end is active", 1 - best * l1, worst, SUPPORT, symbol=r"1 - \alpha^* \ell_1"),
            Identity(
                "the upper end is active", 1 - best * l2, -worst, SUPPORT, symbol=r"1 - \alpha^* \ell_2"
            ),
            Inequality("no residual above", 1 - best * lam, worst, SUPPORT),
            Inequality("no residual below", -worst, 1 - best * lam, SUPPORT),
            Inequality(
                "a smaller weight is worse at the lower end",
                worst,
                1 - best * (1 - epsilon) * l1,
                SUPPORT,
                strict=True,
            ),
            Inequality(
                "a larger weight is worse at the upper end",
                worst,
                best * (1 + epsilon) * l2 - 1,
                SUPPORT,
                strict=True,
            ),
        ),
    )


@cache
def one_inequality(claimed: Expr | None = None) -> Derivation:
    """One inequality at an odd n settles the derivative's sign at every larger odd n.

    With a = (1 - eps) alpha*, q = 1 - a lam and h = max(0, a l2 - 1), all q >= -h.  Let
    U_n = E[s q^n; q > h] and V_n = E[s |q|^n; q < 0].  Then U_(n+2) >= h^2 U_n and
    V_(n+2) <= h^2 V_n, so U_n > V_n is inherited, and E[s q^n] >= U_n - V_n > 0.  The mirror
    image (q to -q) serves a = (1 + eps) alpha*.  `claimed`: the factor h^2.
    """
    h, r, t = symbols("h r t", positive=True)
    n = 2 * T - 1
    factor = h**2 if claimed is None else claimed
    return Derivation(
        "From one depth to all larger depths",
        (
            Identity("an odd power keeps the sign of $q$", (-r) ** n, -(r**n)),
            Inequality(
                "$q = h + t > h$: the upper part grows by $h^2$ at least",
                factor * (h + t) ** n,
                (h + t) ** (n + 2),
            ),
            Inequality(
                "$|q| = r$ with $h = r + t$: the lower part grows by $h^2$ at most",
                r ** (n + 2),
                factor * r**n,
                under=((h, r + t),),
            ),
        ),
    )


@cache
def every_epsilon(claimed: Expr | None = None) -> Derivation:
    """The one inequality holds at some n, whatever epsilon > 0.  `claimed`: alpha*.

    At a = (1 - eps) alpha* the largest q, at lam = l1, exceeds h = max(0, a l2 - 1), by 2t say.  Where
    lam <= l1 + t/a, and there is mass as l1 is the end of the support, q >= h + t, so

        U_n >= A (h + t)^n, A = E[s; lam <= l1 + t/a] > 0, and V_n <= h^n E s.

    (h + t)^n >= h^n (1 + n t/h) outgrows both.  The mirror image at a = (1 + eps) alpha*.
    """
    t, n, x = symbols("t n x", positive=True)
    best = optimum()[0] if claimed is None else claimed
    lower, upper, a = best * (1 - epsilon), best * (1 + epsilon), Symbol("a", positive=True)
    return Derivation(
        r"For every $\epsilon$ there is such a depth",
        (
            Inequality(
                r"at $a = (1 - \epsilon) \alpha^*$, $q$ at $\ell_1$ exceeds $-q$ at $\ell_2$",
                lower * l2 - 1,
                1 - lower * l1,
                SUPPORT,
                strict=True,
            ),
            Inequality("and exceeds 0", Integer(0), 1 - lower * l1, SUPPORT, strict=True),
            Inequality(
                r"at $a = (1 + \epsilon) \alpha^*$, $-q$ at $\ell_2$ exceeds $q$ at $\ell_1$",
                1 - upper * l1,
                upper * l2 - 1,
                SUPPORT,
                strict=True,
            ),
            Inequality("and exceeds 0 as well", Integer(0), upper * l2 - 1, SUPPORT, strict=True),
            Identity(
                r"within $t/a$ of $\ell_1$, $q$ has lost at most $t$", 1 - a * (l1 + t / a), (1 - a * l1) - t
            ),
            Identity(
                r"within $t/a$ of $\ell_2$, $-q$ has lost at most $t$", a * (l2 - t / a) - 1, (a * l2 - 1) - t
            ),
            Inequality(
                r"Bernoulli's inequality $(1 + x)^n \ge 1 + n x$, $x = t/h$, is inherited from $n$ "
                "to $n + 1$",
                1 + (n + 1) * x,
                (1 + x) * (1 + n * x),
            ),
        ),
    )


@cache
def bayes_bound(claimed: Expr | None = None) -> Derivation:
    """excess_T <= Loss_T(alpha*) <= E[s/lam] kappa^(2T) for every T >= 1.  `claimed`: kappa."""
    best, worst = optimum()
    worst = worst if claimed is None else claimed
    small, gap, power, power_gap = symbols("y delta Y Delta", positive=True)
    return Derivation(
        "A bound on the excess at every depth",
        (
            Inequality(
                r"depth 1, at every $\lambda$ in $[\ell_1, \ell_2]$", (1 - best * lam) ** 2, worst**2, SUPPORT
            ),
            Inequality(
                r"depth $T$ to $T + 1$: $y \le y + \delta$ and $Y \le Y + \Delta$, where $Y$ stands "
                "for $y^T$, are multiplied",
                small * power,
                (small + gap) * (power + power_gap),
            ),
            Inequality(
                r"the bound vanishes as $T$ grows: $\kappa < 1$", worst, Integer(1), SUPPORT, strict=True
            ),
        ),
    )


def residuals_at_ends(center: Number, epsilon: Number, l1: Number, l2: Number) -> tuple[Number, Number]:
    """The largest 1 - a lam and a lam - 1 on the support for |a - center| <= epsilon center."""
    return 1 - center * (1 - epsilon) * l1, center * (1 + epsilon) * l2 - 1


def rho() -> Expr:
    """The larger of `residuals_at_ends` about alpha*, in epsilon, l1 and l2."""
    # Nothing tells which it is: SymPy would take longer to find that out than all of this derivation.
    return Max(*residuals_at_ends(optimum()[0], epsilon, l1, l2), evaluate=False)


@cache
def per_prompt_rate(claimed: Expr | None = None) -> Derivation:
    """|1 - a lam| <= rho for |a - alpha*| <= eps alpha*, and rho < 1 iff eps < l1/l2.

    rho = max(1 - (1 - eps) alpha* l1, (1 + eps) alpha* l2 - 1).  `claimed`: the bound on eps.
    """
    best, _ = optimum()
    bound = l1 / l2 if claimed is None else claimed
    return Derivation(
        "The residual of one prompt",
        (
            Identity(
                r"$(1 + \epsilon) \alpha^* \ell_2 - 1 < 1$ iff $\epsilon$ is below this",
                2 / (best * l2) - 1,
                bound,
            ),
            Inequality(
                r"$1 - (1 - \epsilon) \alpha^* \ell_1 < 1$ iff $\epsilon < 1$, which is weaker",
                bound,
                Integer(1),
                SUPPORT,
            ),
        ),
    )


def two_atoms_minimiser(k: Number, lam1: Number, lam2: Number) -> Number:
    """alpha_T for atoms s1 < s2 of masses p1, p2: k = (p2 s2/(p1 s1))^(1/(2T-1)), lam = 1 + s."""
    return (1 + k) / (lam1 + k * lam2)


@cache
def two_atoms(claimed: Expr | None = None) -> Derivation:
    """alpha_T = (1+k)/(lam1 + k lam2), k^(2T-1) = p2 s2/(p1 s1), for atoms s1 < s2.  `claimed`: alpha_T."""
    k, weight = symbols("k w", positive=True)
    minimiser = two_atoms_minimiser(k, l1, l2) if claimed is None else claimed
    n = 2 * T - 1
    return Derivation(
        "The minimiser for two atoms",
        (
            Identity(
                "the derivative vanishes, with $w = p_1 s_1$ and $p_2 s_2 = w k^{2T-1}$",
                weight * (1 - minimiser * l1) ** n + weight * k**n * (1 - minimiser * l2) ** n,
                Integer(0),
                symbol=r"\mathbb{E}[s (1 - \alpha_T \lambda)^{2T-1}]",
            ),
        ),
    )


@dataclass(frozen=True)
class Rate:
    """alpha_T - alpha* to first order in T, l1, l2 and the mass at the ends, and what that leaves out.

    E[s; s <= m_lo + h] ~ A1 h^k1 and E[s; s >= m_hi - h] ~ A2 h^k2 as h -> 0.
    remainder: the bracket that alpha_T = alpha* - delta shows, less the bracket of `expr`, as
               a sum; R1 and R2 are what each end gives of the derivative over its leading term.
    """

    expr: Expr
    remainder: tuple[Expr, ...]
    k1: Symbol
    k2: Symbol
    A1: Symbol
    A2: Symbol
    R1: Symbol
    R2: Symbol
    derivation: Derivation


delta = Symbol("delta", real=True)


@cache
def rate(claimed: Expr | None = None, left_out: tuple[Expr, ...] | None = None) -> Rate:
    """The rate of alpha_T by balance of both ends.  `claimed`: alpha_T - alpha*; `left_out`: remainder."""
    k1, k2, A1, A2 = symbols("k_1 k_2 A_1 A_2", positive=True)
    R1, R2 = symbols("R_1 R_2", positive=True)
    best, worst = optimum()
    r = 2 * T * best / worst
    balance = log(A2 * gamma(k2 + 1) / (A1 * gamma(k1 + 1))) + (k1 - k2) * log(r)
    formula = -worst / (2 * T * (l1 + l2)) * balance if claimed is None else claimed
    if left_out is None:
        low, high = _residuals()
        shift = log((2 * T - 1) * (best - delta) / (2 * T * best))
        left_out = (
            2 * T * (l1 + l2) / worst * delta - (2 * T - 1) * (log(low) - log(high)),
            k1 * (shift - log(low / worst)),
            -k2 * (shift - log(high / worst)),
            log(R2),
            -log(R1),
        )
    derivation = _rate_derivation(formula, (k1, k2, A1, A2), r, left_out, (R1, R2))
    return Rate(formula, left_out, k1, k2, A1, A2, R1, R2, derivation)


def _residuals() -> tuple[Expr, Expr]:
    """|1 - a lam| at l1 and l2 for a = alpha* - delta."""
    _, worst = optimum()
    return worst + delta * l1, worst - delta * l2


def _rate_derivation(
    formula: Expr, ends: tuple[Symbol, ...], r: Expr, left_out: tuple[Expr, ...], ratios: tuple[Symbol, ...]
) -> Derivation:
    """Balance of the two ends of E[s (1 - a lam)^n] = 0 at a = alpha* - delta, n = 2T - 1."""
    k1, k2, A1, A2 = ends
    h, scale = symbols("h r", positive=True)
    best, worst = optimum()
    n = 2 * T - 1
    low, high = _residuals()

    def end(k: Symbol, A: Symbol) -> Expr:
        return log(A * gamma(k + 1)) - k * log(r)

    def side(k: Symbol, A: Symbol, c: Expr, R: Symbol) -> Expr:
        """log of A Gamma(k+1) (n a/c)^-k c^n R, c the residual at the end."""
        decay = log(r) + log(n * (best - delta) / (2 * T * best)) - log(c / worst)
        return log(A * gamma(k + 1)) - k * decay + n * log(c) + log(R)

    slope = diff(log(low / high), delta).subs(delta, 0)
    shown, bracket = 2 * T * (l1 + l2) / worst * delta, -2 * T * (l1 + l2) / worst * formula
    return Derivation(
        "The rate of the minimiser",
        (
            Identity(
                "mass $A h^k$ at distance $h$ from an end, weighed by "
                r"$(1 - a h/q)^n \sim \exp(-r h)$, $r = n a/q$",
                powsimp(gammasimp(integrate(A1 * k1 * h ** (k1 - 1) * exp(-scale * h), (h, 0, oo)))),
                A1 * gamma(k1 + 1) / scale**k1,
            ),
            Identity(
                r"the residual at $\ell_1$ of the weight $\alpha^* - \delta$", 1 - (best - delta) * l1, low
            ),
            Identity(
                r"the residual at $\ell_2$ of the weight $\alpha^* - \delta$", (best - delta) * l2 - 1, high
            ),
            Identity(
                r"log of the ratio of the ends' residuals, $\kappa + \delta \ell_1$ and "
                r"$\kappa - \delta \ell_2$, per $\delta$",
                slope,
                (l1 + l2) / worst,
            ),
            Identity(
                r"balance of the ends, to first order, with $\delta = \alpha^* - \alpha_T$ and "
                r"$r = 2T \alpha^*/\kappa$",
                expand_log(end(k1, A1) + 2 * T * slope * -formula),
                expand_log(end(k2, A2)),
                symbol=r"\log \frac{A_1 \Gamma(k_1 + 1)}{r^{k_1}} "
                r"+ 2 T \delta\, \frac{(\ell_1 + \ell_2)^2}{\ell_2 - \ell_1}",
            ),
            Identity(
                "bracket shown, less bracket and remainder: the logarithms of the two sides, subtracted",
                expand_log(shown - bracket - sum(left_out)),
                expand_log(side(k1, A1, low, ratios[0]) - side(k2, A2, high, ratios[1])),
                symbol=r"\log \mathbb{E}[s\,|1 - \alpha_T\lambda|^n; \lambda < 1/\alpha_T] "
                r"- \log \mathbb{E}[s\,|1 - \alpha_T\lambda|^n; \lambda > 1/\alpha_T]",
            ),
        ),
    )
