"""Numbers that are whole here and have decimals in another system, or the reverse: they decide what a quotient is."""

from collections.abc import Iterator

from sqlglot import exp

from privet.tables.engines.grammar import Grammar

WITH_DECIMALS: dict[Grammar, tuple[type[exp.Expr], ...]] = {
    "postgres": (exp.Extract, exp.Floor, exp.Ceil, exp.Round),
    "sqlite": (exp.Round,),
}
"""What gives numbers with decimals there, of whole numbers too: 5 / 2 is 2, and FLOOR(5) / 2 is 2.5."""


def find_operand(node: exp.Expr, kinds: tuple[type[exp.Expr], ...]) -> exp.Expr | None:
    """Find a part of one of these kinds that decides the type of a number, or nothing.

    Arithmetic, choices and signs take the type of their parts; a cast has its own.

    Args:
        node: The number.
        kinds: What to look for.
    """
    if isinstance(node, kinds):
        return node
    found = (find_operand(part, kinds) for part in _parts(node))
    return next((each for each in found if each is not None), None)


def _parts(node: exp.Expr) -> Iterator[exp.Expr]:
    """Give the parts of a number that decide its type."""
    if isinstance(node, exp.Case):
        yield from (each.args["true"] for each in node.args["ifs"])
        if node.args.get("default") is not None:
            yield node.args["default"]
    elif isinstance(node, exp.If):
        yield from (node.args[name] for name in ("true", "false") if node.args.get(name) is not None)
    elif isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Mod):
        yield from (node.this, node.expression)
    elif isinstance(node, exp.Coalesce | exp.Greatest | exp.Least):
        yield from (node.this, *node.expressions)
    elif isinstance(node, exp.Paren | exp.Neg | exp.Abs | exp.Nullif):
        yield node.this
