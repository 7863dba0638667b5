"""The theorems there are: one a file of `proofs_check/theorems/`, checked as a whole when it is loaded."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from traceback import extract_tb

from proofs_check.engine.claims import Claim, FalseVariant, Hypothesis, Theorem
from proofs_check.engine.context import OF_SOME_THEOREMS, SETTINGS, Settings, UsageError
from reports.results import Basis, Evidence, Origin

THEOREMS = "proofs_check.theorems"
READING_ORDER = (
    "latent_factor_model",
    "theorem_4_1",
    "theorem_6_2",
    "theorem_6_3",
    "layerwise",
    "depth_minimax",
    "skip_ablation",
)
# What a slip in a theorem file may raise while it is imported.
SLIPS = (SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError, LookupError)
# Options that are off where they are not given, so that a claim may wait for one; depths never are.
AWAITED = frozenset(
    option for option, setting in SETTINGS.items() if getattr(Settings(), setting) in (None, False, ())
) - {"depth"}

# How many columns y of a series each kind of drawing takes.
COLUMNS = {"lines": (1, 1), "intervals": (2, 2), "level": (1, 1), "heatmap": (2, 2), "plane": (1, 1)}


class FaultyTheorem(UsageError):
    """A theorem file that cannot be run: one line that names the file and the word."""


def theorem_names(package: str = THEOREMS) -> list[str]:
    """The modules of the package in reading order; those that it does not name come last."""
    folder = importlib.import_module(package).__path__
    names = [module.name for module in pkgutil.iter_modules(folder) if not module.name.startswith("_")]
    order = {name: position for position, name in enumerate(READING_ORDER)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def load_theorem(name: str, package: str = THEOREMS) -> Theorem:
    """The theorem of this name.  Raises UsageError if there is none, or if its file is faulty."""
    if name not in (known := theorem_names(package)):
        raise unknown("THEOREM", name, known)
    file = f"{package.replace('.', '/')}/{name}.py"
    try:
        theorem = importlib.import_module(f"{package}.{name}").THEOREM
    except SLIPS as error:
        raise FaultyTheorem(f"{file}{_line(error, file)}: {type(error).__name__}: {error}") from error
    if not isinstance(theorem, Theorem):
        raise FaultyTheorem(f"{file}: THEOREM is no Theorem but {type(theorem).__name__}")
    for fault in faults(theorem, name):
        raise FaultyTheorem(f"{file}: {fault}")
    return theorem


def load_all(package: str = THEOREMS) -> tuple[list[Theorem], dict[str, str]]:
    """The theorems of the package, and the errors of its faulty files by name."""
    theorems, faulty = [], {}
    for name in theorem_names(package):
        try:
            theorems.append(load_theorem(name, package))
        except FaultyTheorem as error:
            faulty[name] = str(error)
    return theorems, faulty


def unknown(noun: str, name: object, known: Iterable[str]) -> UsageError:
    """The error for a word that is not among those known."""
    return UsageError(f"{noun} {str(name)[:60]!a}: unknown; {_nearest(str(name), known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    known = list(known)
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(known)}"


def _line(error: Exception, file: str) -> str:
    """Where in the file it went wrong."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename.endswith(file)]
    if isinstance(error, SyntaxError) and (error.filename or "").endswith(file):
        lines.append(error.lineno)
    return f", line {lines[-1]}" if lines else ""


def faults(theorem: Theorem, name: str) -> Iterator[str]:
    """What is wrong with the theorem that the file of this name binds, each in one line."""
    if theorem.name != name:
        yield f"its theorem is named {theorem.name!a}; name it {name}"
    if not theorem.claims:
        yield "its theorem has no claim"
    hypotheses, claims = [h.id for h in theorem.hypotheses], {claim.id: claim for claim in theorem.claims}
    public = [*(claim.id for claim in theorem.claims), *(variant.id for variant in theorem.false_variants)]
    for kind, ids in (("hypotheses", hypotheses), ("claims or false variants", public)):
        for id, times in Counter(ids).items():
            if times > 1:
                yield f"{id!a}: the id of {times} {kind}; give each its own"
    for hypothesis in theorem.hypotheses:
        for id in hypothesis.implies:
            yield from _unknown(f"hypothesis {hypothesis.id}: implies", id, "hypothesis", hypotheses)
    yield from _faults_of_options(theorem)
    for claim in theorem.claims:
        yield from _faults_of_grounds(claim, theorem.hypotheses, claims)
        yield from _faults_of_tags(claim)
    yield from _faults_of_figures(theorem, claims)
    yield from _faults_of_tables(theorem, claims)
    for variant in theorem.false_variants:
        yield from _unknown(f"false variant {variant.id}: twin of", variant.claim, "claim", claims)
        yield from _faults_of_witness(variant)


def _faults_of_figures(theorem: Theorem, claims: Collection[str]) -> Iterator[str]:
    """What cannot be drawn of what the theorem wants drawn."""
    import msgspec

    for part in theorem.figures:
        place = f"figure {part.figure}"
        yield from _unknown(f"{place}: claim", part.claim.partition(".")[2], "claim", claims)
        try:
            msgspec.convert(msgspec.to_builtins(part), type(part))
        except msgspec.ValidationError as error:
            yield f"{place}: {error}"
            continue
        least, most = COLUMNS[part.kind]
        if not least <= len(part.y) <= most:
            number = f"{least}" if least == most else f"{least} to {most}"
            yield f"{place}: y {part.y}: {part.kind} takes {number}"
        if part.kind != "level" and not (part.series and part.x):
            yield f"{place}: {part.kind} without a series and a column x"
        if part.kind == "plane" and not part.by:
            yield f"{place}: plane without a column `by` that tells the points apart"


def _faults_of_tables(theorem: Theorem, claims: Collection[str]) -> Iterator[str]:
    """What cannot be shown of what the theorem wants in tables."""
    for name, times in Counter(table.name for table in theorem.tables).items():
        if times > 1:
            yield f"table {name!a}: the name of {times} tables; give each its own"
    for table in theorem.tables:
        place = f"table {table.name}"
        for column in table.columns:
            yield from _unknown(f"{place}: claim", column.claim, "claim", claims)
            if len(column.y) > 2:
                yield f"{place}: y {column.y}: one column, or two ends"
        columns = Counter(
            (column.claim, column.name or (column.source, *column.y, column.minus))
            for column in table.columns
        )
        for (claim, source), times in columns.items():
            if times > 1:
                yield f"{place}: {times} columns are {source} of {claim}; give each a name"


def _unknown(place: str, word: str, kind: str, known: Collection[str]) -> Iterator[str]:
    if word not in known:
        yield f"{place} {word!a}: no such {kind}; {_nearest(word, known) if known else 'there is none'}"


def _faults_of_options(theorem: Theorem) -> Iterator[str]:
    for option in sorted(theorem.options):
        yield from _unknown("options:", option, "option of a theorem", sorted(OF_SOME_THEOREMS))
    for claim in theorem.claims:
        if claim.option is None:
            continue
        awaited = sorted(AWAITED - (OF_SOME_THEOREMS - theorem.options))
        yield from _unknown(f"claim {claim.id}: option", claim.option, "option to wait for", awaited)
    depths, most = theorem.default_depths, theorem.max_depth
    if "depth" not in theorem.options:
        if depths is not None:
            yield "default_depths: without the option 'depth'; add it to options"
    elif not depths:
        yield "options: 'depth' without default depths; add default_depths"
    elif list(depths) != sorted(set(depths)) or depths[0] < 1 or (most is not None and depths[-1] > most):
        yield f"default_depths {depths}: not increasing from 1 or more to max_depth, {most}"


def _faults_of_tags(claim: Claim) -> Iterator[str]:
    """What cannot be so of where a statement comes from, and of an argument for every law."""
    from proofs_check.formal.index import statements

    place, argument, origin = f"claim {claim.id}", claim.argument, claim.provenance
    if argument is not None:
        if (argument.by is Basis.FORMAL) is (argument.theorem is None):
            yield f"{place}: argument: by 'formal' with the name of its theorem, and no other by one"
        for named in filter(None, (argument.theorem, *argument.coq)):
            yield from _unknown(f"{place}: argument:", named, "theorem in Coq", list(statements()))
        if argument.by is Basis.PROSE and claim.weakest is Evidence.SYMBOLIC:
            yield f"{place}: argument: in prose, where every step has to be symbolic; by_symbols"
        if argument.by is Basis.PROSE and not claim.proof:
            yield f"{place}: argument: in prose, but its function has no docstring to hold it"
    if origin is not None and origin.kind is Origin.QUOTED and not (origin.version and origin.number):
        yield f"{place}: provenance: 'quoted' without the paper's version and number"


def _faults_of_grounds(
    claim: Claim, hypotheses: Sequence[Hypothesis], claims: Mapping[str, Claim]
) -> Iterator[str]:
    """What is wrong with what the claim rests on; it does not hold by one that was not run."""
    place, ids = f"claim {claim.id}", list(claims)
    needed = {id for h in hypotheses if h.id in claim.needs for id in (h.id, *h.implies)}
    for need in claim.needs:
        yield from _unknown(f"{place}: needs", need, "hypothesis", [h.id for h in hypotheses])
    for how, id in [*(("uses", id) for id in claim.uses), *(("cites", id) for id in claim.cites)]:
        yield from _unknown(f"{place}: {how}", id, "claim", claims)
        if id not in claims:
            continue
        for need in claims[id].needs:
            if need not in needed:
                yield f"{place}: {how} {id!a}, which needs {need}; add {need} to its needs"
        if claims[id].option not in (None, claim.option):
            yield f"{place}: {how} {id!a}, which waits for --{claims[id].option}; so must it"
        if how == "cites" and ids.index(id) >= ids.index(claim.id):
            yield f"{place}: cites {id!a}, which does not stand before it"


def _faults_of_witness(variant: FalseVariant) -> Iterator[str]:
    from numerics.laws import LawError

    try:
        variant.witness_law()
    except LawError as error:
        yield f"false variant {variant.id}: witness {variant.witness!a}: {error}"
