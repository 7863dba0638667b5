"""Hypothesis strategies for laws with small rational parameters; s = 0 almost surely is never among them."""

from __future__ import annotations

from collections.abc import Sequence
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


@st.composite
def cut_texts(draw: st.DrawFn) -> str:
    """truncated(law, low=..., high=...) of a density that is no polynomial there; bounded"""
    eighths = draw(st.lists(st.integers(0, 8), min_size=2, max_size=2, unique=True).map(sorted))
    if draw(st.booleans()):
        dof = draw(positive_rationals(5))
        low, high = (Fraction(n) for n in eighths)
        return f"truncated(chi2({dof}), low={low}, high={high})"
    a, b = draw(positive_rationals(3)), draw(st.sampled_from([Fraction(1, 2), Fraction(5, 3)]))
    start = draw(rationals(2))
    low, high = (start + Fraction(n, 8) for n in eighths)
    return f"truncated(beta({a}, {b}, low={start}, high={start + 1}), low={low}, high={high})"


def chi2_texts() -> st.SearchStrategy[str]:
    """chi2(dof)"""
    return positive_rationals().map(lambda dof: f"chi2({dof})")


@st.composite
def triangular_texts(draw: st.DrawFn) -> str:
    """triangular(low, mode, high), the mode at an end among them"""
    low, high = draw(intervals())
    mode = low + (high - low) * draw(
        st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
    )
    return f"triangular({low}, {mode}, {high})"


@st.composite
def density_texts(draw: st.DrawFn) -> str:
    """density("...", low, high): a square and a factor that vanishes at an end, or a constant besides"""
    low, high = draw(intervals())
    zero, constant = draw(rationals(4)), draw(st.integers(0, 1))
    factor = draw(st.sampled_from(["1", f"(s-{low})", f"({high}-s)"]))
    return f'density("{factor}*((s-{zero})^2+{constant})", {low}, {high})'


@st.composite
def truncated_texts(draw: st.DrawFn) -> str:
    """truncated(law, low=..., high=...) of a polynomial density, whose moments are rational"""
    a, b = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    low, high = draw(intervals())
    cut = draw(st.sampled_from([Fraction(1, 4), Fraction(1, 2)]))
    left, right = low + cut * (high - low), high - cut / 2 * (high - low)
    return f"truncated(beta({a}, {b}, low={low}, high={high}), low={left}, high={right})"


@st.composite
def mixture_texts(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    """mixture({law: mass, ...}) of one to three laws"""
    texts = draw(st.lists(inner, min_size=1, max_size=3))
    weights = draw(st.lists(st.integers(1, 5), min_size=len(texts), max_size=len(texts)))
    return mixture_text(texts, [Fraction(weight, sum(weights)) for weight in weights])


def mixture_text(texts: Sequence[str], masses: Sequence[Fraction]) -> str:
    """The mixture of these laws."""
    return "mixture({" + ", ".join(f"{text}: {mass}" for text, mass in zip(texts, masses, strict=True)) + "})"


def simple_texts(*, bounded: bool = False) -> st.SearchStrategy[str]:
    """A law that is no mixture and reads no file; `bounded` leaves chi2 out."""
    texts = uniform_texts() | point_texts() | atoms_texts() | beta_texts()
    return texts if bounded else texts | chi2_texts()


def law_texts(*, bounded: bool = False) -> st.SearchStrategy[str]:
    """A law of any family that reads no file; `bounded` leaves chi2 out."""
    simple = simple_texts(bounded=bounded)
    pieced = triangular_texts() | density_texts() | truncated_texts()
    return simple | pieced | mixture_texts(simple | pieced | mixture_texts(simple))


def laws(*, bounded: bool = False) -> st.SearchStrategy[Law]:
    """A law of ||m||^2, of ||m||, or of two modalities."""
    text, simple = law_texts(bounded=bounded), simple_texts(bounded=bounded) | triangular_texts()
    return (
        text.map(lambda one: parse_law("squared_norm", one))
        | text.map(lambda one: parse_law("norm", one))
        | st.tuples(simple, simple).map(lambda two: parse_law("modalities", *two))
    )


def bounded_laws() -> st.SearchStrategy[Law]:
    """A law of any kind with bounded s."""
    return laws(bounded=True)


def atomic_laws(least: int = 2, most: int = 4) -> st.SearchStrategy[Law]:
    """A law of ||m||^2 with finitely many values, perhaps 0 among them."""
    return atoms_texts(least, most).map(lambda text: parse_law("squared_norm", text))
