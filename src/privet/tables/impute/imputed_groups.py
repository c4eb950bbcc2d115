"""Imputed rows in public groups: which groups one row moves, and which keys are known."""

from collections import Counter
from typing import Any, final

from attrs import frozen

from privet.core import Space
from privet.errors import InvalidError
from privet.tables.columns import Columns, Rows
from privet.tables.nodes.group_totals import Groups
from privet.tables.nodes.imputation import Imputation
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.nodes.imputed_table import ImputedDomain
from privet.tables.nodes.imputed_values import ImputedFacts
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.relations.table_space import RowDistance


@final
@frozen(kw_only=True)
class ImputedGroups:
    """Imputed rows in public groups.

    Args:
        grouped: The rows and their groups.
    """

    grouped: GroupedRows

    def __attrs_post_init__(self) -> None:
        if self.grouped.other is not None:
            raise InvalidError("group_by: a group of all other rows has no rule behind impute(...); list the groups.")

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that make a group."""
        return self.grouped.keys

    @property
    def groups(self) -> Groups:
        """The groups, in the order of the release."""
        return self.grouped.groups

    @property
    def facts(self) -> ImputedFacts:
        """What depends on imputed values."""
        return (self.grouped.query.imputed or ImputedFacts()).group_by(self.keys)

    @property
    def imputation(self) -> Imputation:
        """What is imputed, and how."""
        links = [link for link in self.grouped.query.chain.links if isinstance(link.unit, ImputeColumn)]
        node: Any = links[0].unit
        columns: Columns = links[0].input.domain.columns  # type: ignore[attr-defined]
        imputation: Imputation = node.imputation(columns)
        return imputation

    @property
    def space(self) -> Space:
        """The completed rows as a table, with the limits of all nodes."""
        domain: ImputedDomain = self.grouped.query.chain.output.domain  # type: ignore[assignment]
        return Space(domain.table, RowDistance())

    @property
    def together(self) -> int:
        """The largest number of groups that one row may move: those that may hold rows of one stratum."""
        places = [at for at, name in enumerate(self.keys) if name in self.facts.strata]
        return max(Counter(tuple(group[at] for at in places) for group in self.groups).values())

    @property
    def known_keys(self) -> tuple[str, ...]:
        """The keys that do not depend on imputed values."""
        return tuple(name for name in self.keys if not self.facts.reads([name]))

    @property
    def rows_of_a_unit(self) -> int:
        """The largest number of rows that one privacy unit has in the completed table."""
        unit = self.grouped.query.unit
        rows: Any = self.grouped.query.chain.map(unit.count if isinstance(unit, Rows) else 1)
        return int(rows)
