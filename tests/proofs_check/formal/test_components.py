"""Inequalities over atoms and polynomial densities on integers, against integrals in fractions."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import fmpq_mat
from hypothesis import assume, given
from hypothesis import strategies as st

from numerics.arithmetic.balls import rational
from numerics.laws.syntax import parse_law
from proofs_check.formal.components import Components, Sums
from proofs_check.formal.coq import FormalError
from proofs_check.formal.layerwise import best_residual
from proofs_check.formal.parts import Atom, Piece
from proofs_check.formal.rounding import ln_down, ln_up

POINTS = st.fractions(min_value=0, max_value=6, max_denominator=6)
WIDTHS = st.fractions(min_value=Fraction(1, 6), max_value=6, max_denominator=6)
EXPONENTS = st.integers(1, 4)
DENSITIES = st.tuples(POINTS, WIDTHS, EXPONENTS, EXPONENTS)
PARTS = st.tuples(st.lists(DENSITIES, min_size=1, max_size=2), st.lists(POINTS, max_size=2, unique=True))
EPSILONS = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(1, 2), max_denominator=50)
WEIGHTS = st.fractions(min_value=Fraction(1, 50), max_value=2, max_denominator=50)
APART = Fraction(1, 10**40)


class Reference:
    """The same law, its expectations from the definition: weights that fall with the place in the list."""

    def __init__(self, parts):
        densities, atoms = parts
        names = [
            *(f"beta({a}, {b}, low={low}, high={low + width})" for low, width, a, b in densities),
            *(f"point({s})" for s in atoms),
        ]
        weights = range(len(names), 0, -1)
        self.masses = [Fraction(weight, sum(weights)) for weight in weights]
        pairs = zip(names, self.masses, strict=True)
        text = names[0] if len(names) == 1 else f"mixture({{{', '.join(f'{n}: {m}' for n, m in pairs)}}})"
        assume(len(set(names)) == len(names))
        self.instance = Components.of(parse_law("squared_norm", text))
        self.densities, self.atoms = densities, atoms
        ends = [s for low, width, *_ in densities for s in (low, low + width)] + [s for s in atoms if s]
        self.low, self.high = min(ends), max(ends)

    def expectation(self, polynomial, inside=lambda s: True, windows=None):
        """E[polynomial(s); s in the windows], the polynomial by powers of s; `inside` says so of an atom."""
        parts = [
            density_expectation(density, polynomial, windows or [(self.low, self.high)])
            for density in self.densities
        ]
        parts += [
            sum(c * s**k for k, c in enumerate(polynomial)) if inside(s) else Fraction(0) for s in self.atoms
        ]
        return sum(mass * part for mass, part in zip(self.masses, parts, strict=True))

    def excess_of_zero(self):
        """E[s/lam], off by less than 10^-50."""
        with mpmath.workdps(70):
            total = sum(
                (m * exact_share(d) for m, d in zip(map(real, self.masses), self.densities, strict=False)),
                mpmath.mpf(0),
            )
            atoms = zip(self.masses[len(self.densities) :], self.atoms, strict=True)
            total += real(sum((m * s / (1 + s) for m, s in atoms), Fraction(0)))
            return Fraction(int(mpmath.floor(total * 10**55)), 10**55)


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def product(p, q):
    found = [Fraction(0)] * (len(p) + len(q) - 1)
    for i, x in enumerate(p):
        for j, y in enumerate(q):
            found[i + j] += x * y
    return found


def binomial(u, v, n):
    """(u + v s)^n by powers of s."""
    return [comb(n, k) * u ** (n - k) * v**k for k in range(n + 1)]


def weight_of(density):
    low, width, a, b = density
    return product(binomial(-low, Fraction(1), a - 1), binomial(low + width, Fraction(-1), b - 1))


def between(polynomial, first, last):
    return sum(c * (last ** (k + 1) - first ** (k + 1)) / (k + 1) for k, c in enumerate(polynomial))


def density_expectation(density, polynomial, windows):
    low, width, *_ = density
    weight, high, total = weight_of(density), low + width, Fraction(0)
    for first, last in windows:
        x, y = (max(low, min(high, edge)) for edge in (first, last))
        if x < y:
            total += between(product(weight, polynomial), x, y)
    return total / between(weight, low, high)


def exact_share(density, first=None, last=None):
    """E[s/lam; first <= s <= last] by quadrature."""
    low, width, *_ = density
    x, y = (max(low, min(low + width, low if e is None else e)) for e in (first, last))
    y = low + width if last is None else y
    weight = [real(c) for c in reversed(weight_of(density))]
    total = mpmath.quad(lambda s: mpmath.polyval(weight, s) * s / (1 + s), [real(x), real(y)])
    return total / real(between(weight_of(density), low, low + width))


def signal(a, n):
    """s (1 - a (1 + s))^n"""
    return [Fraction(0), *binomial(1 - a, -a, n)]


@given(PARTS, WEIGHTS, st.integers(1, 6), st.fractions(min_value=Fraction(1, 10**6), max_value=1))
def test_an_enclosure_is_one_of_the_zero(parts, a, T, width):
    law = Reference(parts)
    wanted = law.expectation(signal(a, 2 * T - 1)) > 0 > law.expectation(signal(a + width, 2 * T - 1))
    assert law.instance.enclosure(a, a + width, T).holds(4096) == wanted
    if not wanted:
        assert not any(law.instance.enclosure(a, a + width, T).holds(bits) for bits in (1, 4, 16))


def one_inequality(law, a, T, turn):
    """The side that has to be larger, less the other."""
    zero, n = 1 / a - 1, 2 * T - 1
    least = max(Fraction(0), -turn * (1 - a * (1 + (law.high if turn > 0 else law.low))))
    edge = (1 - turn * least) / a - 1
    if turn > 0:
        near, far = (law.low, edge), (zero, law.high)
    else:
        near, far = (edge, law.high), (law.low, zero)
    gain = turn * law.expectation(signal(a, n), lambda s: turn * (1 - a * (1 + s)) > least, [near])
    pain = -turn * law.expectation(signal(a, n), lambda s: turn * (1 - a * (1 + s)) < 0, [far])
    return gain - pain


@given(PARTS, WEIGHTS, st.integers(1, 6), st.sampled_from([("Above", 1), ("Below", -1)]))
def test_the_sums_are_the_expectations(parts, a, T, side):
    """Exactly, up to their factor; and what is rounded is below."""
    law, (name, turn) = Reference(parts), side
    residuals = a.denominator * law.instance.den
    factor = a.numerator * law.instance.den * residuals ** (2 * T - 1) * law.instance.weight
    for terms, value in [
        (law.instance.tails(name, a, T), turn * law.expectation(signal(a, 2 * T - 1))),
        (law.instance.settling(name, a, T), one_inequality(law, a, T, turn)),
    ]:
        total = sum(weight * base ** (2 * T) for weight, base in terms)
        assert total == factor * value
        largest = max((abs(base) for _, base in terms), default=0) or 1
        for bits in (4, 16, 64):
            assert Sums(T, ()).below(terms, bits) <= total * 4**bits / largest ** (2 * T)


@given(PARTS, WEIGHTS, EPSILONS, st.integers(1, 6))
def test_the_one_inequality_is_the_one_of_the_argument(parts, center, epsilon, T):
    law = Reference(parts)
    wanted = all(one_inequality(law, center * (1 - turn * epsilon), T, turn) > 0 for turn in (1, -1))
    assert law.instance.band(center, epsilon, T).holds(4096) == wanted


@given(PARTS)
def test_moments_are_those_of_the_law(parts):
    law = Reference(parts)
    for k in range(4):
        X = [law.instance.den**k * c for c in binomial(Fraction(1), Fraction(1), k)]
        assert law.instance.moment(k) == law.expectation([Fraction(0), *X])


@given(POINTS, WIDTHS, st.integers(1, 60), st.sampled_from([16, 64, 128]))
def test_a_logarithm_is_enclosed(low, width, terms, bits):
    a, b = int(6 * (1 + low)), int(6 * (1 + low + width))
    with mpmath.workdps(60):
        exact = mpmath.ldexp(mpmath.log(mpmath.mpf(b) / a), bits)
        assert ln_down(bits, terms, a, b) < exact < ln_up(bits, terms, a, b)


@given(DENSITIES)
def test_enough_terms_settle_a_logarithm(density):
    instance = Reference(([density], [])).instance
    terms, ends = instance.terms(64), instance.parts[0][1].ends
    assert ln_up(64, terms, *ends) - ln_down(64, terms, *ends) <= 8 * terms


@given(PARTS)
def test_the_gap_lies_where_it_is_said_to(parts):
    law = Reference(parts)
    gap = law.excess_of_zero() - law.expectation([0, 1]) ** 2 / law.expectation([0, 1, 1])
    assert law.instance.gap_between(gap - APART, gap + APART, 256)
    assert not law.instance.gap_between(gap + APART, gap + 2 * APART, 256)
    assert not law.instance.gap_between(gap - 2 * APART, gap - APART, 256)
    assert not law.instance.gap_between(gap - APART, gap + APART, 64)


@given(PARTS, st.sampled_from([8, 16, 64]))
def test_what_predicting_0_costs_is_enclosed(parts, bits):
    law = Reference(parts)
    low, high = law.instance.scale(bits)
    assert low - APART < law.excess_of_zero() < high


@given(PARTS, st.integers(1, 4))
def test_the_best_residual_is_orthogonal_and_its_excess_is_enclosed(parts, T):
    law = Reference(parts)
    moment = law.instance.moment
    coefficients = best_residual(moment, T)
    assert len(coefficients) == T + 1
    assert coefficients[0] > 0
    for k in range(T):
        assert sum(c * moment(j + k) for j, c in enumerate(coefficients)) == 0
    gram = fmpq_mat([[rational(moment(j + k + 1)) for k in range(T)] for j in range(T)])
    vector = fmpq_mat([[rational(moment(j))] for j in range(T)])
    gained = (vector.transpose() * gram.solve(vector))[0, 0]
    excess = law.excess_of_zero() - law.instance.den * Fraction(int(gained.p), int(gained.q))
    assert law.instance.least_between(coefficients, excess - APART, excess + APART, 256)
    assert not law.instance.least_between(coefficients, excess + APART, excess + 2 * APART, 256)
    assert not law.instance.least_between(coefficients, excess - 2 * APART, excess - APART, 256)


@given(PARTS, st.fractions(0, 1, max_denominator=20), st.fractions(0, 1, max_denominator=20))
def test_a_share_of_the_mass_is_rounded_down(parts, u, v):
    law = Reference(parts)
    low, high = (law.low + t * (law.high - law.low) for t in sorted((u, v)))
    with mpmath.workdps(60):
        shares = [exact_share(density, low, high) for density in law.densities]
        shares += [real(s / (1 + s)) if low <= s <= high else mpmath.mpf(0) for s in law.atoms]
        exact = sum(real(mass) * share for mass, share in zip(law.masses, shares, strict=True))
        found = law.instance.share(1 + low, 1 + high, 160)
        assert -(mpmath.mpf(10) ** -50) <= exact - real(found) < mpmath.mpf(10) ** -30


def test_what_is_not_seen_is_not_exported():
    law = Components.of(parse_law("squared_norm", "uniform(1, 4)"))
    with pytest.raises(FormalError, match="x: not decided"):
        law.enclosing("x", Fraction(1, 4), Fraction(26, 100), 8)
    with pytest.raises(FormalError, match="x: not decided"):
        law.enclosing("x", Fraction(-1, 4), Fraction(1, 2), 8)
    with pytest.raises(FormalError, match="x: not decided"):
        law.near("x", Fraction(2, 5), Fraction(1, 100), 8)
    with pytest.raises(FormalError, match="x: not decided"):
        law.near("x", Fraction(2, 7), Fraction(1), 8)


@pytest.mark.parametrize(
    ("kind", "texts", "found"),
    [
        ("squared_norm", ["uniform(1/3, 5/2)"], Components(6, 0, ((1, Piece(6, 2, 13, 0, 0)),))),
        ("squared_norm", ["beta(2, 3, low=0, high=2)"], Components(1, 0, ((1, Piece(1, 0, 2, 1, 2)),))),
        (
            "squared_norm",
            ["mixture({point(0): 1/4, point(2): 1/4, uniform(0, 3): 1/2})"],
            Components(1, 1, ((1, Atom(1, 2)), (2, Piece(1, 0, 3, 0, 0)))),
        ),
        (
            "squared_norm",
            ["truncated(triangular(0, 1, 2), high=1)"],
            Components(1, 0, ((1, Piece(1, 0, 1, 1, 0)),)),
        ),
        ("modalities", ["uniform(1, 4)", "point(2)"], Components(1, 0, ((1, Piece(1, 3, 3, 0, 0)),))),
        (
            "modalities",
            ["uniform(1, 4)", "atoms({0: 1/2, 1: 1/2})"],
            Components(1, 0, ((1, Piece(1, 1, 3, 0, 0)), (1, Piece(1, 2, 3, 0, 0)))),
        ),
        ("norm", ["uniform(1, 2)"], None),
        ("squared_norm", ["beta(1/2, 1, low=0, high=2)"], None),
        ("squared_norm", ["mixture({chi2(5): 1/2, point(2): 1/2})"], None),
        ("squared_norm", ["point(0)"], None),
    ],
)
def test_which_laws_have_an_instance(kind, texts, found):
    assert Components.of(parse_law(kind, *texts)) == found
