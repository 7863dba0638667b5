"""Arguments that several claims rest on, each stated once and cited by its name."""

from __future__ import annotations

from proofs_check.engine.claims import by_coq, by_prose

ONE_INEQUALITY = by_coq(
    "OneParameterLimit.limit",
    "the one-inequality argument",
    """
    Let l1 = 1 + m_lo and l2 = 1 + m_hi.  Fix a = (1 - eps) alpha*, n = 2T - 1, q = 1 - a lam and
    q_hi = max(0, a l2 - 1).  On the support q >= -q_hi.  If at one odd n

        E[s q^n; q > q_hi] > E[s |q|^n; q < 0],

    then at every larger one: n -> n + 2 multiplies the left by at least q_hi^2 and the right by
    at most q_hi^2.  The derivative at a is -2T E[s q^n] < 0 there, since what is left out,
    0 <= q <= q_hi, only adds to E[s q^n]; so alpha_T > a.  If q_hi = 0 nothing is negative and
    every depth is settled.  The mirror image gives alpha_T < (1 + eps) alpha*.

    For every eps > 0 there is such an n: the largest q, 1 - a l1, exceeds q_hi, by 2t say, and s
    carries mass near m_lo, so that A = E[s; lam <= l1 + t/a] > 0.  There q >= q_hi + t, and
    A (q_hi + t)^n >= A q_hi^n (1 + n t/q_hi) exceeds q_hi^n E s at last.
    """,
)

SUMMABLE = by_prose(
    "the summable bound",
    """
    Let E Delta_T^2 <= B r^T from some T on, r < 1: the sum over T of E Delta_T^2 is finite.
    By Tonelli E[sum over T of Delta_T^2] is that number: the sum is finite almost surely, and its terms
    tend to 0.  (Or, by Markov and Borel-Cantelli: for each delta > 0 the probabilities
    P(|Delta_T| > delta) <= E Delta_T^2/delta^2 have a finite sum, so almost surely only finitely many
    |Delta_T| exceed delta; let delta run through 1/k.)
    """,
)

EXCLUSIONS = by_prose(
    "the three exclusions",
    """
    With b = -beta, z = 1 - b lam, Z = z^T, nu = (s/lam) dP/C the profile is
    f = C Var(Z)/E(1 - Z)^2 under nu.  At (alpha_T, beta_T), f <= C k with k = kappa^(2T): the weights
    (alpha*, -alpha*) have no more, and the flow from the one-parameter minimiser only lowers it; kept
    between two excluded values of b it is bounded, and converges.
    So b is excluded where

        (1 - k) Var(Z) > k (1 - E Z)^2.

    Choose l1 <= lM < lH <= l2, pM <= nu(lam <= lM), pH <= nu(lam >= lH): Var(Z) >= pM pH (Z_H - Z_M)^2
    for lam_M <= lM, lam_H >= lH.  D = lH - lM; a, a' = (1 + eps) alpha*, (1 - eps) alpha*.

    b >= a, alpha* < a <= 2/l2.  Let w = max(1, b l2 - 1)^T, so |Z| <= w, and r = a lH - 1: |Z_H| >= r^T w.
    Excluded if pM pH (1 - th^T)^2 (1 - k) r^(2T) > 4 k, th = lM/lH.  (1 - E Z)^2 <= 4 w^2.  If z_M < 0,
    |z_M| <= th |z_H|.  If z_M >= 0 and T is odd, |Z_H - Z_M| >= |Z_H|.  If T is even, (1 - E Z)^2 <= w^2,
    z_M <= kappa, and pM pH <= 1/4 gives r^T > 4 kappa^T: so (Z_H - Z_M)^2 >= 9/16 Z_H^2, which is enough.

    1/l2 <= b <= a': |z| <= 1, z_M >= r = 1 - a' lM, and |z_H| <= th z_M where z_H has the sign of z_M or
    T is even, th = max((l2 - lH)/(l2 - lM), (a' l2 - 1)/(1 - a' lM)), the two ratios at b = 1/l2 and a'.
    Excluded if pM pH (1 - th^T)^2 (1 - k) r^(2T) > k: it bounds k (1 - E Z)^2 where E Z >= 0; where
    E Z = -g < 0, Var(Z) >= pM (Z_M + g)^2 >= pM Z_M^2 (1 + g)^2.

    b <= 1/l2.  Excluded if pM pH (D/l2)^2 r^(2T) (1 - k) > k, r = 1 - lM/l2.  If b >= 0,
    1 - E Z <= g = 1 - (1 - b l2)^T, and as t -> 1 - (1 - t)^T is concave, Z_M - Z_H >= r^T (D/l2) g.
    If b <= 0, let g = E Z - 1, G_M and G_H the values of Z - 1 at lM and lH.  As t -> (1 + t)^T - 1 is
    convex, G_M <= (lM/lH) G_H.  If g <= G_H, then Z_H - Z_M >= (D/lH) g; if not, the part below lM alone has
    E Z - Z_M >= (D/lH) g.  At b = 0 by continuity of f.

    Where r > kappa and th < 1, each inequality is inherited by every larger T.  All three hold at
    some T, for every eps: take lM near l1 and lH near l2, where there is mass.
    """,
)
