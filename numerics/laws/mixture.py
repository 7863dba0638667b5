"""mixture({law: mass, ...}): each law drawn with its mass."""

from __future__ import annotations

from numerics.laws.base import LawError
from numerics.laws.components import merged, times
from numerics.laws.family import BaseLaw, Family, Parameter, WeightedLaws, positive

MAX_COMPONENTS = 1000


def build(laws: WeightedLaws) -> BaseLaw:
    """The mixture; its components are those of the laws, the equal ones joined.

    Raises LawError for no law, a mass <= 0, masses that miss 1, or too many components.
    """
    if not laws:
        raise LawError(f"mixture has no law: write {FAMILY.example}")
    for law, mass in laws:
        positive(f"the mass of {law.text}", mass)
    total = sum(mass for _, mass in laws)
    if total != 1:
        raise LawError(f"the masses add up to {total}: they must add up to 1")
    components = merged(part for law, mass in laws for part in times(law.base.components, mass))
    if len(components) > MAX_COMPONENTS:
        raise LawError(f"mixture has {len(components)} densities: it must have at most {MAX_COMPONENTS}")
    return BaseLaw(components, tuple(dict.fromkeys(file for law, _ in laws for file in law.base.files)))


FAMILY = Family(
    "mixture",
    (Parameter("laws", "laws"),),
    build,
    example="mixture({uniform(1, 2): 1/2, point(4): 1/2})",
    note="law: mass",
)
