"""chi2(dof): the chi-square law with dof > 0 degrees of freedom, not necessarily an integer."""

from __future__ import annotations

from fractions import Fraction

from numerics.laws.base import GammaPiece
from numerics.laws.family import BaseLaw, Family, Parameter, positive


def build(dof: Fraction) -> BaseLaw:
    """The chi-square law: 2 g with g ~ Gamma(dof/2, 1)."""
    return BaseLaw((GammaPiece(Fraction(1), shape=positive("dof", dof) / 2, scale=Fraction(2)),))


FAMILY = Family(
    "chi2",
    (Parameter("dof"),),
    build,
    example="chi2(5)",
    note=r"of $\lVert m\rVert^2$ for Gaussian $m$; unbounded",
)
