from __future__ import annotations

import pytest
from sympy import Expr, Float, ImmutableMatrix, Integer, Rational, Symbol, cos, log, sin, symbols

from theory.identities import Derivation, Identity, Inequality, to_latex
from theory.symbols import INNER, INNER_1D, NORM, T, alpha, lam, m, m_t, s, x

n = Symbol("n", integer=True, positive=True)
y = Symbol("y", real=True)
a, b = symbols("a b", nonnegative=True)

TRUE: list[tuple[Expr, Expr]] = [
    ((1 - y) ** (2 * T), (y - 1) ** (2 * T)),
    ((1 - y) ** (2 * T - 1), -((y - 1) ** (2 * T - 1))),
    ((1 - y) ** T * (1 + y) ** T, (1 - y**2) ** T),
    ((1 - y**2) ** T / (1 - y) ** T, (1 + y) ** T),
    (Integer(4) ** T, Integer(2) ** (2 * T)),
    (Rational(1, 6) ** T * 3**T, Rational(1, 2) ** T),
    ((1 - y) ** T * (y - 1) ** T, Integer(-1) ** T * (1 - y) ** (2 * T)),
    (y ** (T + n) / y**n, y**T),
    ((2 * y - 2) ** T, Integer(-2) ** T * (1 - y) ** T),
    ((y**T) ** 2, y ** (2 * T)),
    (log(a + 1) * y - y * log(a + 1), Integer(0)),
]
FALSE: list[tuple[Expr, Expr]] = [
    ((1 - y) ** T, (y - 1) ** T),
    ((1 - y) ** T, (1 - y) ** (T + 1)),
    (Integer(-1) ** T, Integer(1)),
    (Integer(4) ** T, Integer(2) ** T),
    (y**n, y**T),
    (y**2, y),
    (log(a + 2), Integer(0)),
]


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_true(left: Expr, right: Expr) -> None:
    assert Identity("", left, right).holds is True


@pytest.mark.parametrize(("left", "right"), FALSE)
def test_false_with_a_witness(left: Expr, right: Expr) -> None:
    identity = Identity("", left, right)
    assert identity.holds is False
    assert identity.witness is not None
    difference = (left - right).xreplace(identity.witness)
    assert difference.is_zero is False


@pytest.mark.parametrize(("left", "right"), TRUE)
def test_a_perturbed_truth_is_refuted(left: Expr, right: Expr) -> None:
    assert Identity("", left, right + Rational(1, 10**6)).holds is False


def test_undecided() -> None:
    """Trigonometry is beyond the reduction, and no point tells the sides apart."""
    identity = Identity("", sin(y) ** 2 + cos(y) ** 2, Integer(1))
    assert identity.holds is None
    assert Derivation("", (Identity("", y, y), identity)).holds is None
    assert Derivation("", (Identity("", y, -y), identity)).holds is False


def test_no_steps_prove_nothing() -> None:
    assert Derivation("", ()).holds is None


def test_floats_are_refused() -> None:
    with pytest.raises(TypeError, match="rational"):
        _ = Identity("", Float(0.3) * y, y).holds


def test_rules_hold_only_where_they_are_given() -> None:
    assert Identity("", lam - s, Integer(1), under=NORM).holds is True
    assert Identity("", lam - s, Integer(1)).holds is False


def test_letters_that_do_not_commute() -> None:
    assert Identity("", m * m_t * m, s * m, under=INNER, instance=INNER_1D).holds is True
    assert Identity("", m * m_t * m, m, under=INNER, instance=INNER_1D).holds is False
    assert Identity("", m * x, x * m).holds is None, "true in dimension 1 only: no witness there"


def test_matrices() -> None:
    left = ImmutableMatrix([[y, 0], [0, 1]])
    assert Identity("", left**2, ImmutableMatrix([[y**2, 0], [0, 1]])).holds is True
    assert Identity("", left, left.T + left * 0).holds is True
    assert Identity("", left, left**2).holds is False


def test_inequalities() -> None:
    assert Inequality("", a * b, (a + 1) * (b + 1)).holds is True
    assert Inequality("", a * b, (a + 1) * (b + 1), strict=True).holds is True
    assert Inequality("", a, a + b, strict=True).holds is False, "b may be 0"
    assert Inequality("", a + 1, a).holds is False
    assert Inequality("", 2 * a * b, a**2 + b**2).holds is None, "true, but not by signs of coefficients"
    assert Inequality("", Integer(0), y**2).holds is None, "y may be negative: outside the method"
    assert Inequality("", Integer(0), y).holds is False
    assert Inequality("", 1 / (a + b + 1), 1 / (a + 1)).holds is True
    assert Inequality("", (a + 1) ** T, (a + 1) ** (T + 1)).holds is True
    assert Inequality("", (a - 1) ** T, (a + 1) ** T).holds is None


def test_latex() -> None:
    assert to_latex(1 - alpha * lam) == r"1 - \alpha \lambda"
    assert to_latex(2 * T - 1) == "2 T - 1"
    assert Identity("", y, y, symbol="f").latex == "f = y"
    assert Identity("", y + y, 3 * y).latex == "2 y = 3 y"
    assert Inequality("", a, b, strict=True).latex == "a < b"
