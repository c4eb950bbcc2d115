"""Missing values of a column, imputed from the nearest rows that have one."""

from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, whole
from privet.imputation.scheme import Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.columns import Columns
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.imputation import FeatureNames, Imputation, read_imputation
from privet.tables.nodes.imputed_table import ImputedDomain, ImputedTable, KnownRows
from privet.tables.nodes.imputed_values import ImputedFacts, ImputedValues
from privet.tables.nodes.imputing import Imputing, TemporaryTables
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.table_space import Table, TableDomain, limits_of, table_of


def _features(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


@final
@frozen(kw_only=True)
class ImputeColumn(Transformation):
    """Impute the missing values of a column from the nearest rows that have one; rows of persons are capped first.

    Args:
        name: The column: a number with bounds, or with categories.
        by: The features that define how near rows are: names, or names with whole weights or pairs.
        within: Columns that a donor must share.
        scheme: How the values of donors become the value that a row lacks; by default the nearest neighbour.
        guess: A public guess about the data; it decides accuracy only.
        default_value: The public value in place of a missing donor.
        null_groups: Columns whose nulls are a category, so that nothing is missing.
        caps: How many rows of a person count; they must bound the rows.
        key: A secret number of 63 bits that decides which rows those are, and who gives to whom.

    Guarantee: ``map(d_in)`` is ``d_in`` times the rows of one privacy unit, compared in what does not depend on
    imputed values; facts about the columns bound all else.
    Proof: docs/tables/nodes/impute_column.md.

    >>> from privet.tables.columns import Column
    >>> from privet.tables.relations.table_space import UnitDistance
    >>> whole = Column(kind="integer", bounds=(0, 9))
    >>> people = Space(TableDomain(columns={"id": whole, "age": whole, "income": whole}), UnitDistance(("id",)))
    >>> (people >> ImputeColumn(name="income", by="age", caps=Caps(rows=3))).map(1)
    3
    """

    name: str
    by: FeatureNames = field(default=(), converter=_features)
    within: FeatureNames = field(default=(), converter=_features)
    scheme: Scheme | None = None
    guess: Guess | None = None
    default_value: object = None
    null_groups: frozenset[str] = frozenset()
    caps: Caps = field(factory=Caps)
    key: int = field(default=0, converter=whole, repr=False)

    def imputation(self, columns: Columns) -> Imputation:
        """State the imputation for rows with these columns."""
        return read_imputation(
            self.name,
            columns,
            by=self.by,
            within=self.within,
            scheme=self.scheme,
            guess=self.guess,
            default=self.default_value,
            null_groups=self.null_groups,
        )

    def output(self, space: Space) -> Space:
        """The completed rows, with the facts about the imputed column."""
        columns, id_columns = table_of(self, space)
        imputation = self.imputation(columns)
        self._rows_of_a_unit(id_columns)  # rows without a bound are refused
        facts = ImputedFacts(
            columns={self.name: ImputedValues(imputation.reach)},
            strata=frozenset(each.name for each in imputation.strata),
        )
        completed = {**columns, self.name: imputation.completed}
        table = TableDomain(columns=completed, limits=limits_of(space))
        return Space(ImputedDomain(table=table, facts=facts), KnownRows(id_columns=id_columns))

    def apply(self, value: Table, space: Space) -> ImputedTable:
        """Cap the rows, and write the relations of the imputation; nothing is read before it runs."""
        columns, id_columns = table_of(self, space)
        rows, names = value.relation, list(columns)
        if id_columns:
            rows = cap(rows, self.caps, person=id_columns, groups=(), used=names, key=self.key).select(*names)
        unique = id_columns if id_columns and self._rows_of_a_unit(id_columns) == 1 else None
        imputing = Imputing(
            imputation=self.imputation(columns),
            base=rows,
            names=TemporaryTables.fresh(),
            whose=unique,
            key=self.key,
        )
        completed = imputing.completed
        return ImputedTable(relation=completed.select(*names), known=completed, imputing=imputing, engine=value.engine)

    def stability(self, d_in: Any, space: Space) -> Distance:
        """One privacy unit has so many rows behind the caps; whether a row lacks a value depends on that row alone."""
        _, id_columns = table_of(self, space)
        return int(d_in) * self._rows_of_a_unit(id_columns)

    def _rows_of_a_unit(self, id_columns: tuple[str, ...]) -> int:
        return Grouping(caps=self.caps).contribution(has_ids=bool(id_columns)).l1
