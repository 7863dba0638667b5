"""Where the minimiser of the two-parameter profile cannot be, at every depth from one on.

With b = -beta, z = 1 - b lam, Z = z^T and nu = (s/lam) dP/C, the profile is
f = C Var_nu(Z)/E_nu[(1 - Z)^2].  At the minimiser f <= C k with k = kappa^(2T), as the weights
(alpha*, -alpha*) show.  So b is excluded where

    (1 - k) Var_nu(Z) > k (1 - E_nu Z)^2.                                                    (*)

Choose l1 <= lM < lH <= l2 with masses pM = nu(lam <= lM) > 0 and pH = nu(lam >= lH) > 0; then
Var_nu(Z) >= pM pH min (Z_H - Z_M)^2 over lam_M <= lM and lam_H >= lH.  Write D = lH - lM.

1. b >= a > alpha*, a lH > 1.  On [l1, l2], |z| <= max(1, b l2 - 1) =: w, so (1 - E Z)^2 <= 4 w^(2T).
   |z_H| = b lam_H - 1 >= b lH - 1 and |z_M| <= th |z_H|, th = max((1 - a l1)/(a lH - 1), lM/lH);
   (b lH - 1)/w >= r = min(a lH - 1, 2 lH/l2 - 1).  If r > 0 and th < 1, (*) follows from
   pM pH (1 - th^T)^2 (1 - k) r^(2T) > 4 k.
2. 1/l2 <= b <= a' < alpha*.  Now |z| <= 1, z_M >= r = 1 - a' lM and |z_H| <= th z_M with
   th = max((l2 - lH)/(l2 - lM), (a' l2 - 1)/(1 - a' lM)): the same inequality.
3. 0 <= b < 1/l2.  0 < z <= 1 and 1 - E Z <= 1 - (1 - b l2)^T =: g.  Since t -> 1 - (1 - t)^T is
   concave, Z_M - Z_H >= (D/l2) (1 - lM/l2)^T g: pM pH (D/l2)^2 (1 - lM/l2)^(2T) (1 - k) > k.
   At b = 0 both sides of (*) are 0; f is continuous and the bound on it is strict.
4. b < 0.  z >= 1 and E Z - 1 <= (1 - b l2)^T - 1.  By convexity Z_H - Z_M >= (D/lH) (Z(lH) - 1),
   and (Z(lH) - 1)/(Z(l2) - 1) >= (lH/l2)^T: pM pH (D/lH)^2 (lH/l2)^(2T) (1 - k) > k.

Divided by k, each left side grows with T where r^2, (1 - lM/l2)^2 and (lH/l2)^2 exceed kappa^2: so
all four hold for every larger depth, and |beta_T + alpha*| < eps with a, a' = alpha* + eps, - eps.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, symbols

from theory.identities import Derivation, Identity, Inequality, Steps
from theory.symbols import T, l1, l2

l_m, l_h = symbols("ell_M ell_H", positive=True)
a, b = symbols("a b", positive=True)
#: theta in [0, 1]; free non-negative distances.
theta, v, x, y = symbols("theta v x y", nonnegative=True)


@cache
def variance(claimed: Expr | None = None) -> Derivation:
    """The inequality (*) and the bounds that all cases share.  `claimed`: the constant 4."""
    z1, z2, k = symbols("z_1 z_2 k", real=True)
    pM, pH, rest, zM, zH, zR = symbols("p_M p_H p_R Z_M Z_H Z_R", real=True)
    constant = Integer(4) if claimed is None else claimed
    mean = pM * zM + pH * zH + rest * zR
    spread = pM * zM**2 + pH * zH**2 + rest * zR**2 - mean**2
    pairs = pM * pH * (zH - zM) ** 2 + pM * rest * (zR - zM) ** 2 + pH * rest * (zR - zH) ** 2
    return Derivation(
        "When a value of beta is excluded",
        (
            Identity(
                "f > C k iff (*): E(1 - Z)^2 in terms of z_1 = E Z and z_2 = E Z^2",
                (z2 - z1**2) - k * (1 - 2 * z1 + z2),
                (1 - k) * (z2 - z1**2) - k * (1 - z1) ** 2,
            ),
            Identity(
                "the variance is a sum over pairs, so p_M p_H (Z_H - Z_M)^2 bounds it from below",
                spread,
                pairs,
                under=((rest, 1 - pM - pH),),
            ),
            Inequality(
                "(1 + |Z|)^2 <= 4 w^2 for |Z| <= w = 1 + x",
                (2 + x) ** 2,
                constant * (1 + x) ** 2,
            ),
        ),
    )


@cache
def large_weight(claimed: Expr | None = None) -> Derivation:
    """Case 1, b >= a with a lH > 1.  `claimed`: the bound lM/lH on the ratio of residuals of one sign."""
    ratio = l_m / l_h if claimed is None else claimed
    return Derivation(
        "Case 1: a large negative beta",
        (
            Identity(
                "(1 - b l1)/(b lH - 1) <= (1 - a l1)/(a lH - 1): cross-multiplied, b >= a, lH >= l1",
                (1 - a * l1) * (b * l_h - 1) - (1 - b * l1) * (a * l_h - 1),
                (b - a) * (l_h - l1),
            ),
            Inequality(
                "z_M < 0, b lM = 1 + x",
                (b * l_m - 1) / (b * l_h - 1),
                ratio,
                under=((l_h, l_m + v), (b, (1 + x) / l_m)),
            ),
            Inequality(
                "b l2 - 1 = 1 + x >= 1: the residual of lH against the largest",
                2 * l_h / l2 - 1,
                (b * l_h - 1) / (b * l2 - 1),
                under=((b, (2 + x) / l2), (l2, l_h + v)),
            ),
        ),
    )


@cache
def small_weight(claimed: Expr | None = None) -> Derivation:
    """Case 2, 1/l2 <= b <= a' < alpha*.  `claimed`: the bound (l2 - lH)/(l2 - lM) for z_H >= 0."""
    ratio = (l2 - l_h) / (l2 - l_m) if claimed is None else claimed
    return Derivation(
        "Case 2: a small negative beta",
        (
            Identity(
                "z_H >= 0: (1 - b lH)/(1 - b lM) below its value at b = 1/l2, as b l2 >= 1",
                ratio * (1 - b * l_m) - (1 - b * l_h),
                (b * l2 - 1) * (l_h - l_m) / (l2 - l_m),
            ),
            Identity(
                "z_H < 0: (b l2 - 1)/(1 - b lM) below its value at b = a'",
                (a * l2 - 1) * (1 - b * l_m) - (b * l2 - 1) * (1 - a * l_m),
                (a - b) * (l2 - l_m),
            ),
            Inequality("|z| <= 1: b l2 - 1 <= 1 as b < alpha*", 2 / (l1 + l2) * l2 - 1, Integer(1)),
        ),
    )


@cache
def near_zero(claimed: Expr | None = None) -> Derivation:
    """Case 3, 0 <= b < 1/l2.  `claimed`: the gain B_(T+1) - (1 - theta x) B_T of the induction.

    With y = 1 - x in [0, 1]: (1 - theta x)^T <= B_T = 1 - theta + theta y^T, by induction.  Used
    with theta = D/(l2 - lM), x = b (l2 - lM)/(1 - b lM), and with theta = (l2 - lM)/l2, x = b l2.
    """
    bound = 1 - theta + theta * y**T
    gain = theta * (1 - theta) * (1 - y) * (1 - y**T) if claimed is None else claimed
    return Derivation(
        "Case 3: beta near 0",
        (
            Identity("base T = 0", bound.subs(T, 0), Integer(1)),
            Identity(
                "step: B_(T+1) exceeds (1 - theta x) B_T by a product of numbers >= 0",
                bound.subs(T, T + 1) - (1 - theta * (1 - y)) * bound,
                gain,
            ),
            Identity(
                "(1 - b l2)/(1 - b lM) <= 1 - b (l2 - lM), cross-multiplied",
                (1 - b * (l2 - l_m)) * (1 - b * l_m) - (1 - b * l2),
                b**2 * l_m * (l2 - l_m),
            ),
        ),
    )


@cache
def positive_beta(claimed: Expr | None = None) -> Derivation:
    """Case 4, b < 0.  `claimed`: the factor theta^T, as a function of T, in the second induction.

    For x >= 0: (1 + theta x)^T <= B_T = 1 + theta ((1 + x)^T - 1), and
    (1 + theta x)^T - 1 >= G_T = theta^T ((1 + x)^T - 1), both by induction.  Used with
    theta = lM/lH, x = -b lH, and with theta = lH/l2, x = -b l2.
    """
    return Derivation("Case 4: beta > 0", (*_convex(), *_scaled(theta**T if claimed is None else claimed)))


def _convex() -> Steps:
    bound = 1 + theta * ((1 + x) ** T - 1)
    return (
        Identity("convexity, base T = 0", bound.subs(T, 0), Integer(1)),
        Identity(
            "convexity, step: B_(T+1) - (1 + theta x) B_T >= 0",
            bound.subs(T, T + 1) - (1 + theta * x) * bound,
            theta * (1 - theta) * x * ((1 + x) ** T - 1),
        ),
    )


def _scaled(factor: Expr) -> Steps:
    bound = factor * ((1 + x) ** T - 1)
    return (
        Identity("scaling, base T = 0", bound.subs(T, 0), Integer(0)),
        Identity(
            "scaling, step: (1 + theta x) G_T + theta x - G_(T+1) >= 0",
            (1 + theta * x) * bound + theta * x - bound.subs(T, T + 1),
            theta**T * (1 - theta) * ((1 + x) ** T - 1) + theta * x * (1 - theta**T),
        ),
    )


@cache
def alpha_over_beta(claimed: Expr | None = None) -> Derivation:
    """-alpha_T/beta_T = (1 - E Z)/E(1 - Z)^2, in [(1-R)/(1+R)^2, (1+R)/(1-R)^2] where |Z| <= R = rho^T < 1.

    `claimed`: the ratio, in z_1 = E Z and z_2 = E Z^2 under nu.
    """
    z1, z2, C, beta = symbols("z_1 z_2 C beta", real=True)
    ratio = (1 - z1) / (1 - 2 * z1 + z2) if claimed is None else claimed
    N, D = C * (z1 - 1) / beta, C * (1 - 2 * z1 + z2) / beta**2
    return Derivation(
        "From beta to alpha",
        (Identity("alpha = N/D", -N / D / beta, ratio, symbol=r"-\alpha_T/\beta_T"),),
    )
