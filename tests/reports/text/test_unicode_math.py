"""LaTeX on a line of a terminal, with its letters and without."""

from __future__ import annotations

import pytest

from reports.text.spelling import shows_mathematics, spelled_out
from reports.text.unicode_math import SYMBOLS, display_lines, formula_to_unicode


@pytest.mark.parametrize(
    ("latex", "text", "plain"),
    [
        (r"m^{\top} x^{T}", "mᵀ x^T", "m^tr x^T"),
        (r"(1-\alpha\lambda)^{2T-1}", "(1-αλ)^(2T-1)", "(1-alpha lambda)^(2T-1)"),
        (r"F^{(T)}", "F^(T)", "F^(T)"),
        (r"N^{\prime 2}", "N′²", "N'^2"),
        (r"\min_a f", "minₐ f", "min_a f"),
        (r"\min_{a}f(x)", "minₐ f(x)", "min_a f(x)"),
        (r"\max_{1 \le s} |x|", "max_(1 ≤ s) |x|", "max_(1 <= s) |x|"),
        (r"\min_{\deg r \le T, r(0) = 1} f", "min_(deg r ≤ T, r(0) = 1) f", "min_(deg r <= T, r(0) = 1) f"),
        (r"\log_{10} t", "log₁₀ t", "log_10 t"),
        (r"\log \frac{A_2}{A_1}", "log(A₂/A₁)", "log(A_2/A_1)"),
        (r"\lambda_{\max}(\hat\Lambda)", "λ_max(Λ̂)", "lambda_max(Lambdahat)"),
        (r"\hat y_q - w^{\top} x_q", "ŷ_q - wᵀ x_q", "yhat_q - w^tr x_q"),
        (r"\frac{3}{98 T} [1.38]", "(3/(98 T)) [1.38]", "(3/(98 T)) [1.38]"),
        (
            r"\begin{bmatrix} \Lambda & \zeta m \\ b & \zeta^2 \end{bmatrix}^{\top} x",
            "[Λ, ζ m; b, ζ²]ᵀ x",
            None,
        ),
        (r"\left[\begin{matrix}a & b\\c & d\end{matrix}\right]", "[a, b; c, d]", "[a, b; c, d]"),
        (r"\begin{pmatrix} a \\ b \end{pmatrix}", "(a; b)", "(a; b)"),
        (r"\left\lVert m \right\rVert^2 \not\to 0", "‖m‖² ↛ 0", "||m||^2 -/-> 0"),
        (r"\dot\alpha = -\mathcal{E}_T'(\alpha)", "α̇ = -ℰ_T'(α)", "alphadot = -E_T'(alpha)"),
        (r"\mathbb{E}s \le 10^{-6}\alpha_T", "𝔼s ≤ 10⁻⁶α_T", "E s <= 10^-6 alpha_T"),
        (r"\sqrt{2} + x^{2n} a_{12}", "√2 + x²ⁿ a₁₂", "sqrt 2 + x^(2n) a_12"),
    ],
)
def test_a_formula(latex: str, text: str, plain: str | None) -> None:
    assert formula_to_unicode(latex) == text
    if plain is not None:
        assert spelled_out(text) == plain


def test_lines_of_a_display() -> None:
    assert display_lines(r"a & = b \\ & = \begin{bmatrix} c \\ d \end{bmatrix}") == ["a = b", "= [c; d]"]


@pytest.mark.parametrize(
    ("encoding", "shows"),
    [
        ("utf-8", True),
        ("UTF-16", True),
        ("cp1252", False),
        ("cp437", False),
        ("ascii", False),
        ("odd", False),
    ],
)
def test_encodings(encoding: str, shows: bool) -> None:
    assert shows_mathematics(encoding) is shows


def test_every_sign_is_spelled_in_ascii() -> None:
    assert [char for char in SYMBOLS.values() if not spelled_out(char).isascii()] == []


def test_the_letters_of_languages_stay() -> None:
    assert spelled_out("Sørén & ñ.csv") == "Sørén & ñ.csv"
