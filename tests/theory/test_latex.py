"""How identities are printed: in the paper's notation, without what only a machine needs."""

import pytest
from sympy import Integer, Symbol, symbols

from theory.identities import MAX_LEFT, Identity, to_latex
from theory.symbols import T, alpha, beta, lam, m, m_t, s

p, x = symbols("p x")
a_m, n_n = symbols("a_m n_n")


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (s + 1, "1 + s"),
        (beta * lam + 1, r"1 + \beta \lambda"),
        (1 - alpha * lam, r"1 - \alpha \lambda"),
        (x ** (T + 1), "x^{T + 1}"),
        (1 + m * m_t, r"I + m m^{\top}"),
        (1 - m * m_t, r"I - m m^{\top}"),
        (a_m**2 + n_n, r"(a^{\top} m)^{2} + (n^{\top} n)"),
        (Symbol("x_q"), "x_{q}"),
    ],
)
def test_expressions(expression, latex):
    assert to_latex(expression) == latex


def test_a_number_alone_is_not_printed():
    assert Identity("0", Integer(0), Integer(0)).latex == ""
    assert Identity("1", Integer(1), Integer(1), symbol="p_0").latex == "p_0 = 1"
    assert Identity("0", p, Integer(0)).latex == "p = 0"


def test_a_long_side_gives_way_to_its_symbol():
    long = sum(Symbol(f"y{k}") * p**k for k in range(40))
    assert len(to_latex(long)) > MAX_LEFT
    assert Identity("", long, p, symbol="f").latex == "f = p"
    assert Identity("", long, p).latex == f"{to_latex(long)} = p"


def test_between_matrices_one_is_the_identity():
    inverse = 1 - m * m_t / (1 + s)
    assert Identity("", (1 + m * m_t) * inverse, Integer(1)).latex.endswith("= I")
