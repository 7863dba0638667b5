"""What is asked of one run: settings and plan; and its context, a memory for what several claims need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Hashable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

import numerics

if TYPE_CHECKING:
    from flint import arb

    from numerics.expectation.over_law import Expectation
    from numerics.laws import Law
    from proofs_check.engine.claims import Claim, FalseVariant, Hypothesis, Theorem
    from theory.normal_form import BoundTerm

P = ParamSpec("P")
T = TypeVar("T")


class Progress(Protocol):
    """Where long work reports to; the command line shows it on a terminal."""

    def track(self, items: Iterable[T], description: str, total: int | None = None) -> Generator[T]:
        """Yield the items, showing how far it is; what is closed is over."""
        ...

    def aside(self) -> AbstractContextManager[None]:
        """Make room for what the block prints."""
        ...


class Silent:
    """Progress that nobody watches."""

    def track(self, items: Iterable[Any], description: str, total: int | None = None) -> Generator[Any]:
        """Yield the items."""
        yield from items

    def aside(self) -> AbstractContextManager[None]:
        """Nothing is in the way."""
        return nullcontext()


@dataclass(frozen=True)
class Settings:
    """The options of a run, checked and complete; a theorem says which of those with an `option` it has.

    depths:  distinct, increasing, >= 1; empty for a theorem without depths.
    epsilon: relative accuracy of statements "for all T >= T0", between 0 and 1.
    """

    depths: tuple[int, ...] = field(default=(), metadata={"option": "depth"})
    epsilon: Fraction = field(default=Fraction(1, 100), metadata={"option": "epsilon"})
    candidate: Fraction | None = field(default=None, metadata={"option": "candidate"})
    starts: tuple[tuple[Fraction, Fraction], ...] = field(default=(), metadata={"option": "start"})
    basin: tuple[int, int] | None = field(default=None, metadata={"option": "basin"})
    falsify: bool = False
    statistical: bool = False
    seed: int = 0
    max_bits: int = 65536
    timeout: float | None = None


# Option -> the setting that it makes.
SETTINGS = {setting.metadata.get("option", setting.name): setting.name for setting in fields(Settings)}
OF_SOME_THEOREMS = frozenset(
    setting.metadata["option"] for setting in fields(Settings) if "option" in setting.metadata
)


class UsageError(ValueError):
    """Bad usage or input: one line that names the argument, what is wrong and what would be right."""


@dataclass(frozen=True)
class Plan:
    """What is to be run of a theorem, on which law, with which settings.

    typeset: whether steps have the LaTeX of their derivations, which takes as long as to prove them.
    """

    theorem: Theorem
    law: Law
    settings: Settings
    claims: tuple[Claim, ...]
    hypotheses: tuple[Hypothesis, ...]
    variants: tuple[FalseVariant, ...]
    typeset: bool = True

    @classmethod
    def of(cls, theorem: Theorem, law: Law, settings: Settings, ids: Collection[str] | None = None) -> Plan:
        """The claims with these ids (None: all that run without an option of their own or have it).

        With ids, only the hypotheses that these claims need; the false variants of the claims if the
        settings ask for them.
        """
        claims = [c for c in theorem.claims if is_asked_for(c, settings) and (ids is None or c.id in ids)]
        needed = {need for claim in claims for need in claim.needs}
        chosen = {claim.id for claim in claims}
        return cls(
            theorem,
            law,
            settings,
            tuple(claims),
            tuple(h for h in theorem.hypotheses if ids is None or h.id in needed),
            tuple(v for v in theorem.false_variants if settings.falsify and v.claim in chosen),
        )


def is_asked_for(claim: Claim, settings: Settings) -> bool:
    """Whether the option that the claim waits for, if any, was given."""
    if claim.option is None:
        return True
    given = getattr(settings, SETTINGS[claim.option])
    # 0 is a candidate like any other, and equals False.
    return given is not None and given is not False and given != ()


def once_a_run(compute: Callable[Concatenate[Run, P], T]) -> Callable[Concatenate[Run, P], T]:
    """A function of a run; for the same arguments it is computed once in that run.

    The value lies in `run.memory`, under the function and the arguments, which have to be hashable.
    """

    @wraps(compute)
    def remembered(run: Run, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (remembered, *args, *sorted(kwargs.items()))
        if key not in run.memory:
            run.memory[key] = compute(run, *args, **kwargs)
        value: T = run.memory[key]
        return value

    return remembered


@dataclass
class Run:
    """What a claim is given: the law, the settings, and a memory shared by all claims of the run."""

    law: Law
    settings: Settings
    progress: Progress = field(default_factory=Silent)
    memory: dict[Hashable, Any] = field(default_factory=dict)

    @property
    @once_a_run
    def expectation(self) -> Expectation:
        """E over the law."""
        found: Expectation = numerics.expectation.over_law.Expectation(self.law)
        return found

    def enclosure(self, terms: Iterable[BoundTerm], digits: int = 15) -> tuple[arb, int]:
        """E over the law of terms with rational weights, enclosed, and the bits that it took.

        To so many significant digits, or exactly 0.  Raises PrecisionExhausted past `max_bits`.
        """
        terms, balls = list(terms), numerics.arithmetic.balls
        found: tuple[arb, int] = balls.refine(
            lambda: self.expectation.ball(terms), balls.relative(digits), self.settings.max_bits
        )
        return found

    def on(self, law: Law) -> Run:
        """The same run on another law (a witness), with a memory of its own."""
        return replace(self, law=law, memory={})
