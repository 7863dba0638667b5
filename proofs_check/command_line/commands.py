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

from proofs_check.command_line.check_options import CheckOptions
from proofs_check.command_line.options import Option, OptionSet
from proofs_check.command_line.planning import one_by_one
from proofs_check.engine.context import UsageError
from proofs_check.engine.environment import Interrupts, long_numbers, own_version, rarely_collected
from proofs_check.engine.registry import THEOREMS, load_all, load_theorem, theorem_names, unknown

if TYPE_CHECKING:
    from proofs_check.command_line import sweep
    from proofs_check.command_line.simulation_options import SimulationOptions
    from proofs_check.engine.claims import Theorem
    from proofs_check.engine.context import Progress
    from reports.results import TheoremResult

PROGRAM, SCRIPT = "python -m proofs_check", "proofs-check"
HELP = {"help_option_names": ["-h", "--help"]}
INTERRUPTED = 130
SIMULATE = (
    "Run the architectures on sampled prompts.\n\nThe theory at finite context stands beside what is found."
)
Work = Callable[[], int]
Declared = TypeVar("Declared", bound=OptionSet)


def main(words: Sequence[str] | None = None, package: str = THEOREMS) -> int:
    """Run a command line and return its exit code; `package` holds the theorems."""
    interrupts = Interrupts()
    try:
        with interrupts.watched(), rarely_collected(), long_numbers():
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
    # Without any word it may be a shell that completes, which asks for all options.
    called = next((word for word in words if not word.startswith("-")), "" if words else None)
    command = typer.main.get_command(_application(package, called))
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


def _unconverted(parameter: Any) -> Any:
    """An option whose words are checked where `verify` checks them; Typer would load pydantic for it."""
    if parameter.param_type_name == "option":
        called = parameter.callback
        parameter.process_value = lambda ctx, value: called(ctx, parameter, value) if called else value
    return parameter


class _Command(TyperCommand):
    """A command that refuses an option given twice, or one in place of another's value."""

    def get_params(self, ctx: Any) -> list[Any]:
        return list(map(_unconverted, super().get_params(ctx)))

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

    def get_params(self, ctx: Any) -> list[Any]:
        return list(map(_unconverted, super().get_params(ctx)))

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


def _application(package: str, called: str | None) -> typer.Typer:
    """The commands; where one is called, the others without their options, which take time to make."""
    # A shell completes the name of a program, which `python -m proofs_check` is not.
    completed = _program_name() == SCRIPT
    application = typer.Typer(
        cls=_Commands, add_completion=completed, rich_markup_mode=None, context_settings=HELP
    )
    application.callback()(_program)
    helps = {name: f"Check {name} on a law of ||m||^2." for name in theorem_names(package)}
    for name, help in (helps | {"all": "Check all theorems."}).items():
        options = CheckOptions if called in {None, name} else OptionSet
        application.command(name, cls=_Check)(_command(options, _run, help))
    application.command("list", cls=_Command)(_list)
    application.command("explain", cls=_Command)(_explain)
    application.command("formal", cls=_Command)(_formal)
    simulation: type[OptionSet] = OptionSet
    if called in {None, "simulate"}:
        from proofs_check.command_line.simulation_options import SimulationOptions

        simulation = SimulationOptions
    application.command("simulate", cls=_Command)(_command(simulation, _simulate, SIMULATE))
    application.add_typer(_sweeps(empty=called not in {None, "sweep"}), name="sweep")
    return application


def _sweeps(*, empty: bool) -> typer.Typer:
    group = typer.Typer(cls=_Sweeps, help="Run grids of command lines, and compare.")
    if empty:
        return group
    from proofs_check.command_line import sweep

    def add(
        name: str, options: type[OptionSet], work: Callable[..., int], help: str, **arguments: str
    ) -> None:
        group.command(name, cls=_Command)(_command(options, work, help, arguments))

    alone, store = sweep.NoOptions, {"store": "STORE"}
    add("run", sweep.SweepRunOptions, _sweep_run, "Run what is missing of a sweep.", plan="PLAN.toml")
    status = _at_once(lambda store, _: sweep.status(store))
    add("status", alone, status, "Count what is done, failed and missing in a store.", **store)
    add("export", sweep.SweepExportOptions, _at_once(sweep.export), "Write the table of a store.", **store)
    report = _at_once(sweep.report)
    add("report", sweep.SweepReportOptions, report, "Draw the table of a store.", **store, path="REPORT")
    differ = _at_once(lambda old, new, _: sweep.difference(old, new))
    add("diff", alone, differ, "Compare two stores; exit code 1 if they differ.", old="OLD.db", new="NEW.db")
    merge = _at_once(lambda store, parts, _: sweep.merge(store, parts))
    add("merge", alone, merge, "Bring the outcomes of shards together.", **store, parts="PART...")
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
    # A terminal shows no derivation.
    plans = [replace(plan, typeset=bool(options.json or options.report)) for plan in plans]
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
    from proofs_check.command_line import sweep
    from proofs_check.sweeps.plan import load_plan

    with call.interrupts.at_once():
        read = load_plan(plan)
        if options.quiet or not sweep.watched():
            return sweep.run(read, options, None, call.package)
        with _progress(quiet=False) as progress:
            return sweep.run(read, options, progress, call.package)


def _at_once(work: Callable[..., int]) -> Callable[..., int]:
    """Work that Ctrl-C ends as soon as it is pressed."""

    def done(call: _Call, *given: Any) -> int:
        with call.interrupts.at_once():
            return work(*given)

    return done


def _progress(quiet: bool) -> AbstractContextManager[Progress]:
    from proofs_check.command_line.progress import TerminalProgress
    from proofs_check.engine.context import Silent

    return nullcontext(Silent()) if quiet or not sys.stderr.isatty() else TerminalProgress()
