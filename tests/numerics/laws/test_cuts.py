"""Densities that are cut where they are no polynomials, and densities with irrational zeros."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import ctx
from scipy import stats

from numerics.expectation.over_law import Expectation
from numerics.laws import CutPiece, Law, LawError, SignedPiece
from numerics.laws.density import read
from numerics.laws.support_ends import end_behaviour
from numerics.laws.syntax import parse_law
from numerics.one_parameter.rate import constant

F = Fraction
LEVEL = 1e-4
"""Of each test of a sampler, whose seed is fixed."""


def squared(text: str) -> Law:
    return parse_law("squared_norm", text)


SAMPLED = [
    ("truncated(chi2(5), high=9)", stats.chi2(5), 0, 9),
    ("truncated(chi2(5), low=3)", stats.chi2(5), 3, np.inf),
    ("truncated(chi2(1/2), high=1/10)", stats.chi2(1 / 2), 0, 1 / 10),
    ("truncated(beta(1/2, 7/2), low=1/10, high=1/3)", stats.beta(1 / 2, 7 / 2), 1 / 10, 1 / 3),
    ("truncated(beta(900, 1/2), low=1/2, high=99/100)", stats.beta(900, 1 / 2), 1 / 2, 99 / 100),
    ("truncated(chi2(5), low=60, high=61)", stats.chi2(5), 60, 61),
]


@pytest.mark.parametrize(("text", "of", "low", "high"), SAMPLED, ids=[text for text, *_ in SAMPLED])
def test_samples_have_the_conditional_law(text, of, low, high):
    """Kolmogorov and Smirnov's test at LEVEL; the survival function, so that far tails keep their digits."""
    draws = squared(text).sample(np.random.default_rng(3), 20_000)
    past, all_of_it = of.sf(high), of.sf(low) - of.sf(high)

    def distribution(s):
        return 1 - (of.sf(s) - past) / all_of_it

    assert stats.kstest(draws, distribution).pvalue > LEVEL
    assert stats.kstest(low + 0.9 * (draws - low), distribution).pvalue < LEVEL


@pytest.mark.parametrize(
    "spec",
    [
        ("norm", "truncated(chi2(5), low=1, high=3)"),
        ("squared_norm", "truncated(mixture({chi2(5): 1/2, beta(3/2, 2, low=1, high=4): 1/2}), high=3)"),
        ("squared_norm", "mixture({truncated(chi2(5), high=9): 1/2, point(4): 1/2})"),
        (
            "modalities",
            "truncated(mixture({chi2(5): 1/2, chi2(2): 1/2}), high=3)",
            "mixture({point(0): 1/2, uniform(0, 1): 1/2})",
        ),
        ("squared_norm", 'density("s*(s^3-5)^2*(4-s)", low=0, high=4)'),
        ("norm", 'density("(s^2-2)^2*(s^2-3)^2", low=1, high=2)'),
    ],
)
def test_samples_have_the_enclosed_mean(spec):
    law = parse_law(*spec)
    draws = law.sample(np.random.default_rng(4), 40_000)
    mean, square = (float(Expectation(law).moment(k)) for k in (1, 2))
    error = 4 * np.sqrt((square - mean**2) / len(draws))
    assert abs(draws.mean() - mean) < error
    assert abs(1.05 * draws.mean() - mean) > error


@pytest.mark.parametrize(
    ("polynomial", "low", "high"),
    [("(s^2-2)^2", 0, 4), ("s*(s^3-5)^2*(4-s)", 0, 4), ("(s^2-2)^2*(s^2-3)^2", 1, 2), ("(s^2-s-1)^4", 0, 3)],
)
def test_a_density_with_irrational_zeros_has_its_integrals_for_moments(polynomial, low, high):
    law, coefficients = squared(f'density("{polynomial}", low={low}, high={high})'), read(polynomial)

    def integral(k):
        raised = [F(0)] * k + coefficients
        return sum(
            (c * (F(high) ** (j + 1) - F(low) ** (j + 1)) / (j + 1) for j, c in enumerate(raised)), F(0)
        )

    assert any(isinstance(piece, SignedPiece) for piece in law.pieces)
    for k in range(6):
        assert law.moment(k) == integral(k) / integral(0)


@pytest.mark.parametrize(
    "text",
    [
        'density("(s^2-2)", low=0, high=4)',
        'density("(s^2-2)*(s^2-3)^2", low=0, high=4)',
        'density("s^2-2", 1, 2)',
    ],
)
def test_a_density_that_changes_its_sign_is_refused(text):
    with pytest.raises(LawError, match="the density is negative at"):
        squared(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("truncated(mixture({chi2(5): 1/2, point(4): 1/2}), high=9)", "cut the density alone"),
        ("truncated(chi2(5), low=1, high=5000)", "truncated cuts chi2 at most 2000 above low"),
        ("truncated(beta(2000, 1/2), high=1/2)", "whole exponents up to 1000"),
        ("truncated(chi2(5), low=3, high=2)", "low must be less than high"),
        ("truncated(beta(1/2, 3), low=2)", "nothing of beta(1/2, 3) lies between"),
        (
            "truncated(mixture({truncated(chi2(5), high=9): 1/2, truncated(chi2(3), high=5): 1/2}), low=1)",
            "cut each of them once",
        ),
        ('truncated(density("(s^2-2)^2", low=0, high=4), high=1.415)', "irrational zeros"),
    ],
)
def test_what_cannot_be_cut(text, line):
    with pytest.raises(LawError) as error:
        squared(text)
    assert line in str(error.value)


def test_the_text_is_canonical_and_a_cut_that_cuts_nothing_is_none():
    law = squared("truncated( chi2(5.0) , low=0, high = 9.00 )")
    assert law.texts == ("truncated(chi2(5), high=9)",)
    assert squared(law.texts[0]).components == law.components
    assert (
        squared("truncated(beta(1/2, 1/3), low=0, high=2)").components == squared("beta(1/2, 1/3)").components
    )
    (nested,) = squared("truncated(truncated(chi2(5), high=9), low=1)").components
    (once,) = squared("truncated(chi2(5), low=1, high=9)").components
    assert nested == once
    assert isinstance(once, CutPiece)


@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_a_cut_density_are_those_of_its_windows(end):
    """E[s; within h] over A h^k tends to 1, by windows at two distances."""
    law = squared("truncated(mixture({chi2(5): 1/2, beta(1/2, 1/3, low=1, high=3): 1/2}), high=2)")
    behaviour = end_behaviour(law, end)
    assert behaviour is not None
    ratios = []
    with ctx.workprec(200):
        for h in (F(1, 10**4), F(1, 10**8)):
            window = (None, law.m_lo + h) if end == "low" else (law.m_hi - h, None)
            part = sum(
                one.window(1, 0 * constant(behaviour), 0, *window) for one in Expectation(law).evaluators
            )
            ratios.append(
                float(
                    part
                    / (
                        constant(behaviour)
                        * (h.numerator / (1.0 * h.denominator)) ** float(behaviour.exponent)
                    )
                )
            )
    assert abs(ratios[1] - 1) < 1e-6
    assert abs(ratios[0] - 1) < 1e-2
