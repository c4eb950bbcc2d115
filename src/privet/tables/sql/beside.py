"""What a caller says beside a statement."""

from collections.abc import Callable, Mapping
from typing import Any, final

from attrs import field, frozen

from privet.errors import WrongTypeError
from privet.tables.queries.row_query import RowQuery

ImputeTable = Callable[[str, Mapping[str, int], Mapping[str, Any]], RowQuery]
"""From the name of a table, caps, and the arguments of ``query.impute`` to the completed rows."""


@final
@frozen(kw_only=True)
class Beside:
    """The arguments of ``session.sql`` besides the statement.

    Args:
        join_rows: How many rows of a person a join takes from the table that it adds, unless the statement says it.
        groups: The groups to release, as in ``Query.group_by``; needed if the codebook implies none.
        other: The key of one more group that holds all other rows.
        public: All rows of each public table, by name.
        keys: ``pv.private(delta=1e-7)`` if the groups are not public.
        impute: The arguments of ``query.impute``, by name, if a column is completed first.
        impute_table: What completes a table.
    """

    join_rows: int | None = None
    groups: object = None
    other: object = ()
    public: Mapping[str, RowQuery] = field(factory=dict)
    keys: object = None
    impute: object = None
    impute_table: ImputeTable | None = None


def refuse_arguments(unknown: Mapping[str, object]) -> None:
    """Refuse arguments that ``session.sql`` does not take, and say where those of a release belong."""
    if unknown:
        given = ", ".join(unknown)
        call = ", ".join(f"{name}=..." for name in unknown)
        raise WrongTypeError(
            f"session.sql takes dialect, join_rows, groups, other, keys and impute, got {given}. A budget and weights "
            f"are arguments of the release: write session.sql(text).release({call})."
        )
