"""The bounds on the loss without skip: each step holds, a false one does not."""

import pytest

from theory import no_skip
from theory.symbols import T, beta, lam, s


@pytest.mark.parametrize("derivation", [no_skip.one_depth, no_skip.all_depths])
def test_every_step_holds(derivation):
    found = derivation()
    assert found.holds is True
    assert all(step.latex for step in found.steps)


@pytest.mark.parametrize(
    "integrand",
    [
        s * lam * ((1 + beta * lam) ** T + 1 / lam) ** 2,
        s * lam * ((1 + beta * lam) ** T - 1) ** 2,
        s * ((1 + beta * lam) ** T - 1 / lam) ** 2,
    ],
)
def test_another_loss_has_other_parts(integrand):
    false = no_skip.one_depth(integrand)
    assert false.holds is False
    assert false.failures[0].witness


def test_another_ratio_is_refuted():
    assert no_skip.all_depths(no_skip.lam).holds is False
