"""Statements as LaTeX and as readable text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.latex.display import LINE, display
from reports.latex.text import escape, heading, law, number, prose, symbol
from reports.results import Evidence, LawRecord, Step, Verdict
from reports.text import summary
from reports.text.cases import case_name, general
from reports.text.marked import Kind, Piece, in_case, pieces, plain, visible
from reports.text.summary import to_unicode
from reports.text.unicode_math import formula_to_unicode
from tests.reports.invented import ODD_LAW


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (r"$\alpha_T \to \alpha^*$ as $T \to \infty$", "α_T → α* as T → ∞"),
        (r"$\mathbb{E}[s(1-\alpha\lambda)^{2T-1}]$ is $0$", "𝔼[s(1-αλ)^(2T-1)] is 0"),
        (r"$\alpha_* = \frac{2}{2 + m_{\mathrm{lo}}}$ as $T \to \infty$", "α* = 2/(2 + m_lo) as T → ∞"),
        (r"$\mathcal{E}_T(\alpha) \le \kappa^{2T}$", "ℰ_T(α) ≤ κ^(2T)"),
        (r"$\frac{1}{2} \kappa + \sqrt{1+s}$", "(1/2) κ + √(1+s)"),
        (r"$\left\lVert m \right\rVert^2 \not\to 0$", "‖m‖² ↛ 0"),
        (r"$|\alpha_T - \alpha^*| < 1/100$ for $T \ge 3$", "|α_T - α*| < 1/100 for T ≥ 3"),
        (r"over $\{s > 0\}$, with $s = \lVert m\rVert^2$", "over {s > 0}, with s = ‖m‖²"),
        ('the file "alpha_T.csv"', 'the file "alpha_T.csv"'),
        ("I use a T0, p. 7", "I use a T0, p. 7"),
        (r"alpha_T \to alpha*", r"alpha_T \to alpha*"),
        (r"a \\ b", r"a \ b"),
        (r"2 \$ a prompt, with `--depth 1`", "2 $ a prompt, with `--depth 1`"),
    ],
)
def test_readable_text(statement: str, text: str) -> None:
    assert to_unicode(statement) == text


@pytest.mark.parametrize(
    ("statement", "latex"),
    [
        (r"$x$ is 50% of #1", r"$x$ is 50\% of \#1"),
        (r"$\alpha_T$ tends to $0$", r"$\alpha_T$ tends to $0$"),
        (r"$\alpha_T \# 1%$, a_T", r"$\alpha_T \# 1\%$, a\_T"),
        (r"W_S = \alpha I: as T \to \infty", r"W\_S = \textbackslash{}alpha I: as T \textbackslash{}to "),
        ("for `--depth`: (see $T$)", r"for \texttt{-{}-depth}: (see $T$)"),
        ("of Jérôme's $s$", r"of J\'{e}r\^{o}me\textquotesingle{}s $s$"),
        (r"\$x\$ and \`y\`", r"\$x\$ and \textasciigrave{}y\textasciigrave{}"),
        ("one $ alone", r"one \$ alone"),
    ],
)
def test_prose(statement: str, latex: str) -> None:
    assert prose(statement).startswith(latex)


@given(st.text(alphabet=r"ab$`\ ", max_size=12), st.text(alphabet=r"ab$`\ ", max_size=12))
def test_what_is_plain_means_itself(before: str, after: str) -> None:
    """Beside a formula, too."""
    formula = Piece(Kind.FORMULA, "x")
    wanted = [Piece(Kind.PLAIN, before)] * bool(before) + [formula] + [Piece(Kind.PLAIN, after)] * bool(after)
    assert pieces(f"{plain(before)}$x${plain(after)}") == wanted


@pytest.mark.parametrize(
    ("words", "one", "several", "names"),
    [
        ("it rises", "it rises, $T = 8$, $start = 0$", "it rises, $start = 0$", ["$T = 8$", "$start = 0$"]),
        (
            "at $T = {T}$, from ${start}$",
            "at $T = 8$, from $0$",
            "at $T$, from $0$",
            ["$T = 8$", "start $0$"],
        ),
        (r"$\alpha_{{T}}$ by {start}", r"$\alpha_{8}$ by 0", r"$\alpha_{T}$ by 0", ["8", "0"]),
        ("depth ${T}$ of {start}", "depth $8$ of 0", "depth each T of 0", ["T $8$", "0"]),
    ],
)
def test_a_sentence_about_one_case_and_about_several(
    words: str, one: str, several: str, names: list[str]
) -> None:
    case = {"T": "8", "start": "0"}
    assert in_case(words, case) == one
    step = Step(Evidence.EXACT, "", "", Verdict.VERIFIED, words=words, case=case)
    assert general(step, ["T"]) == several
    assert [case_name(words, name, value) for name, value in case.items()] == names


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
        ("1" * 30 + "/7", r"$\approx 1.58730159 \times 10^{28}$"),
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


def test_a_number_in_words_has_a_minus_sign() -> None:
    assert prose("from -2 to (-1/3), 1-2, --jobs") == (
        r"from \ensuremath{-}2 to (\ensuremath{-}1/3), 1-2, -{}-jobs"
    )


def test_many_atoms_are_counted() -> None:
    atoms = ", ".join(f"{k}: 1/100" for k in range(1, 101))
    assert "atoms at 100 points" in law(LawRecord("squared_norm", [f"atoms({{{atoms}}})"], "1", "100", "0"))
    assert summary.law_name("atoms({1: 1/3, 4: 2/3})") == "atoms({1: 1/3, 4: 2/3})"


def test_a_command_is_printed_without_where_its_results_went() -> None:
    words = [
        "all",
        "--falsify",
        "--json",
        "/home/me/x.json",
        "--report=/home/me/y.pdf",
        "--report-style",
        "short",
        "--quiet",
        "--seed",
        "3",
    ]
    outputs = {"json": "/home/me/x.json", "report": "/home/me/y.pdf"}
    assert summary.without_outputs(words, outputs) == "all --falsify --seed 3"
    assert summary.without_outputs(words[:2], {}) == "all --falsify"


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
