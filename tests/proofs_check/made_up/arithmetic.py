"""A theorem with a claim for every verdict, chosen by the law and the options."""

from fractions import Fraction

from proofs_check.engine.claims import Hypothesis, Theorem
from reports.layouts import TableColumn
from reports.results import Evidence

THEOREM = Theorem(
    name="arithmetic",
    title="Arithmetic in ℕ",
    source="nowhere",
    statement="$1 + 1 = 2$",
    assumptions=("whole numbers",),
    hypotheses=(
        Hypothesis("bounded", "$s$ is bounded", lambda run: (run.law.m_hi is not None, f"${run.law.m_hi}$")),
        Hypothesis(
            "varies",
            "$s$ is not constant",
            lambda run: (not run.law.is_constant, "$s$ is constant"),
            decisive=False,
        ),
    ),
    options=frozenset({"depth", "epsilon", "candidate", "start", "basin"}),
    default_depths=(1, 2),
    max_depth=4096,
)


@THEOREM.claim("sum", "$1 + 1 = 2$", Evidence.SYMBOLIC)
def sum_(run, record):
    """By counting."""
    record.check(Evidence.SYMBOLIC, "$1 + 1 = 2$", 1 + 1 == 2, latex="1 + 1 = 2")


@THEOREM.claim("mean", r"$\mathbb{E}\,s \ge 1$", Evidence.EXACT, needs=("bounded",), uses=("sum",))
def mean(run, record):
    """By the law's own moment, which is refuted where the mean is below 1."""
    value = run.law.mean
    record.values["mean"] = str(value)
    record.summary = rf"$\mathbb{{E}}\,s = {value}$"
    record.check(Evidence.EXACT, r"$\mathbb{E}\,s \ge 1$", value >= 1, detail=record.summary)


THEOREM.table("numbers", TableColumn("mean", "mean", "mean"), heading="Numbers")


@THEOREM.claim("candidate", r"$\mathbb{E}\,s = A$", Evidence.EXACT, option="candidate")
def candidate(run, record):
    record.check(Evidence.EXACT, r"$\mathbb{E}\,s = A$", run.law.mean == run.settings.candidate)


@THEOREM.false_variant(
    "mean_is_2",
    "mean",
    r"$\mathbb{E}\,s = 2$",
    witness="point(3)",
    differs=lambda run: run.law.mean != 2,
)
def mean_is_2(run, record):
    record.check(
        Evidence.EXACT,
        r"$\mathbb{E}\,s = 2$",
        run.law.mean == 2,
        detail=rf"$\mathbb{{E}}\,s = {run.law.mean}$",
    )


@THEOREM.claim("varied", "$s$ varies", Evidence.EXACT, needs=("varies",))
def varied(run, record):
    record.check(Evidence.EXACT, "$s$ is not constant", run.law.m_hi is None or run.law.m_lo < run.law.m_hi)


@THEOREM.claim("half", r"$2 \cdot 1/2 = 1$", Evidence.EXACT)
def half(run, record):
    record.check(Evidence.EXACT, r"$2 \cdot 1/2 = 1$", 2 * Fraction(1, 2) == 1)
