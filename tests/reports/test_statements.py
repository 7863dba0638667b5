"""Statements as LaTeX and as readable text."""

from __future__ import annotations

import math

import pytest

from reports.latex.display import LINE, display
from reports.latex.text import escape, heading, law, note, number, prose, symbol
from reports.results import LawRecord
from reports.text.summary import visible
from reports.text.unicode_math import formula_to_unicode, to_unicode
from tests.reports.invented import ODD_LAW


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (r"$\alpha_T \to \alpha^*$ as $T \to \infty$", "α_T → α* as T → ∞"),
        (r"\mathbb{E}[s(1-\alpha\lambda)^{2T-1}] \text{ is } 0", "𝔼[s(1-αλ)^(2T-1)] is 0"),
        (r"\alpha_* = \frac{2}{2 + m_{\mathrm{lo}}} as T \to \infty", "α* = 2/(2 + m_lo) as T → ∞"),
        (r"\mathcal{E}_T(\alpha) \le \kappa^{2T}", "ℰ_T(α) ≤ κ^(2T)"),
        (r"\frac{1}{2} \kappa + \sqrt{1+s}", "(1/2) κ + √(1+s)"),
        (r"\left\lVert m \right\rVert^2 \not\to 0", "‖m‖² ↛ 0"),
        ("|alpha_T - alpha*| < 1/100 for T >= 3", "|α_T - α*| < 1/100 for T ≥ 3"),
        ("over {s > 0}, with s = ||m||^2", "over {s > 0}, with s = ‖m‖²"),
        ('the file "alpha_T.csv"', 'the file "alpha_T.csv"'),
    ],
)
def test_readable_text(statement: str, text: str) -> None:
    assert to_unicode(statement) == text


@pytest.mark.parametrize(
    ("statement", "latex"),
    [
        (r"$x$ is 50% of #1", r"$x$ is 50\% of \#1"),
        (r"\alpha_T \text{ tends to } 0", r"$\alpha_T$  tends to  $0$"),
        (r"\alpha I: the flow ends in \alpha_T", r"$\alpha I$: the flow ends in $\alpha_T$"),
        (r"\mathbb{P}(m \ne 0) > 0", r"$\mathbb{P}(m \ne 0) > 0$"),
        (
            r"\mathbb{E}\bigl[(Mm - \tfrac{m}{\lambda}) \text{ of } x\bigr]",
            r"$\mathbb{E}\bigl[(Mm - \tfrac{m}{\lambda}) \text{ of } x\bigr]$",
        ),
        (r"\begin{bmatrix} a & b \end{bmatrix} Mm", r"$\begin{bmatrix} a & b \end{bmatrix} Mm$"),
        ("alpha_T -> alpha* for every T", r"$\alpha_{T} \to \alpha^{*}$ for every $T$"),
        ("p_(t+1) <= E zeta^2", r"$p_{t+1} \le \mathbb{E}\,\zeta^{2}$"),
        ("α_T ≤ 1", r"$\alpha_{T} \le 1$"),
        ("differs at kᵀ = 1, 𝔼[sλ] = 1/7", r"differs at $k^{\top} = 1$, $\mathbb{E}[s\lambda] = 1/7$"),
        ("E[y x]^T p_T(Lambda) x_q", r"$\mathbb{E}[y x]^{\top} p_{T}(\Lambda) x_{q}$"),
        ("a vector v with m^T v = 0", r"a vector $v$ with $m^{\top} v = 0$"),
        ("(1 - a l1)^T < z^T", r"$(1 - a \ell_{1})^{T} < z^{T}$"),
        ("lam' = 1 + s', N'^2 > 0", r"$\lambda^{\prime} = 1 + s^{\prime}$, $N^{\prime 2} > 0$"),
        ("within 1e-06, 2 of 3", r"within $10^{-6}$, 2 of 3"),
        ("LSA risk - Bayes risk = -2.5e-7", r"LSA risk - Bayes risk $= -2.5 \times 10^{-7}$"),
        ("a T-fold d-dimensional e.g. T - 1", r"a T-fold d-dimensional e.g. $T - 1$"),
        ("on uniform(0, 1) + beta(2, 1/2)", "on uniform(0, 1) + beta(2, 1/2)"),
        ("< 1/100 alpha*, E||Lambda||^2", r"$< 1/100\,\alpha^{*}$, $\mathbb{E}\Vert \Lambda\Vert ^{2}$"),
        ("lam1^lam2 ~ h^k1, m_(T+1)", r"$\lambda_{1}^{\lambda_{2}} \sim h^{k_{1}}$, $m_{T+1}$"),
        ("a derivative at a is 0, A start", r"a derivative at $a$ is 0, A start"),
        ("the sum S and sum x_i", r"the sum $S$ and $\sum x_{i}$"),
        ("h' = (N/D)'", r"$h^{\prime} = (N/D)'$"),
        ("2/(2 + sqrt(m_lo))", r"$2/(2 + \sqrt{m_{\mathrm{lo}}})$"),
        ("log10 t, log10 of times, L -> infinity", r"$\log_{10} t$, log10 of times, $L \to \infty$"),
        ("P(s > 0) of Jérôme's s", r"$\mathbb{P}(s > 0)$ of J\'{e}r\^{o}me\textquotesingle{}s $s$"),
        ("for `--depth`: (see T)", r"for \texttt{-{}-depth}: (see $T$)"),
        ("pi_T(0) and nu[pi_k]", r"$\pi_{T}(0)$ and $\nu[\pi_{k}]$"),
        ("differs at aₜ = -1/7, αᵢ = 1", r"differs at $a_{t} = -1/7$, $\alpha_{i} = 1$"),
    ],
)
def test_prose(statement: str, latex: str) -> None:
    assert prose(statement) == latex


def test_user_text_is_escaped() -> None:
    latex = escape(ODD_LAW)
    assert latex.isascii()
    stripped = latex.replace(r"\allowbreak{}", "")
    for special, command in [
        ("%", r"\%"),
        ("\\n", r"\textbackslash{}n"),
        ("#", r"\#"),
        ("&", r"\&"),
        ("$", r"\$"),
    ]:
        assert special in ODD_LAW
        assert command in stripped
    assert r"\'{e}" in stripped
    assert "[U+1F600]" in stripped
    assert escape("--x") == "-{}-x"


def test_notation_only_outside_of_quotes() -> None:
    assert note('alpha_8 of "alpha_8.csv"') == r"$\alpha_{8}$ of \textquotedbl{}alpha\_8.csv\textquotedbl{}"


def test_control_characters_reach_no_terminal() -> None:
    assert visible("a\x1b[31mb\u202ec") == "a\ufffd[31mb\ufffdc"


def test_headings_have_an_outline_without_commands() -> None:
    assert (
        heading(r"Limit of $\alpha_T$") == r"\texorpdfstring{Limit of $\alpha_T$}{Limit of \unichar{945}\_T}"
    )


@pytest.mark.parametrize(
    ("value", "latex"),
    [
        ("2/7", "$2/7$"),
        (3, "$3$"),
        (True, "yes"),
        (0.5, "$0.5$"),
        (None, "---"),
        (math.nan, r"\textit{overflow}"),
        (
            {"mean": None, "low": None, "high": None, "confidence": 0.99, "samples": 10},
            r"\textit{overflow} (99\%, $10$ samples)",
        ),
        ("converged", "converged"),
        ({"lower": "0.28", "upper": "0.30"}, "$0.29(1)$"),
        ({"lower": "0.3", "upper": "0.4", "exact": "1/3"}, "$1/3$"),
        (
            {"mean": 1.0, "low": 0.5, "high": 1.5, "confidence": 0.99, "samples": 10},
            r"$1$ in [$0.5$, $1.5$] (99\%, $10$ samples)",
        ),
        (["1/2", 2], "$1/2$, $2$"),
        ([["1/2", "3"]], "[$1/2$, $3$]"),
        ("x" * 99, "\\allowbreak{}".join(["x" * 24, "x" * 6]) + " ... " + "x" * 15 + " (99 characters)"),
        ("1" * 30 + "/7", r"$\approx 1.5873015873015873 \times 10^{28}$"),
    ],
)
def test_numbers(value: object, latex: str) -> None:
    assert number(value) == latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("alpha_star", r"$\alpha^*$"),
        ("alpha_T", r"$\alpha_{T}$"),
        ("T0", "$T_{0}$"),
        ("T", "$T$"),
        ("alpha_plus_beta", r"$\alpha+\beta$"),
        ("outcome", "outcome"),
        ("first_order_50%", r"first order 50\%"),
    ],
)
def test_names_in_the_papers_notation(name: str, latex: str) -> None:
    assert symbol(name) == latex


def test_laws() -> None:
    assert law(LawRecord("norm", ["uniform(1, 2)"], "1", None, "1/3")) == (
        r"$\lVert m\rVert \sim {}$uniform(1, 2); $m_{\mathrm{lo}} = 1$, unbounded, $\mathbb{P}(s = 0) = 1/3$"
    )
    assert "almost surely" in law(LawRecord("squared_norm", ["point(0)"], None, None, "1"))


def test_a_short_formula_is_left_alone() -> None:
    assert display(r"a = b + c") == "a = b + c"
    assert display(r"a \\ b") == "\\begin{aligned}\na \\\\ b\n\\end{aligned}"


def test_a_fraction_is_as_wide_as_its_longer_part() -> None:
    fraction = (
        rf"\frac{{{' + '.join(f'x_{{{k}}}' for k in range(10))}}}{{\left(y + \frac{{1}}{{z}}\right)^{{2 T}}}}"
    )
    assert display(f"a = {fraction} = b") == f"a = {fraction} = b"
    assert display(f"a = {fraction} = {fraction}") != f"a = {fraction} = {fraction}"


def test_a_long_formula_is_broken_outside_of_brackets() -> None:
    terms = [rf"\alpha^{{{k}}} \left(1 - \lambda + \lambda^{{{k}}}\right)" for k in range(20)]
    broken = display("f = " + " + ".join(terms) + " = g")
    rows = broken.removeprefix("\\begin{aligned}\n").removesuffix("\n\\end{aligned}").split(" \\\\\n")
    assert len(rows) > 3
    for row in rows:
        assert len(formula_to_unicode(row.replace("&", ""))) <= LINE + len("f = ")
        assert row.count(r"\left") == row.count(r"\right")
        assert row.count("&") == 1
    together = "".join(row.replace("&", "").replace(r"\qquad", "").replace(" ", "") for row in rows)
    assert together == ("f = " + " + ".join(terms) + " = g").replace(" ", "")
