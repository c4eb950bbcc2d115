"""Relations: one relational expression and what is publicly known of its columns.

A relation is data-free: it says what an engine would compute, and is only ever composed by the methods below. Names are
always quoted and values are nodes of the tree, so that no text of a user is ever read as SQL. Each method puts the
query so far into a derived table of its own; inner names are not seen outside it, which is why fixed names suffice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Column, find_column

_JOINS = {"inner": {"kind": "INNER"}, "left": {"side": "LEFT"}}
SCHEMA = "privet"  # tables are named with it, and no derived table can stand in for one; engines have another name


def identifier(name: str) -> exp.Identifier:
    """Quote a name."""
    return exp.to_identifier(name, quoted=True)


def column(name: str, table: str | None = None) -> exp.Column:
    """Refer to a column of the relation that an expression is put into."""
    return exp.Column(this=identifier(name), table=identifier(table) if table else None)


def named(expression: exp.Expr, name: str) -> exp.Alias:
    """Give an expression a name."""
    return exp.Alias(this=expression, alias=identifier(name))


def derived(query: exp.Query, name: str) -> exp.Subquery:
    """Make a query something to select from. Trees are shared, never changed: whoever writes one copies it first."""
    return exp.Subquery(this=query, alias=exp.TableAlias(this=identifier(name)))


def selection(
    outputs: Iterable[exp.Expr], source: exp.Expr, *, where: exp.Expr | None = None, group_by: Iterable[exp.Expr] = ()
) -> exp.Select:
    """Select outputs from a source; trees are put together, not copied.

    Args:
        outputs: The outputs.
        source: A table or a derived one.
        where: A condition on its rows.
        group_by: What makes a group.
    """
    query = exp.Select(expressions=list(outputs)).from_(source, copy=False)
    if where is not None:
        query = query.where(where, copy=False)
    return query.group_by(*group_by, copy=False)


def check_names(label: str, names: Iterable[str]) -> None:
    """Refuse names that an engine cannot tell apart, or cannot hold at all; names are public."""
    seen: dict[str, str] = {}
    for name in names:
        if not name or "\0" in name or not _is_unicode(name):
            raise InvalidError(
                f"{label}: a column name must have at least one character, no NUL and no half of a surrogate pair, got "
                f"{name!r}; rename it."
            )
        if name.casefold() in seen:
            other = seen[name.casefold()]
            raise InvalidError(
                f"{label}: columns {other!r} and {name!r} are one name to an engine; rename one of them."
            )
        seen[name.casefold()] = name


def _is_unicode(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _columns(value: Mapping[str, Column]) -> Mapping[str, Column]:
    return MappingProxyType(dict(value))


@final
@frozen(kw_only=True, eq=False)
class Relation:
    """A query that was not run yet.

    Args:
        query: The relational expression; its outputs are ``columns``, by name and in order.
        columns: What is publicly known of each output.

    >>> people = table("people", {"age": Column(kind="integer"), "name": Column(kind="text")})
    >>> people.filter(exp.GT(this=column("age"), expression=exp.Literal.number(17))).select("age").query.sql()
    'SELECT "r"."age" FROM (SELECT "r"."age", "r"."name" FROM ... AS "r" WHERE "age" > 17) AS "r"'
    """

    query: exp.Query = field(repr=False)
    columns: Mapping[str, Column] = field(converter=_columns)

    @columns.validator
    def _check_columns(self, _: object, value: Mapping[str, Column]) -> None:
        if not value:
            raise InvalidError("Relation.columns must name at least one column.")
        check_names("Relation.columns", value)

    def __getitem__(self, name: str) -> Column:
        return find_column("", name, self.columns)

    def outputs(self, source: str = "r") -> Iterator[exp.Expr]:
        """Refer to every column, in order, in a query that selects from this one by the name ``source``."""
        for name in self.columns:
            yield column(name, source)

    def derived(self, name: str = "r") -> exp.Subquery:
        """Make this relation something to select from."""
        return derived(self.query, name)

    def project(self, outputs: Mapping[str, tuple[exp.Expr, Column]]) -> "Relation":
        """Compute every column anew, each from the columns of the same row."""
        items = [named(expression.copy(), name) for name, (expression, _) in outputs.items()]
        return Relation(
            query=selection(items, self.derived()), columns={name: known for name, (_, known) in outputs.items()}
        )

    def select(self, *names: str) -> "Relation":
        """Keep these columns, in this order."""
        kept = {name: self[name] for name in names}
        return Relation(query=selection([column(name, "r") for name in names], self.derived()), columns=kept)

    def with_column(self, name: str, expression: exp.Expr, known: Column) -> "Relation":
        """Add a column, or replace the one of this name."""
        outputs: dict[str, tuple[exp.Expr, Column]]
        outputs = {each: (column(each, "r"), self[each]) for each in self.columns}
        return self.project({**outputs, name: (expression, known)})

    def filter(self, condition: exp.Expr) -> "Relation":
        """Keep the rows of which a condition is true; where it is null a row is dropped."""
        query = selection(self.outputs(), self.derived(), where=condition.copy())
        return Relation(query=query, columns=self.columns)

    def rename(self, names: Mapping[str, str]) -> "Relation":
        """Give columns new names, old to new."""
        for old in names:
            self[old]
        renamed = [names.get(name, name) for name in self.columns]
        check_names("Relation.rename", renamed)
        return self.project(
            {new: (column(old, "r"), self[old]) for old, new in zip(self.columns, renamed, strict=True)}
        )

    def union_all(self, other: "Relation") -> "Relation":
        """Put the rows of another relation with the same columns after these."""
        if dict(self.columns) != dict(other.columns):
            names = {**self.columns, **other.columns}
            differing = [name for name in names if self.columns.get(name) != other.columns.get(name)]
            raise MismatchError(f"Relation.union_all needs the same columns; {', '.join(map(repr, differing))} differ.")
        pair = (self, other.select(*self.columns))
        parts = [selection(part.outputs(), part.derived()) for part in pair]
        united = exp.Union(this=parts[0], expression=parts[1], distinct=False)
        query = selection(self.outputs(), derived(united, "r"))
        return Relation(query=query, columns=self.columns)

    def join(self, other: "Relation", *, on: Sequence[str], how: Literal["inner", "left"] = "inner") -> "Relation":
        """Match rows with equal values of the columns ``on``; null matches nothing.

        A left join keeps a row that has no match; the columns of ``other`` are null there.
        """
        self._check_join(other, on)
        added = [name for name in other.columns if name not in on]
        outputs: list[exp.Expr] = [*self.outputs("l"), *(column(name, "r") for name in added)]
        equal = exp.and_(*(exp.EQ(this=column(name, "l"), expression=column(name, "r")) for name in on))
        joined = exp.Join(this=other.derived("r"), on=equal, **_JOINS[how])
        query = selection(outputs, self.derived("l"))
        query.set("joins", [joined])
        known = {name: other[name] if how == "inner" else evolve(other[name], nullable=True) for name in added}
        return Relation(query=query, columns={**self.columns, **known})

    def _check_join(self, other: "Relation", on: Sequence[str]) -> None:
        if not on:
            raise InvalidError("Relation.join needs at least one column to join on.")
        for name in on:
            if self[name].kind != other[name].kind:
                raise MismatchError(f"Relation.join: {name!r} is {self[name].kind} here and {other[name].kind} there.")
        shared = [name for name in other.columns if name in self.columns and name not in on]
        if shared:
            raise MismatchError(f"Relation.join: both have {', '.join(map(repr, shared))}; rename or drop one first.")


def table(name: str, columns: Mapping[str, Column]) -> Relation:
    """Refer to a table of the engine."""
    source = exp.Table(this=identifier(name), db=identifier(SCHEMA))
    return Relation(query=selection([column(each) for each in columns], source), columns=columns)
