"""What every `record.check` of the sources came to while the suite ran.

A step that no test has seen fail may as well be replaced by `True`.  A run of the whole suite fails
for every call that was only ever given True, or was never reached, unless `tests/never_fails.toml`
says why.
"""

from __future__ import annotations

import ast
import functools
import sys
import tomllib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from proofs_check.engine.claims import Record

ROOT = Path(__file__).parents[1]
SOURCES = "proofs_check"
EXCEPTIONS = ROOT / "tests" / "never_fails.toml"
DEFAULT_MARKS = "not nightly"


@dataclass(frozen=True)
class Site:
    """A call that adds a step, named so that it may move: file:function, `#n` where it is not the first."""

    name: str
    path: Path
    first: int
    last: int


@dataclass
class _Calls(ast.NodeVisitor):
    """Calls of `record.check` in one module, and of functions that hand a parameter on to it."""

    file: str
    path: Path
    conduits: frozenset[str]
    scope: list[str] = field(default_factory=list)
    found: list[tuple[str, ast.Call]] = field(default_factory=list)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()

    visit_ClassDef = visit_FunctionDef

    def visit_Call(self, node: ast.Call) -> None:
        handed_on = bool(self.scope) and self.scope[-1] in self.conduits
        if (_checks(node) or _called(node) in self.conduits) and not handed_on:
            self.found.append((f"{self.file}:{'.'.join(self.scope)}", node))
        self.generic_visit(node)

    def sites(self) -> Iterator[Site]:
        seen: dict[str, int] = {}
        for name, node in sorted(self.found, key=lambda pair: pair[1].lineno):
            seen[name] = seen.get(name, 0) + 1
            number = "" if seen[name] == 1 else f"#{seen[name]}"
            yield Site(name + number, self.path, node.lineno, node.end_lineno or node.lineno)


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _checks(node: ast.Call) -> bool:
    """Whether it is `record.check(...)`, or `....record.check(...)`."""
    owner = getattr(node.func, "value", None)
    return _called(node) == "check" and "record" in (getattr(owner, "id", ""), getattr(owner, "attr", ""))


def conduits(tree: ast.AST) -> Iterator[str]:
    """Functions whose own parameters decide what `record.check` is told: their callers are the sites.

    That is `compare`, which decides and records, too, and what hands a relation on to it.
    """
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            parameters = {name.arg for name in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _hands_on(node, parameters):
                    yield function.name


def _hands_on(node: ast.Call, parameters: Container[str]) -> bool:
    if _checks(node):
        return _told(node) in parameters or any(word.arg == "compared" for word in node.keywords)
    relation = node.args[4] if _called(node) == "compare" and len(node.args) > 4 else None
    return isinstance(relation, ast.Name) and relation.id in parameters


def _told(node: ast.Call) -> str:
    holds = next((word.value for word in node.keywords if word.arg == "holds"), None)
    if holds is None and len(node.args) > 2:
        holds = node.args[2]
    return getattr(holds, "id", "")


class Sites:
    """Every call that adds a step, in the modules below a folder."""

    def __init__(self, folder: Path) -> None:
        trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
        self.conduits = frozenset(name for tree in trees.values() for name in conduits(tree))
        self.all: list[Site] = []
        for path, tree in trees.items():
            calls = _Calls(path.relative_to(folder).with_suffix("").as_posix(), path, self.conduits)
            calls.visit(tree)
            self.all += calls.sites()

    def at(self, frame: FrameType | None) -> Site | None:
        """The site whose call runs in this frame, or in its caller where the frame hands it on."""
        while frame and frame.f_code.co_name in self.conduits:
            frame = frame.f_back
        if frame is None:
            return None
        path, line = Path(frame.f_code.co_filename), frame.f_lineno
        inside = (site for site in self.all if site.path == path and site.first <= line <= site.last)
        return min(inside, key=lambda site: site.last - site.first, default=None)


class Outcomes:
    """A pytest plugin: watches `Record.check`, gathers what the workers of xdist saw, and judges."""

    def __init__(self, sites: Sites, exceptions: Path = EXCEPTIONS) -> None:
        self.sites, self.exceptions = sites, exceptions
        self.passed: set[str] = set()
        self.failed: set[str] = set()
        self.partial = False
        self.complaints: list[str] = []

    def watch(self, check: Callable[..., None]) -> Callable[..., None]:
        """The same method, its outcomes noted."""

        @functools.wraps(check)
        def watched(record: Record, kind: object, statement: str, holds: object, **rest: Any) -> None:
            site = self.sites.at(sys._getframe(1))
            if site is not None:
                (self.passed if holds else self.failed).add(site.name)
            check(record, kind, statement, holds, **rest)

        return watched

    def pytest_configure(self, config: pytest.Config) -> None:
        original = Record.check
        Record.check = self.watch(original)  # type: ignore[method-assign]
        config.add_cleanup(lambda: setattr(Record, "check", original))
        self.partial = not _whole_suite(config)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.partial |= any(item.get_closest_marker("nightly") is None for item in items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        seen = getattr(node, "workeroutput", {}).get("outcomes")
        if seen is None:
            self.partial = True
            return
        self.passed.update(seen["passed"])
        self.failed.update(seen["failed"])
        self.partial |= seen["partial"]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["outcomes"] = {
                "passed": sorted(self.passed),
                "failed": sorted(self.failed),
                "partial": self.partial,
            }
        elif exitstatus == pytest.ExitCode.OK and not self.partial:
            self.complaints = self.judge(tomllib.loads(self.exceptions.read_text(encoding="utf-8")))
            if self.complaints:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.complaints:
            terminalreporter.section("steps that no test has seen fail", red=True)
            terminalreporter.write_line("\n".join(self.complaints))

    def judge(self, exceptions: Mapping[str, str]) -> list[str]:
        """One line for every site that never failed, and for every exception that is none."""
        names = {site.name for site in self.sites.all}
        return [
            *(
                f"{name}: {'only ever passed' if name in self.passed else 'never reached'}"
                for name in sorted(names - self.failed - exceptions.keys())
            ),
            *(
                f"{name}: excepted, but {'it has failed' if name in names else 'there is no such call'}"
                for name in sorted(exceptions)
                if name not in names or name in self.failed
            ),
        ]


def _whole_suite(config: pytest.Config) -> bool:
    option = config.option
    narrowed = ("keyword", "ignore", "ignore_glob", "lf", "stepwise", "collectonly", "maxfail")
    return (
        config.args_source is pytest.Config.ArgsSource.TESTPATHS
        and option.markexpr == DEFAULT_MARKS
        and not any(getattr(option, name, None) for name in narrowed)
    )
