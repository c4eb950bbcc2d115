"""Names of tables with a schema and a catalog before them, and columns with the name of their table before them."""

from collections.abc import Iterable

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.expressions import shorten

Path = tuple[str, ...]
"""The parts of a name, from the catalog to the table."""


def path_of(node: exp.Table) -> Path | None:
    """Give the parts of the name of a table; None if it is no name."""
    parts = [node.args.get("catalog"), node.args.get("db"), *_dotted(node.this)]
    names = [part for part in parts if part is not None]
    if not all(isinstance(part, exp.Identifier) for part in names):
        return None
    return tuple(part.name for part in names)


def _dotted(node: exp.Expr) -> list[exp.Expr]:
    """Take ``a.b`` apart, which the parser makes of a fourth part."""
    return [*_dotted(node.this), node.expression] if isinstance(node, exp.Dot) else [node]


def find_table(path: Path, tables: Iterable[str]) -> str | None:
    """Find the table that a name means, whatever its case; None if there is none, an error if there are several.

    A table of a session may have dots in its name. The longer of both names must end with the shorter one.

    >>> find_table(("pums", "PUMS"), ["PUMS"]), find_table(("PUMS",), ["a.PUMS"]), find_table(("b", "c"), ["a.c"])
    ('PUMS', 'a.PUMS', None)
    """
    known = list(tables)
    whole = ".".join(path).lower()
    same = [name for name in known if name.lower() == whole]
    if not same:
        parts = tuple(whole.split("."))
        same = [name for name in known if _ends_alike(parts, tuple(name.lower().split(".")))]
    if len(same) > 1:
        raise InvalidError(
            f"SQL: the table {shorten('.'.join(path))} may be {' or '.join(map(repr, same))}. Write the whole name."
        )
    return same[0] if same else None


def _ends_alike(first: Path, second: Path) -> bool:
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def no_table(path: Path, tables: Iterable[str]) -> InvalidError:
    """Say that there is no such table, and which ones there are."""
    name, known = ".".join(path), list(tables)
    return InvalidError(
        f"SQL: there is no table {shorten(name)}; there are {', '.join(map(repr, known))}.{closest(name, known)}"
    )


def qualifier_of(node: exp.Column) -> Path | None:
    """Give what stands before the name of a column, in lower case; None if some of it is no name."""
    parts = [part for part in (node.args.get(key) for key in ("catalog", "db", "table")) if part is not None]
    if not all(isinstance(part, exp.Identifier) for part in parts):
        return None
    return tuple(word for part in parts for word in part.name.lower().split("."))


def qualifies(qualifier: Path, path: Path) -> bool:
    """Tell whether what stands before a column names this table: the end of its name."""
    name = tuple(".".join(path).lower().split("."))
    return len(qualifier) <= len(name) and _ends_alike(qualifier, name)
