"""The command line.  Typer reads the words; the work starts after it has returned."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from proofs_check.command_line.options import Options, UsageError, make_plan, make_plans, read_jobs
from proofs_check.engine.registry import THEOREMS, load_theorem, theorem_names, unknown_theorem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from proofs_check.engine.claims import Theorem
    from proofs_check.engine.context import Progress

PROGRAM = "python -m proofs_check"
USAGE, INTERNAL, INTERRUPTED = 2, 70, 130
Work = Callable[[], int]


def main(words: Sequence[str] | None = None, package: str = THEOREMS) -> int:
    """Run a command line and return its exit code; `package` holds the theorems."""
    words = list(sys.argv[1:] if words is None else words)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _read(words, package)()
    except KeyboardInterrupt:
        return INTERRUPTED
    # The outermost boundary of the process: what nobody foresaw ends it here, with a code of its own.
    except Exception as error:  # noqa: BLE001
        return _report(error, debug="--debug" in words)


def _report(error: Exception, debug: bool) -> int:
    """One line on standard error; the exit code."""
    from proofs_check.command_line.outputs import tell
    from reports.files import OutputError

    if isinstance(error, UsageError | OutputError | typer.TyperException):
        text = str(error)
        if isinstance(error, typer.TyperException):
            context = getattr(error, "ctx", None)
            program = context.command_path if context else PROGRAM
            text = f"{error.format_message().rstrip('.')}; see {program} --help"
        tell("error: " + " ".join(text.split()))
        return USAGE
    if debug:
        tell("".join(traceback.format_exception(error)).rstrip())
    hint = "" if debug else "; --debug shows where"
    text = " ".join(f"{type(error).__name__}: {error}".split())
    tell(f"internal error: {text}{hint}")
    return INTERNAL


def _read(words: list[str], package: str) -> Work:
    """What the words ask for.  Raises UsageError, OutputError or typer.TyperException."""
    from proofs_check.command_line.outputs import reader_may_leave
    from reports.files import OutputError

    if sys.stdout is None:
        raise OutputError("standard output is closed; send it to a file or to /dev/null")
    command = typer.main.get_command(_application(package))
    work: Work | int | None = None
    # Typer prints help and version, and leaves by SystemExit when nobody reads them any more.
    with reader_may_leave():
        work = command.main(words, prog_name=PROGRAM, standalone_mode=False, obj=_Call(words, package))
    return work if callable(work) else lambda: work or 0


@dataclass(frozen=True)
class _Call:
    words: list[str]
    package: str

    def load(self, name: str) -> list[Theorem]:
        names = theorem_names(self.package) if name == "all" else [name]
        return [load_theorem(each, self.package) for each in names]


class _Command(TyperCommand):
    """A command that refuses an option given twice, or one in place of another's value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        flags = {flag for parameter in self.get_params(ctx) for flag in parameter.opts}
        once = [
            parameter
            for parameter in given
            if not (parameter.multiple or getattr(parameter, "is_flag", False))
        ]
        for parameter in once:
            flag, value = parameter.opts[0], values[str(parameter.name)]
            if once.count(parameter) > 1:
                raise UsageError(f"{flag}: given {once.count(parameter)} times; give it once")
            for word in (value,) if isinstance(value, str) else value:
                if word in flags:
                    raise UsageError(
                        f"{flag}: {word} stands where its value should; write {flag} {parameter.metavar}"
                    )
        return super().parse_args(ctx, args)


class _Commands(TyperGroup):
    """Commands; an unknown word is taken for a theorem that does not exist."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args:
            raise UsageError(f"THEOREM: missing; one of {', '.join(self._shown())}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands:
            raise unknown_theorem(args[0], self._shown())
        return super().resolve_command(ctx, args)

    def _shown(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]


def _application(package: str) -> typer.Typer:
    application = typer.Typer(cls=_Commands, add_completion=False, rich_markup_mode=None)
    application.callback()(_program)
    for name in theorem_names(package):
        application.command(name, cls=_Command, help=f"Check {name} on a law of ||m||^2.")(_check)
    application.command("all", cls=_Command, help="Check all theorems.")(_check)
    application.command("list")(_list)
    application.command("explain")(_explain)
    application.command("simulate", cls=_Command)(_simulate)
    return application


def _show_version(asked: bool) -> None:
    if asked:
        from proofs_check.engine.environment import own_version

        print(own_version())
        raise typer.Exit


def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Machine checks of the theorems on multi-layer cross-attention for in-context learning.

    Exit code: 0 verified, 1 refuted, 2 bad usage, 3 inconclusive, 4 a hypothesis fails for this law,
    70 internal error, 130 interrupted.
    """


def _list(
    ctx: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="As JSON, with the JSON Schema of results.")] = False,
) -> Work:
    """List theorems, claims, the evidence each needs, depth limits."""
    return partial(_print_list, ctx.obj, json)


def _print_list(call: _Call, as_json: bool) -> int:
    from proofs_check.command_line.catalogue import catalogue, listing
    from proofs_check.command_line.outputs import reader_may_leave, write_document

    theorems = call.load("all")
    with reader_may_leave():
        if as_json:
            import msgspec

            document = msgspec.json.encode(catalogue(theorems))
            write_document(msgspec.json.format(document, indent=1) + b"\n")
        else:
            print("\n".join(listing(theorems)))
    return 0


def _explain(ctx: typer.Context, theorem: Annotated[str, typer.Argument(metavar="THEOREM")]) -> Work:
    """Print statement, assumptions, hypotheses and proofs of THEOREM."""
    return partial(_print_explanation, ctx.obj, theorem)


def _print_explanation(call: _Call, name: str) -> int:
    from proofs_check.command_line.catalogue import explanation
    from proofs_check.command_line.outputs import reader_may_leave
    from reports.console import print_explanation

    explained = explanation(load_theorem(name, call.package))
    with reader_may_leave():
        print_explanation(explained)
    return 0


def _option(metavar: str, help: str) -> Any:
    return typer.Option(metavar=metavar, help=help, show_default=False)


Text = str | None


def _check(
    ctx: typer.Context,
    squared_norm: Annotated[Text, _option("LAW", "Law of ||m||^2 (default: uniform(1, 4)).")] = None,
    norm: Annotated[Text, _option("LAW", "Law of ||m|| instead.")] = None,
    modalities: Annotated[
        tuple[str, str] | None, _option("LAW LAW", "Laws of ||v||^2 and ||r||^2, independent.")
    ] = None,
    depth: Annotated[Text, _option("SPEC", "Depths: 1,2,8 or 1:64.")] = None,
    epsilon: Annotated[
        Text, _option("E", "Relative accuracy, below 1, of statements for all T >= T0 (default: 1/100).")
    ] = None,
    candidate: Annotated[Text, _option("A", "Does alpha_T tend to A?")] = None,
    claim: Annotated[
        list[str] | None, _option("ID", "Only this claim and what it needs (repeatable).")
    ] = None,
    start: Annotated[list[str] | None, _option("A,B", "A further start of the flow (repeatable).")] = None,
    basin: Annotated[Text, _option("NA,NB", "A grid of starts.")] = None,
    falsify: Annotated[bool, typer.Option("--falsify", help="Run the false variants too.")] = False,
    statistical: Annotated[
        bool, typer.Option("--statistical", help="Run the claims that sample too.")
    ] = False,
    seed: Annotated[Text, _option("N", "Seed of every random part, or random (default: 0).")] = None,
    max_bits: Annotated[
        Text, _option("N", "Limit of the working precision in bits (default: 65536).")
    ] = None,
    timeout: Annotated[Text, _option("S", "Limit for a claim, in seconds.")] = None,
    jobs: Annotated[Text, _option("N", "Processes (default: 1).")] = None,
    json: Annotated[
        Text, _option("PATH", "Write the result; - is standard output, and nothing else there.")
    ] = None,
    junit: Annotated[Text, _option("PATH", "Write the result for a CI server.")] = None,
    report: Annotated[Text, _option("PATH", "Write a report, .tex or .pdf; implies --falsify.")] = None,
    allow_not_applicable: Annotated[
        bool, typer.Option("--allow-not-applicable", help="Exit 0 where it would be 4.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print the closing line only.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> Work:
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in ctx.params.items()
    }
    options = Options(**{field.name: given[field.name] for field in fields(Options)})
    if report is not None:
        options = replace(options, falsify=True)
    return partial(_run, ctx.obj, str(ctx.info_name), options, given)


def _run(call: _Call, name: str, options: Options, given: Mapping[str, Any]) -> int:
    """Check everything, then run, then deliver."""
    from proofs_check.command_line.outputs import Outputs

    theorems = call.load(name)
    plans = make_plans(theorems, options) if name == "all" else [make_plan(theorems[0], options)]
    jobs = read_jobs(options.jobs)
    outputs = Outputs(**{field.name: given[field.name] for field in fields(Outputs)})
    outputs.check()
    from proofs_check.engine.runner import run_plans

    with _progress(outputs.quiet) as progress:
        run = run_plans(plans, call.words, jobs=jobs, progress=progress, package=call.package)
    return outputs.deliver(run if name == "all" else run.theorems[0])


def _simulate(
    ctx: typer.Context,
    squared_norm: Annotated[Text, _option("LAW", "Law of ||m||^2 (default: uniform(1, 4)).")] = None,
    norm: Annotated[Text, _option("LAW", "Law of ||m|| instead.")] = None,
    modalities: Annotated[
        tuple[str, str] | None, _option("LAW LAW", "Laws of ||v||^2 and ||r||^2, independent.")
    ] = None,
    dims: Annotated[
        list[str] | None, _option("D1,D2", "Widths of v and r (repeatable; default: 3,2).")
    ] = None,
    context: Annotated[Text, _option("L,...", "Context lengths (default: 50,200,1000).")] = None,
    depth: Annotated[Text, _option("SPEC", "Depths: 1,2,8 or 1:64 (default: powers of 2 to 64).")] = None,
    prompts: Annotated[Text, _option("N", "Prompts of each size (default: 10000).")] = None,
    models: Annotated[
        Text,
        _option(
            "NAME,...",
            "Of lsa, one_parameter, two_parameter, no_skip, least_squares, sample_mean, softmax "
            "(default: all but softmax, which needs every token).",
        ),
    ] = None,
    weights: Annotated[
        Text,
        _option(
            "population|trained",
            "Weights best for L -> infinity (default), or trained at L; no_skip and softmax are not trained.",
        ),
    ] = None,
    backend: Annotated[Text, _option("numpy|cupy", "Array library (default: numpy).")] = None,
    dtype: Annotated[Text, _option("float64|float32", "Number format (default: float64).")] = None,
    memory: Annotated[Text, _option("SIZE", "Memory budget (default: 2GB).")] = None,
    seed: Annotated[Text, _option("N", "Seed, or random (default: 0).")] = None,
    json: Annotated[
        Text, _option("PATH", "Write the result; - is standard output, and nothing else there.")
    ] = None,
    csv: Annotated[Text, _option("PATH", "Write the rows as CSV.")] = None,
    plot: Annotated[Text, _option("PATH", "Plot excess risk against depth, .png or .pdf.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> Work:
    """Run the architectures on sampled prompts and compare with the theory at finite context."""
    return partial(_run_simulation, ctx.obj, dict(ctx.params))


def _run_simulation(call: _Call, given: Mapping[str, Any]) -> int:
    """Check everything, then run, then deliver."""
    from proofs_check.command_line.outputs import SimulationOutputs
    from proofs_check.command_line.simulate import SimulationOptions, make_simulation, simulate

    values: dict[str, Any] = {**given, "dims": tuple(given["dims"] or ())}
    simulation = make_simulation(
        SimulationOptions(**{field.name: values[field.name] for field in fields(SimulationOptions)})
    )
    outputs = SimulationOutputs(**{field.name: values[field.name] for field in fields(SimulationOutputs)})
    outputs.check()
    with _progress(quiet=False) as progress:
        result = simulate(simulation, call.words, progress)
    return outputs.deliver(result)


def _progress(quiet: bool) -> AbstractContextManager[Progress]:
    from proofs_check.command_line.progress import TerminalProgress
    from proofs_check.engine.context import Silent

    return nullcontext(Silent()) if quiet or not sys.stderr.isatty() else TerminalProgress()
