"""Runs theorems on a law: hypotheses, claims, false variants, verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from proofs_check.engine.context import Plan, Progress, Silent, is_asked_for
from proofs_check.engine.environment import Interrupts, describe_environment, own_state
from proofs_check.engine.parts import PartResult, State
from proofs_check.engine.registry import THEOREMS
from reports.layouts import FigurePart, TableLayout
from reports.reading import nearest
from reports.results import (
    SCHEMA_VERSION,
    ClaimResult,
    Environment,
    FalseVariantResult,
    HypothesisResult,
    LawRecord,
    RunResult,
    TheoremResult,
    Verdict,
)

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.claims import Theorem

Done = Callable[[TheoremResult], None]


def run_plan(
    plan: Plan,
    command: Sequence[str],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    package: str = THEOREMS,
) -> TheoremResult:
    """Run what is planned of one theorem.

    Raises whatever a claim raises, save NumericsError.
    """
    return run_plans([plan], command, jobs=jobs, progress=progress, package=package).theorems[0]


def run_plans(
    plans: Sequence[Plan],
    command: Sequence[str],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    package: str = THEOREMS,
    done: Done | None = None,
    interrupts: Interrupts | None = None,
) -> RunResult:
    """Run what is planned of several theorems on one law, at least one.

    In `jobs` processes; with a time limit always in others than this one, which can be broken off.
    package:    where worker processes look for the theorems.
    done:       told of each theorem, in order, as soon as it is done.
    interrupts: after Ctrl-C the result holds what is whole, and is not complete; None: KeyboardInterrupt.
    """
    begun = time.perf_counter()
    progress = progress or Silent()
    results: list[TheoremResult] = []
    with own_state():
        environment = describe_environment(plans[0].settings.seed, plans[0].law)
        if jobs > 1 or plans[0].settings.timeout is not None:
            outcomes = _in_processes(plans, jobs, progress, package, interrupts)
        else:
            outcomes = _in_turn(plans, progress, interrupts)
        for plan, outcome in zip(plans, outcomes, strict=False):
            if not (outcome.complete or outcome.found or len(plans) == 1):
                continue
            results.append(_theorem_result(plan, command, environment, outcome))
            if done is not None:
                done(results[-1])
    complete = len(results) == len(plans) and all(result.complete for result in results)
    verdicts = [result.verdict for result in results] + [Verdict.INCONCLUSIVE] * (not complete)
    return RunResult(
        SCHEMA_VERSION,
        overall_verdict(verdicts),
        results,
        environment,
        time.perf_counter() - begun,
        complete=complete,
        partial=any(result.partial for result in results),
    )


@dataclass
class Outcome:
    """What was found of a plan, in its order; not `complete` where Ctrl-C came before its end."""

    hypotheses: list[HypothesisResult] = field(default_factory=list)
    found: list[tuple[PartResult, float]] = field(default_factory=list)
    complete: bool = True

    @contextmanager
    def until(self, interrupts: Interrupts | None) -> Iterator[None]:
        """Work that Ctrl-C ends, and with it the block; where it was pressed before, ask `heed`."""
        if interrupts is None:
            yield
            return
        try:
            with interrupts.at_once():
                yield
        except KeyboardInterrupt:
            self.complete = False


def heed(interrupts: Interrupts | None) -> None:
    """Raise KeyboardInterrupt if it was pressed."""
    if interrupts is not None:
        interrupts.check()


def _in_turn(plans: Sequence[Plan], progress: Progress, interrupts: Interrupts | None) -> Iterator[Outcome]:
    for plan in plans:
        outcome = Outcome()
        with outcome.until(interrupts):
            heed(interrupts)
            state = State(plan, progress)
            outcome.hypotheses = state.hypotheses
            for index in progress.track(range(len(state.parts)), plan.theorem.name):
                for part in progress.track(iter([index]), state.name(index)):
                    outcome.found.append(state.perform(part))
        yield outcome
        if not outcome.complete:
            return


def _in_processes(
    plans: Sequence[Plan], jobs: int, progress: Progress, package: str, interrupts: Interrupts | None
) -> Iterator[Outcome]:
    """Each part in whichever process is free."""
    from proofs_check.engine.workers import Workers

    states: list[State] = []
    found: list[dict[int, tuple[PartResult, float]]] = [{} for _ in plans]
    work = Outcome()
    with work.until(interrupts):
        heed(interrupts)
        states += [State(plan) for plan in plans]
    if not work.complete:
        yield work
        return
    arrivals = Workers(package, states, jobs, plans[0].settings.timeout, progress).results()
    tracked = progress.track(arrivals, "claims", sum(len(state.parts) for state in states))
    with closing(arrivals):
        for state, parts in zip(states, found, strict=False):
            while work.complete and len(parts) < len(state.parts):
                with work.until(interrupts):
                    heed(interrupts)
                    (i, j), result = next(tracked)
                    found[i][j] = result
            whole = len(parts) == len(state.parts)
            yield Outcome(state.hypotheses, [parts[j] for j in sorted(parts)], whole)


def _theorem_result(
    plan: Plan, command: Sequence[str], environment: Environment, outcome: Outcome
) -> TheoremResult:
    theorem, hypotheses = plan.theorem, outcome.hypotheses
    claims = [result for result, _ in outcome.found if isinstance(result, ClaimResult)]
    in_all = sum(is_asked_for(claim, plan.settings) for claim in theorem.claims)
    verdict = theorem_verdict(hypotheses, claims)
    if not outcome.complete and verdict is Verdict.VERIFIED:
        verdict = Verdict.INCONCLUSIVE
    return TheoremResult(
        schema_version=SCHEMA_VERSION,
        theorem=theorem.name,
        title=theorem.title,
        source=theorem.source,
        statement=theorem.statement,
        verdict=verdict,
        command=list(command),
        law=describe_law(plan.law),
        assumptions=list(theorem.assumptions),
        hypotheses=hypotheses,
        claims=claims,
        false_variants=[result for result, _ in outcome.found if isinstance(result, FalseVariantResult)],
        environment=environment,
        seconds=sum(seconds for _, seconds in outcome.found),
        partial=len(claims) < in_all,
        complete=outcome.complete,
        claims_in_all=in_all,
        provenance=theorem.provenance,
        arguments=theorem.shared_arguments(plan.claims),
        figures=_drawn(theorem, claims),
        tables=_shown(theorem, claims),
        definitions=list(theorem.definitions),
    )


def _drawn(theorem: Theorem, claims: Sequence[ClaimResult]) -> list[FigurePart]:
    """The parts of figures whose claims were run.  Raises ValueError for a name that is not there."""
    by_id = {claim.id: claim for claim in claims}
    parts = [part for part in theorem.figures if part.claim in by_id]
    for part in parts:
        claim, place = by_id[part.claim], f"figure {part.figure}"
        values = [part.minus, *(part.y if part.kind == "level" else [])]
        _require(place, claim, "value", values, claim.values, part.optional)
        if part.kind != "level":
            _require(place, claim, "series", [part.series], claim.series, part.optional)
        if (table := claim.series.get(part.series)) is not None:
            _require_columns(place, claim, part.series, [part.x, *part.y, part.by, part.each], table.columns)
    return parts


def _shown(theorem: Theorem, claims: Sequence[ClaimResult]) -> list[TableLayout]:
    """The tables, of the columns whose claims were run.  Raises ValueError for a name that is not there."""
    by_id = {claim.id: claim for claim in claims}
    found = []
    for table in theorem.tables:
        columns = [column for column in table.columns if f"{theorem.name}.{column.claim}" in by_id]
        for column in columns:
            claim, place = by_id[f"{theorem.name}.{column.claim}"], f"table {table.name}"
            _require(place, claim, "value", [column.minus], claim.values, column.optional)
            if not table.rows:
                _require(place, claim, "value", [column.source], claim.values, column.optional)
                continue
            lists = {name: _keys(value) for name, value in claim.values.items() if isinstance(value, list)}
            lists |= {name: series.columns for name, series in claim.series.items()}
            _require(place, claim, "series", [column.source], lists, column.optional)
            if known := lists.get(column.source):
                wanted = [*table.rows, *column.y, *column.where]
                _require_columns(place, claim, column.source, wanted, known)
        if columns:
            found.append(msgspec.structs.replace(table, columns=columns))
    return found


def _keys(records: Sequence[object]) -> list[str]:
    """The keys of a list of records; none of another list."""
    return list(dict.fromkeys(key for record in records if isinstance(record, dict) for key in record))


def _require(
    place: str, claim: ClaimResult, thing: str, names: Iterable[str], known: Iterable[str], optional: bool
) -> None:
    """Of a verified claim, which came to its end, what is named and not there is misspelt or optional."""
    known = list(known)
    for name in filter(None, names):
        if name not in known and not optional and claim.verdict is Verdict.VERIFIED:
            raise ValueError(
                f"{place}: {claim.id} is verified and has left no {thing} {name!r}; "
                f"{nearest(name, known)}, or optional=True"
            )


def _require_columns(
    place: str, claim: ClaimResult, series: str, wanted: Iterable[str], columns: Sequence[str]
) -> None:
    for name in filter(None, wanted):
        if name not in columns:
            raise ValueError(
                f"{place}: series {series} of {claim.id} has no {name}; {nearest(name, columns)}"
            )


def theorem_verdict(hypotheses: Sequence[HypothesisResult], claims: Sequence[ClaimResult]) -> Verdict:
    """Not applicable if a decisive hypothesis fails; else the worst claim that applies.

    Inconclusive where no claim was run.
    """
    if not all(hypothesis.holds for hypothesis in hypotheses if hypothesis.decisive):
        return Verdict.NOT_APPLICABLE
    if not claims:
        return Verdict.INCONCLUSIVE
    return Verdict.worst(claim.verdict for claim in claims)


def overall_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """The first of refuted, inconclusive, not applicable, verified that occurs; inconclusive without any."""
    order = (Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.VERIFIED)
    return next((verdict for verdict in order if verdict in verdicts), Verdict.INCONCLUSIVE)


def describe_law(law: Law) -> LawRecord:
    """The law as results keep it."""
    m_lo, m_hi = (None if end is None else str(end) for end in (law.m_lo, law.m_hi))
    observed = [file.values for file in law.files]
    return LawRecord(law.kind, list(law.texts), m_lo, m_hi, str(law.mass_at_zero), observed)
