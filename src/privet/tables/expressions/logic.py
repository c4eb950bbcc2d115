"""Logic of three values: null is "not known", so false and null is false, true or null is true."""

from collections.abc import Callable

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import brief, count, of, to_real, to_timestamp, unlike, wanted
from privet.tables.expressions.node import Expression, Function, Literal, Nodes, Ranges, never
from privet.tables.expressions.ranges import Range, truth
from privet.tables.expressions.syntax import operand
from privet.tables.vocabulary import bare


def _conditions(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2, 1_000)
        return tuple(wanted(name, argument, ["boolean"]) for argument in arguments)

    return accept


def _possible(known: Range) -> set[bool | None]:
    """Give the truth values that may occur."""
    listed = (False, True) if known.categories is None else known.categories
    return {*listed, *([None] if known.nullable or known.never else [])}


def _truths(values: set[bool | None]) -> Range:
    return Range(kind="boolean", categories=tuple(v for v in (False, True) if v in values), nullable=None in values)


def _infer_in(ranges: Ranges) -> Range:
    return truth(nullable=any(known.nullable for known in ranges))


def _chain(name: str, meaning: str, decides: bool, tree: type[exp.Connector]) -> Function:  # noqa: FBT001 - the value
    def compiled(arguments: Nodes) -> exp.Expr:
        if len(arguments) == 1:
            return operand(arguments[0].sql())
        half = len(arguments) // 2  # balanced, so that a long chain is no deep tree
        return tree(this=compiled(arguments[:half]), expression=compiled(arguments[half:]))

    def infer(ranges: Ranges) -> Range:
        parts = [_possible(known) for known in ranges]
        values: set[bool | None] = {decides} if any(decides in part for part in parts) else set()
        if all((not decides) in part for part in parts):
            values.add(not decides)
        if all(part - {decides} for part in parts) and any(None in part for part in parts):
            values.add(None)
        return _truths(values)

    return Function(
        name=name,
        usage=f"x {name} y",
        meaning=meaning,
        nulls=f"some are null, and none is {str(decides).lower()}",
        domain="true, false",
        accept=_conditions(name),
        infer=infer,
        compile=compiled,
        strict=False,
        foldable=never,
        write=lambda texts: "(" + f" {name} ".join(texts) + ")",
    )


AND = _chain("and", "whether all are true", False, exp.And)  # noqa: FBT003
OR = _chain("or", "whether some is true", True, exp.Or)  # noqa: FBT003
NOT = Function(
    name="not",
    usage="not x",
    meaning="the other one",
    nulls="x is null",
    domain="true, false",
    accept=of("not", ["boolean"]),
    infer=lambda ranges: _truths({None if value is None else not value for value in _possible(ranges[0])}),
    foldable=never,
    compile=lambda arguments: exp.Not(this=operand(arguments[0].sql())),
    write=lambda texts: f"(not {texts[0]})",
)


def _listed(arguments: Nodes) -> Nodes:
    count("in", arguments, 2, 100_000)
    x, *items = arguments
    for item in items:
        if not isinstance(item, Literal):
            raise InvalidError(
                f"in takes a list of values that are written out, got {brief(item)}. Write x = a or x = b."
            )
    return (x, *(_as(x, item) for item in items))


def _as(x: Expression, item: Expression) -> Expression:
    """Give an item the kind of what is compared with it, if nothing is lost."""
    if item.kind == x.kind:
        return item
    if x.kind == "timestamp" and item.kind == "date":
        return to_timestamp(item)
    if isinstance(item, Literal) and x.kind == "real" and item.kind == "integer":
        near = to_real(item)
        if isinstance(near, Literal) and (near.value is None or int(near.value) == item.value):
            return near
    if isinstance(item, Literal) and x.kind == "integer" and item.kind == "real" and item.value == int(item.value):
        return Literal(int(item.value), "integer")
    raise unlike("in", x.kind, item.kind)


def _in_compile(arguments: Nodes) -> exp.Expr:
    x, *items = arguments
    listed = [bare(item.value) if isinstance(item, Literal) and x.kind == "integer" else item.sql() for item in items]
    return exp.In(this=operand(x.sql()), expressions=listed)


IN = Function(
    name="in",
    usage="x in ('a', 'b'), x not in (1, 2)",
    meaning="whether x is one of the values, which are written out",
    nulls="x is null; x is not listed and null is",
    domain="true, false",
    accept=_listed,
    infer=_infer_in,
    compile=_in_compile,
    strict=False,
    write=lambda texts: f"({texts[0]} in ({', '.join(texts[1:])}))",
)

FUNCTIONS = (AND, OR, NOT, IN)
