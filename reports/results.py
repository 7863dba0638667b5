"""Results: what a run of the package leaves behind, and its JSON form.

Everything that is printed, written for a CI server or typeset is made from
these objects alone, so a stored result needs no second run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from reports.layouts import FigurePart as FigurePart
from reports.layouts import TableLayout
from reports.reading import ResultKeyError, as_numbers, as_rows, unknown
from reports.vocabulary import Basis as Basis
from reports.vocabulary import Certified as Certified
from reports.vocabulary import Compared as Compared
from reports.vocabulary import CoqTheorem as CoqTheorem
from reports.vocabulary import Evidence as Evidence
from reports.vocabulary import Judged
from reports.vocabulary import NotANumberError as NotANumberError
from reports.vocabulary import Origin as Origin
from reports.vocabulary import Provenance as Provenance
from reports.vocabulary import Sampled as Sampled
from reports.vocabulary import Universal as Universal
from reports.vocabulary import Verdict as Verdict
from reports.vocabulary import bounded as bounded
from reports.vocabulary import rational as rational

SCHEMA_VERSION = 1


class Series(msgspec.Struct, frozen=True):
    """A table for a figure: one row a point."""

    columns: list[str]
    rows: list[list[Any]]


class Valued(msgspec.Struct, frozen=True):
    """A formula, what its letters are, and the number that it is then.

    name:       of the number, a text with LaTeX in dollars.
    latex:      the formula, without delimiters.
    expression: the same as SymPy reads it.
    at:         the letters' values, exact, by the letters' LaTeX.
    """

    name: str
    latex: str
    expression: str
    at: dict[str, str]
    value: Certified


class Step(Judged, msgspec.Struct, frozen=True):
    """One check: what was compared, by which kind of evidence, and what came out.

    statement:   the sentence, with its case.
    words, case: the same about any case, and which this is, `{"T": "8"}`; `{T}` in the words stands for the
                 value, what has no such place follows the words.  Both empty in older results.
    values:      formulas and the numbers that they have here.
    cross_check: another step has shown this already; this one comes to it by a second route.
    compared:    the numbers whose comparison decided, where it was one.
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
    compared: Compared | None = None


class ClaimResult(Judged, msgspec.Struct, frozen=True):
    """A claim with its steps, numbers (`values`) and data for figures (`series`).

    `claim["T0"]` is a value as a number, `claim.rows("alpha_T")` a table for a data frame.

    kind:       the weakest kind of evidence among its steps.
    decided_by: the weakest among those that do more than check another step by a second route.
    summary:    the one number or sentence that decided it; `figure` is its older key.
    proof:      the argument in words.
    universal:  the part of the argument that holds for other laws too; None if there is none.
    option:     the option that asked for it; None for what the theorem claims in any case.
    needs, uses: the ids of the hypotheses and of the claims that it rests on, whether or not they were run.
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

    def __getitem__(self, key: str) -> Any:
        """The value of this key as numbers: Fractions, enclosures.  Raises KeyError."""
        if key not in self.values:
            raise unknown("value", key, self.values)
        return as_numbers(msgspec.to_builtins(self.values[key]))

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Iterator[str]:
        """The names of its values, as those of a dict."""
        return iter(self.values)

    def rows(self, name: str) -> list[dict[str, Any]]:
        """A series, or a value that is a list of rows, as a data frame takes it.

        Numbers are floats, ends of enclosures rounded outward.  Raises KeyError.
        """
        tables = _tables(self)
        if name not in tables:
            raise unknown("table", name, tables)
        return as_rows(tables[name])

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.values)


class HypothesisResult(msgspec.Struct, frozen=True):
    """Whether a hypothesis holds for the law, and by how much.

    `decisive`: the theorem does not apply without it; else only the claims that need it do not.
    """

    id: str
    statement: str
    holds: bool
    detail: str
    decisive: bool = True

    def __bool__(self) -> bool:
        return self.holds


class FalseVariantResult(Judged, msgspec.Struct, frozen=True):
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

    @property
    def ok(self) -> bool:
        """Whether it is refuted, as it should be."""
        return self.verdict is Verdict.REFUTED


class LawRecord(msgspec.Struct, frozen=True):
    """The law of s = ||m||^2; m_lo and m_hi are of s over {s > 0}, null where unbounded or empty.

    observed: how many values each file that it was read from gave.
    """

    kind: str
    texts: list[str]
    m_lo: str | None
    m_hi: str | None
    mass_at_zero: str
    observed: list[int] = []


class Environment(msgspec.Struct, frozen=True):
    """What has to be the same for a second run to give the same result.

    seed: text beyond 2^53, where most readers of JSON would round a number.
    """

    python: str
    packages: dict[str, str]
    seed: int | str
    files: dict[str, str] = {}


class TheoremResult(Judged, msgspec.Struct, frozen=True, rename={"schema_version": "schema"}):
    """Everything that one theorem's run found; `result["limit"]` is a claim.

    Its texts, those of its claims and steps too, are words with LaTeX in dollars and names of the command
    line in backquotes; `reports.text.marked` takes them apart.  Older results have none of these marks.

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

    @property
    def ok(self) -> bool:
        """Whether what was asked for is verified, and every false variant that was run is refuted.

        Of a `partial` result that says no more than that the claims which were run are verified.
        """
        return self.verdict is Verdict.VERIFIED and all(self.false_variants)

    def claim(self, name: str) -> ClaimResult:
        """The claim with this id, short or full.  Raises KeyError if it was not run."""
        for claim in self.claims:
            if name in (claim.id, _short(claim.id)):
                return claim
        raise unknown("claim", name, self._ipython_key_completions_())

    __getitem__ = claim

    def __contains__(self, name: str) -> bool:
        return any(name in (claim.id, _short(claim.id)) for claim in self.claims)

    def __iter__(self) -> Iterator[ClaimResult]:
        """Its claims."""
        return iter(self.claims)

    def rows(self, name: str) -> list[dict[str, Any]]:
        """The table of this name of the one claim that has it.  Raises KeyError if none or several have."""
        having = [claim for claim in self.claims if name in _tables(claim)]
        if not having:
            raise unknown("table", name, (table for claim in self.claims for table in _tables(claim)))
        if len(having) > 1:
            names = " and ".join(_short(claim.id) for claim in having)
            raise ResultKeyError(f"{names} have a table {name!r}; ask one: result[...].rows({name!r})")
        return having[0].rows(name)

    def _ipython_key_completions_(self) -> list[str]:
        return [_short(claim.id) for claim in self.claims]


class RunResult(Judged, msgspec.Struct, frozen=True, rename={"schema_version": "schema"}):
    """The result of `all`; `run["NAME"]` is that theorem's.  The rest as for a theorem."""

    schema_version: int
    verdict: Verdict
    theorems: list[TheoremResult]
    environment: Environment
    seconds: float
    partial: bool = False
    complete: bool = True
    outputs: dict[str, str] = {}

    @property
    def ok(self) -> bool:
        """Whether every theorem is, and the run is complete."""
        return self.verdict is Verdict.VERIFIED and all(self.theorems)

    def __getitem__(self, name: str) -> TheoremResult:
        """The result of this theorem.  Raises KeyError if it was not run."""
        for theorem in self.theorems:
            if theorem.theorem == name:
                return theorem
        raise unknown("theorem", name, self._ipython_key_completions_())

    def __contains__(self, name: str) -> bool:
        return name in self._ipython_key_completions_()

    def __iter__(self) -> Iterator[TheoremResult]:
        """The results of its theorems."""
        return iter(self.theorems)

    def _ipython_key_completions_(self) -> list[str]:
        return [theorem.theorem for theorem in self.theorems]


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

    @property
    def ok(self) -> bool:
        """Whether it is complete: a simulation has no verdict."""
        return self.complete

    def __bool__(self) -> bool:
        return self.ok

    def records(self) -> list[dict[str, Any]]:
        """The rows as a data frame takes them, the sampled excess in columns of its own."""
        return [_record(row) for row in self.rows]


Result = TheoremResult | RunResult | SimulationResult


def _short(id: str) -> str:
    """A claim's id without its theorem."""
    return id.partition(".")[2]


def _tables(claim: ClaimResult) -> dict[str, list[dict[str, Any]]]:
    """The values of a claim that are lists of rows, and its series, by name."""
    values: dict[str, Any] = msgspec.to_builtins(claim.values)
    tables = {
        name: value
        for name, value in values.items()
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value)
    }
    for name, series in claim.series.items():
        tables[name] = [dict(zip(series.columns, row, strict=True)) for row in series.rows]
    return tables


def _record(row: SimulationRow) -> dict[str, Any]:
    rest = msgspec.structs.asdict(row)
    place = {name: rest.pop(name) for name in ("model", "dims", "context", "depth")}
    place["dims"] = ",".join(map(str, row.dims))
    return place | msgspec.structs.asdict(rest.pop("excess")) | rest


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
