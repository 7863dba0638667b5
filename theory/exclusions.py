"""Where the minimiser of the two-parameter profile cannot be, at every depth from one on.

With b = -beta, z = 1 - b lam, Z = z^T and nu = (s/lam) dP/C, the profile is
f = C Var_nu(Z)/E_nu[(1 - Z)^2].  At the minimiser f <= C k with k = kappa^(2T), as the weights
(alpha*, -alpha*) show.  So b is excluded where

    (1 - k) Var_nu(Z) > k (1 - E_nu Z)^2.                                                    (1)

Choose l1 <= lM < lH <= l2 with masses pM <= nu(lam <= lM) and pH <= nu(lam >= lH); then
Var_nu(Z) >= pM pH min (Z_H - Z_M)^2 over lam_M <= lM and lam_H >= lH.  Each case of `CASES` gives
theta = max of its `ratios`, r = `residual`, `spread` and `bound`, and is excluded if r > kappa, theta < 1 and

    pM pH (spread (1 - theta^T) r^T)^2 (1 - k) > bound k.                                    (2)

What is proved here is what `numerics.two_parameter.all_large_depths` evaluates: both read `CASES`, `EXCEEDS`
and `alpha_bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sympy import Expr, Integer, S, Symbol, symbols

from theory.identities import Derivation, Identity, Inequality, Steps
from theory.limits import epsilon, optimum
from theory.symbols import T, l1, l2

l_m, l_h = symbols("ell_M ell_H", positive=True)
#: The edge of the band that a case begins or ends at: (1 + eps) alpha* or (1 - eps) alpha*.
a = symbols("a", positive=True)
b = symbols("b", positive=True)
#: theta in [0, 1]; free non-negative distances.
theta, v, x, y = symbols("theta v x y", nonnegative=True)
gap = symbols("delta", positive=True)
#: theta^T, r^T and kappa^T.
theta_power, r_power, kappa_power = symbols("theta_T r_T kappa_T", nonnegative=True)
#: p_M p_H, the spread, the bound.
masses, spread, bound = symbols("p sigma c", nonnegative=True)
R = symbols("R", nonnegative=True)

#: The two sides of (2), one less the other.
EXCEEDS = masses * (spread * (1 - theta_power) * r_power) ** 2 * (1 - kappa_power**2) - bound * kappa_power**2


@dataclass(frozen=True)
class Exclusion:
    """One case: the closed interval of b = -beta that it excludes (None: no end), and its part of (2)."""

    name: str
    region: tuple[Expr | None, Expr | None]
    residual: Expr
    bound: Expr
    ratios: tuple[Expr, ...] = ()
    spread: Expr = S.One

    @property
    def symbols(self) -> frozenset[Symbol]:
        """The symbols of the condition."""
        return frozenset().union(*(part.free_symbols for part in (self.residual, self.spread, *self.ratios)))

    def ratio(self, place: int) -> Expr:
        """An entry of theta; 0 if the case has none there."""
        return self.ratios[place] if place < len(self.ratios) else Integer(0)


#: alpha* < a <= 2/l2.
LARGE = Exclusion(r"$b \ge a$", (a, None), a * l_h - 1, Integer(4), ratios=(l_m / l_h,))
#: a < alpha*; void where a < 1/l2.
SMALL = Exclusion(
    r"$1/\ell_2 \le b \le a'$",
    (1 / l2, a),
    1 - a * l_m,
    Integer(1),
    ratios=((l2 - l_h) / (l2 - l_m), (a * l2 - 1) / (1 - a * l_m)),
)
NEAR_ZERO = Exclusion(r"$b \le 1/\ell_2$", (None, 1 / l2), 1 - l_m / l2, Integer(1), spread=(l_h - l_m) / l2)
CASES = (LARGE, SMALL, NEAR_ZERO)


@cache
def variance(claimed: Expr | None = None) -> Derivation:
    """(1) and (2), and that (2) is inherited by larger depths.  `claimed`: `EXCEEDS`."""
    z1, z2, k = symbols("z_1 z_2 k", real=True)
    pM, pH, rest, zM, zH, zR, w = symbols("p_M p_H p_R Z_M Z_H Z_R w", real=True)
    r, kappa = symbols("r kappa", positive=True)
    exceeds = EXCEEDS if claimed is None else claimed
    mean = pM * zM + pH * zH + rest * zR
    square = pM * zM**2 + pH * zH**2 + rest * zR**2 - mean**2
    pairs = pM * pH * (zH - zM) ** 2 + pM * rest * (zR - zM) ** 2 + pH * rest * (zR - zH) ** 2
    return Derivation(
        r"When a value of $\beta$ is excluded",
        (
            Identity(
                r"$f > C k$ iff (1): $\mathbb{E}(1 - Z)^2$ in terms of $z_1 = \mathbb{E}\,Z$ and "
                r"$z_2 = \mathbb{E}\,Z^2$",
                (z2 - z1**2) - k * (1 - 2 * z1 + z2),
                (1 - k) * (z2 - z1**2) - k * (1 - z1) ** 2,
            ),
            Identity(
                "the variance is a sum over pairs, so $p_M p_H (Z_H - Z_M)^2$ bounds it from below",
                square,
                pairs,
                under=((rest, 1 - pM - pH),),
            ),
            Identity(r"$p_M p_H \le 1/4$ as $p_M + p_H \le 1$", (pM + pH) ** 2 - 4 * pM * pH, (pM - pH) ** 2),
            Identity(
                r"(1) from $\operatorname{Var} \ge p (\sigma (1 - \theta^T) r^T w)^2$ and "
                r"$(1 - \mathbb{E}\,Z)^2 \le c w^2$",
                (1 - kappa_power**2) * masses * (spread * (1 - theta_power) * r_power * w) ** 2
                - kappa_power**2 * bound * w**2,
                exceeds * w**2,
            ),
            Identity(r"$1 - \theta^T$ grows with $T$", theta**T - theta ** (T + 1), theta**T * (1 - theta)),
            Inequality(
                r"$r^{2T}/\kappa^{2T}$ grows with $T$, $r = \kappa + x$",
                r ** (2 * T) * kappa ** (2 * T + 2),
                r ** (2 * T + 2) * kappa ** (2 * T),
                under=((r, kappa + x),),
            ),
        ),
    )


@cache
def large_weight(claimed: Exclusion = LARGE) -> Derivation:
    """b >= a with a l2 <= 2; w = max(1, b l2 - 1)^T bounds |Z|."""
    best, worst = optimum()
    power, small = symbols("Z_H Z_M", nonnegative=True)
    return Derivation(
        r"Case 1: a large negative $\beta$",
        (
            Inequality(
                r"$b \ell_2 = 2 + x$: $r$ bounds the residual of $\ell_H$ against the largest",
                claimed.residual,
                (b * l_h - 1) / (b * l2 - 1),
                under=((b, (2 + x) / l2), (a, 2 / l2 - y), (l2, l_h + v)),
            ),
            Inequality(
                r"$b \ell_2 \le 2$, where $|z| \le 1$: $r$ bounds it as well",
                claimed.residual,
                b * l_h - 1,
                under=((b, a + x),),
            ),
            Inequality(
                r"$(1 + |Z|)^2 \le c w^2$ for $|Z| \le w = 1 + x$",
                (2 + x) ** 2,
                claimed.bound * (1 + x) ** 2,
            ),
            Inequality(
                r"$z_M < 0$, $b \ell_M = 1 + x$: $|z_M| \le \theta |z_H|$",
                (b * l_m - 1) / (b * l_h - 1),
                claimed.ratio(0),
                under=((l_h, l_m + v), (b, (1 + x) / l_m)),
            ),
            Inequality(
                r"$z_M \ge 0$: $z_M \le \kappa$, as $b \ge \alpha^*$ and $\ell_M \ge \ell_1$",
                1 - b * l_m,
                worst,
                under=((b, best + x), (l_m, l1 + v), (l2, l1 + y)),
            ),
            Inequality(
                r"$z_M \ge 0$: $p_M p_H \le 1/4$ and (2) give $r^T > 4 \kappa^T$",
                Integer(16),
                4 * claimed.bound,
            ),
            Inequality(
                "so $|Z_H| = 4 Z_M + x$ at even $T$",
                Integer(9) / 16 * power**2,
                (power - small) ** 2,
                under=((power, 4 * small + x),),
            ),
            Inequality(
                r"which is enough, as $(1 - \mathbb{E}\,Z)^2 \le w^2$ at even $T$",
                Integer(1),
                Integer(9) / 16 * claimed.bound,
            ),
        ),
    )


@cache
def small_weight(claimed: Exclusion = SMALL) -> Derivation:
    """1/l2 <= b <= a' < alpha*; |Z| <= 1."""
    m, g = symbols("Z_M g", nonnegative=True)
    return Derivation(
        r"Case 2: a small negative $\beta$",
        (
            Inequality("$r$ bounds $z_M$, $b = a' - x$", claimed.residual, 1 - b * l_m, under=((a, b + x),)),
            Identity(
                r"$z_H \ge 0$: $\theta z_M - z_H \ge 0$, as $b \ell_2 \ge 1$",
                claimed.ratio(0) * (1 - b * l_m) - (1 - b * l_h),
                (b * l2 - 1) * (l_h - l_m) / (l2 - l_m),
            ),
            Identity(
                r"$z_H < 0$: $\theta z_M - |z| \ge 0$, the largest $|z|$ at $\ell_2$, as $b \le a'$",
                claimed.ratio(1) * (1 - b * l_m) - (b * l2 - 1),
                (a - b) * (l2 - l_m) / (1 - a * l_m),
            ),
            Inequality(
                r"$|z| \le 1$: $b \ell_2 - 1 \le 1$ as $b < \alpha^*$", 2 / (l1 + l2) * l2 - 1, Integer(1)
            ),
            Inequality(
                r"$\mathbb{E}\,Z = x/(1 + x) \ge 0$: $(1 - \mathbb{E}\,Z)^2 \le c$",
                (1 - x / (x + 1)) ** 2,
                claimed.bound,
            ),
            Identity(
                r"$\mathbb{E}\,Z = -g < 0$: $\operatorname{Var} \ge p_M (Z_M + g)^2 \ge p_M Z_M^2 (1 + "
                r"g)^2$, as "
                r"$Z_M \le 1$",
                (m + g) - m * (1 + g),
                g * (1 - m),
            ),
        ),
    )


@cache
def near_zero(claimed: Exclusion = NEAR_ZERO, gain: Expr | None = None) -> Derivation:
    """The part 0 <= b <= 1/l2 of b <= 1/l2; 1 - E Z <= g = 1 - (1 - b l2)^T.

    With y = 1 - x in [0, 1]: (1 - theta x)^T <= B_T = 1 - theta + theta y^T, by induction.  Used with
    theta = (lH - lM)/(l2 - lM), x = b (l2 - lM)/(1 - b lM), and with theta = (l2 - lM)/l2, x = b l2, it
    gives 1 - (z_H/z_M)^T >= spread g.  `gain`: B_(T+1) - (1 - theta x) B_T of the induction.
    """
    least = 1 - theta + theta * y**T
    product = theta * (1 - theta) * (1 - y) * (1 - y**T) if gain is None else gain
    return Derivation(
        r"Case 3: $\beta \le 0$ near 0",
        (
            Inequality(
                r"$r$ bounds $z_M$, $b \ell_2 \le 1$",
                claimed.residual,
                1 - b * l_m,
                under=((b, 1 / (l2 + x)),),
            ),
            Identity("the induction begins: at $T = 0$ both sides are 1", least.subs(T, 0), Integer(1)),
            Identity(
                r"step: $B_{T+1}$ exceeds $(1 - \theta x) B_T$ by a product of numbers $\ge 0$",
                least.subs(T, T + 1) - (1 - theta * (1 - y)) * least,
                product,
            ),
            Identity(
                r"$z_H/z_M = 1 - \theta x$",
                (1 - b * l_h) / (1 - b * l_m),
                1 - b * (l_h - l_m) / (1 - b * l_m),
            ),
            Identity(
                r"$(1 - b \ell_2)/(1 - b \ell_M) \le 1 - b (\ell_2 - \ell_M)$, cross-multiplied",
                (1 - b * (l2 - l_m)) * (1 - b * l_m) - (1 - b * l2),
                b**2 * l_m * (l2 - l_m),
            ),
            Identity(
                r"the spread is the product of both $\theta$",
                claimed.spread,
                (l_h - l_m) / (l2 - l_m) * (l2 - l_m) / l2,
            ),
            Inequality(r"$(1 - \mathbb{E}\,Z)^2 \le c g^2$", Integer(1), claimed.bound),
        ),
    )


@cache
def positive_beta(claimed: Exclusion = NEAR_ZERO, gain: Expr | None = None) -> Derivation:
    """The part b <= 0 of b <= 1/l2; g = E Z - 1 >= 0, G_M and G_H the values of Z - 1 at lM and lH.

    For x >= 0: (1 + theta x)^T <= B_T = 1 + theta ((1 + x)^T - 1), by induction: with theta = lM/lH and
    x = -b lH, G_M <= (lM/lH) G_H.  `gain`: B_(T+1) - (1 + theta x) B_T of the induction.
    """
    most = 1 + theta * ((1 + x) ** T - 1)
    product = theta * (1 - theta) * x * ((1 + x) ** T - 1) if gain is None else gain
    G_H, g = symbols("G_H g", nonnegative=True)
    G_M = l_m / l_h * G_H
    return Derivation(
        r"Case 3: $\beta > 0$",
        (
            Identity("convexity, base $T = 0$", most.subs(T, 0), Integer(1)),
            Identity(
                r"convexity, step: $B_{T+1} - (1 + \theta x) B_T \ge 0$",
                most.subs(T, T + 1) - (1 + theta * x) * most,
                product,
            ),
            Inequality(r"$r \le 1$", claimed.residual, Integer(1), under=((l2, l_m + x),)),
            Inequality(
                r"$G_H = g + x$: $Z_H - Z_M \ge \sigma g$",
                claimed.spread * g,
                G_H - G_M,
                under=((G_H, g + x), (l2, l_h + y), (l_h, l_m + v)),
            ),
            Inequality(
                r"$g = G_H + x$: $\operatorname{Var} \ge p_M (g - G_M)^2$ and $g - G_M \ge \sigma g$",
                claimed.spread * g,
                g - G_M,
                under=((g, G_H + x), (l2, l_h + y), (l_h, l_m + v)),
            ),
            Inequality(r"$(1 - \mathbb{E}\,Z)^2 \le c g^2$", Integer(1), claimed.bound),
        ),
    )


@cache
def every_epsilon(claimed: Expr | None = None) -> Derivation:
    """r > kappa and theta < 1 at lM = l1, lH = l2, for every eps: near these ends there is mass, and by
    continuity r > kappa and theta < 1 hold there too, so (2) holds from some T on.

    `claimed`: the upper edge (1 + eps) alpha*.
    """
    best, worst = optimum()
    edges = {LARGE: best * (1 + epsilon) if claimed is None else claimed, SMALL: best * (1 - epsilon)}
    steps: list[Inequality] = []
    for case in CASES:
        under = ((l_m, l1), (l_h, l2), (a, edges.get(case, best)), (l2, l1 + gap))
        steps.append(Inequality(rf"{case.name}: $\kappa < r$", worst, case.residual, under, strict=True))
        for ratio in case.ratios:
            steps.append(Inequality(rf"{case.name}: $\theta < 1$", ratio, Integer(1), under, strict=True))
    return Derivation(r"A depth exists for every $\epsilon$", tuple(steps))


def alpha_bounds() -> tuple[Expr, Expr]:
    """Between what -alpha_T/beta_T lies where |Z| <= R < 1."""
    return 1 / (1 + R), 1 / (1 - R)


@cache
def alpha_over_beta(claimed: Expr | None = None) -> Derivation:
    """-alpha_T/beta_T = (1 - E Z)/E(1 - Z)^2 lies between `alpha_bounds`, which close as R falls.

    `claimed`: the upper bound, in R.
    """
    z1, z2, C, beta = symbols("z_1 z_2 C beta", real=True)
    ratio = (1 - z1) / (1 - 2 * z1 + z2)
    N, D = C * (z1 - 1) / beta, C * (1 - 2 * z1 + z2) / beta**2
    least, most = alpha_bounds()
    most = most if claimed is None else claimed
    steps: Steps = (
        Identity(r"$\alpha = N/D$", -N / D / beta, ratio, symbol=r"-\alpha_T/\beta_T"),
        Inequality(
            "from above: $z_1 = R - x$, $z_2 = z_1^2 + y$, $R = 1 - v$",
            ratio,
            most,
            under=((z2, z1**2 + y), (z1, R - x), (R, 1 - v)),
        ),
        Identity(
            r"from below: $z_1 \ge -R$, $z_2 \le R^2$",
            (1 - z1) - least * (1 - 2 * z1 + z2),
            ((1 - R) * (z1 + R) + (R**2 - z2)) / (1 + R),
        ),
    )
    return Derivation(r"From $\beta$ to $\alpha$", steps)
