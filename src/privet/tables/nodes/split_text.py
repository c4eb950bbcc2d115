"""One row for each part of a text."""

from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, positive, whole
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.columns import Column, find_column
from privet.tables.relations.table_space import Table, UnitDistance, like, limits_of, table_of
from privet.tables.vocabulary import Relation, call, check_names, column, named, selection, text
from privet.tables.vocabulary import whole as whole_number

_LONGEST = 100  # characters of a separator


@final
@frozen(kw_only=True)
class SplitText(Transformation):
    """Cut a text wherever a separator occurs, and make one row for each of its first parts; null gives no row.

    Args:
        name: The column of the text.
        separator: What stands between two parts; at least one character.
        most: How many parts of a text are kept at most, the first ones.
        into: What to call the part; the name of the text where the part takes its place.

    Guarantee: counted in persons ``map(d_in) = d_in``; counted in rows ``most`` times ``d_in``.
    Proof: docs/tables/nodes/split_text.md.

    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> space = Space(TableDomain(columns={"tags": Column(kind="text")}), RowDistance())
    >>> chain = space >> SplitText(name="tags", separator=",", most=5, into="tag")
    >>> chain.output, chain.map(1)
    (Space(table(tags: text, tag: text), RowDistance()), 5)
    """

    name: str
    separator: str = field()
    most: int = field(converter=whole, validator=positive)
    into: str

    @separator.validator
    def _check_separator(self, _: object, value: object) -> None:
        if not isinstance(value, str):
            raise WrongTypeError(f"split.separator must be a text such as ',', got {type(value).__name__}.")
        if not 1 <= len(value) <= _LONGEST or "\0" in value or any("\ud800" <= each <= "\udfff" for each in value):
            raise InvalidError(
                f"split.separator must have between 1 and {_LONGEST} characters, none of them NUL or half of a "
                "surrogate pair."
            )

    def output(self, space: Space) -> Space:
        """The columns, and the part."""
        columns, id_columns = table_of(self, space)
        known = find_column("split", self.name, columns)
        if known.kind != "text":
            raise MismatchError(f"split cuts texts, and {self.name!r} is {known.kind}.")
        if self.into in id_columns:
            raise InvalidError(f"split: {self.into!r} tells whose rows are protected and must stay as it is.")
        if self.into != self.name and self.into in columns:
            raise InvalidError(f"split.into: there is a column {self.into!r} already; give another name.")
        described = {**columns, self.into: self._part(known)}
        check_names("split", described)
        limits = limits_of(space).repeated(self.most).wider(2 * (known.length or 0))  # the list, and the part
        return like(space, described, limits)

    def apply(self, value: Table, space: Space) -> Table:
        """Write the parts."""
        known, _ = table_of(self, self.output(space))
        part = call("each_part", column(self.name, "r"), text(self.separator), whole_number(self.most))
        outputs: list[exp.Expr] = [named(part, name) if name == self.into else column(name, "r") for name in known]
        return evolve(value, relation=Relation(query=selection(outputs, value.relation.derived()), columns=known))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """Every row gives as many rows as it has parts that are kept, which depend on it alone."""
        return int(d_in) * (1 if isinstance(space.metric, UnitDistance) else self.most)

    def rows_of(self, known: Column) -> int:
        """Give how many rows one row becomes at most."""
        return self.most

    def _part(self, known: Column) -> Column:
        """Say what a part is: no longer than the text, and one of the parts of its categories."""
        categories = None
        if known.categories is not None:
            parts = [part for each in known.categories for part in each.split(self.separator)[: self.most]]
            categories = tuple(dict.fromkeys(parts))
        return Column(kind="text", categories=categories, nullable=False, length=known.length)
