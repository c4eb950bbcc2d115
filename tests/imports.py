"""Every import between our modules: at the top, for type checkers only, inside functions, and by name."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen


@frozen
class Import:
    """One module imports another.

    Args:
        target: The imported module.
        late: Whether the import happens inside a function.
    """

    target: str
    late: bool


def modules(root: Path, package: str) -> dict[str, ast.Module]:
    """Parse every module of a package below a folder."""
    trees = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        trees[".".join(part for part in parts if part != "__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def imports(trees: Mapping[str, ast.Module], package: str) -> dict[str, list[Import]]:
    """Give the imports of each module of the package, the package's own front door aside."""
    names = {name for name in trees if name != package}
    found: dict[str, list[Import]] = {}
    for name, tree in trees.items():
        pairs = _walk(tree, names, package, late=False)
        found[name] = [Import(target, late) for target, late in pairs if target != name]
    return {name: found[name] for name in trees if name in names}


def _walk(node: ast.AST, names: set[str], package: str, *, late: bool) -> Iterator[tuple[str, bool]]:
    for child in ast.iter_child_nodes(node):
        for target in _targets(child, names, package):
            yield target, late
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _walk(child, names, package, late=late or inside)


def _targets(node: ast.AST, names: set[str], package: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in names)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            full = f"{node.module}.{alias.name}"
            yield from (name for name in ([full] if full in names else [node.module]) if name in names)
    elif isinstance(node, ast.Call) and node.args and _called(node.func) == "import_module":
        yield from _named(node.args[0], names, package)


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _named(argument: ast.expr, names: set[str], package: str) -> Iterator[str]:
    """Read a literal name, or every module that a name with gaps may mean."""
    if isinstance(argument, ast.Constant) and argument.value in names:
        yield argument.value
    elif isinstance(argument, ast.JoinedStr) and isinstance(argument.values[0], ast.Constant):
        start = str(argument.values[0].value)
        if start.startswith(package):
            yield from (name for name in names if name.startswith(start))


def cycles(graph: Mapping[str, list[Import]]) -> list[list[str]]:
    """Give the strongly connected components with more than one module (Tarjan 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for target in {each.target for each in graph[name]}:
            if target not in order:
                visit(target)
                lowest[name] = min(lowest[name], lowest[target])
            elif target in stack:
                lowest[name] = min(lowest[name], order[target])
        if lowest[name] == order[name]:
            component = [stack.pop()]
            while component[-1] != name:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for name in graph:
        if name not in order:
            visit(name)
    return found
