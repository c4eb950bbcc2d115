"""PostgreSQL's SQL with its types: names, literals, casts and templates.

PostgreSQL decides by types what an operator does, and many of its functions fail for some values of their types. So a
tree is written together with its type, and each function is written so that it has a value for every argument.
"""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.engines.typed_sql.trees import Kind, Typed, fill_template, template
from privet.tables.engines.typed_sql.writer import refusal
from privet.tables.vocabulary import identifier

ENGINE, GRAMMAR = "PostgreSQL", "postgres"
TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "int32": "INT",
    "int128": "NUMERIC",
    "uint64": "NUMERIC",
    "uint128": "NUMERIC",
    "decimal": "NUMERIC",
    "real": "DOUBLE PRECISION",
    "boolean": "BOOLEAN",
    "text": "TEXT",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "zoned timestamp": "TIMESTAMPTZ",
}
_LONGEST_NAME = 63  # bytes; PostgreSQL cuts longer names, and two may become one


def refused(what: str, advice: str) -> InvalidError:
    """Refuse what PostgreSQL does not compute as every other engine does; known from the query alone."""
    return refusal(ENGINE, what, advice)


def fill(written: str, **trees: exp.Expr) -> exp.Expr:
    """Put trees in the place of the bare names of a template, which is written in PostgreSQL's SQL."""
    return fill_template(GRAMMAR, written, trees)


def let(body: str, **values: exp.Expr) -> exp.Expr:
    """Compute values once, and give a template in which their names stand for them.

    >>> let("v * v", v=fill("x + 1")).sql("postgres")
    '(SELECT v * v FROM (SELECT x + 1 AS v OFFSET 0) AS l)'
    """
    if all(_is_cheap(value) for value in values.values()):
        return exp.Paren(this=fill(body, **values))
    inner = exp.Select(expressions=[exp.alias_(value, name) for name, value in values.items()])
    inner = inner.offset(0)  # so that the planner does not put the values back into the body
    outer = exp.Select(expressions=[template(GRAMMAR, body).copy()]).from_(exp.Subquery(this=inner, alias=_alias("l")))
    return exp.Subquery(this=outer)


def _is_cheap(tree: exp.Expr) -> bool:
    while isinstance(tree, exp.Paren | exp.Cast | exp.Collate):
        tree = tree.this
    return isinstance(tree, exp.Column | exp.Literal)


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name))


def literal(value: str, kind: Kind) -> Typed:
    """Write a value of a type."""
    if "\0" in value:
        raise refused("texts have no NUL character", "take it out of the query or the codebook.")
    tree = convert(exp.Literal.string(value), kind)
    return Typed(tree, kind)


def convert(tree: exp.Expr, kind: Kind) -> exp.Expr:
    """Write a cast that PostgreSQL has and that never fails where it stands; texts are compared by code points."""
    cast = exp.Cast(this=tree, to=exp.DataType.build(TYPES[kind], dialect=GRAMMAR))
    return by_code_points(cast) if kind == "text" else cast


def by_code_points(tree: exp.Expr) -> exp.Expr:
    """Compare a text by its bytes, which is by code points."""
    return exp.Paren(this=exp.Collate(this=tree, expression=exp.to_identifier("C", quoted=True)))


def name_of(name: str) -> exp.Identifier:
    """Quote a name, or refuse one that PostgreSQL would cut."""
    if len(name.encode()) > _LONGEST_NAME:
        raise refused(f"names have at most {_LONGEST_NAME} bytes, got {name!r}", "give the column a shorter name.")
    return identifier(name)
