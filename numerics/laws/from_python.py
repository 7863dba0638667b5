"""A law given as a Python value, as the text that describes it: law objects, observed values, SciPy's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from numerics.laws.base import Law, LawError, LawKind, quoted
from numerics.laws.family import exact, read_decimal

ACCEPTED = (
    "a law is text, a law object, an array of observed values, or a frozen SciPy "
    "uniform, beta, chi2 (loc 0, scale 1) or triang with rational parameters"
)


def law_text(value: Any, kind: LawKind = "squared_norm") -> str:
    """The text of the law of x, where x is ||m||^2 or, of the kind `norm`, ||m||.

    A float means the decimal that it prints as.  Raises LawError, with what would be accepted.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Law):
        if value.kind != kind:
            raise LawError(f"the law object is one of {value.kind}, not of {kind}: give it there")
        return value.texts[0]
    if hasattr(value, "dist") and hasattr(value, "kwds"):
        return _frozen(value)
    # An array without an axis says that it is iterable.
    if (
        isinstance(value, Iterable)
        and not isinstance(value, bytes | dict | set)
        and getattr(value, "ndim", None) != 0
    ):
        return _observed(value)
    raise LawError(f"{quoted(repr(value))} is no law: {ACCEPTED}")


def _observed(values: Iterable[Any]) -> str:
    """Every value with equal mass, as the text of `atoms`."""
    numbers = [_number(value, "an observed value") for value in values]
    if not numbers:
        raise LawError("there are no observed values: give at least one")
    masses = [f"{x}: {Fraction(count, len(numbers))}" for x, count in sorted(Counter(numbers).items())]
    return "atoms({" + ", ".join(masses) + "})"


def _number(value: Any, name: str) -> Fraction:
    """A number, exactly; a float by its shortest decimal."""
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    text = value if isinstance(value, str) else repr(float(value)) if isinstance(value, Real) else ""
    top, slash, bottom = text.partition("/")
    try:
        divisor = _decimal(bottom) if slash else Fraction(1)
        return _decimal(top) / divisor
    except (LawError, ZeroDivisionError):
        raise LawError(f"{name} is {quoted(repr(value))}, which is no rational number: {ACCEPTED}") from None


def _decimal(text: str) -> Fraction:
    word = text.strip()
    sign = -1 if word[:1] == "-" else 1
    return sign * exact(*read_decimal(word.removeprefix("-")))


def _frozen(frozen: Any) -> str:
    """The text of a frozen SciPy distribution; shape parameters first, then loc and scale."""
    name = str(getattr(frozen.dist, "name", ""))
    if name not in _TRANSLATED:
        raise LawError(f"the SciPy distribution {quoted(name)} is not known exactly: {ACCEPTED}")
    shapes, translate = _TRANSLATED[name]
    names = (*shapes, "loc", "scale")
    given = dict(zip(names, frozen.args, strict=False)) | frozen.kwds
    given = {"loc": 0, "scale": 1} | given
    return translate(*(_number(given[parameter], f"{parameter} of {name}") for parameter in names))


def _uniform(loc: Fraction, scale: Fraction) -> str:
    return f"uniform({loc}, {loc + scale})"


def _beta(a: Fraction, b: Fraction, loc: Fraction, scale: Fraction) -> str:
    return f"beta({a}, {b}, low={loc}, high={loc + scale})"


def _chi2(df: Fraction, loc: Fraction, scale: Fraction) -> str:
    if loc != 0 or scale != 1:
        raise LawError(f"chi2 of SciPy has loc {loc} and scale {scale}: {ACCEPTED}")
    return f"chi2({df})"


def _triang(c: Fraction, loc: Fraction, scale: Fraction) -> str:
    return f"triangular({loc}, {loc + c * scale}, {loc + scale})"


_TRANSLATED: dict[str, tuple[tuple[str, ...], Callable[..., str]]] = {
    "uniform": ((), _uniform),
    "beta": (("a", "b"), _beta),
    "chi2": (("df",), _chi2),
    "triang": (("c",), _triang),
}
