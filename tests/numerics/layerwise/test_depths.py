"""Depths for an accuracy, and the depth from which weights of their own need fewer layers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import assume, example, given

from numerics.arithmetic.balls import ball, ends, refine, relative
from numerics.errors import NoConvergence, PrecisionExhausted
from numerics.expectation.over_law import Expectation
from numerics.laws.syntax import parse_law
from numerics.layerwise import depths
from numerics.layerwise.best_excess import BestStacks, by_linear_solve, support_size
from numerics.one_parameter.minimiser import loss_at, minimiser
from numerics.two_parameter.end_masses import bounds
from numerics.two_parameter.profile import Profile
from tests.strategies import bounded_laws
from theory.losses import one_parameter
from theory.normal_form import BoundTerm

F = Fraction
MAX_BITS = 65536
UNIFORM = parse_law("squared_norm", "uniform(1, 4)")


def constant(law):
    """E[s/lam], narrow: of the square of a uniform variable 256 bits are lost whole."""
    terms, expectation = [BoundTerm(1, 1, 1, arb(0), 0)], Expectation(law)
    return refine(lambda: expectation.ball(terms), relative(40), MAX_BITS, 256)[0]


def tied(law, T):
    expectation, loss = Expectation(law), one_parameter()
    return loss_at(expectation, loss, T, minimiser(expectation, loss, T, 30, MAX_BITS), MAX_BITS)[0]


def test_rho_of_the_uniform_law():
    assert float(depths.rho(UNIFORM)) == pytest.approx(0.2252, abs=6e-5)


@pytest.mark.parametrize("T", [0, 1, 2, 5, 9])
def test_chebyshev_outside_of_its_interval(T):
    """(w^T + w^-T)/2 at (w + 1/w)/2."""
    w = F(3, 7)
    assert depths.chebyshev_at((w + 1 / w) / 2, T) == (w**T + w**-T) / 2


def test_ends_that_256_bits_do_not_tell_apart():
    law = parse_law("squared_norm", "uniform(1e-100, 2e-100)")
    (low, high), rho = law.lambda_ends, depths.rho(law)
    kappa = (high - low) / (high + low)
    assert ball(kappa / 4) < rho < ball(kappa)
    found = depths.fewer_layers(law, arb(1), F(1, 10))
    assert ends(rho)[0] <= found.floor * found.ratio
    assert found.ratio < 1
    assert 4 * found.ratio ** (2 * found.T1) < F(1, 10) * found.mass


@given(bounded_laws())
@example(parse_law("norm", "uniform(0, 2)"))
def test_the_inequality_at_T1_and_what_it_rests_on(law):
    """The masses by another route; the floor below the tied excess, the bound above e_T."""
    assume(not law.is_constant)
    C = constant(law)
    found = depths.fewer_layers(law, C, F(1, 10))
    low, high = law.lambda_ends
    assert 0 < found.h <= (high - low) / 2
    assert found.floor == (high - low - 2 * found.h) / (high + low)
    for at, below in ((low + found.h, True), (high - found.h, False)):
        assert found.mass <= bounds(law, C, at, below=below)[1]
    with ctx.workprec(256):
        assert depths.rho(law) < ball(found.floor) * ball(found.ratio) * (1 + arb(2) ** -60)
        ratio = (depths.rho(law) / ball(found.floor)) ** (2 * found.T1)
        assert 4 * ratio < ball(found.mass / 10)
    size = support_size(law)
    for T in (1, 2, 3):
        if size is not None and size <= T:
            continue
        excess = BestStacks(Expectation(law), T, MAX_BITS).excess[0][T]
        at_zero = ball(depths.chebyshev_at((high + low) / (high - low), T))
        assert not excess * at_zero**2 > C
        assert not tied(law, T) < C * ball(found.mass) * ball(found.floor) ** (2 * T)


def test_T1_is_the_least_over_the_grid():
    found = depths.fewer_layers(UNIFORM, constant(UNIFORM), F(1, 100))
    assert found.T1 == 9
    assert depths.fewer_layers(UNIFORM, constant(UNIFORM), F(1, 10**6)).T1 > 9


def test_a_law_that_has_no_mass_at_its_ends(monkeypatch):
    monkeypatch.setattr(depths.EndMasses, "low", lambda self, at: F(0))
    with pytest.raises(NoConvergence, match="near the ends"):
        depths.fewer_layers(UNIFORM, constant(UNIFORM), F(1, 100))


@pytest.mark.parametrize("share", [F(1, 10), F(1, 10**3), F(1, 10**6)])
def test_depths_that_suffice_and_depths_that_do_not(share):
    enough = depths.enough_layers(UNIFORM, share)
    C = float(constant(UNIFORM))
    assert float(BestStacks(Expectation(UNIFORM), enough, MAX_BITS).excess[0][enough]) <= float(share) * C
    bound = depths.fewer_layers(UNIFORM, constant(UNIFORM), F(1, 100))
    needed = depths.tied_needs(bound, share)
    assert all(float(tied(UNIFORM, T)) > float(share) * C for T in range(1, needed))


def test_the_smallest_depth():
    assert depths.smallest_depth(lambda T: T * T > 20, range(1, 9)) == 5
    assert depths.smallest_depth(lambda T: T * T > 20, range(1, 4)) is None
    with pytest.raises(PrecisionExhausted, match="depth 3"):
        depths.smallest_depth(lambda T: None if T == 3 else False, range(1, 9))


@pytest.mark.parametrize("text", ["uniform(1, 4)", "atoms({0: 1/2, 1: 1/4, 2: 1/8, 7: 1/8})", "chi2(3)"])
def test_what_two_parameters_reach(text):
    """e_2, but no more; not e_3, nor anything below their own minimum."""
    law = parse_law("squared_norm", text)
    second, best = Profile.of(law, 2), by_linear_solve(law, 2)
    assert depths.two_parameters_gain(second, best)
    assert not depths.two_parameters_gain(second, best + F(1, 10**12))
    assert depths.two_parameters_gain(second, best / 2)
    third = Profile.of(law, 3)
    assert not depths.two_parameters_gain(third, by_linear_solve(law, 3))
    betas = [F(-k, 100) for k in range(1, 100)]
    most = max(third.best_gain(beta) for beta in betas)
    assert depths.two_parameters_gain(third, most)
    with ctx.workprec(64):
        assert depths.two_parameters_reach(third, ball(most) - arb(2) ** -40) is True
        assert depths.two_parameters_reach(third, ball(by_linear_solve(law, 3))) is False
        assert depths.two_parameters_reach(second, ball(best) + arb(0, 1e-9)) is None


def test_two_parameters_with_a_constant_norm_gain_all():
    law = parse_law("squared_norm", "point(2)")
    assert depths.two_parameters_gain(Profile.of(law, 3), F(2, 3))
    assert not depths.two_parameters_gain(Profile.of(law, 3), F(3, 4))
