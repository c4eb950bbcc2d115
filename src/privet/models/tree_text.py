"""A public tree in words."""

from collections.abc import Sequence

from privet.models.binning import Binning
from privet.models.features import Categorical, Numeric
from privet.models.signal import rows_text
from privet.models.tree_growth import DecisionTree


def describe_tree(tree: DecisionTree, leaves: Sequence[str]) -> str:
    """Describe a tree with one line for each side of a split and for each leaf, as scikit-learn does.

    A split that splits nothing, after the splits above it, has no line.

    Args:
        tree: The tree.
        leaves: What each leaf predicts.
    """
    possible = tuple(frozenset(range(size)) for size in tree.binning.sizes)
    return "\n".join(_lines(tree, leaves, (), 0, possible))


def _lines(
    tree: DecisionTree, leaves: Sequence[str], path: tuple[int, ...], shown: int, possible: tuple[frozenset[int], ...]
) -> list[str]:
    """Describe the part of a tree below a node.

    Args:
        tree: The tree.
        leaves: What each leaf predicts.
        path: The sides that lead to the node.
        shown: How many of its splits have a line: a split with one possible side says nothing.
        possible: The codes of each column that can get to the node.
    """
    indent = "|   " * shown + "|--- "
    depth, node = len(path), int("".join(map(str, path)) or "0", 2)
    if depth == len(tree.levels):
        count = rows_text(tree.rows[node])
        return [f"{indent}{leaves[node]}, {count}"]
    column, table = tree.levels[depth][node]
    there = [frozenset(code for code in possible[column] if table[code] == side) for side in (0, 1)]
    found = []
    for side, text in enumerate(_sides(tree.binning, column, table)):
        below = (*possible[:column], there[side], *possible[column + 1 :])
        if all(there):
            found += [f"{indent}{text}", *_lines(tree, leaves, (*path, side), shown + 1, below)]
        elif there[side]:
            found += _lines(tree, leaves, (*path, side), shown, below)
    return found


def _sides(binning: Binning, column: int, table: tuple[int, ...]) -> tuple[str, str]:
    """Say what rows go to the sides 0 and 1; the last code is for missing and unknown values."""
    names = binning.features.names
    name = str(column) if names is None else names[column]
    item, known = binning.features.columns[column], binning.known[column]
    if isinstance(item, Categorical):
        code = table.index(0)
        value = "no known category" if code == known else f"{item.values[code]}"
        return f"{name} is {value}", f"{name} is not {value}"
    first = table.index(1)
    if first == known:
        return f"{name} is known", f"{name} is missing"
    edge = _edge(binning, item, column, first)
    return f"{name} < {edge:.6g}", f"{name} >= {edge:.6g} or missing"


def _edge(binning: Binning, item: Numeric, column: int, code: int) -> float:
    """Return where a bin of numbers starts."""
    edges = binning.edges[column]
    if edges is not None:
        return edges[code - 1]
    return float(item.lower + (item.upper - item.lower) * code / binning.bins)
