"""Hypothesis strategies for laws with small rational parameters; s = 0 almost surely is never among them."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from numerics.laws import Law
from numerics.laws.syntax import parse_law


def positive_rationals(largest: int = 6) -> st.SearchStrategy[Fraction]:
    """0 < x <= largest, with a denominator of at most 6."""
    return st.builds(Fraction, st.integers(1, 6 * largest), st.just(6)) | st.builds(
        Fraction, st.integers(1, largest)
    )


def rationals(largest: int = 6) -> st.SearchStrategy[Fraction]:
    """0 <= x <= largest, with a denominator of at most 6."""
    return st.just(Fraction(0)) | positive_rationals(largest)


@st.composite
def intervals(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    """0 <= low < high."""
    low = draw(rationals(3))
    return low, low + draw(positive_rationals(3))


def uniform_texts() -> st.SearchStrategy[str]:
    """uniform(low, high)"""
    return intervals().map(lambda ends: f"uniform({ends[0]}, {ends[1]})")


def point_texts() -> st.SearchStrategy[str]:
    """point(value), value > 0"""
    return positive_rationals().map(lambda value: f"point({value})")


@st.composite
def atoms_texts(draw: st.DrawFn, least: int = 2, most: int = 4) -> str:
    """atoms({value: mass, ...}), perhaps with one value 0"""
    values = draw(st.lists(rationals(), min_size=least, max_size=most, unique=True))
    weights = draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    masses = [Fraction(weight, sum(weights)) for weight in weights]
    pairs = zip(values, masses, strict=True)
    return "atoms({" + ", ".join(f"{value}: {mass}" for value, mass in pairs) + "})"


@st.composite
def beta_texts(draw: st.DrawFn) -> str:
    """beta(a, b, low=..., high=...), densities that vanish or blow up at an end among them"""
    a, b = draw(positive_rationals(4)), draw(positive_rationals(4))
    low, high = draw(intervals())
    return f"beta({a}, {b}, low={low}, high={high})"


def chi2_texts() -> st.SearchStrategy[str]:
    """chi2(dof)"""
    return positive_rationals().map(lambda dof: f"chi2({dof})")


def law_texts(*, bounded: bool = False) -> st.SearchStrategy[str]:
    """A law of any family that reads no file; `bounded` leaves chi2 out."""
    texts = uniform_texts() | point_texts() | atoms_texts() | beta_texts()
    return texts if bounded else texts | chi2_texts()


def laws(*, bounded: bool = False) -> st.SearchStrategy[Law]:
    """A law of ||m||^2, of ||m||, or of two modalities."""
    text = law_texts(bounded=bounded)
    return (
        text.map(lambda one: parse_law("squared_norm", one))
        | text.map(lambda one: parse_law("norm", one))
        | st.tuples(text, text).map(lambda two: parse_law("modalities", *two))
    )


def bounded_laws() -> st.SearchStrategy[Law]:
    """A law of any kind with bounded s."""
    return laws(bounded=True)


def atomic_laws(least: int = 2, most: int = 4) -> st.SearchStrategy[Law]:
    """A law of ||m||^2 with finitely many values, perhaps 0 among them."""
    return atoms_texts(least, most).map(lambda text: parse_law("squared_norm", text))
