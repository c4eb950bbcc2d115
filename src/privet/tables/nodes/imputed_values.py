"""Which columns depend on imputed values, and how far one donor moves them: facts inferred from expressions.

Proof: docs/tables/impute.md.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.core import short
from privet.errors import InvalidError
from privet.tables.expressions import Expression, Reference


@final
@frozen
class ImputedValues:
    """The fact that the values of a column depend on imputed ones.

    Args:
        reach: How far a value moves at most when one donor changes, in the units of the column; None where it may move
            over the whole range of the column.
    """

    reach: Fraction | None = field(default=None, repr=short)

    def __attrs_post_init__(self) -> None:
        if self.reach is not None and self.reach < 0:
            raise InvalidError(f"ImputedValues.reach must be zero or more, got {short(self.reach)}.")


WHOLE_RANGE = ImputedValues()
"""The fact about a column that was computed from imputed values in any way but a copy."""


@final
@frozen(kw_only=True)
class ImputedFacts:
    """How the rows of a query depend on imputed values.

    Args:
        columns: The facts about the columns that do, by name. A column that is not named here does not.
        rows: Whether imputed values decide which rows there are, or which group a row is in.
        strata: The columns that are the same for all rows of a stratum; donors come from the same stratum.

    >>> from privet.tables.columns.column import Column
    >>> income = Reference("income", Column(kind="integer", bounds=(0, 9)))
    >>> facts = ImputedFacts(columns={"income": ImputedValues(Fraction(3))})
    >>> facts.project({"copy": income}).columns["copy"].reach
    Fraction(3, 1)
    """

    columns: Mapping[str, ImputedValues] = field(factory=dict)
    rows: bool = False
    strata: frozenset[str] = frozenset()

    def infer(self, expression: Expression) -> ImputedValues | None:
        """Give the fact about the values of an expression; None where they do not depend on imputed values."""
        if isinstance(expression, Reference):
            return self.columns.get(expression.name)
        return WHOLE_RANGE if self.reads(expression.references()) else None

    def reads(self, names: Iterable[str]) -> bool:
        """Say whether any of these columns depends on imputed values."""
        return not self.columns.keys().isdisjoint(names)

    def project(self, outputs: Mapping[str, Expression]) -> "ImputedFacts":
        """Compute every column anew."""
        inferred = {name: self.infer(expression) for name, expression in outputs.items()}
        columns = {name: fact for name, fact in inferred.items() if fact is not None}
        strata = {name for name, expression in outputs.items() if self.strata.issuperset(expression.references())}
        return evolve(self, columns=columns, strata=frozenset(strata))

    def filter(self, condition: Expression) -> "ImputedFacts":
        """Keep the rows of which a condition is true."""
        return evolve(self, rows=self.rows or self.reads(condition.references()))

    def group_by(self, keys: Iterable[str]) -> "ImputedFacts":
        """Put the rows into groups."""
        return evolve(self, rows=self.rows or self.reads(keys))
