"""Runs theorems on a law: hypotheses, claims, false variants, verdicts."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from numerics.errors import NumericsError, TimeLimit
from proofs_check.engine.claims import Claim, FalseVariant, Record
from proofs_check.engine.context import Progress, Run, Silent
from proofs_check.engine.environment import describe_environment
from proofs_check.engine.plan import Plan, UsageError
from proofs_check.engine.registry import THEOREMS, load_theorem
from reports.results import (
    SCHEMA_VERSION,
    ClaimResult,
    Environment,
    FalseVariantResult,
    HypothesisResult,
    LawRecord,
    RunResult,
    Step,
    TheoremResult,
    Verdict,
)

if TYPE_CHECKING:
    from numerics.laws import Law
    from proofs_check.engine.claims import Theorem
    from proofs_check.engine.context import Settings

NO_STEP = "nothing was checked"
Part = Claim | FalseVariant
PartResult = ClaimResult | FalseVariantResult
Outcomes = list[tuple[list[HypothesisResult], list[tuple[PartResult, float]]]]


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
) -> RunResult:
    """Run what is planned of several theorems on one law, at least one, in `jobs` processes.

    `package` is where worker processes look for the theorems.
    """
    begun = time.perf_counter()
    _require_timer(plans[0].settings.timeout)
    progress = progress or Silent()
    outcomes = _in_turn(plans, progress) if jobs == 1 else _in_processes(plans, jobs, progress, package)
    environment = describe_environment(plans[0].settings.seed, plans[0].law)
    results = [
        _theorem_result(plan, command, environment, *outcome)
        for plan, outcome in zip(plans, outcomes, strict=True)
    ]
    verdict = overall_verdict([result.verdict for result in results])
    return RunResult(SCHEMA_VERSION, verdict, results, environment, time.perf_counter() - begun)


def _theorem_result(
    plan: Plan,
    command: Sequence[str],
    environment: Environment,
    hypotheses: list[HypothesisResult],
    found: list[tuple[PartResult, float]],
) -> TheoremResult:
    theorem = plan.theorem
    claims = [result for result, _ in found if isinstance(result, ClaimResult)]
    return TheoremResult(
        schema_version=SCHEMA_VERSION,
        theorem=theorem.name,
        title=theorem.title,
        source=theorem.source,
        statement=theorem.statement,
        verdict=theorem_verdict(hypotheses, claims),
        command=list(command),
        law=describe_law(plan.law),
        assumptions=list(theorem.assumptions),
        hypotheses=hypotheses,
        claims=claims,
        false_variants=[result for result, _ in found if isinstance(result, FalseVariantResult)],
        environment=environment,
        seconds=sum(seconds for _, seconds in found),
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
    return LawRecord(law.kind, list(law.texts), m_lo, m_hi, str(law.mass_at_zero))


class _State:
    """A plan under way: how its hypotheses came out, and the memory that its parts share."""

    def __init__(self, plan: Plan, progress: Progress | None = None) -> None:
        self.plan = plan
        self.run = Run(plan.law, plan.settings, progress or Silent())
        self.hypotheses = [
            HypothesisResult(h.id, h.statement, *h.check(self.run), h.decisive) for h in plan.hypotheses
        ]
        self.parts: tuple[Part, ...] = (*plan.claims, *plan.variants)

    def perform(self, index: int) -> tuple[PartResult, float]:
        """The result of one part, and the seconds that it took."""
        part, begun = self.parts[index], time.perf_counter()
        failing = {h.id: h.detail for h in self.hypotheses if not h.holds}
        if isinstance(part, Claim):
            result = check_claim(self.plan.theorem, part, self.run, failing)
            return result, result.seconds
        return check_variant(self.plan.theorem, part, self.run, failing), time.perf_counter() - begun


def check_claim(theorem: Theorem, claim: Claim, run: Run, failing: Mapping[str, str]) -> ClaimResult:
    """Check one claim.  `failing`: the hypotheses that do not hold, and why."""
    begun = time.perf_counter()
    record = Record(claim.least)
    reason = next((f"needs {id}: {failing[id]}" for id in claim.needs if id in failing), None)
    if reason is None:
        _check(claim, record, run)
    return ClaimResult(
        id=f"{theorem.name}.{claim.id}",
        statement=claim.statement,
        verdict=Verdict.NOT_APPLICABLE if reason else record.verdict,
        kind=record.kind,
        steps=record.steps,
        values=_plain(record.values),
        series=record.series,
        seconds=time.perf_counter() - begun,
        figure=reason or record.figure or ("" if record.steps else NO_STEP),
        proof=claim.proof,
    )


def check_variant(
    theorem: Theorem, variant: FalseVariant, run: Run, failing: Mapping[str, str]
) -> FalseVariantResult:
    """Check a false variant: on the run's law where it is known to be false, else on its witness."""
    claim = next(claim for claim in theorem.claims if claim.id == variant.claim)
    record = Record(claim.least)
    applies = not any(need in failing for need in claim.needs)
    where = run if applies and _differs(variant, run) else run.on(variant.witness_law())
    _check(variant, record, where)
    decisive = [step.detail or step.statement for step in record.steps if step.verdict == record.verdict]
    return FalseVariantResult(
        id=f"{theorem.name}.{variant.id}",
        claim=f"{theorem.name}.{variant.claim}",
        statement=variant.statement,
        law=" + ".join(where.law.texts) if where.law.kind != "norm" else f"norm {where.law.texts[0]}",
        verdict=record.verdict,
        values=_plain(record.values),
        detail=next(iter(decisive), "" if record.steps else NO_STEP),
    )


def _differs(variant: FalseVariant, run: Run) -> bool:
    """Whether the twin is known to be false for the law of the run."""
    try:
        with time_limit(run.settings.timeout):
            return variant.differs(run)
    except NumericsError:
        return False


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values as a reader of the JSON gets them, so that a result equals what is stored of it."""
    plain: dict[str, Any] = msgspec.to_builtins(values)
    return plain


def _check(part: Part, record: Record, run: Run) -> None:
    """Fill the record; a step that stands for what stopped the numerics is undecided."""
    try:
        with time_limit(run.settings.timeout):
            part.check(run, record)
    except NumericsError as error:
        detail = str(error) or type(error).__name__
        record.steps.append(
            Step(record.least, "the computation ends", "", Verdict.INCONCLUSIVE, None, detail)
        )
        if record.verdict is Verdict.INCONCLUSIVE:
            record.figure = detail


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeLimit inside the block after so many seconds; None: never.  Main thread only."""
    if seconds is None:
        yield
        return

    def ring(*_: object) -> None:
        raise TimeLimit(f"not finished within {seconds:g} s")

    previous = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def _require_timer(timeout: float | None) -> None:
    available = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if timeout is not None and not available:
        raise UsageError("--timeout: needs interval timers and the main thread; leave it out here")


def _in_turn(plans: Sequence[Plan], progress: Progress) -> Outcomes:
    outcomes = []
    for plan in plans:
        state = _State(plan, progress)
        indices = progress.track(range(len(state.parts)), plan.theorem.name)
        outcomes.append((state.hypotheses, [state.perform(index) for index in indices]))
    return outcomes


def _in_processes(plans: Sequence[Plan], jobs: int, progress: Progress, package: str) -> Outcomes:
    """Each part in whichever process is free.

    Functions do not travel between processes, so a worker makes the plans again from their names.
    """
    states = [_State(plan) for plan in plans]
    places = [(i, j) for i, state in enumerate(states) for j in range(len(state.parts))]
    recipes = [
        (plan.theorem.name, tuple(c.id for c in plan.claims), plan.law, plan.settings) for plan in plans
    ]
    from numerics.processes import interrupts_held

    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(jobs, len(places)) or 1,
        multiprocessing.get_context("spawn"),
        initializer=_equip,
        initargs=(package, recipes),
    )
    try:
        with interrupts_held():
            futures = [executor.submit(_perform, *place) for place in places]
        found = iter([future.result() for future in progress.track(futures, "claims")])
    except BaseException:
        # A worker busy with a claim would otherwise be waited for.
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)
    return [(state.hypotheses, [next(found) for _ in state.parts]) for state in states]


_equipped: list[_State] = []  # filled in worker processes only


def _equip(package: str, recipes: Sequence[tuple[str, tuple[str, ...], Law, Settings]]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name, claims, law, settings in recipes:
        _equipped.append(_State(Plan.of(load_theorem(name, package), law, settings, claims)))


def _perform(plan: int, part: int) -> tuple[PartResult, float]:
    return _equipped[plan].perform(part)
