"""Options of a run: from the text or Python values given to checked settings.

The command line and :func:`proofs_check.verify` share every line of this.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from proofs_check.engine.context import Settings

if TYPE_CHECKING:
    from numerics.laws import Law, LawKind
    from proofs_check.engine.claims import Claim, FalseVariant, Hypothesis, Theorem

DEFAULT_LAW = "uniform(1, 4)"
MOST_DEPTHS = 20_000
MOST_STARTS = 10_000
BITS = (16, 10**8)
LONGEST_TIMEOUT = 10**6
MOST_JOBS = 1024
MOST_NAMED = 12
# Options that a theorem may lack, and whether they make sense for all theorems at once.
OF_SOME_THEOREMS = {"depth": True, "epsilon": True, "candidate": False, "start": False, "basin": False}


class UsageError(ValueError):
    """Bad usage or input: one line that names the argument, what is wrong and what would be right."""


@dataclass(frozen=True)
class Options:
    """The options of a run as they were given: text, and None, empty or False where they were not."""

    squared_norm: str | None = None
    norm: str | None = None
    modalities: tuple[str, ...] | None = None
    depth: str | None = None
    epsilon: str | None = None
    candidate: str | None = None
    claim: tuple[str, ...] = ()
    start: tuple[str, ...] = ()
    basin: str | None = None
    falsify: bool = False
    statistical: bool = False
    seed: str | None = None
    max_bits: str | None = None
    timeout: str | None = None
    jobs: str | None = None

    def given(self, name: str) -> bool:
        """Whether this option was given."""
        return getattr(self, name) not in (None, (), False)

    def command(self, theorem: str) -> list[str]:
        """The command line with the same meaning."""
        words = [theorem]
        for option in fields(self):
            if not self.given(option.name):
                continue
            value, flag = getattr(self, option.name), _flag(option.name)
            if option.name == "modalities":
                words += [flag, *value]
            elif isinstance(value, tuple):
                words += [word for text in value for word in (flag, text)]
            else:
                words += [flag] if value is True else [flag, value]
        return words


@dataclass(frozen=True)
class Plan:
    """What is to be run of a theorem, on which law, with which settings."""

    theorem: Theorem
    law: Law
    settings: Settings
    claims: tuple[Claim, ...]
    hypotheses: tuple[Hypothesis, ...]
    variants: tuple[FalseVariant, ...]

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


def as_text(value: Any) -> str | None:
    """A Python value as the command line would have it: numbers, sequences and ranges of them, or text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value[0]}:{value[-1]}"
    if isinstance(value, Iterable):
        return ",".join(str(item) for item in value)
    return str(value)


def as_texts(value: Any) -> tuple[str, ...]:
    """One text or several values (for an option that may be repeated) as texts."""
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, Iterable):
        items = [items]
    return tuple(text for text in map(as_text, items) if text is not None)


def make_plan(theorem: Theorem, options: Options) -> Plan:
    """What to run of one theorem.  Raises UsageError."""
    for name in OF_SOME_THEOREMS:
        if options.given(name) and name not in theorem.options:
            having = ", ".join(sorted(theorem.options & OF_SOME_THEOREMS.keys())) or "none of its own"
            raise UsageError(f"{_flag(name)}: {theorem.name} has no such option (it has: {having})")
    if options.statistical and not _samples(theorem):
        raise UsageError(f"--statistical: {theorem.name} has no claim that samples; leave it out")
    law = read_law(options)
    settings = read_settings(theorem, options, read_seed(options.seed))
    return _planned(theorem, law, settings, select_claims([theorem], options)[0])


def _planned(theorem: Theorem, law: Law, settings: Settings, ids: Collection[str] | None) -> Plan:
    """The plan; for claims asked for by name every hypothesis that they need decides the verdict."""
    plan = Plan.of(theorem, law, settings, ids)
    if ids is None:
        return plan
    return replace(plan, hypotheses=tuple(replace(h, decisive=True) for h in plan.hypotheses))


def make_plans(theorems: Sequence[Theorem], options: Options) -> list[Plan]:
    """What to run of several theorems: an option goes to those that have it.  Raises UsageError."""
    for name, for_all in OF_SOME_THEOREMS.items():
        if not options.given(name):
            continue
        if not for_all:
            raise UsageError(f"{_flag(name)}: not with `all`; name the one theorem that it is meant for")
        if not any(name in theorem.options for theorem in theorems):
            raise UsageError(f"{_flag(name)}: no theorem has this option; leave it out")
    if options.statistical and not any(map(_samples, theorems)):
        raise UsageError("--statistical: no theorem has a claim that samples; leave it out")
    law, seed = read_law(options), read_seed(options.seed)
    settings = [read_settings(theorem, options, seed) for theorem in theorems]
    chosen = select_claims(theorems, options)
    planned = zip(theorems, settings, chosen, strict=True)
    return [_planned(theorem, law, values, ids) for theorem, values, ids in planned if ids != frozenset()]


def read_law(options: Options) -> Law:
    """The law of s; uniform(1, 4) by default.  Raises UsageError."""
    from numerics.laws import LawError
    from numerics.laws.syntax import parse_law

    known: tuple[LawKind, ...] = ("squared_norm", "norm", "modalities")
    kinds = [kind for kind in known if options.given(kind)]
    if len(kinds) > 1:
        raise UsageError(f"{' and '.join(map(_flag, kinds))}: two laws at once; give one of them")
    kind = kinds[0] if kinds else known[0]
    given = getattr(options, kind) if kinds else DEFAULT_LAW
    texts = (given,) if isinstance(given, str) else given
    if kind == "modalities" and len(texts) != 2:
        raise UsageError(f"--modalities: {len(texts)} laws; give two, of ||v||^2 and ||r||^2")
    try:
        return parse_law(kind, *texts)
    except LawError as error:
        raise UsageError(f"{_flag(kind)}: {error}") from error


def read_settings(theorem: Theorem, options: Options, seed: int) -> Settings:
    """The options as far as `theorem` has them, with its defaults.  Raises UsageError."""
    given = {name for name in theorem.options if options.given(name)}
    depths = theorem.default_depths or ()
    if options.depth is not None and "depth" in given:
        depths = read_depths(options.depth, theorem)
    settings: dict[str, Any] = {}
    if options.epsilon is not None and "epsilon" in given:
        settings["epsilon"] = _epsilon(options.epsilon)
    if options.candidate is not None and "candidate" in given:
        settings["candidate"] = _number("--candidate", options.candidate)
    if options.basin is not None and "basin" in given:
        settings["basin"] = _basin(options.basin)
    if options.max_bits is not None:
        settings["max_bits"] = whole_number("--max-bits", options.max_bits, *BITS)
    return Settings(
        depths=depths,
        starts=tuple(map(_start, options.start)) if "start" in given else (),
        falsify=options.falsify,
        statistical=options.statistical,
        seed=seed,
        timeout=None if options.timeout is None else _seconds(options.timeout),
        **settings,
    )


class Layered(Protocol):
    """What has depths: a theorem, or the simulation."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def max_depth(self) -> int | None:
        """The largest depth accepted; None for any."""
        ...


def read_depths(text: str, theorem: Layered) -> tuple[int, ...]:
    """``1,2,8``, ``1:64`` or a mixture: distinct depths in increasing order.  Raises UsageError."""
    depths: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([+-]?\d{1,9})(?::([+-]?\d{1,9}))?", part.strip(), re.ASCII)
        if match is None:
            if re.fullmatch(r"[\d:]{10,}", part.strip(), re.ASCII):
                raise UsageError(f"--depth {shown(part)}: far too deep{_up_to(theorem)}")
            raise UsageError(f"--depth {shown(part)}: not a depth; write 1,2,8 or 1:64")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if min(first, last) < 1:
            raise UsageError(f"--depth {shown(part)}: a depth is at least 1")
        if first > last:
            raise UsageError(f"--depth {shown(part)}: runs backwards; write {last}:{first}")
        if theorem.max_depth is not None and last > theorem.max_depth:
            raise UsageError(f"--depth {shown(part)}: too deep{_up_to(theorem)}")
        if last - first >= MOST_DEPTHS:
            raise UsageError(f"--depth {shown(part)}: too many depths; give at most {MOST_DEPTHS}")
        depths.update(range(first, last + 1))
    return tuple(sorted(depths))


def read_seed(text: str | None) -> int:
    """The seed: a number from 0 to 2^64 - 1, a fresh one for ``random``.  Raises UsageError."""
    if text == "random":
        import secrets

        return secrets.randbelow(2**32)
    return 0 if text is None else whole_number("--seed", text, 0, 2**64 - 1, "; or write random")


def read_jobs(text: str | None) -> int:
    """The number of processes.  Raises UsageError."""
    return 1 if text is None else whole_number("--jobs", text, 1, MOST_JOBS)


def select_claims(theorems: Sequence[Theorem], options: Options) -> list[frozenset[str] | None]:
    """The ids of the claims named, and of those that they use, of each theorem; None: all claims.

    Raises UsageError.
    """
    if not options.claim:
        return [None for _ in theorems]
    single = len(theorems) == 1
    wanted: list[list[str]] = [[] for _ in theorems]
    for name in options.claim:
        owners = [names for t, names in zip(theorems, wanted, strict=True) if _owns(t, name, short=single)]
        if not owners:
            known = [c.id if single else f"{t.name}.{c.id}" for t in theorems for c in t.claims]
            raise UsageError(f"--claim {shown(name)}: no such claim; {_claims_like(name, known)}")
        owners[0].append(name)
    selected = [t.selection(names) for t, names in zip(theorems, wanted, strict=True)]
    for claim in (claim for claims in selected for claim in claims):
        if claim.option is not None and not options.given(claim.option):
            raise UsageError(f"--claim {claim.id}: runs only with {_flag(claim.option)}; add it")
    return [frozenset(claim.id for claim in claims) for claims in selected]


def _claims_like(name: str, known: Sequence[str]) -> str:
    """What to write instead of a claim that there is not."""
    near = [id for id in known if name and id.endswith(f".{name}")] or get_close_matches(name, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"one of {', '.join(known)}" if len(known) <= MOST_NAMED else "`list` names them"


def is_asked_for(claim: Claim, settings: Settings) -> bool:
    """Whether the option that the claim waits for, if any, was given."""
    given = {None: True, "candidate": settings.candidate is not None, "statistical": settings.statistical}
    return given[claim.option]


def _owns(theorem: Theorem, name: str, *, short: bool) -> bool:
    ids = {f"{theorem.name}.{claim.id}" for claim in theorem.claims}
    return name in ids or (short and f"{theorem.name}.{name}" in ids)


def _samples(theorem: Theorem) -> bool:
    return any(claim.option == "statistical" for claim in theorem.claims)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def shown(text: str) -> str:
    """The user's text, quoted, on one line, no longer than is useful."""
    text = text.strip()
    return ascii(text if len(text) <= 60 else text[:57] + "...")


def _up_to(theorem: Layered) -> str:
    return "" if theorem.max_depth is None else f"; {theorem.name} goes to depth {theorem.max_depth}"


def _number(flag: str, text: str) -> Fraction:
    from numerics.laws import LawError
    from numerics.laws.syntax import parse_number

    try:
        return parse_number(text)
    except LawError as error:
        raise UsageError(f"{flag}: {error}") from error


def _epsilon(text: str) -> Fraction:
    """A relative accuracy: from 1 on the band about alpha* holds 0, and says nothing."""
    value = _number("--epsilon", text)
    if not 0 < value < 1:
        raise UsageError(f"--epsilon {shown(text)}: not between 0 and 1; give a number such as 1/100")
    return value


def whole_number(flag: str, text: str, low: int, high: int, hint: str = "") -> int:
    """A whole number within limits.  Raises UsageError."""
    if not re.fullmatch(r"[+-]?\d{1,20}", text.strip(), re.ASCII) or not low <= int(text) <= high:
        raise UsageError(f"{flag} {shown(text)}: not a whole number from {low} to {high}{hint}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= LONGEST_TIMEOUT:
        raise UsageError(
            f"--timeout {shown(text)}: not a number of seconds above 0 and up to {LONGEST_TIMEOUT}"
        )
    return value


def _start(text: str) -> tuple[Fraction, Fraction]:
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError(f"--start {shown(text)}: not a pair; write ALPHA,BETA such as 0.3,-0.2")
    return _number("--start", parts[0]), _number("--start", parts[1])


def _basin(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError(f"--basin {shown(text)}: not a grid; write NA,NB such as 20,20")
    rows, columns = (whole_number("--basin", part, 1, MOST_STARTS) for part in parts)
    if rows * columns > MOST_STARTS:
        raise UsageError(f"--basin {shown(text)}: too many starts; at most {MOST_STARTS} in all")
    return rows, columns
