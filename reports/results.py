"""Results: what a run of the package leaves behind, and its JSON form.

Everything that is printed, written for a CI server or typeset is made from
these objects alone, so a stored result needs no second run.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from reports.layouts import TableLayout

SCHEMA_VERSION = 1


class Verdict(enum.StrEnum):
    """What a check found.  Computed from its steps, never typed."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"

    @classmethod
    def of(cls, holds: bool | None) -> Verdict:
        """``True``: verified, ``False``: refuted, ``None`` (not decided): inconclusive."""
        if holds is None:
            return cls.INCONCLUSIVE
        return cls.VERIFIED if holds else cls.REFUTED

    @classmethod
    def worst(cls, verdicts: Iterable[Verdict]) -> Verdict:
        """Refuted before inconclusive before verified; those that do not apply are left out.

        Nothing at all, or nothing that applies, is ``NOT_APPLICABLE``.
        """
        found = set(verdicts)
        for verdict in (cls.REFUTED, cls.INCONCLUSIVE, cls.VERIFIED):
            if verdict in found:
                return verdict
        return cls.NOT_APPLICABLE


class Evidence(enum.StrEnum):
    """Kinds of evidence, strongest first."""

    SYMBOLIC = "symbolic"
    EXACT = "exact"
    ENCLOSURE = "enclosure"
    NUMERIC = "numeric"
    STATISTICAL = "statistical"

    @property
    def strength(self) -> int:
        """0 for the strongest kind; larger is weaker."""
        return list(Evidence).index(self)

    @classmethod
    def weakest(cls, kinds: Iterable[Evidence]) -> Evidence | None:
        """The weakest of ``kinds``; None if there are none."""
        return max(kinds, key=lambda kind: kind.strength, default=None)


class Basis(enum.StrEnum):
    """What an argument for every law rests on."""

    SYMBOLIC = "symbolic"
    PROSE = "prose"
    FORMAL = "formal"


class Origin(enum.StrEnum):
    """Where a statement comes from: quoted from the paper, read in a summary of it, derived here."""

    QUOTED = "quoted"
    SUMMARY = "summary"
    DERIVED = "derived"


class CoqTheorem(msgspec.Struct, frozen=True, rename={"laws": "for"}):
    """A theorem of the formal library that carries a claim, or a part of it.

    laws:      for which laws it holds, under the claim's hypotheses; the key `for`.
    part:      what of the claim it carries, where that is not all.
    statement: as Coq prints it; empty for a theorem that is not of this library.
    """

    theorem: str
    laws: str
    part: str = ""
    statement: str = ""


class Universal(msgspec.Struct, frozen=True, rename={"laws": "for"}):
    """The part of a claim's argument that is not about the law of the run.

    laws:     for which laws it holds ("every bounded law"); the key `for`.
    argument: what it says, in a few words.
    theorem:  the name of the Coq theorem, with `by` formal and only then.
    coq:      what of it Coq has checked: with `by` formal all of it, else parts, and maybe for fewer laws.
    """

    laws: str
    by: Basis
    theorem: str | None = None
    argument: str = ""
    coq: list[CoqTheorem] = []


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a statement comes from.

    version, number: of the paper, and of the theorem in it; with `quoted` both.
    note:            what of it is from elsewhere.
    """

    kind: Origin
    version: str = ""
    number: str = ""
    note: str = ""


class Certified(msgspec.Struct, frozen=True, omit_defaults=True):
    """A real number between two decimals that were rounded outward."""

    lower: str
    upper: str
    exact: str | None = None


class Sampled(msgspec.Struct, frozen=True):
    """A Monte-Carlo mean with its confidence interval; None where it overflowed."""

    mean: float | None
    low: float | None
    high: float | None
    confidence: float
    samples: int


class Series(msgspec.Struct, frozen=True):
    """A table for a figure: one row a point."""

    columns: list[str]
    rows: list[list[Any]]


class FigurePart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A series of a claim as a theorem wants it drawn; parts of one figure are put together.

    figure, panel: where it goes; parts of several theorems may go to one place.
    kind:    `lines` and `intervals` (y: one column, or two ends) over x; `level`, a value of the claim at any
             x (y: its key); `heatmap`, level sets of y[1] over (x, y[0]); `plane`, the points (x, y[0]).
    by:      for `plane`, the column that tells the points apart: a word for each kind of point, or the
             number or text of an orbit, whose points are joined.
    scale, x_scale: `linear` or `log`; a log y axis shows the absolute value.
    minus:   the key of a value of the claim that is taken off y.
    curve:   the quantity; of the parts of a panel that draw the same one, the fullest stays.
    label:   in the legend, or beside a level; LaTeX's mathematics in `$`, as in all texts here.
    zoom:    shown a second time up to this x, if there is more.
    caption, heading: what there is to see of this part, and of the figure as a whole.
    each:    a panel for each value of this column; `only` is that value, and set by nobody else.
    title:   of the panel; `{key}` stands for a value of the claim.
    """

    figure: str
    claim: str
    series: str = ""
    kind: Literal["lines", "intervals", "level", "heatmap", "plane"] = "lines"
    x: str = ""
    y: list[str] = []
    scale: Literal["linear", "log"] = "linear"
    x_scale: Literal["linear", "log"] = "linear"
    by: str = ""
    minus: str = ""
    curve: str = ""
    label: str = ""
    x_label: str = ""
    y_label: str = ""
    caption: str = ""
    heading: str = ""
    title: str = ""
    panel: str = ""
    zoom: float | None = None
    each: str = ""
    only: str = ""


class Valued(msgspec.Struct, frozen=True):
    """A formula, what its letters are, and the number that it is then.

    latex:      the formula, without delimiters.
    expression: the same as SymPy reads it.
    at:         the letters' values, exact.
    """

    name: str
    latex: str
    expression: str
    at: dict[str, str]
    value: Certified


class Step(msgspec.Struct, frozen=True):
    """One check: what was compared, by which kind of evidence, and what came out.

    statement:   the sentence, with its case.
    words, case: the same about any case, and which this is, `{"T": "8"}`; `{T}` in the words stands for the
                 value, what has no such place follows the words.  Both empty in older results.
    values:      formulas and the numbers that they have here.
    cross_check: another step has shown this already; this one comes to it by a second route.
    """

    kind: Evidence
    statement: str
    latex: str
    verdict: Verdict
    precision_bits: int | None = None
    detail: str = ""
    cross_check: bool = False
    words: str = ""
    case: dict[str, str] = {}
    values: list[Valued] = []


class ClaimResult(msgspec.Struct, frozen=True):
    """A claim with its steps, numbers (`values`) and data for figures (`series`).

    kind:       the weakest kind of evidence among its steps.
    decided_by: the weakest among those that do more than check another step by a second route.
    summary:    the one number or sentence that decided it; `figure` is its older key.
    proof:      the argument in words.
    universal:  the part of the argument that holds for other laws too; None if there is none.
    option:     the option that asked for it; None for what the theorem claims in any case.
    needs, uses: the ids of the hypotheses and of the claims that it rests on.
    """

    id: str
    statement: str
    verdict: Verdict
    kind: Evidence | None
    steps: list[Step]
    values: dict[str, Any]
    series: dict[str, Series]
    seconds: float
    figure: str = ""
    proof: str = ""
    summary: str = ""
    decided_by: Evidence | None = None
    universal: Universal | None = None
    provenance: Provenance | None = None
    option: str | None = None
    needs: list[str] = []
    uses: list[str] = []


class HypothesisResult(msgspec.Struct, frozen=True):
    """Whether a hypothesis holds for the law, and by how much.

    `decisive`: the theorem does not apply without it; else only the claims that need it do not.
    """

    id: str
    statement: str
    holds: bool
    detail: str
    decisive: bool = True


class FalseVariantResult(msgspec.Struct, frozen=True):
    """A deliberately false twin of a claim; a sound check refutes it.

    `law` is the law that it was run on: the user's, or a witness where the
    twin is not known to differ from the truth.
    """

    id: str
    claim: str
    statement: str
    law: str
    verdict: Verdict
    values: dict[str, Any]
    detail: str = ""


class LawRecord(msgspec.Struct, frozen=True):
    """The law of s = ||m||^2; m_lo and m_hi are of s over {s > 0}, null where unbounded or empty."""

    kind: str
    texts: list[str]
    m_lo: str | None
    m_hi: str | None
    mass_at_zero: str


class Environment(msgspec.Struct, frozen=True):
    """What has to be the same for a second run to give the same result.

    seed: text beyond 2^53, where most readers of JSON would round a number.
    """

    python: str
    packages: dict[str, str]
    seed: int | str
    files: dict[str, str] = {}


class TheoremResult(msgspec.Struct, frozen=True, rename={"schema_version": "schema"}):
    """Everything that one theorem's run found.

    partial:       not all its claims were run, of which it has `claims_in_all` under these options.
    complete:      not so if the run was interrupted.
    outputs:       option -> the file that was to be written, which for a `.pdf` without LaTeX is a `.tex`.
    arguments:     the texts of those that several claims cite, by the name that `universal` gives.
    figures:       what the theorem wants drawn of the series of its claims.
    tables:        which numbers it wants shown; `reports.tables.of` joins them.
    definitions:   of the letters in its texts.
    """

    schema_version: int
    theorem: str
    title: str
    source: str
    statement: str
    verdict: Verdict
    command: list[str]
    law: LawRecord
    assumptions: list[str]
    hypotheses: list[HypothesisResult]
    claims: list[ClaimResult]
    false_variants: list[FalseVariantResult]
    environment: Environment
    seconds: float
    partial: bool = False
    complete: bool = True
    claims_in_all: int | None = None
    outputs: dict[str, str] = {}
    provenance: Provenance | None = None
    arguments: dict[str, str] = {}
    figures: list[FigurePart] = []
    tables: list[TableLayout] = []
    definitions: list[str] = []

    def claim(self, name: str) -> ClaimResult:
        """The claim with this id, short or full.  Raises KeyError if it was not run."""
        for claim in self.claims:
            if name in (claim.id, claim.id.partition(".")[2]):
                return claim
        raise KeyError(name)


class RunResult(msgspec.Struct, frozen=True, rename={"schema_version": "schema"}):
    """The result of `all`; `partial`, `complete` and `outputs` as for a theorem."""

    schema_version: int
    verdict: Verdict
    theorems: list[TheoremResult]
    environment: Environment
    seconds: float
    partial: bool = False
    complete: bool = True
    outputs: dict[str, str] = {}


class SimulationRow(msgspec.Struct, frozen=True):
    """The excess risk of one model at one size, per unit E zeta^2; `theory` null where there is none.

    heavy_tailed: too few prompts for an interval: there is none; read the median.
    overflowed:   values that were not finite; they leave mean and interval null.
    theory_kind:  `exact`, or `order 1/L`: correct up to terms of order 1/L^2.
    rounding:     about how far the number format may have moved the mean; null where it is not known.
    rounded:      that is a tenth of the interval's half-width, or a hundredth of the mean, or more.
    """

    model: str
    dims: list[int]
    context: int
    depth: int | None
    excess: Sampled
    median: float | None
    theory: float | None
    heavy_tailed: bool = False
    overflowed: int = 0
    theory_kind: str | None = None
    rounding: float | None = None
    rounded: bool = False


class SimulationResult(msgspec.Struct, frozen=True, rename={"schema_version": "schema"}):
    """The result of `simulate`; not `complete` if it was interrupted.

    notes: what could not be run or computed, and weights of which less is shown than of the others.
    """

    schema_version: int
    law: LawRecord
    complete: bool
    rows: list[SimulationRow]
    environment: Environment
    seconds: float
    command: list[str] = []
    notes: list[str] = []
    outputs: dict[str, str] = {}


Result = TheoremResult | RunResult | SimulationResult


def to_json(result: Result) -> bytes:
    """Indented UTF-8 JSON, closed by a newline."""
    return msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"


def from_json(data: bytes) -> Result:
    """The result written by :func:`to_json`.  Raises msgspec.ValidationError on anything else."""
    keys = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    kind: type[Result] = TheoremResult
    if "theorems" in keys:
        kind = RunResult
    elif "rows" in keys:
        kind = SimulationResult
    result = msgspec.json.decode(data, type=kind)
    if result.schema_version != SCHEMA_VERSION:
        raise msgspec.ValidationError(f"schema {result.schema_version}, not {SCHEMA_VERSION}")
    return result


def json_schema() -> dict[str, Any]:
    """JSON Schema of the documents that :func:`to_json` writes."""
    kinds, definitions = msgspec.json.schema_components(
        (TheoremResult, RunResult, SimulationResult), ref_template="#/$defs/{name}"
    )
    return {"anyOf": list(kinds), "$defs": definitions}
