"""Where a result goes: standard output, files, an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TextIO

import msgspec

from proofs_check.engine.context import UsageError
from reports.files import OutputError
from reports.results import Result, RunResult, SimulationResult, TheoremResult, Verdict

if TYPE_CHECKING:
    from proofs_check.command_line.check_options import CheckOptions
    from proofs_check.command_line.options import OptionSet
    from proofs_check.command_line.simulation_options import SimulationOptions

CODES = {Verdict.VERIFIED: 0, Verdict.REFUTED: 1, Verdict.INCONCLUSIVE: 3, Verdict.NOT_APPLICABLE: 4}
# A false variant is there to be refuted.
VARIANT_CODES = {**CODES, Verdict.VERIFIED: 1, Verdict.REFUTED: 0, Verdict.NOT_APPLICABLE: 3}
SEVERITY = (1, 3, 4, 0)
USAGE, FAILED_OUTPUT, INTERNAL, INTERRUPTED = 2, 5, 70, 130


def exit_code(result: TheoremResult | RunResult, allow_not_applicable: bool = False) -> int:
    """The first of 1, 3, 4, 0 that a verdict, a refuted claim or a false variant asks for."""
    theorems = result.theorems if isinstance(result, RunResult) else [result]
    codes = {CODES[theorem.verdict] for theorem in theorems}
    for theorem in theorems:
        codes |= {CODES[claim.verdict] for claim in theorem.claims if claim.verdict is Verdict.REFUTED}
        codes |= {VARIANT_CODES[variant.verdict] for variant in theorem.false_variants}
    code = next((code for code in SEVERITY if code in codes), CODES[Verdict.INCONCLUSIVE])
    return 0 if allow_not_applicable and code == CODES[Verdict.NOT_APPLICABLE] else code


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """A reader of our output that has seen enough (`| head`) is no error; a full disk is an OutputError."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # SystemExit is how Rich says the same.
        _let_go(sys.stdout)
        _let_go(sys.stderr)
    except OSError as error:
        _let_go(sys.stdout)
        raise OutputError(f"cannot write standard output: {error.strerror or error}") from error


def tell(text: str) -> None:
    """Print on standard error, if there is anybody to read it."""
    # With standard error closed, print() would take standard output.
    if sys.stderr is None:
        return
    from reports.text.summary import showable

    try:
        print(showable(text, sys.stderr.encoding), file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def tell_error(error: Exception, program: str, *, debug: bool) -> int:
    """One line on standard error; the exit code."""
    import typer

    from reports.text.summary import shorten_numbers

    if isinstance(error, OutputError):
        tell("error: " + " ".join(str(error).split()))
        return FAILED_OUTPUT
    if isinstance(error, UsageError | typer.TyperException):
        text = str(error)
        if isinstance(error, typer.TyperException):
            context = getattr(error, "ctx", None)
            program = context.command_path if context else program
            text = f"{error.format_message().rstrip('.')}; see {program} --help"
        tell("error: " + shorten_numbers(" ".join(text.split())))
        return USAGE
    if debug:
        tell("".join(traceback.format_exception(error)).rstrip())
    hint = "" if debug else "; --debug shows where"
    text = " ".join(f"{type(error).__name__}: {error}".split())
    tell(f"internal error: {text}{hint}")
    return INTERNAL


def _let_go(stream: TextIO | None) -> None:
    """Python flushes a stream again on its way out; what is left in it goes nowhere."""
    if stream is not None and not stream.isatty():
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def write_document(document: bytes) -> None:
    """JSON is UTF-8, whatever standard output is set to."""
    sys.stdout.flush()
    sys.stdout.buffer.write(document)


@contextmanager
def _named(option: str, remedy: str = "give a file in a folder that can be written") -> Iterator[None]:
    """An OutputError becomes a UsageError that names the option and says what would be right."""
    try:
        yield
    except OutputError as error:
        raise UsageError(f"{option}: {error}; {remedy}") from error


def check_outputs(options: OptionSet) -> None:
    """Raise UsageError if something could not be written in the end: every option with a PATH."""
    from reports.files import check_writable

    seen: set[str] = set()
    for option in options.declared():
        path = getattr(options, option.name)
        if option.metavar != "PATH" or path is None:
            continue
        if (place := os.path.realpath(path)) in seen:
            raise UsageError(f"{option.flag} {path!a}: two results in one file; give each its own path")
        seen.add(place)
        if path != "-":
            with _named(option.flag):
                check_writable(path)


def check_report(options: CheckOptions | SimulationOptions) -> None:
    """Raise UsageError if the report cannot have its style."""
    from reports.write import check_style

    style = options.report_style
    if options.report is not None:
        with _named("--report-style", "give another ending or style"):
            check_style(options.report, style)
    elif options.given("report_style"):
        raise UsageError(f"--report-style {style}: of no report; give --report PATH as well")


class Outputs:
    """Outputs under way; one that fails is told in a line, and does not stop the others."""

    def __init__(self) -> None:
        self.failed = False

    @contextmanager
    def attempt(self, flag: str) -> Iterator[None]:
        """Make and write the output of an option; without one, standard output, whose error names it."""
        try:
            yield
        except OutputError as error:
            self.failed = True
            tell(" ".join(f"error: {flag and flag + ': '}{error}".split()))

    def write(self, flag: str, path: str | None, make: Callable[[], bytes]) -> None:
        """Write a file, if it was asked for."""
        from reports.files import write_whole

        if path is not None:
            with self.attempt(flag):
                write_whole(path, make())

    def report(self, result: Result, path: str | None, style: str) -> None:
        """Write the report, if it was asked for, and say where else than there it is."""
        from reports.write import write_report

        if path is not None:
            with self.attempt("--report"):
                if message := write_report(result, path, style).message:
                    tell(message)

    @contextmanager
    def printed(self) -> Iterator[None]:
        """Print on standard output."""
        with self.attempt(""), reader_may_leave():
            yield

    def code(self, code: int) -> int:
        """The exit code, with what failed: after 130, 1 and 3, before 4 and 0."""
        return FAILED_OUTPUT if self.failed and code in {0, CODES[Verdict.NOT_APPLICABLE]} else code


class Delivery(Outputs):
    """Delivers the result of theorems: each as soon as it is done, files and the last line at the end."""

    def __init__(self, options: CheckOptions, *, several: bool) -> None:
        super().__init__()
        self.options, self.several = options, several

    def show(self, result: TheoremResult) -> None:
        """Print a theorem that is done."""
        if self.options.json == "-" or (self.several and self.options.quiet):
            return
        with self.printed():
            if not self.options.quiet:
                from reports.terminal.theorem import print_theorem

                print_theorem(result)
            self._close(result)
            if self.several:
                print("\n")

    def _close(self, result: TheoremResult | RunResult) -> None:
        """Print the closing line; alone, it is for a script to read."""
        if self.options.quiet:
            from reports.text.summary import closing_line, showable, to_unicode

            print(showable(to_unicode(closing_line(result)), sys.stdout.encoding))
        else:
            from reports.terminal.console import print_closing

            print_closing(result)

    def finish(self, run: RunResult) -> int:
        """Write the files, numbers before pictures; returns the exit code."""
        from reports.results import to_json

        options, result = self.options, run if self.several else run.theorems[0]
        planned = {
            "json": options.json,
            "csv": options.csv,
            "junit": options.junit,
            "report": _place(options.report),
            "certificate": options.certificate,
        }
        result = msgspec.structs.replace(result, outputs={k: v for k, v in planned.items() if v})
        begun = datetime.now(UTC) - timedelta(seconds=run.seconds)
        with self.printed():
            if options.json == "-":
                write_document(to_json(result))
            elif self.several:
                self._close(result)
        self.write("--json", None if options.json == "-" else options.json, lambda: to_json(result))
        self.write("--csv", options.csv, lambda: _csv(result))
        self.write("--junit", options.junit, lambda: _junit(result, begun))
        self.report(result, options.report, options.report_style)
        return self.code(exit_code(result, options.allow_not_applicable) if run.complete else INTERRUPTED)


def _place(report: str | None) -> str | None:
    """Where the report goes: beside the path given if there is no TeX."""
    if report is None:
        return None
    from reports.write import place

    return str(place(report).path)


def _csv(result: TheoremResult | RunResult) -> bytes:
    from reports.tables import to_csv

    return to_csv(result)


def _junit(result: TheoremResult | RunResult, begun: datetime) -> bytes:
    from reports.junit import to_junit

    return to_junit(result, begun)


def deliver_simulation(options: SimulationOptions, result: SimulationResult) -> int:
    """Write and print the result of a simulation, numbers before pictures; returns the exit code."""
    from reports.results import to_json
    from reports.simulation import plot, print_simulation, to_csv

    outputs = Outputs()
    picture, report = (options.plot, options.report) if result.rows else (None, None)
    planned = {"json": options.json, "csv": options.csv, "plot": picture, "report": _place(report)}
    result = msgspec.structs.replace(result, outputs={k: v for k, v in planned.items() if v})
    document = to_json(result)
    outputs.write("--json", None if options.json == "-" else options.json, lambda: document)
    outputs.write("--csv", options.csv, lambda: to_csv(result))
    with outputs.printed():
        if options.json == "-":
            write_document(document)
        else:
            print_simulation(result)
    if picture is not None:
        suffix = os.path.splitext(picture)[1].lower()
        outputs.write("--plot", picture, lambda: plot(result, suffix))
    outputs.report(result, report, options.report_style)
    return outputs.code(0 if result.complete else INTERRUPTED)
