"""Arguments that several claims rest on, each stated once and cited by its name."""

from __future__ import annotations

from proofs_check.engine.claims import by_coq, by_prose

ONE_INEQUALITY = by_coq(
    "OneParameterLimit.limit",
    "the one-inequality argument",
    r"""
    Let $\ell_1 = 1 + m_{\mathrm{lo}}$ and $\ell_2 = 1 + m_{\mathrm{hi}}$. Fix $a = (1 - \epsilon) \alpha^*$,
    $n = 2T - 1$, $q = 1 - a \lambda$ and $q_{\mathrm{hi}} = \max(0, a \ell_2 - 1)$. On the support
    $q \ge -q_{\mathrm{hi}}$. If at one odd $n$

        $\mathbb{E}[s q^n; q > q_{\mathrm{hi}}] > \mathbb{E}[s |q|^n; q < 0]$,

    then at every larger one: $n \to n + 2$ multiplies the left by at least $q_{\mathrm{hi}}^2$ and the right
    by at most $q_{\mathrm{hi}}^2$. The derivative at $a$ is $-2T \mathbb{E}[s q^n] < 0$ there, since what is
    left out, $0 \le q \le q_{\mathrm{hi}}$, only adds to $\mathbb{E}[s q^n]$; so $\alpha_T > a$. If
    $q_{\mathrm{hi}} = 0$ nothing is negative and every depth is settled. The mirror image gives
    $\alpha_T < (1 + \epsilon) \alpha^*$.

    For every $\epsilon > 0$ there is such an $n$: the largest $q$, $1 - a \ell_1$, exceeds $q_{\mathrm{hi}}$,
    by $2t$ say, and $s$ carries mass near $m_{\mathrm{lo}}$, so that $A = \mathbb{E}[s; \lambda \le \ell_1 +
    t/a] > 0$. There $q \ge q_{\mathrm{hi}} + t$, and $A (q_{\mathrm{hi}} + t)^n \ge A q_{\mathrm{hi}}^n (1 +
    n t/q_{\mathrm{hi}})$ exceeds $q_{\mathrm{hi}}^n \mathbb{E}\,s$ at last. """,
)

SUMMABLE = by_prose(
    "the summable bound",
    r"""
    Let $\mathbb{E}\,\Delta_T^2 \le B r^T$ from some $T$ on, $r < 1$: the sum over $T$ of
    $\mathbb{E}\,\Delta_T^2$ is finite. By Tonelli $\mathbb{E} \sum_T \Delta_T^2$ is that number: the sum is
    finite almost surely, and its terms tend to 0. (Or, by Markov and Borel-Cantelli: for each $\delta > 0$
    the probabilities $\mathbb{P}(|\Delta_T| > \delta) \le \mathbb{E}\,\Delta_T^2/\delta^2$ have a finite sum,
    so almost surely only finitely many $|\Delta_T|$ exceed $\delta$; let $\delta$ run through $1/k$.) """,
)

EXCLUSIONS = by_prose(
    "the three exclusions",
    r"""
    With $b = -\beta$, $z = 1 - b \lambda$, $Z = z^T$, $\nu = (s/\lambda) dP/C$ the profile is $f = C
    \operatorname{Var}(Z)/\mathbb{E}(1 - Z)^2$ under $\nu$. At $(\alpha_T, \beta_T)$, $f \le C k$ with
    $k = \kappa^{2T}$: the weights $(\alpha^*, -\alpha^*)$ have no more, and the flow from the one-parameter
    minimiser only lowers it; kept between two excluded values of $b$ it is bounded, and converges. So $b$ is
    excluded where

        $(1 - k) \operatorname{Var}(Z) > k (1 - \mathbb{E}\,Z)^2$.

    Choose $\ell_1 \le \ell_M < \ell_H \le \ell_2$, $p_M \le \nu(\lambda \le \ell_M)$,
    $p_H \le \nu(\lambda \ge \ell_H)$: $\operatorname{Var}(Z) \ge p_M p_H (Z_H - Z_M)^2$ for
    $\lambda_M \le \ell_M$, $\lambda_H \ge \ell_H$. $D = \ell_H - \ell_M$, $a = (1 + \epsilon) \alpha^*$,
    $a' = (1 - \epsilon) \alpha^*$.

    $b \ge a$, $\alpha^* < a \le 2/\ell_2$. Let $w = \max(1, b \ell_2 - 1)^T$, so $|Z| \le w$, and
    $r = a \ell_H - 1$: $|Z_H| \ge r^T w$. Excluded if $p_M p_H (1 - \theta^T)^2 (1 - k) r^{2T} > 4 k$,
    $\theta = \ell_M/\ell_H$. $(1 - \mathbb{E}\,Z)^2 \le 4 w^2$. If $z_M < 0$, $|z_M| \le \theta |z_H|$. If
    $z_M \ge 0$ and $T$ is odd, $|Z_H - Z_M| \ge |Z_H|$. If $T$ is even, $(1 - \mathbb{E}\,Z)^2 \le w^2$,
    $z_M \le \kappa$, and $p_M p_H \le 1/4$ gives $r^T > 4 \kappa^T$: so $(Z_H - Z_M)^2 \ge 9/16\,Z_H^2$,
    which is enough.

    $1/\ell_2 \le b \le a'$: $|z| \le 1$, $z_M \ge r = 1 - a' \ell_M$, and $|z_H| \le \theta z_M$ where $z_H$
    has the sign of $z_M$ or $T$ is even, $\theta = \max((\ell_2 - \ell_H)/(\ell_2 - \ell_M), (a' \ell_2 -
    1)/(1 - a' \ell_M))$, the two ratios at $b = 1/\ell_2$ and $a'$. Excluded if
    $p_M p_H (1 - \theta^T)^2 (1 - k) r^{2T} > k$: it bounds $k (1 - \mathbb{E}\,Z)^2$ where
    $\mathbb{E}\,Z \ge 0$; where $\mathbb{E}\,Z = -g < 0$, $\operatorname{Var}(Z) \ge p_M (Z_M + g)^2 \ge p_M
    Z_M^2 (1 + g)^2$.

    $b \le 1/\ell_2$. Excluded if $p_M p_H (D/\ell_2)^2 r^{2T} (1 - k) > k$, $r = 1 - \ell_M/\ell_2$. If
    $b \ge 0$, $1 - \mathbb{E}\,Z \le g = 1 - (1 - b \ell_2)^T$, and as $t \mapsto 1 - (1 - t)^T$ is concave,
    $Z_M - Z_H \ge r^T (D/\ell_2) g$. If $b \le 0$, let $g = \mathbb{E}\,Z - 1$, $G_M$ and $G_H$ the values of
    $Z - 1$ at $\ell_M$ and $\ell_H$. As $t \mapsto (1 + t)^T - 1$ is convex, $G_M \le (\ell_M/\ell_H) G_H$.
    If $g \le G_H$, then $Z_H - Z_M \ge (D/\ell_H) g$; if not, the part below $\ell_M$ alone has
    $\mathbb{E}\,Z - Z_M \ge (D/\ell_H) g$. At $b = 0$ by continuity of $f$.

    Where $r > \kappa$ and $\theta < 1$, each inequality is inherited by every larger $T$. All three hold at
    some $T$, for every $\epsilon$: take $\ell_M$ near $\ell_1$ and $\ell_H$ near $\ell_2$, where there is
    mass. """,
)
