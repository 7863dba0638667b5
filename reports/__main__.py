"""`python -m reports RESULT.json PATH`: a report from a stored result."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from reports.files import OutputError
from reports.results import from_json
from reports.vocabulary import NotANumberError
from reports.write import FULL, STYLES, check_report_path, check_style, write_report

EXIT_OK, EXIT_USAGE, EXIT_FAILED, EXIT_INTERNAL, EXIT_INTERRUPTED = 0, 2, 5, 70, 130


class _Parser(argparse.ArgumentParser):
    """Errors in one line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"reports: {message}", file=sys.stderr)
        raise SystemExit(EXIT_USAGE)


def main(arguments: list[str] | None = None) -> int:
    """Write the report; the exit code says whether it was written, whatever the result's verdict."""
    parser = _Parser(prog="python -m reports", description="Write a report from a stored result.")
    parser.add_argument("result", metavar="RESULT.json", help="what --json wrote")
    parser.add_argument("path", metavar="PATH", help="ends in .html, .pdf or .tex")
    parser.add_argument("--report-style", choices=STYLES, default=FULL, help="how much of it (default: full)")
    options = parser.parse_args(arguments)
    try:
        return _convert(options.result, options.path, options.report_style)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    # The outermost boundary of the process; a file from elsewhere may hold anything.
    except Exception as error:  # noqa: BLE001
        return _fail(" ".join(f"internal error: {type(error).__name__}: {error}".split()), EXIT_INTERNAL)


def _convert(stored: str, path: str, style: str) -> int:
    try:
        check_report_path(path)
        check_style(path, style)
        result = from_json(Path(stored).read_bytes())
    except OutputError as error:
        return _fail(str(error), EXIT_USAGE)
    except OSError as error:
        return _fail(f"cannot read {stored!r}: {error.strerror}", EXIT_USAGE)
    except msgspec.MsgspecError as error:
        return _fail(f"{stored!r} is not a result written by --json: {error}", EXIT_USAGE)
    try:
        written = write_report(result, path, style)
    except OutputError as error:
        return _fail(str(error), EXIT_FAILED)
    except NotANumberError as error:
        return _fail(f"{stored!r} is not a result written by --json: {error}", EXIT_USAGE)
    if written.message:
        print(written.message, file=sys.stderr)
    return EXIT_OK


def _fail(message: str, code: int) -> int:
    print(f"reports: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
