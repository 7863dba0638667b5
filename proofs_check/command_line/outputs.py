"""Where a result goes: standard output, files, an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from proofs_check.engine.plan import UsageError
from reports.files import OutputError
from reports.results import RunResult, SimulationResult, TheoremResult, Verdict

if TYPE_CHECKING:
    from proofs_check.command_line.options import CheckOptions, OptionSet
    from proofs_check.command_line.simulation_options import SimulationOptions

CODES = {Verdict.VERIFIED: 0, Verdict.REFUTED: 1, Verdict.INCONCLUSIVE: 3, Verdict.NOT_APPLICABLE: 4}
# A false variant is there to be refuted.
VARIANT_CODES = {**CODES, Verdict.VERIFIED: 1, Verdict.REFUTED: 0, Verdict.NOT_APPLICABLE: 3}
SEVERITY = (1, 3, 4, 0)
INTERRUPTED = 130


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
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


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
def _named(option: str) -> Iterator[None]:
    """An OutputError becomes a UsageError that names the option."""
    try:
        yield
    except OutputError as error:
        raise UsageError(f"{option}: {error}; give a file in a folder that can be written") from error


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


def deliver(options: CheckOptions, result: TheoremResult | RunResult) -> int:
    """Write and print the result; returns the exit code.

    Raises OutputError, or TypesettingError; the report comes last, so that neither hides the result.
    """
    from reports.console import print_result
    from reports.files import write_together
    from reports.results import to_json
    from reports.write import write_report

    json, junit, report = options.json, options.junit, options.report
    files: dict[str | os.PathLike[str], bytes] = {}
    if json is not None and json != "-":
        files[json] = to_json(result)
    if junit is not None:
        from reports.junit import to_junit

        files[junit] = to_junit(result)
    if files:
        write_together(files)
    with reader_may_leave():
        if json == "-":
            write_document(to_json(result))
        else:
            print_result(result, options.quiet)
    if report is not None and (message := write_report(result, report).message):
        tell(message)
    return exit_code(result, options.allow_not_applicable)


def deliver_simulation(options: SimulationOptions, result: SimulationResult) -> int:
    """Write and print the result of a simulation; returns the exit code.  Raises OutputError."""
    from reports.files import write_together
    from reports.results import to_json
    from reports.simulation import plot, print_simulation, to_csv

    json = options.json
    files: dict[str | os.PathLike[str], bytes] = {}
    if json is not None and json != "-":
        files[json] = to_json(result)
    if options.csv is not None:
        files[options.csv] = to_csv(result)
    if options.plot is not None and result.rows:
        files[options.plot] = plot(result, os.path.splitext(options.plot)[1])
    write_together(files)
    with reader_may_leave():
        if json == "-":
            write_document(to_json(result))
        else:
            print_simulation(result)
    return 0 if result.complete else INTERRUPTED
