import numpy as np
from sympy import Integer, Rational, Symbol

from theory import covariate_shift
from theory.covariate_shift import E_ss, d1, d2, mean_square_distance
from theory.gap import E_s
from theory.modalities import E_p, E_pp, E_q, E_qq
from theory.symbols import d


def test_it_holds():
    assert mean_square_distance().derivation.holds


def test_a_false_distance():
    assert mean_square_distance(2 * E_ss - 2 * E_s**2).derivation.holds is False
    assert mean_square_distance(Integer(0)).derivation.holds is False


def test_without_the_mixed_term_no_dimension_agrees(monkeypatch):
    norms = [Symbol(name, real=True) for name in ("n_n", "m_m")]
    monkeypatch.setattr(covariate_shift, "squared_distance", lambda: sum(norm**2 for norm in norms))
    found = mean_square_distance.__wrapped__().derivation
    assert {step.statement.partition(",")[0] for step in found.failures} == {
        "isotropic $m$",
        "two isotropic modalities",
    }
    assert all("any $d" in step.statement for step in found.failures)


def test_a_constant_norm_in_one_dimension_has_one_covariance():
    at = {E_s: 3, E_ss: 9}
    assert mean_square_distance().isotropic.subs({**at, d: 1}) == 0
    assert mean_square_distance().isotropic.subs({**at, d: 2}) == 9


def test_two_modalities_by_enumeration():
    """(d1, d2) = (1, 1): signs times square roots of two-point laws."""
    p, q = (1.0, 4.0), (0.0, 9.0)
    prompts = [(i * a**0.5, j * b**0.5) for a in p for b in q for i in (1, -1) for j in (1, -1)]
    outer = np.array([np.outer(m, m) for m in prompts])
    distances = ((outer[:, None] - outer[None, :]) ** 2).sum(axis=(2, 3))
    at = {
        E_p: Rational(5, 2),
        E_pp: Rational(17, 2),
        E_q: Rational(9, 2),
        E_qq: Rational(81, 2),
        d1: 1,
        d2: 1,
    }
    assert abs(float(mean_square_distance().blocks.subs(at)) - distances.mean()) < 1e-12
