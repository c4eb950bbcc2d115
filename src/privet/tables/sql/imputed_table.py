"""Statements about a completed table: the missing values of one of its columns are imputed before anything else."""

import re
from collections.abc import Mapping
from typing import Any, final

from attrs import frozen
from sqlglot import exp

from privet.errors import InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.columns import closest
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.beside import Beside
from privet.tables.sql.table_names import find_table, path_of

_ARGUMENTS = ("name", "by", "within", "k", "scheme", "guess", "default", "table")
_FORM = "impute={'name': 'income', 'by': ['age', 'sex']}"
_NO_RULE = re.compile(r"^(\w+)\b.* cannot follow impute")
_CLAUSES = {
    "join": "a JOIN",
    "join_public": "a JOIN with a public table",
    "union": "UNION ALL",
    "summarize": "one row for each person",
}
_BEFORE = (
    "is not allowed with impute=...: the table is completed before anything else is done, and there is no rule behind "
    "that. Do it in Python, before impute: session.query().{}(...).impute('x', by=[...])."
)


@final
@frozen
class Imputation:
    """Which table of a statement is completed, and how.

    Args:
        table: The name of the table.
        how: The arguments of ``query.impute``.
    """

    table: str
    how: Mapping[str, Any]


def read_imputation(tree: exp.Expr, tables: Mapping[str, RowQuery], beside: Beside) -> Imputation | None:
    """Read ``impute={...}`` beside a statement; None without it.

    Args:
        tree: The statement.
        tables: The private tables, by name.
        beside: What stands beside it.
    """
    given = beside.impute
    if given is None:
        return None
    if not isinstance(given, Mapping) or "name" not in given:
        raise WrongTypeError(f"session.sql: impute must be a dictionary with a name, such as {_FORM}.")
    for key in given:
        if key not in _ARGUMENTS:
            hint = closest(str(key), _ARGUMENTS)
            raise InvalidError(f"session.sql: impute has no {key!r}.{hint} It takes {', '.join(_ARGUMENTS)}.")
    if beside.keys is not None:
        raise InvalidError("session.sql: keys=pv.private(...) has no rule with impute=...; list the groups instead.")
    how = {key: value for key, value in given.items() if key != "table"}
    return Imputation(_table_of(tree, tables, str(given["name"]), given.get("table")), how)


def _table_of(tree: exp.Expr, tables: Mapping[str, RowQuery], name: str, table: object) -> str:
    """Find the table of the statement that has the column, or that is named."""
    paths = [path for node in tree.find_all(exp.Table) if (path := path_of(node)) is not None]
    read = dict.fromkeys(each for path in paths if (each := find_table(path, tables)) is not None)
    if table is not None:
        if table not in read:
            raise InvalidError(
                f"session.sql: impute names the table {str(table)!r}, which the statement does not read."
            )
        return str(table)
    having = [each for each in read if name in tables[each].columns]
    if len(having) > 1:
        shown = ", ".join(map(repr, having))
        raise InvalidError(f"session.sql: impute: {shown} have {name!r}; say which: 'table': {having[0]!r}.")
    if not having:
        near = closest(name, [column for each in read for column in tables[each].columns])
        shown = ", ".join(map(repr, read)) or "no table"
        raise InvalidError(
            f"session.sql: impute: there is no column {name!r} in {shown}, which the statement reads.{near}"
        )
    return having[0]


def behind_impute(error: PrivetError) -> PrivetError:
    """Give an error whose advice is for a statement, where a node cannot follow an imputation."""
    found = _NO_RULE.match(str(error))
    if found is None or isinstance(error, UnavailableError):
        return error
    return InvalidError(f"SQL: {_CLAUSES.get(found[1], found[1])} {_BEFORE.format(found[1])}")
