"""From words to options, and from these to what is to be run; `proofs_check.verify` shares the latter."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from proofs_check.command_line.options import LawOptions, Options, flag_of, shown
from proofs_check.engine.context import OF_SOME_THEOREMS, SETTINGS, Plan, Settings, UsageError
from reports.text.summary import shorten_numbers

if TYPE_CHECKING:
    from numerics.laws import Law, LawKind
    from proofs_check.engine.claims import Theorem

MOST_NAMED = 12


def one_by_one(args: list[str], flag: str) -> list[str]:
    """The words that follow a flag, up to the next one, each with a flag of its own."""
    words, found, inside, times = list(args), list[str](), False, 0
    for word in words:
        if word == flag or word.startswith(f"{flag}="):
            inside, times = True, times + 1
            found += [word] if "=" in word else []
        elif word.startswith("--"):
            inside = False
            found.append(word)
        else:
            found += [flag, word] if inside else [word]
    if times > 1:
        raise UsageError(f"{flag}: given {times} times; give it once")
    # Without any word it stands where its value should; Typer says so.
    return found if flag in found or not times else [*found, flag]


def make_plan(theorem: Theorem, options: Options) -> Plan:
    """What to run of one theorem.  Raises UsageError."""
    for option in options.declared():
        name = option.name
        if options.given(name) and name in OF_SOME_THEOREMS and name not in theorem.options:
            having = ", ".join(sorted(theorem.options)) or "none of its own"
            raise UsageError(f"{option.flag}: {theorem.name} has no such option (it has: {having})")
    if options.statistical and not _samples(theorem):
        raise UsageError(f"--statistical: {theorem.name} has no claim that samples; leave it out")
    return _plans([theorem], options)[0]


def make_plans(theorems: Sequence[Theorem], options: Options) -> list[Plan]:
    """What to run of several theorems: an option goes to those that have it.  Raises UsageError."""
    for option in options.declared():
        if not options.given(option.name) or option.name not in OF_SOME_THEOREMS:
            continue
        if not option.with_all:
            raise UsageError(f"{option.flag}: not with `all`; name the one theorem that it is meant for")
        if not any(option.name in theorem.options for theorem in theorems):
            raise UsageError(f"{option.flag}: no theorem has this option; leave it out")
    if options.statistical and not any(map(_samples, theorems)):
        raise UsageError("--statistical: no theorem has a claim that samples; leave it out")
    return _plans(theorems, options)


def _plans(theorems: Sequence[Theorem], options: Options) -> list[Plan]:
    """The plans of the theorems that have a claim asked for."""
    law = read_law(options)
    # Once for all: a random seed is the same for each.
    common = _settings(options, SETTINGS.keys() - OF_SOME_THEOREMS)
    settings = [
        Settings(
            **{"depths": theorem.default_depths or ()}
            | common
            | _settings(options.of(theorem), OF_SOME_THEOREMS & theorem.options)
        )
        for theorem in theorems
    ]
    planned = zip(theorems, settings, select_claims(theorems, options), strict=True)
    return [_planned(theorem, law, values, ids) for theorem, values, ids in planned if ids != frozenset()]


def _settings(options: Options, names: Collection[str]) -> dict[str, Any]:
    return {SETTINGS[name]: getattr(options, name) for name in names if options.given(name)}


def _planned(theorem: Theorem, law: Law, settings: Settings, ids: Collection[str] | None) -> Plan:
    """The plan; for claims asked for by name every hypothesis that they need decides the verdict."""
    plan = Plan.of(theorem, law, settings, ids)
    if ids is None:
        return plan
    return replace(plan, hypotheses=tuple(replace(h, decisive=True) for h in plan.hypotheses))


def read_law(options: LawOptions) -> Law:
    """The law of s; uniform(1, 4) by default.  Raises UsageError."""
    from numerics.laws import LawError
    from numerics.laws.syntax import parse_law

    known: dict[str, LawKind] = {
        "squared_norm": "squared_norm",
        "norm": "norm",
        "modalities": "modalities",
        "factor": "factors",
    }
    names = [name for name in known if options.given(name)]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(map(flag_of, names))}: two laws at once; give one of them")
    name = names[0] if names else "squared_norm"
    given = getattr(options, name)
    texts = (given,) if isinstance(given, str) else given
    if name == "modalities" and len(texts) < 2:
        raise UsageError(f"--modalities: {len(texts)} law; give two or more, of ||v_1||^2, ||v_2||^2, ...")
    try:
        return parse_law(known[name], *texts)
    except LawError as error:
        raise UsageError(f"{flag_of(name)}: {shorten_numbers(str(error))}") from error


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
            raise UsageError(f"--claim {claim.id}: runs only with {flag_of(claim.option)}; add it")
    return [frozenset(claim.id for claim in claims) for claims in selected]


def _claims_like(name: str, known: Sequence[str]) -> str:
    """What to write instead of a claim that there is not."""
    near = [id for id in known if name and id.endswith(f".{name}")] or get_close_matches(name, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    return f"one of {', '.join(known)}" if len(known) <= MOST_NAMED else "`list` names them"


def _owns(theorem: Theorem, name: str, *, short: bool) -> bool:
    ids = {f"{theorem.name}.{claim.id}" for claim in theorem.claims}
    return name in ids or (short and f"{theorem.name}.{name}" in ids)


def _samples(theorem: Theorem) -> bool:
    return any(claim.option == "statistical" for claim in theorem.claims)
