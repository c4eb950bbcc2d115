"""The ends of a SELECT: ORDER BY, LIMIT and OFFSET."""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import describe
from privet.tables.sql.tree import is_whole_literal, refuse


def read_order(clause: exp.Expr | None) -> list[exp.Expr]:
    """Take an ORDER BY apart."""
    if clause is None:
        return []
    if not clause.expressions:
        raise InvalidError("SQL: an empty ORDER BY is not allowed. Name a column, or leave it out.")
    for each in clause.expressions:
        if type(each) is not exp.Ordered:
            raise refuse(f"{describe(each)} in ORDER BY", clause)
    return list(clause.expressions)


def read_rows(clause: exp.Expr | None, kind: type[exp.Expr]) -> int | None:
    """Read the number of a LIMIT or an OFFSET."""
    if clause is None:
        return None
    if type(clause) is not kind:
        raise refuse(type(clause).__name__.upper(), clause, "Write LIMIT 10.")
    value = clause.args.get("expression")
    if not is_whole_literal(value):
        raise refuse(f"{clause.key.upper()} without a whole number", clause, "Write LIMIT 10.")
    return int(value.name)
