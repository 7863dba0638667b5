"""The import graph of the packages, read from their source.

An import inside a function counts, and so does a module that is reached through its package's name
(`numerics.laws.base.Law` after `import numerics`) or named in a package's `lazy_loader.attach`.  That
loading a module loads the packages that it lies in does not count: every package would be a circle.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("theory", "reports", "numerics", "proofs_check")


def modules() -> dict[str, Path]:
    """The file of each module; a package's is its `__init__.py`."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def graph() -> dict[str, set[str]]:
    """What each module imports of ours."""
    known = modules()
    return {
        name: imported(path.read_text(encoding="utf-8"), name, known, is_package=path.stem == "__init__")
        for name, path in known.items()
    }


def imported(source: str, module: str, known: Mapping[str, object], *, is_package: bool = False) -> set[str]:
    """The modules among those known that a module's source imports, but not for the type checker only."""
    reader = _Reader(module if is_package else module.rpartition(".")[0])
    reader.visit(ast.parse(source))
    found = {_longest(name, known) for name in reader.names()}
    return found - {None, module}


def _longest(name: str, known: Mapping[str, object]) -> str | None:
    """The module that a dotted name lies in."""
    while name not in known:
        name, dot, _ = name.rpartition(".")
        if not dot:
            return None
    return name


class _Reader(ast.NodeVisitor):
    """Collects what is imported, and what is reached through the names that an import binds."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.imports: set[str] = set()
        self.bound: dict[str, str] = {}
        self.chains: list[list[str]] = []

    def names(self) -> Iterator[str]:
        yield from self.imports
        for root, *rest in self.chains:
            if root in self.bound:
                yield ".".join([self.bound[root], *rest])

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in ast.unparse(node.test):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imports.add(alias.name)
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.bound[alias.asname or name] = name

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = importlib.util.resolve_name("." * node.level + (node.module or ""), self.package)
        for alias in node.names:
            self.imports.add(f"{base}.{alias.name}")
            self.bound[alias.asname or alias.name] = f"{base}.{alias.name}"

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain: list[str] = []
        below: ast.expr = node
        while isinstance(below, ast.Attribute):
            chain.insert(0, below.attr)
            below = below.value
        if isinstance(below, ast.Name):
            self.chains.append([below.id, *chain])
        else:
            self.visit(below)

    def visit_Call(self, node: ast.Call) -> None:
        words = [word.value for word in ast.walk(node) if isinstance(word, ast.Constant)]
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called == "import_module":
            self.imports |= {word for word in words if isinstance(word, str)}
        elif called == "attach":
            self.imports |= {f"{self.package}.{word}" for word in words if isinstance(word, str)}
        self.generic_visit(node)
