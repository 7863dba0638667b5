"""Laws given as Python values: the same law as its text, or one line."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from numerics.laws import LawError
from numerics.laws.from_python import law_text
from numerics.laws.syntax import parse_law
from proofs_check import UsageError, verify
from proofs_check.command_line.options import Options
from tests.strategies import law_texts

F = Fraction

SAME: list[tuple[Any, str]] = [
    ("uniform(1, 4)", "uniform(1, 4)"),
    (np.array([1.0, 0.1, 0.1]), "atoms({0.1: 2/3, 1: 1/3})"),
    (np.array([2, 3]), "atoms({2: 1/2, 3: 1/2})"),
    ([F(1, 3), "1/3", 2], "atoms({1/3: 2/3, 2: 1/3})"),
    (scipy.stats.uniform(1, 3), "uniform(1, 4)"),
    (scipy.stats.uniform(loc=F(1, 3)), "uniform(1/3, 4/3)"),
    (scipy.stats.uniform(scale=0.1), "uniform(0, 0.1)"),
    (scipy.stats.beta(2, 5, loc=1, scale=3), "beta(2, 5, low=1, high=4)"),
    (scipy.stats.beta(a=F(1, 2), b=3), "beta(1/2, 3)"),
    (scipy.stats.chi2(5), "chi2(5)"),
    (scipy.stats.triang(F(1, 3), loc=1, scale=3), "triangular(1, 2, 4)"),
]


@pytest.mark.parametrize(("value", "text"), SAME)
def test_the_same_law(value: Any, text: str) -> None:
    found = parse_law("squared_norm", law_text(value))
    assert found.components == parse_law("squared_norm", text).components
    assert found.components != parse_law("squared_norm", "uniform(7, 8)").components


@given(st.sampled_from([frozen for frozen, _ in SAME[4:]]), st.integers(1, 4))
def test_scipy_has_the_same_moments(frozen: Any, k: int) -> None:
    """Its own arithmetic is in float64, and takes no Fraction."""
    law = parse_law("squared_norm", law_text(frozen))
    rounded = frozen.dist(*map(float, frozen.args), **{name: float(x) for name, x in frozen.kwds.items()})
    assert float(law.moment(k)) == pytest.approx(float(rounded.moment(k)), rel=1e-8)


@given(law_texts())
def test_a_law_object_is_its_text(text: str) -> None:
    law = parse_law("squared_norm", text)
    assert parse_law("squared_norm", law_text(law)) == law


BAD: list[tuple[Any, str]] = [
    (scipy.stats.norm(), "the SciPy distribution 'norm' is not known exactly: a law is text,"),
    (scipy.stats.chi2(5, scale=2), "chi2 of SciPy has loc 0 and scale 2"),
    (scipy.stats.uniform(float("nan"), 1), "loc of uniform is 'nan', which is no rational number"),
    (3, "'3' is no law: a law is text, a law object, an array of observed values"),
    (np.array(2.0), "is no law"),
    ([], "there are no observed values"),
    ([1, float("inf")], "an observed value is 'inf'"),
    ([1, None], "an observed value is 'None'"),
    (["1/0"], "an observed value is "),
    (np.array([[1.0]]), "an observed value is "),
    ({1: 2}, "is no law"),
    (parse_law("norm", "point(1)"), "the law object is one of norm, not of squared_norm"),
]


@pytest.mark.parametrize(("value", "line"), BAD)
def test_bad_values(value: Any, line: str) -> None:
    with pytest.raises(LawError) as caught:
        law_text(value)
    assert line in str(caught.value)
    assert str(caught.value).isprintable()
    with pytest.raises(UsageError, match="--squared-norm: "):
        Options(squared_norm=value)


def test_in_a_run() -> None:
    result = verify("latent_factor_model", squared_norm=np.array([1.0, 2.5]), claim="covariate_shift")
    assert result.law.texts == ["atoms({1: 1/2, 5/2: 1/2})"]
    assert "atoms({1: 1/2, 5/2: 1/2})" in result.command


def test_several_laws() -> None:
    options = Options(factor=[scipy.stats.chi2(5), "point(1)"])
    assert options.command("t") == ["t", "--factor", "chi2(5)", "--factor", "point(1)"]
    options = Options(modalities=(np.array([1.0]), scipy.stats.uniform(1, 1)))
    assert options.command("t") == ["t", "--modalities", "atoms({1: 1})", "uniform(1, 2)"]
    assert Options(factor="point(1)").command("t") == ["t", "--factor", "point(1)"]


def test_many_observed_values() -> None:
    values = np.random.default_rng(0).uniform(1, 4, 10_000)
    law = parse_law("squared_norm", law_text(values))
    assert law.atoms is not None
    assert len(law.atoms.values) == 10_000
    assert float(law.mean) == pytest.approx(values.mean())
