"""Weights that minimise the population losses: what a simulation runs at.

Each is a certified minimiser rounded to float64; `remark` names those of which less is shown.
Where s = 0 every weight has the same loss, and the weights are 0.  Where s is constant on {s > 0}, a
curve of (alpha, beta) has no excess: of it (1/lam, -1/lam) is taken, which also has the other depths' none.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from numerics.arithmetic.certified_roots import Root
from numerics.expectation.over_law import Expectation
from numerics.laws import Law
from numerics.layerwise.best_excess import BestStacks, support_size
from numerics.layerwise.order import leja
from numerics.no_skip import best_weight, floor_at_depth
from numerics.one_parameter.minimiser import minimiser
from numerics.two_parameter import basin, minimum
from numerics.two_parameter.profile import Profile
from theory import losses

DIGITS = 30
DEEPEST = 256
"""The largest depth at which all critical points are isolated."""

NOT_SHOWN = "a minimum; that gradient flow reaches it is not shown"
NEARLY = "a weight whose loss is within 1/1000 of the least"


class Population:
    """The minimisers for one law, each computed once."""

    def __init__(self, law: Law, max_bits: int = 65536) -> None:
        self.law, self.max_bits = law, max_bits
        self._expectation = Expectation(law)
        self._one: dict[int, Root] = {}
        self._remarks: dict[tuple[str, int], str] = {}

    def remark(self, name: str, T: int) -> str | None:
        """What a weight computed before is, if not a certified minimiser that the flow reaches."""
        return self._remarks.get((name, T))

    def one_parameter(self, T: int) -> float:
        """alpha_T.  Raises PrecisionExhausted."""
        return self._constant() if self._trivial else float(self._alpha(T).middle)

    def two_parameter(self, T: int) -> tuple[float, float]:
        """(alpha_T, beta_T), the minimum that the flow from the one-parameter minimiser reaches.

        At T = 1 the loss does not depend on beta, and it is (alpha_1, -alpha_1).  Past DEEPEST: the minimum
        nearby, with a remark.  Raises PrecisionExhausted or NoConvergence.
        """
        if T == 1 or self._trivial:
            alpha = self.one_parameter(T)
            return alpha, -alpha
        if T > DEEPEST:
            self._remarks["two_parameter", T] = NOT_SHOWN
            found, root = minimum.nearby(self._expectation, T, self._alpha(T), self.max_bits)
            return _rounded(found), -float(root.middle)
        profile = Profile.of(self.law, T)
        reached = basin.reached(profile, self._alpha(T))
        if not reached.proved:
            self._remarks["two_parameter", T] = NOT_SHOWN
        enclosed = minimum.enclose(
            self._expectation, profile, reached.basin.minimum, self.max_bits, -self._alpha(T).middle
        )
        return _rounded(enclosed.alpha), float(sum(enclosed.beta) / 2)

    def no_skip(self, T: int) -> float:
        """The best beta without skip from F^0 = X, the one nearest to 0 if there are several.

        Past DEEPEST a weight nearly as good, with a remark.  Raises PrecisionExhausted or NoConvergence.
        """
        if self.law.is_zero:
            return 0.0
        if self.law.m_lo is not None and self.law.is_constant:
            return best_weight.of_constant(self.law.m_lo, T)
        if T <= DEEPEST:
            return float(best_weight.minimiser(self.law, T, self.max_bits))
        if (exact := floor_at_depth.fitted_depths(self.law).get(T)) is not None:
            return float(exact)
        self._remarks["no_skip", T] = NEARLY
        return float(floor_at_depth.least_excess(self._expectation, T, self.max_bits).beta)

    def layerwise(self, T: int) -> tuple[float, ...]:
        """1/z_t, the weights of T layers with the least excess, in Leja's order of the z_t.

        With N <= T points of support 1/lam of each, and 0 for the other layers.  Raises PrecisionExhausted.
        """
        size = support_size(self.law)
        if size is not None and size <= T:
            assert self.law.atoms is not None
            nodes = [float(1 + s) for s in self.law.atoms.values if s > 0]
        else:
            found, _ = BestStacks(self._expectation, T, self.max_bits).nodes(T, DIGITS)
            nodes = [float(root.middle) for root in found]
        return tuple(1 / node for node in leja(nodes)) + (0.0,) * (T - len(nodes))

    @property
    def _trivial(self) -> bool:
        """Whether the one-parameter minimiser is known: 0, or 1/lam."""
        return self.law.is_zero or self.law.is_constant

    def _constant(self) -> float:
        return 0.0 if self.law.m_lo is None else float(1 / (1 + self.law.m_lo))

    def _alpha(self, T: int) -> Root:
        if T not in self._one:
            loss = losses.one_parameter()
            self._one[T] = minimiser(self._expectation, loss, T, DIGITS, self.max_bits)
        return self._one[T]


def _rounded(value: arb | Fraction) -> float:
    return float(value) if isinstance(value, Fraction) else float(value.mid())
