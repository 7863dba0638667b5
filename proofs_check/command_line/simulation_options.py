"""The options of `simulate`, and the simulation that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from proofs_check.command_line.check_options import CheckOptions
from proofs_check.command_line.options import (
    MOST_JOBS,
    Given,
    LawOptions,
    Option,
    as_given,
    each,
    one_of,
    path,
    read_depths,
    read_seed,
    whole,
)
from proofs_check.command_line.planning import read_law
from proofs_check.engine.context import UsageError

if TYPE_CHECKING:
    from numerics.laws import Law
    from numerics.simulation.arrays import Backend
    from numerics.simulation.prompts import PromptSource

T = TypeVar("T")

MODELS = ("lsa", "one_parameter", "two_parameter", "no_skip", "least_squares", "sample_mean")
TRAINED_MODELS = ("lsa", "one_parameter", "two_parameter", "least_squares", "sample_mean")
WIDEST, LONGEST, MOST_PROMPTS = 4096, 10**9, 10**9
SWEEP_KEY, TRAINING_KEY = 0, 1


def _parts(read: Callable[[Given], T], thing: str) -> Callable[[Given], tuple[T, ...]]:
    """Distinct values between commas."""

    def read_parts(given: Given) -> tuple[T, ...]:
        values = tuple(read(given.part(text)) for text in given.text.split(","))
        if len(set(values)) < len(values):
            raise given.wrong(f"the same {thing} twice; give each once")
        return values

    return read_parts


def _widths(given: Given) -> tuple[int, ...]:
    read = whole(1, WIDEST, "; write 3,2 or 5")
    return tuple(read(given.part(text)) for text in given.text.split(","))


def _dims(given: Given) -> tuple[tuple[int, ...], ...]:
    widths = each(_widths)(given)
    if len(set(widths)) < len(widths):
        raise UsageError(f"{given.flag}: the same widths twice; give each once")
    return widths


def _model(given: Given) -> str:
    from numerics.simulation.by_name import NAMES

    return one_of(NAMES)(given)


class SimulationOptions(LawOptions):
    """The options of `simulate`."""

    dims = Option[tuple[tuple[int, ...], ...]](
        "D1,D2", "Widths of v and r.", _dims, ((3, 2),), repeatable=True
    )
    context = Option[tuple[int, ...]](
        "L,...",
        "Context lengths.",
        _parts(whole(1, LONGEST, "; write 50,200"), "number"),
        (50, 200, 1000),
    )
    depth = Option[tuple[int, ...]](
        "SPEC", "Depths: 1,2,8 or 1:64.", read_depths, (1, 2, 4, 8, 16, 32, 64), "powers of 2 to 64"
    )
    prompts = Option("N", "Prompts of each size.", whole(1, MOST_PROMPTS), 10_000)
    models = Option[tuple[str, ...] | None](
        "NAME,...",
        "Of lsa, one_parameter, two_parameter, layerwise, no_skip, least_squares, sample_mean, softmax.",
        _parts(_model, "model"),
        None,
        "all but softmax, which needs every token",
    )
    weights = Option(
        "population|trained",
        "Weights best for L -> infinity (default), or trained at L; no_skip and softmax are not trained.",
        one_of(("population", "trained")),
        "population",
        "",
    )
    backend = Option("numpy|cupy", "Array library.", as_given, "numpy")
    dtype = Option("float64|float32", "Number format.", as_given, "float64")
    memory = Option("SIZE", "Memory budget.", as_given, "2GB")
    seed = Option("N", "Seed, or random.", read_seed, 0)
    jobs = Option("N", "Processes; the rows are the same for any number.", whole(1, MOST_JOBS), 1)
    dask = Option[str | None](
        "ADDRESS", "Run on the workers of a Dask scheduler, tcp://HOST:PORT, or local.", as_given, None
    )
    json = CheckOptions.json
    csv = Option[str | None]("PATH", "Write the rows as CSV.", path(), None)
    plot = Option[str | None](
        "PATH",
        "Plot excess risk against depth, .png or .pdf.",
        path(kind="a plot", endings=(".png", ".pdf")),
        None,
    )
    report = replace(CheckOptions.report, implies="")
    report_style = CheckOptions.report_style
    debug = CheckOptions.debug


@dataclass(frozen=True)
class Simulation:
    """A simulation, checked and complete."""

    law: Law
    dims: tuple[tuple[int, ...], ...]
    contexts: tuple[int, ...]
    depths: tuple[int, ...]
    prompts: int
    models: tuple[str, ...]
    trained: bool
    backend: Backend
    memory: int
    seed: int
    jobs: int = 1

    @property
    def source(self) -> PromptSource:
        """The prompts of the sweep, at the first width."""
        from numerics.simulation.prompts import PromptSource

        return PromptSource(self.law, self.dims[0], seed=self.seed, key=(SWEEP_KEY,))


@dataclass(frozen=True)
class _Limits:
    name: str = "simulate"
    max_depth: int = 4096


def make_simulation(options: SimulationOptions) -> Simulation:
    """Check the options.  Raises UsageError."""
    options = options.of(_Limits())
    law, trained = read_law(options), options.weights == "trained"
    if law.factors > 1:
        raise UsageError(f"--factor: prompts are sampled with one factor, not {law.factors}; give one law")
    if law.modalities is not None:
        for widths in options.dims:
            if len(widths) != len(law.modalities):
                text, count = ",".join(map(str, widths)), len(law.modalities)
                example = ",".join(["3", "2", *["1"] * count][:count])
                raise UsageError(f"--dims '{text}': {count} laws need {count} widths; write {example}")
    if options.jobs > 1 and options.backend != "numpy":
        raise UsageError(f"--jobs {options.jobs}: one process drives a GPU; leave it out")
    if options.dask is not None and options.backend != "numpy":
        raise UsageError(f"--dask {options.dask[:60]!a}: workers take --backend numpy; leave one out")
    models = options.models or (TRAINED_MODELS if trained else MODELS)
    if trained:
        _require_trainable(models)
    backend, memory = _resources(options)
    return Simulation(
        law,
        options.dims,
        options.context,
        options.depth,
        options.prompts,
        models,
        trained,
        backend,
        memory,
        options.seed,
        options.jobs,
    )


def _require_trainable(models: tuple[str, ...]) -> None:
    from numerics.simulation.by_name import TRAINABLE, WITHOUT_WEIGHTS

    known = TRAINABLE + WITHOUT_WEIGHTS
    if without := [name for name in models if name not in known]:
        raise UsageError(f"--weights trained: {without[0]} is not trained; only {', '.join(known)}")


def _resources(options: SimulationOptions) -> tuple[Backend, int]:
    from numerics.simulation.arrays import SimulationInputError, check_budget, load_backend, parse_memory

    try:
        backend = load_backend(options.backend, options.dtype)
        memory = parse_memory(options.memory)
        check_budget(memory, backend)
    except SimulationInputError as error:
        raise UsageError(f"--{error}") from error
    return backend, memory
