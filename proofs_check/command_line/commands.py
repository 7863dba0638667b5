"""The command line.  Typer reads the words; the work starts after it has returned."""

from __future__ import annotations

import inspect
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from proofs_check.command_line import sweep
from proofs_check.command_line.check_options import CheckOptions
from proofs_check.command_line.options import Option, OptionSet
from proofs_check.command_line.planning import one_by_one
from proofs_check.command_line.simulation_options import SimulationOptions
from proofs_check.engine.context import UsageError
from proofs_check.engine.environment import Interrupts, long_numbers, own_version
from proofs_check.engine.registry import THEOREMS, load_all, load_theorem, theorem_names, unknown

if TYPE_CHECKING:
    from proofs_check.engine.claims import Theorem
    from proofs_check.engine.context import Progress
    from reports.results import TheoremResult

PROGRAM, SCRIPT = "python -m proofs_check", "proofs-check"
HELP = {"help_option_names": ["-h", "--help"]}
INTERRUPTED = 130
SIMULATE = (
    "Run the architectures on sampled prompts.\n\nThe theory at finite context stands beside what is found."
)
PAGE = {"store": "STORE", "path": "REPORT"}
PAIR = {"old": "OLD.db", "new": "NEW.db"}
Work = Callable[[], int]
Declared = TypeVar("Declared", bound=OptionSet)


def main(words: Sequence[str] | None = None, package: str = THEOREMS) -> int:
    """Run a command line and return its exit code; `package` holds the theorems."""
    interrupts = Interrupts()
    try:
        with interrupts.watched(), long_numbers():
            words = list(sys.argv[1:] if words is None else words)
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, io.TextIOWrapper):
                    stream.reconfigure(errors="replace")
            return _read(words, package, interrupts)()
    except KeyboardInterrupt:
        return INTERRUPTED
    # The outermost boundary of the process: what nobody foresaw ends it here, with a code of its own.
    except Exception as error:  # noqa: BLE001
        from proofs_check.command_line.outputs import tell_error

        return tell_error(error, _program_name(), debug="--debug" in (words or ()))


def _read(words: list[str], package: str, interrupts: Interrupts) -> Work:
    """What the words ask for.  Raises UsageError, OutputError or typer.TyperException."""
    from proofs_check.command_line.outputs import reader_may_leave
    from reports.files import OutputError

    if sys.stdout is None:
        raise OutputError("standard output is closed; send it to a file or to /dev/null")
    command = typer.main.get_command(_application(package))
    work: Work | int | None = None
    # Typer prints help and version, and leaves by SystemExit when nobody reads them any more.
    with reader_may_leave():
        work = command.main(
            words, prog_name=_program_name(), standalone_mode=False, obj=_Call(words, package, interrupts)
        )
    return work if callable(work) else lambda: work or 0


def _program_name() -> str:
    """What this program was called as."""
    return SCRIPT if Path(sys.argv[0]).stem == SCRIPT else PROGRAM


@dataclass(frozen=True)
class _Call:
    words: list[str]
    package: str
    interrupts: Interrupts

    def load(self, name: str) -> list[Theorem]:
        names = theorem_names(self.package) if name == "all" else [name]
        return [load_theorem(each, self.package) for each in names]


class _Command(TyperCommand):
    """A command that refuses an option given twice, or one in place of another's value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for parameter in self.get_params(ctx):
            flag, *_ = parameter.opts
            here = any(word.partition("=")[0] == flag for word in args)
            if here and str(parameter.metavar).endswith(" ..."):
                args = one_by_one(args, flag)
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        flags = {flag for parameter in self.get_params(ctx) for flag in parameter.opts}
        once = [
            parameter
            for parameter in given
            if parameter.param_type_name == "option"
            and not (parameter.multiple or getattr(parameter, "is_flag", False))
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


class _Check(_Command):
    """A command whose help and whose completion are those of its theorem."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self._adapt(ctx)
        super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        self._adapt(ctx)
        return super().shell_complete(ctx, incomplete)

    def _adapt(self, ctx: Any) -> None:
        from proofs_check.command_line.helping import adapt

        adapt(self, ctx.obj.load(ctx.info_name), every=ctx.info_name == "all")


class _Commands(TyperGroup):
    """Commands; an unknown word is taken for a theorem that does not exist."""

    noun = "THEOREM"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            raise UsageError(f"{self.noun}: missing; one of {', '.join(self._shown())}")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not ctx.resilient_parsing:
            raise unknown(self.noun, args[0], self._shown())
        return super().resolve_command(ctx, args)

    def _shown(self) -> list[str]:
        return [name for name, command in self.commands.items() if not command.hidden]


class _Sweeps(_Commands):
    """What can be done with sweeps."""

    noun = "sweep"


def _application(package: str) -> typer.Typer:
    # A shell completes the name of a program, which `python -m proofs_check` is not.
    completed = _program_name() == SCRIPT
    application = typer.Typer(
        cls=_Commands, add_completion=completed, rich_markup_mode=None, context_settings=HELP
    )
    application.callback()(_program)
    for name in theorem_names(package):
        check = _command(CheckOptions, _run, f"Check {name} on a law of ||m||^2.")
        application.command(name, cls=_Check)(check)
    application.command("all", cls=_Check)(_command(CheckOptions, _run, "Check all theorems."))
    application.command("list")(_list)
    application.command("explain")(_explain)
    application.command("formal")(_formal)
    application.command("simulate", cls=_Command)(_command(SimulationOptions, _simulate, SIMULATE))
    application.add_typer(_sweeps(), name="sweep")
    return application


def _sweeps() -> typer.Typer:
    group = typer.Typer(cls=_Sweeps, help="Run grids of command lines, and compare.")
    many, one = {"plan": "PLAN.toml"}, {"store": "STORE"}
    commands: list[tuple[type[OptionSet], Any, str, dict[str, str]]] = [
        (sweep.SweepRunOptions, _sweep_run, "Run what is missing of a sweep.", many),
        (sweep.NoOptions, _sweep_status, "Count what is done, failed and missing in a store.", one),
        (sweep.SweepExportOptions, _sweep_export, "Write the table of a store.", one),
        (
            sweep.SweepReportOptions,
            _sweep_report,
            "Draw the table of a store.",
            one | {"path": "REPORT"},
        ),
        (sweep.NoOptions, _sweep_diff, "Compare two stores; exit code 1 if they differ.", PAIR),
        (sweep.NoOptions, _sweep_merge, "Bring the outcomes of shards together.", one | {"parts": "PART..."}),
    ]
    for options, work, help, arguments in commands:
        name = work.__name__.rpartition("_")[2]
        group.command(name, cls=_Command)(_command(options, work, help, arguments))
    return group


def _show_version(asked: bool) -> None:
    if asked:
        print(own_version())
        raise typer.Exit


def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Machine checks of the theorems on multi-layer cross-attention for in-context learning.

    Exit code: 0 verified, 1 refuted, 2 bad usage, 3 inconclusive, 4 a hypothesis fails for this law,
    5 an output failed, 70 internal error, 130 interrupted.
    """


def _list(
    ctx: typer.Context,
    json: Annotated[bool, typer.Option("--json", help="As JSON, with the JSON Schema of results.")] = False,
) -> Work:
    """List what there is to check.

    Theorems with their statements and depths, claims with the evidence that each needs.
    """
    return partial(_print_list, ctx.obj, json)


def _print_list(call: _Call, as_json: bool) -> int:
    from proofs_check.command_line.catalogue import catalogue, print_listing
    from proofs_check.command_line.outputs import reader_may_leave, write_document

    theorems, faulty = load_all(call.package)
    with reader_may_leave():
        if as_json:
            import msgspec

            document = msgspec.json.encode(catalogue(theorems, faulty))
            write_document(msgspec.json.format(document, indent=1) + b"\n")
        else:
            print_listing(theorems, faulty)
    return 0


def _names(ctx: typer.Context, incomplete: str) -> list[str]:
    return [name for name in theorem_names(ctx.obj.package) if name.startswith(incomplete)]


def _explain(
    ctx: typer.Context,
    theorem: Annotated[str, typer.Argument(metavar="THEOREM", autocompletion=_names)],
) -> Work:
    """Print what a theorem says, and why.

    Statement, hypotheses, what is not proved here; each claim with its proof and its false variants.
    """
    return partial(_print_explanation, ctx.obj, theorem)


def _print_explanation(call: _Call, name: str) -> int:
    from proofs_check.command_line.catalogue import explanation
    from proofs_check.command_line.outputs import reader_may_leave
    from reports.terminal.explanation import print_explanation

    with call.interrupts.at_once():
        explained = explanation(load_theorem(name, call.package))
    with reader_may_leave():
        print_explanation(explained)
    return 0


def _formal(
    ctx: typer.Context, certificate: Annotated[str | None, typer.Argument(metavar="[CERTIFICATE.v]")] = None
) -> Work:
    """Have Coq check its library, or a file.

    Without CERTIFICATE.v the library is compiled and its theorems are printed.
    """
    from proofs_check.command_line.formal import formal

    return partial(formal, certificate)


def _command(
    options: type[Declared],
    work: Callable[..., int],
    help: str,
    arguments: Mapping[str, str] = MappingProxyType({}),
) -> Callable[..., Work]:
    """A command with the options declared; Typer reads them off its signature.

    `work` is called with what was called, the command's name or its arguments, and the options.
    """

    def command(ctx: typer.Context, **given: Any) -> Work:
        words = [given.pop(f"argument_{name}") for name in arguments] or [str(ctx.info_name)]
        return partial(work, ctx.obj, *words, options(**given))

    kinds: dict[str, Any] = {"ctx": typer.Context}
    kinds |= {f"argument_{name}": _argument(shown) for name, shown in arguments.items()}
    kinds |= {option.name: _parameter(option) for option in options.declared()}
    required = len(arguments) + 1
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            for place, (name, kind) in enumerate(kinds.items())
            for default in [inspect.Parameter.empty if place < required else None]
        ]
    )
    command.__annotations__, command.__doc__ = kinds, help
    return command


def _argument(shown: str) -> Any:
    """What Typer is to read for an argument; several words where it ends in dots."""
    return Annotated[list[str] if shown.endswith("...") else str, typer.Argument(metavar=shown)]


def _parameter(option: Option[Any]) -> Any:
    """What Typer is to read for an option; its words are checked later, where `verify` checks them."""
    if not option.metavar:
        return Annotated[bool, typer.Option(option.flag, help=option.explanation, show_default=False)]
    many = option.repeatable or option.metavar.endswith(" ...")
    kind: Any = list[str] if many else str
    if " " in option.metavar and not many:
        kind = tuple[tuple(str for _ in option.metavar.split())]  # type: ignore[misc]
    shown = typer.Option(option.flag, metavar=option.metavar, help=option.explanation, show_default=False)
    return Annotated[kind | None, shown]


def _run(call: _Call, name: str, options: CheckOptions) -> int:
    """Check everything, then run and deliver."""
    from proofs_check.command_line.outputs import Delivery, check_outputs, check_report
    from proofs_check.command_line.planning import make_plan, make_plans

    theorems, several = call.load(name), name == "all"
    plans = make_plans(theorems, options) if several else [make_plan(theorems[0], options)]
    jobs = options.jobs
    check_outputs(options)
    check_report(options)
    if options.certificate is not None:
        from proofs_check.command_line.formal import check_exportable, write_certificate

        check_exportable([plan.theorem.name for plan in plans], plans[0].law)
    from proofs_check.engine.runner import run_plans

    delivery = Delivery(options, several=several)
    with _progress(options.quiet) as progress:

        def show(result: TheoremResult) -> None:
            with progress.aside():
                delivery.show(result)

        run = run_plans(
            plans,
            call.words,
            jobs=jobs,
            progress=progress,
            package=call.package,
            done=show,
            interrupts=call.interrupts,
        )
    code = delivery.finish(run)
    if options.certificate is not None:
        with delivery.attempt("--certificate"):
            write_certificate(options.certificate, plans[0].law, run.theorems)
    return delivery.code(code)


def _simulate(call: _Call, _: str, options: SimulationOptions) -> int:
    """Check everything, then run, then deliver."""
    from proofs_check.command_line.outputs import check_outputs, check_report, deliver_simulation
    from proofs_check.command_line.simulate import simulate
    from proofs_check.command_line.simulation_options import make_simulation

    simulation = make_simulation(options)
    check_outputs(options)
    check_report(options)
    with _progress(quiet=False) as progress, ExitStack() as stack:
        executor = None
        if (address := options.dask) is not None:
            from proofs_check.sweeps.cluster import connect

            executor = stack.enter_context(connect(address, simulation.jobs))
            simulation = replace(simulation, jobs=executor.threads)
        result = simulate(simulation, call.words, progress, call.interrupts, executor)
    return deliver_simulation(options, result)


def _sweep_run(call: _Call, plan: str, options: sweep.SweepRunOptions) -> int:
    from proofs_check.sweeps.plan import load_plan

    with call.interrupts.at_once():
        read = load_plan(plan)
        if options.quiet or not sweep.watched():
            return sweep.run(read, options, None, call.package)
        with _progress(quiet=False) as progress:
            return sweep.run(read, options, progress, call.package)


def _sweep_status(call: _Call, store: str, _: sweep.NoOptions) -> int:
    with call.interrupts.at_once():
        return sweep.status(store)


def _sweep_export(call: _Call, store: str, options: sweep.SweepExportOptions) -> int:
    with call.interrupts.at_once():
        return sweep.export(store, options)


def _sweep_report(call: _Call, store: str, path: str, options: sweep.SweepReportOptions) -> int:
    with call.interrupts.at_once():
        return sweep.report(store, path, options)


def _sweep_diff(call: _Call, old: str, new: str, _: sweep.NoOptions) -> int:
    with call.interrupts.at_once():
        return sweep.difference(old, new)


def _sweep_merge(call: _Call, store: str, parts: list[str], _: sweep.NoOptions) -> int:
    with call.interrupts.at_once():
        return sweep.merge(store, parts)


def _progress(quiet: bool) -> AbstractContextManager[Progress]:
    from proofs_check.command_line.progress import TerminalProgress
    from proofs_check.engine.context import Silent

    return nullcontext(Silent()) if quiet or not sys.stderr.isatty() else TerminalProgress()
