"""Powers of E[s; s near an end of the support] against quadrature and exact values."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import pytest

from numerics.laws import BetaPiece, EndBehaviour, GammaPiece, Law, SumPiece, end_behaviour
from numerics.laws.support_ends import End, Term, same_sum
from numerics.laws.syntax import parse_law

F = Fraction


def squared(text: str) -> Law:
    return parse_law("squared_norm", text)


def constant(behaviour: EndBehaviour) -> mp.mpf:
    """A, in the working precision of mpmath."""

    def real(x: Fraction) -> mp.mpf:
        return mp.mpf(x.numerator) / x.denominator

    return mp.fsum(
        real(term.coefficient)
        * mp.fprod(real(base) ** real(exponent) for base, exponent in term.powers)
        * mp.fprod(mp.gamma(real(argument)) ** power for argument, power in term.gammas)
        for term in behaviour.terms
    )


def near(law: Law, end: End, h: mp.mpf) -> mp.mpf:
    """E[s; s within h of the end] of a law with one density piece, by quadrature without singularity."""
    (piece,) = law.pieces
    assert not isinstance(piece, SumPiece)
    s_end = law.m_lo if end == "low" else law.m_hi
    assert s_end is not None
    radius = mp.root(mp.mpf(s_end.numerator) / s_end.denominator + (h if end == "low" else -h), piece.power)
    if isinstance(piece, GammaPiece):
        k = mp.mpf(piece.shape.numerator) / piece.shape.denominator
        scale = mp.mpf(piece.scale.numerator) / piece.scale.denominator
        start, slope, reach = mp.mpf(0), scale, radius / scale

        def rest(x: mp.mpf) -> mp.mpf:
            return mp.exp(-x) / mp.gamma(k)
    else:
        a, b = (mp.mpf(x.numerator) / x.denominator for x in (piece.a, piece.b))
        low, high = (mp.mpf(x.numerator) / x.denominator for x in (piece.low, piece.high))
        k, other = (a, b) if end == "low" else (b, a)
        start, slope = (low, high - low) if end == "low" else (high, low - high)
        reach = (radius - start) / slope

        def rest(x: mp.mpf) -> mp.mpf:
            return (1 - x) ** (other - 1) / mp.beta(a, b)

    # x = reach v^(1/k) takes x^(k-1) dx to reach^k dv / k, and the interval to one that is not small:
    # the error estimate of the quadrature is absolute.
    def integrand(v: mp.mpf) -> mp.mpf:
        x = reach * v ** (1 / k)
        return (start + slope * x) ** piece.power * rest(x)

    return mp.quad(integrand, [0, 1]) * reach**k / k


ENDS = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "uniform(0, 3)"),
    ("squared_norm", "beta(2, 3)"),
    ("squared_norm", "beta(2, 3, low=1, high=3)"),
    ("squared_norm", "beta(1/2, 1/3)"),
    ("squared_norm", "beta(1/2, 1/3, low=1/2, high=4)"),
    ("squared_norm", "chi2(5)"),
    ("squared_norm", "chi2(1/3)"),
    ("norm", "uniform(0, 2)"),
    ("norm", "uniform(1/2, 2)"),
    ("norm", "beta(1/2, 1/3)"),
    ("norm", "beta(2, 3, low=1, high=3)"),
    ("norm", "chi2(3)"),
]


@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("spec", ENDS)
def test_end_behaviour_is_the_limit(spec: tuple[str, ...], end: End) -> None:
    """The relative error is O(h), or O(sqrt h) where s = r^2 starts at 0: h/100 makes it 10 times less."""
    law = parse_law(*spec)  # type: ignore[arg-type]
    behaviour = end_behaviour(law, end)
    if law.m_hi is None and end == "high":
        assert behaviour is None
        return
    assert behaviour is not None
    with mp.workdps(40):
        exponent = mp.mpf(behaviour.exponent.numerator) / behaviour.exponent.denominator

        def errors(factor: mp.mpf, shift: mp.mpf) -> list[mp.mpf]:
            widths = [mp.mpf(10) ** -8, mp.mpf(10) ** -10]
            claimed = [factor * constant(behaviour) * h ** (exponent + shift) for h in widths]
            return [abs(near(law, end, h) / c - 1) for h, c in zip(widths, claimed, strict=True)]

        def is_limit(errors: list[mp.mpf]) -> bool:
            return bool(errors[0] < 1e-3 and (errors[1] < mp.mpf(10) ** -30 or errors[1] < errors[0] / 9))

        assert is_limit(errors(mp.mpf(1), mp.mpf(0)))
        assert not is_limit(errors(mp.mpf("1.0001"), mp.mpf(0)))
        assert not is_limit(errors(mp.mpf(1), mp.mpf("0.01")))


EXACT_ENDS: list[tuple[tuple[str, ...], End, Fraction, Callable[[], object]]] = [
    (("squared_norm", "uniform(1, 4)"), "low", F(1), lambda: mp.mpf(1) / 3),
    (("squared_norm", "uniform(1, 4)"), "high", F(1), lambda: mp.mpf(4) / 3),
    (("squared_norm", "uniform(0, 3)"), "low", F(2), lambda: mp.mpf(1) / 6),
    (("squared_norm", "atoms({0: 1/2, 1: 1/6, 3: 1/3})"), "low", F(0), lambda: mp.mpf(1) / 6),
    (("squared_norm", "atoms({0: 1/2, 1: 1/6, 3: 1/3})"), "high", F(0), lambda: mp.mpf(1)),
    (("squared_norm", "atoms({0: 1/2, 3: 1/2})"), "low", F(0), lambda: mp.mpf(3) / 2),
    # x^2 + y^2 <= h for x, y uniform on [0, 1]: a quarter of a disc of area pi h.
    (("modalities", "beta(1/2, 1)", "beta(1/2, 1)"), "low", F(2), lambda: mp.pi / 8),
    # The triangular density near its ends: h on the left of 0, h/3 above 1.
    (("modalities", "uniform(0, 1)", "uniform(0, 1)"), "low", F(3), lambda: mp.mpf(1) / 3),
    (("modalities", "uniform(0, 3)", "uniform(1, 2)"), "low", F(2), lambda: mp.mpf(1) / 6),
    (("modalities", "uniform(0, 3)", "uniform(1, 2)"), "high", F(2), lambda: mp.mpf(5) / 6),
    (("modalities", "uniform(0, 1)", "chi2(2)"), "low", F(3), lambda: mp.mpf(1) / 6),
    (("modalities", "atoms({0: 1/2, 1: 1/2})", "uniform(0, 1)"), "low", F(2), lambda: mp.mpf(1) / 4),
    (("modalities", "atoms({0: 1/2, 1: 1/2})", "uniform(0, 1)"), "high", F(1), lambda: mp.mpf(1)),
]


@pytest.mark.parametrize(("spec", "end", "exponent", "value"), EXACT_ENDS)
def test_end_behaviour_known_exactly(
    spec: tuple[str, ...], end: End, exponent: Fraction, value: Callable[[], object]
) -> None:
    behaviour = end_behaviour(parse_law(*spec), end)  # type: ignore[arg-type]
    assert behaviour is not None
    assert behaviour.exponent == exponent
    with mp.workdps(30):
        assert abs(constant(behaviour) / value() - 1) < mp.mpf(10) ** -28


def test_end_behaviour_of_a_mixture() -> None:
    """Equal exponents add, the smaller exponent wins, and what ends elsewhere does not count."""
    half = F(1, 2)
    flat = BetaPiece(half, F(1), F(3), F(1), F(1))
    steep = BetaPiece(half, F(1), F(3), F(2), F(1))
    inner = BetaPiece(half, F(2), F(3), F(1, 2), F(1))
    mixture = {
        other: end_behaviour(Law("squared_norm", ("",), (flat, other)), "low")
        for other in (flat, steep, inner)
    }
    with mp.workdps(30):
        constants = [constant(found) for found in mixture.values() if found]
    assert [found.exponent for found in mixture.values() if found] == [1, 1, 1]
    assert constants == [mp.mpf(1) / 2, mp.mpf(1) / 4, mp.mpf(1) / 4]
    assert end_behaviour(squared("point(0)"), "low") is None


@pytest.mark.parametrize("end", ["low", "high"])
def test_the_square_of_a_uniform_norm_is_a_beta_law(end: End) -> None:
    law, same = parse_law("norm", "uniform(0, 2)"), squared("beta(1/2, 1, high=4)")
    assert law.moments(9) == same.moments(9)
    one, other = end_behaviour(law, end), end_behaviour(same, end)
    assert one is not None
    assert other is not None
    assert one.exponent == other.exponent
    with mp.workdps(30):
        assert abs(constant(one) / constant(other) - 1) < mp.mpf(10) ** -28


def test_huge_parameters_do_not_become_huge_integers() -> None:
    behaviour = end_behaviour(squared("beta(1e50, 1e60, low=1, high=3)"), "low")
    assert behaviour is not None
    assert behaviour.exponent == 10**50
    (term,) = behaviour.terms
    assert term.powers == ((F(2), F(-(10**50))),)
    assert len(term.gammas) == 3


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([Term(F(1), powers=((F(4), F(1, 2)),))], [Term(F(2))], True),
        ([Term(F(1), powers=((F(4), F(1, 2)),))], [Term(F(3))], False),
        ([Term(F(1), powers=((F(2), F(1, 2)),))], [Term(F(1))], None),
        ([Term(F(1)), Term(F(1), powers=((F(2), F(1, 2)),))], [Term(F(1))], None),
        ([Term(F(1)), Term(F(2))], [Term(F(3))], True),
        ([Term(F(1), gammas=((F(1, 2), 2),))], [Term(F(3))], None),
        ([Term(F(1), gammas=((F(1, 2), 2),))], [Term(F(1), gammas=((F(3, 2), 1), (F(1, 2), 1)))], False),
        ([Term(F(1), powers=((F(2), F(1, 10**7)),))], [Term(F(1))], None),
    ],
)
def test_equal_sums_are_told_exactly(first: list[Term], second: list[Term], expected: bool | None) -> None:
    assert same_sum(first, second) is expected
