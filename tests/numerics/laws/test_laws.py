"""Laws of s = ||m||^2 against exact values, a second route, and sampling."""

from __future__ import annotations

import hashlib
import math
import pickle
import subprocess
import sys
from fractions import Fraction
from math import comb
from pathlib import Path

import mpmath as mp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import numerics.laws
from numerics.laws import Atoms, BetaPiece, GammaPiece, Law, LawError
from numerics.laws.components import base_moments, merged, moment, moments, piece_support
from numerics.laws.syntax import parse_law
from tests.strategies import atomic_laws, law_texts, laws, positive_rationals, rationals

F = Fraction


def squared(text: str) -> Law:
    return parse_law("squared_norm", text)


# --- the same law written two ways

SAME = [
    (("squared_norm", "atoms({2: 1/2, 1: 0.5})"), ("squared_norm", "atoms({1: 5e-1, 4/2: 0.50})")),
    (("squared_norm", "point(2)"), ("squared_norm", "atoms({2: 1})")),
    (("squared_norm", "beta(1, 1, low=1, high=4)"), ("squared_norm", "uniform(1, 4)")),
    (("squared_norm", "beta(2, 3)"), ("squared_norm", "beta(b=3, a=2, high=1, low=0)")),
    (("norm", "atoms({1: 1/3, 2: 2/3})"), ("squared_norm", "atoms({1: 1/3, 4: 2/3})")),
    (("modalities", "point(0)", "uniform(1, 4)"), ("squared_norm", "uniform(1, 4)")),
    (("modalities", "point(1)", "uniform(0, 3)"), ("squared_norm", "uniform(1, 4)")),
    (("modalities", "chi2(3)", "chi2(2)"), ("squared_norm", "chi2(5)")),
    (
        ("modalities", "atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 1: 1/2})"),
        ("squared_norm", "atoms({0: 1/4, 1: 1/2, 2: 1/4})"),
    ),
    (
        ("modalities", "atoms({1/2: 1/3, 1: 2/3})", "atoms({1/3: 1/4, 2: 3/4})"),
        ("squared_norm", "atoms({5/6: 1/12, 4/3: 1/6, 5/2: 1/4, 3: 1/2})"),
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_law_written_two_ways_has_the_same_components(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert parse_law(*one).components == parse_law(*other).components  # type: ignore[arg-type]


def test_different_laws_have_different_components() -> None:
    assert squared("beta(1, 1, low=1, high=4)").components != squared("uniform(1, 3)").components
    assert parse_law("norm", "uniform(1, 2)").components != squared("uniform(1, 4)").components


@given(atomic_laws(), st.data())
def test_splitting_an_atom_changes_nothing(law: Law, data: st.DataObject) -> None:
    (atoms,) = law.components
    assert isinstance(atoms, Atoms)
    split = data.draw(st.sampled_from(atoms.values))
    part = data.draw(st.integers(1, 9)) * F(1, 10)
    rest = tuple(
        mass * (1 - part) if value == split else mass
        for value, mass in zip(atoms.values, atoms.masses, strict=True)
    )
    piece = atoms.masses[atoms.values.index(split)] * part
    assert merged([Atoms(atoms.values, rest), Atoms((split,), (piece,))]) == law.components


# --- support

SUPPORTS: list[tuple[tuple[str, ...], tuple[object, ...]]] = [
    # kind and texts; lo, hi, m_lo, m_hi, mass at zero, constant on {s > 0}
    (("squared_norm", "uniform(1, 4)"), (1, 4, 1, 4, 0, False)),
    (("squared_norm", "uniform(0, 3)"), (0, 3, 0, 3, 0, False)),
    (("norm", "uniform(1/2, 2)"), (F(1, 4), 4, F(1, 4), 4, 0, False)),
    (("squared_norm", "point(2)"), (2, 2, 2, 2, 0, True)),
    (("squared_norm", "point(0)"), (0, 0, None, None, 1, True)),
    (("squared_norm", "atoms({0: 1/4, 3: 3/4})"), (0, 3, 3, 3, F(1, 4), True)),
    (("squared_norm", "atoms({0: 1/4, 3: 1/4, 5: 1/2})"), (0, 5, 3, 5, F(1, 4), False)),
    (("squared_norm", "chi2(5)"), (0, None, 0, None, 0, False)),
    (
        ("modalities", "atoms({0: 1/2, 1: 1/2})", "atoms({0: 1/2, 2: 1/2})"),
        (0, 3, 1, 3, F(1, 4), False),
    ),
    (("modalities", "atoms({0: 1/2, 1: 1/2})", "uniform(2, 3)"), (2, 4, 2, 4, 0, False)),
    (("modalities", "uniform(0, 1)", "beta(2, 3, low=1, high=3)"), (1, 4, 1, 4, 0, False)),
    (("modalities", "uniform(1, 2)", "chi2(1)"), (1, None, 1, None, 0, False)),
    (("modalities", "point(0)", "point(0)"), (0, 0, None, None, 1, True)),
]


@pytest.mark.parametrize(("spec", "expected"), SUPPORTS)
def test_support(spec: tuple[str, ...], expected: tuple[object, ...]) -> None:
    law = parse_law(*spec)  # type: ignore[arg-type]
    assert (law.lo, law.hi, law.m_lo, law.m_hi, law.mass_at_zero, law.is_constant) == expected
    assert law.is_bounded == (law.hi is not None)
    assert law.is_zero == (law.mass_at_zero == 1)


def test_support_of_a_shifted_square_and_of_a_mixture() -> None:
    piece = BetaPiece(F(1, 2), F(2), F(3), F(1), F(1), shift=F(1), power=2)
    assert piece_support(piece) == (F(5), F(10))
    mixture = Law("squared_norm", ("",), (piece, GammaPiece(F(1, 2), F(1), F(2), shift=F(7))))
    assert mixture.lo == 5
    assert mixture.hi is None


def test_lambda_ends() -> None:
    assert squared("atoms({0: 1/2, 1: 1/4, 4: 1/4})").lambda_ends == (F(2), F(5))
    assert squared("chi2(5)").lambda_ends == (F(1), None)
    with pytest.raises(ValueError, match="s = 0 almost surely"):
        _ = squared("point(0)").lambda_ends


# --- moments

A, B = positive_rationals(4), positive_rationals(4)


def beta_by_expansion(piece: BetaPiece, k: int) -> Fraction:
    """E s^k from the moments of u, all powers expanded."""
    u = base_moments(piece, 2 * k + 1)
    width = piece.high - piece.low

    def radius(n: int) -> Fraction:
        terms = (comb(n, j) * piece.low ** (n - j) * width**j * u[j] for j in range(n + 1))
        return sum(terms, F(0))

    terms = (comb(k, i) * piece.shift ** (k - i) * radius(piece.power * i) for i in range(k + 1))
    return sum(terms, F(0))


@given(A, B, rationals(3), positive_rationals(3), rationals(2), st.sampled_from([1, 2]))
def test_beta_moments_by_recurrence_and_by_expansion(
    a: Fraction, b: Fraction, low: Fraction, width: Fraction, shift: Fraction, power: int
) -> None:
    piece = BetaPiece(F(1, 3), low, low + width, a, b, shift, power)
    found = moments(piece, 7)
    assert found == [piece.mass * beta_by_expansion(piece, k) for k in range(7)]
    assert found[5] == moment(piece, 5)
    assert found[1] != moments(BetaPiece(F(1, 3), low, low + width, a + 1, b, shift, power), 7)[1]


@given(A, B, st.integers(0, 12))
def test_base_moments_are_ratios_of_gamma_functions(a: Fraction, b: Fraction, k: int) -> None:
    with mp.workdps(40):
        beta = mp.beta(mp.mpf(a.numerator) / a.denominator + k, mp.mpf(b.numerator) / b.denominator)
        beta /= mp.beta(mp.mpf(a.numerator) / a.denominator, mp.mpf(b.numerator) / b.denominator)
        gamma = mp.rf(mp.mpf(a.numerator) / a.denominator, k)
        for exact, value in [
            (base_moments(BetaPiece(F(1), F(0), F(1), a, b), k + 1)[k], beta),
            (base_moments(GammaPiece(F(1), a, F(2)), k + 1)[k], gamma),
        ]:
            assert abs(mp.mpf(exact.numerator) / exact.denominator / value - 1) < mp.mpf(10) ** -36


def test_exact_moments() -> None:
    assert squared("uniform(1, 4)").moments(4) == [1, F(5, 2), 7, F(85, 4)]
    assert squared("chi2(5)").moments(4) == [1, 5, 35, 315]
    assert parse_law("norm", "chi2(5)").moments(2) == [1, 35]
    assert parse_law("norm", "uniform(0, 2)").moments(3) == [1, F(4, 3), F(16, 5)]
    assert squared("point(0)").moments(3) == [1, 0, 0]
    assert squared("atoms({1/2: 1/3, 2: 2/3})").mean == F(3, 2)
    (atoms,) = squared("atoms({1/2: 1/3, 2: 2/3})").components
    assert [moment(atoms, k) for k in range(3)] == moments(atoms, 3) == [1, F(3, 2), F(11, 4)]
    assert squared("point(2)").moments(0) == []


@given(
    st.sampled_from(
        ["uniform(1/2, 3)", "beta(1/2, 1/3, low=1, high=3)", "chi2(5/2)", "atoms({1: 1/3, 2: 2/3})"]
    )
)
def test_moments_of_the_norm_are_even_moments(text: str) -> None:
    of_norm = parse_law("norm", text)
    base = squared(text)
    assert of_norm.moments(6) == base.moments(11)[::2]
    assert of_norm.moment(3) != base.moment(3)


@given(laws())
def test_masses_add_up_and_moments_do_not_depend_on_the_order_of_calls(law: Law) -> None:
    fresh = Law(law.kind, law.texts, law.components)
    assert fresh.moment(0) == 1
    assert [fresh.moment(k) for k in (5, 1, 3)] == [law.moments(k + 1)[k] for k in (5, 1, 3)]
    assert law.lo <= law.mean
    assert law.hi is None or law.mean <= law.hi


@given(law_texts(), law_texts())
def test_sums(p: str, q: str) -> None:
    first, second = squared(p), squared(q)
    law = parse_law("modalities", p, q)
    assert law.components == parse_law("modalities", q, p).components
    assert law.modalities == (first, second)
    assert law.lo == first.lo + second.lo
    assert law.hi == (None if first.hi is None or second.hi is None else first.hi + second.hi)
    expected = sum(comb(4, i) * first.moment(i) * second.moment(4 - i) for i in range(5))
    assert law.moment(4) == expected


# --- sampling

SAMPLES = 20_000
# Two-sided normal quantile at 1e-6: with the seeds fixed a test either always passes or never does.
QUANTILE = 4.9


def mean_agrees(law: Law, draws: npt.NDArray[np.float64], k: int) -> bool:
    """Whether the sample mean of s^k lies in the confidence interval that its exact variance gives."""
    mean, square = law.moment(k), law.moment(2 * k)
    deviation = math.sqrt((square - mean**2) / len(draws))
    rounding = 1e-12 * float(mean)
    return bool(abs(np.mean(draws**k) - float(mean)) <= QUANTILE * deviation + rounding)


SAMPLED = [
    ("squared_norm", "uniform(1, 4)"),
    ("squared_norm", "atoms({0: 1/4, 1/3: 1/4, 5: 1/2})"),
    ("squared_norm", "beta(1/2, 1/3, low=1, high=3)"),
    ("squared_norm", "chi2(5)"),
    ("norm", "beta(2, 3)"),
    ("norm", "chi2(7)"),
    ("modalities", "uniform(0, 1)", "beta(2, 5, low=1, high=4)"),
    ("modalities", "atoms({0: 1/2, 2: 1/3, 7: 1/6})", "uniform(0, 1)"),
    ("modalities", "uniform(1, 2)", "chi2(3)"),
]


@pytest.mark.parametrize("spec", SAMPLED)
def test_samples_have_the_exact_moments(spec: tuple[str, ...]) -> None:
    law = parse_law(*spec)  # type: ignore[arg-type]
    draws = law.sample(np.random.default_rng(1), SAMPLES)
    assert draws.shape == (SAMPLES,)
    assert draws.dtype == np.float64
    assert mean_agrees(law, draws, 1)
    assert mean_agrees(law, draws, 2)
    assert not mean_agrees(law, draws * 1.1, 1)
    slack = 1e-14 * float(law.hi or 1)
    assert draws.min() >= float(law.lo) - slack
    assert law.hi is None or draws.max() <= float(law.hi) + slack
    assert np.array_equal(draws, law.sample(np.random.default_rng(1), SAMPLES))


def test_sampling_of_atoms_has_their_masses() -> None:
    law = squared("atoms({0: 1/4, 3: 3/4})")
    draws = law.sample(np.random.default_rng(2), SAMPLES)
    assert set(np.unique(draws)) == {0.0, 3.0}
    deviation = math.sqrt(3 / 16 / SAMPLES)
    assert abs(np.mean(draws == 0) - 0.25) <= QUANTILE * deviation


# --- files and folders


def test_empirical(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_text("name,norm\nx,1.50\n\ny, 2 \nz,15e-1\nw,0\n")
    text = f'empirical("{path}", column="norm")'
    law = squared(text)
    assert law.components == squared("atoms({0: 1/4, 3/2: 1/2, 2: 1/4})").components
    assert law.texts == (text,)
    assert law.files == ((str(path), hashlib.sha256(path.read_bytes()).hexdigest(), 4),)
    assert parse_law("norm", text).hi == 4
    both = parse_law("modalities", text, text)
    assert both.files == law.files
    assert both.hi == 4


@pytest.mark.parametrize(
    "content", ["norm\n1\n2\n", "1\n2\n", "\ufeffnorm\r\n\r\n1\r\n2\r\n", '"1"\n"2"', "+1\n2.\n"]
)
def test_a_single_column_needs_no_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "norms.csv"
    path.write_bytes(content.encode())
    assert squared(f"empirical('{path}')").components == squared("atoms({1: 1/2, 2: 1/2})").components


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path: Path) -> None:
    path = tmp_path / "norms.csv"
    path.write_bytes("\ufeffnorm,name\n3,x\n".encode())
    assert squared(f"empirical('{path}', column='norm')").components == squared("point(3)").components


def test_factors_are_drawn_at_random() -> None:
    law = parse_law("factors", "uniform(1, 2)", "point(4)")
    assert law.kind == "factors"
    assert law.factors == 2
    assert law.components == squared("mixture({uniform(1, 2): 1/2, point(4): 1/2})").components
    assert (
        parse_law("factors", "uniform(1, 2)", "uniform(1, 2)").components
        == squared("uniform(1, 2)").components
    )
    assert parse_law("factors", "chi2(5)") == squared("chi2(5)")
    assert squared("chi2(5)").factors == 1
    with pytest.raises(LawError, match="factors takes 1 law to 16, not 0"):
        parse_law("factors")


def test_too_many_components() -> None:
    many = "atoms({" + ", ".join(f"{i}: 1/1001" for i in range(1001)) + "})"
    with pytest.raises(LawError, match="at most 250000"):
        parse_law("modalities", many, many)
    with pytest.raises(LawError, match="at most 1000"):
        parse_law("modalities", many, "uniform(0, 1)")
    assert len(parse_law("modalities", many, "point(1)").components) == 1


NEW_FAMILY = """
from fractions import Fraction
from numerics.laws.base import GammaPiece
from numerics.laws.family import BaseLaw, Family, Parameter, positive

def build(mean):
    return BaseLaw((GammaPiece(Fraction(1), Fraction(1), positive("mean", mean)),))

FAMILY = Family("exponential", (Parameter("mean"),), build, example="exponential(2)")
"""


def test_a_new_file_in_the_folder_is_a_new_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LawError, match="no law 'exponential'"):
        squared("exponential(2)")
    (tmp_path / "exponential.py").write_text(NEW_FAMILY)
    monkeypatch.setattr(numerics.laws, "__path__", [*numerics.laws.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "numerics.laws.exponential", raising=False)
    assert squared("exponential(2)").components == squared("chi2(2)").components
    monkeypatch.delitem(sys.modules, "numerics.laws.exponential")


@given(laws())
def test_laws_are_values(law: Law) -> None:
    again = parse_law(law.kind, *law.texts)
    assert again == law
    assert hash(again) == hash(law)
    assert pickle.loads(pickle.dumps(law)) == law


def test_reading_a_law_loads_nothing_heavy() -> None:
    code = (
        "import sys; from numerics.laws.syntax import parse_law; "
        "law = parse_law('norm', 'beta(2, 3)'); law.moments(9); law.m_lo; "
        "print(sorted({'numpy', 'scipy', 'sympy', 'flint', 'mpmath'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "[]"
