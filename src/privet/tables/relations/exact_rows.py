"""The rows of a public table as one hash, by which a ledger knows them."""

import json
from hashlib import sha256

from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import Relation, cast, column, number

_TEXT, _WHOLE = Column(kind="text"), Column(kind="integer")


def hash_rows(engine: Engine, relation: Relation) -> str:
    """Hash all rows of public data, with names and types; their order does not count.

    Args:
        engine: The engine that holds the data.
        relation: The rows.

    Guarantee: other rows, names or types have another hash. Reals are hashed with all of their digits, dates and
        timestamps as whole numbers, null as itself.
    Proof: JSON writes different lists of such values differently, and nobody knows two texts with the same SHA-256.

    >>> from privet.tables.engines.default import open_engine
    >>> engine, columns = open_engine(), {"age": Column(kind="integer")}
    >>> one, other, third = (
    ...     hash_rows(engine, engine.load([{"age": age} for age in ages], columns, name))
    ...     for name, ages in {"one": [31, 52], "other": [52, 31], "third": [31, 53]}.items()
    ... )
    >>> one == other, one == third
    (True, False)
    >>> engine.close()
    """
    exact = relation.project({name: _exact(name, known) for name, known in relation.columns.items()})
    rows = engine.execute(exact, order_by=tuple(exact.columns))
    data = [[name, known.kind, rows[name]] for name, known in relation.columns.items()]
    return sha256(json.dumps(data, allow_nan=False).encode("ascii")).hexdigest()


def _exact(name: str, known: Column) -> tuple[exp.Expr, Column]:
    """Refer to a column as an engine gives it back without loss."""
    value = column(name, "r")
    if known.kind == "real":
        return cast(value, "text"), _TEXT  # engines write as many digits as tell a real from all others
    if known.kind in ("date", "timestamp"):
        return number(value, known), _WHOLE
    return value, known
