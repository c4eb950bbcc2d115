"""The rows of a FROM clause: the names of their columns, and what WHERE and a sub-query's SELECT do to them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Column
from privet.tables.engines.grammar import Grammar
from privet.tables.expressions import Expression, Reference, parse, shorten, written
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.aggregates import refuse_aggregates
from privet.tables.sql.conditions import conjuncts, listed_values
from privet.tables.sql.periods import unit_of
from privet.tables.sql.table_names import Path, qualifier_of, qualifies
from privet.tables.sql.tree import is_star, only, read_scalar, refuse, split_alias

_PER_PERSON = (
    "With GROUP BY the id a sub-query has COUNT, SUM, AVG, MIN, MAX and ANY_VALUE of each person's rows; otherwise its "
    "SELECT must be the one that is released."
)
_WIDEST = 2**60  # bounds beyond are those of the type: a count plus one has them
_MOST_STEPS = 32  # filters and projections on top of each other, which are written by recursion


@final
@frozen
class Source:
    """One table of a FROM clause.

    Args:
        name: Its name, for ``name.column``.
        columns: From the names that a statement uses to the names in the query.
        path: Its name with schema and catalog, where it has no other name.
        qualified: The same for names with their table before them, where these are more.
    """

    name: str
    columns: Mapping[str, str]
    path: Path = ()
    qualified: Mapping[str, str] = field(factory=dict)

    def answers_to(self, qualifier: Path) -> bool:
        """Tell whether what stands before a column, in lower case, means this table."""
        return not qualifier or qualifies(qualifier, self.path or (self.name,))

    def find(self, name: str, *, qualified: bool = False) -> str | None:
        """Give the name of a column in the query, whatever its case; with its table before it or not."""
        columns = {**self.columns, **self.qualified} if qualified else self.columns
        if name in columns:
            return columns[name]
        same = [inner for seen, inner in columns.items() if seen.lower() == name.lower()]
        return same[0] if len(same) == 1 else None


Ends = tuple[Fraction, Fraction]
"""The lower and the upper bound of a column."""


@final
@frozen
class Origin:
    """Where the values of a column come from: a column of a public table, or of a query of one.

    Args:
        query: The public rows.
        name: The column there.
        optional: Whether a row may have no partner there, so that all columns of the table are null.
    """

    query: RowQuery
    name: str
    optional: bool = False


@final
@frozen
class SqlRows:
    """The rows of a FROM clause.

    Args:
        query: The rows; they hold the id columns, whether those were selected or not.
        sources: The joined tables; one table if there was no join.
        dialect: The grammar of the statement.
        steps: How many filters, projections and joins there are already.
        public: Whether the rows are those of public tables alone.
        origins: The columns whose values are those of a public table, by their names in the query.
        values: The only values that conditions leave a column, in the order in which they are written.
        units: The calendar units to which columns of sub-queries are cut.
        summary_bounds: Bounds of summaries of a person that hold for whoever keeps to the caps. Nothing enforces them
            here: aggregates clamp to them, and groups are listed by them.
        id_copies: Copies of the id, which are null where an outer join found no partner; they make no groups either.
    """

    query: RowQuery
    sources: tuple[Source, ...]
    dialect: Grammar
    steps: int = 0
    public: bool = False
    origins: Mapping[str, Origin] = field(factory=dict)
    values: Mapping[str, tuple[object, ...]] = field(factory=dict)
    units: Mapping[str, str] = field(factory=dict)
    summary_bounds: Mapping[str, Ends] = field(factory=dict)
    id_copies: frozenset[str] = frozenset()

    @property
    def visible(self) -> tuple[str, ...]:
        """The names of the columns that a statement can use."""
        return tuple(dict.fromkeys(name for source in self.sources for name in source.columns))

    @property
    def columns(self) -> Mapping[str, Column]:
        """What is known of the columns, by their names in the query."""
        names = dict.fromkeys(
            inner for source in self.sources for inner in (*source.columns.values(), *source.qualified.values())
        )
        known = self.query.columns
        return {name: known[name] for name in names}

    def seen_as(self, name: str) -> str:
        """Give the name that a statement uses for a column of the query; its own if it has no other."""
        every = [(seen, inner) for source in self.sources for seen, inner in source.columns.items()]
        return next((seen for seen, inner in every if inner == name), name)

    def label_of(self, node: exp.Column) -> str:
        """Give the name of a column as its table spells it."""
        every = [seen for source in self.sources for seen in (*source.columns, *source.qualified)]
        return next((seen for seen in every if seen.lower() == node.name.lower()), node.name)

    def called(self, name: str, path: Path = ()) -> "SqlRows":
        """Give the rows of one table another name."""
        return evolve(self, sources=(Source(name, self.sources[0].columns, path),))

    def find(self, node: exp.Column) -> str | None:
        """Give the name of a column in the query; None if there is no such column."""
        qualifier = qualifier_of(node)
        if not isinstance(node.this, exp.Identifier) or qualifier is None:
            return None
        sources = tuple(each for each in self.sources if each.answers_to(qualifier))
        names = {each.find(node.name, qualified=bool(qualifier)) for each in sources} - {None}
        if len(names) > 1:
            first = next(each for each in sources if each.find(node.name) is not None).name
            hint = f"Write {first}.{node.name}, with the table that is meant."
            raise refuse(f"{shorten(node.name)}, a column of several tables,", node, hint)
        return next(iter(names), None)

    def resolved(self, node: exp.Expr) -> exp.Expr:
        """Copy a tree, and replace the names that a statement uses by the names in the query."""
        tree = node.copy()
        for each in list(tree.walk()):
            each.meta.clear()  # places in the whole statement; messages give places in the expression
            inner = self.find(each) if isinstance(each, exp.Column) else None
            if inner is not None:
                each.set("this", exp.to_identifier(inner, quoted=True))
                for part in ("table", "db", "catalog"):
                    each.set(part, None)
        return tree

    def read(self, node: exp.Expr) -> Expression:
        """Read an expression over the columns; only what ``expressions.parse`` allows."""
        return read_scalar(self.resolved(node), self.columns, self.dialect)

    def where(self, clause: exp.Expr | None) -> "SqlRows":
        """Keep the rows of which a condition is true."""
        if clause is None:
            return self
        refuse_aggregates(clause.this, "in WHERE", clause, "Write it in HAVING, which sees released values.")
        rows = self.next(self.query.filter(self.condition(clause.this, "WHERE")))
        return evolve(rows, values={**self.values, **dict(self._listed(clause.this))})

    def condition(self, node: exp.Expr, clause: str) -> Expression:
        """Read a condition on the columns."""
        condition = self.read(node)
        if condition.kind != "boolean":
            raise MismatchError(f"SQL: {clause} takes a condition, got {condition.kind}: {shorten(written(node))}.")
        return condition

    def _listed(self, node: exp.Expr) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Give the columns that conditions leave a few values, and these."""
        for each in conjuncts(node):
            names = {id(column): self.find(column) for column in each.find_all(exp.Column)}
            kinds = {at: self.query.columns[name].kind for at, name in names.items() if name is not None}
            listed = listed_values(each, kinds)
            name = None if listed is None else names[id(listed[0])]
            if listed is not None and name is not None and name not in self.values:
                yield name, listed[1]

    def selected(self, items: Sequence[exp.Expr], names: Sequence[str] = ()) -> "SqlRows":
        """Compute every column anew; id columns stay, selected or not.

        Args:
            items: A SELECT list.
            names: Names for columns without one, by place.
        """
        outputs: dict[str, Expression] = {}
        for at, item in enumerate(self.expanded(items)):
            node, alias = split_alias(item)
            refuse_aggregates(node, "in a sub-query without GROUP BY", item, _PER_PERSON)
            value = self.read(node)
            source = value.name if isinstance(value, Reference) else None
            name = alias or (self.label_of(node) if source is not None and isinstance(node, exp.Column) else None)
            if name is None and at < len(names):
                name = names[at]
            if name is None:
                raise refuse("a column without a name", item, "Name it with AS.")
            if name.lower() in {other.lower() for other in outputs}:
                raise InvalidError(
                    f"SQL: two columns of a sub-query are called {shorten(name)}; name one of them with AS."
                )
            self.check_id_name(name, source)
            outputs[name] = value
        if not outputs:
            raise InvalidError("SQL: a SELECT without columns is not allowed.")
        return self.projected(self.query, outputs)

    def projected(self, query: RowQuery, outputs: Mapping[str, Expression], steps: int = 1) -> "SqlRows":
        """Let a statement see these columns and no others; an id column stays, and may be seen by another name.

        Args:
            query: The rows, with the columns that the outputs name.
            outputs: The columns, by the names that a statement uses from now on.
            steps: How many steps they are away from these rows.
        """
        copies = {name: value.name for name, value in outputs.items() if isinstance(value, Reference)}
        ids = {name: old for name, old in copies.items() if old in query.id_columns}
        bounds = {name: self.implied_bounds(value) for name, value in outputs.items()}
        cut = {name: unit for name, value in outputs.items() if (unit := unit_of(value)) is not None}
        rows = self.next(projected(query, {new: each for new, each in outputs.items() if new not in ids}), steps)
        return evolve(
            rows,
            sources=(Source("", {name: ids.get(name, name) for name in outputs}),),
            origins={new: self.origins[old] for new, old in copies.items() if old in self.origins},
            values={new: self.values[old] for new, old in copies.items() if old in self.values},
            units={**cut, **{new: self.units[old] for new, old in copies.items() if old in self.units}},
            summary_bounds={name: ends for name, ends in bounds.items() if ends is not None},
        )

    def implied_bounds(self, value: Expression) -> Ends | None:
        """Give the bounds of an expression of summaries that follow from the caps; None if it has its own, or none."""
        known = {each.name: each.declared for each in value.mentions() if each.name in self.summary_bounds}
        own = value.column.bounds
        if not known or (own is not None and own[1] - own[0] <= _WIDEST):
            return None
        pretended = {name: evolve(each, bounds=self.summary_bounds[name]) for name, each in known.items()}
        declared = {each.name: each.declared for each in value.mentions()}
        return parse(str(value), {**declared, **pretended}).column.bounds

    def narrowed(self, names: Collection[str]) -> "SqlRows":
        """Keep the columns of one table that have these names, in lower case; the others stay as long as one is left.

        Names that no query knows are looked for among the columns that stay, so a statement without any keeps all.
        """
        (source,) = self.sources
        kept = {seen: inner for seen, inner in source.columns.items() if seen.lower() in names}
        if not kept or len(kept) == len(source.columns):
            return self
        columns = self.query.columns
        ids = self.query.id_columns
        outputs: dict[str, Expression] = {inner: Reference(inner, columns[inner]) for inner in kept.values()}
        query = projected(self.query, {name: each for name, each in outputs.items() if name not in ids})
        return evolve(self.next(query), sources=(evolve(source, columns=kept),))

    def expanded(self, items: Sequence[exp.Expr]) -> list[exp.Expr]:
        """Write ``*`` and ``t.*`` out: the columns of the tables are public."""
        written_out: list[exp.Expr] = []
        for item in items:
            if not is_star(item):
                written_out.append(item)
                continue
            only(item if isinstance(item, exp.Star) else item.this, "this")
            qualifier = qualifier_of(item) if isinstance(item, exp.Column) else ()
            sources = [] if qualifier is None else [each for each in self.sources if each.answers_to(qualifier)]
            if not sources:
                raise refuse(f"{shorten(written(item))}, which names no table of FROM,", item, "Name a table of FROM.")
            written_out += self._columns_of(sources, item)
        return written_out

    def _columns_of(self, sources: Sequence[Source], item: exp.Expr) -> list[exp.Expr]:
        """Name all columns of tables; a column that joined tables share is named once."""
        inner: dict[str, str] = {}
        for source in sources:
            for seen, name in source.columns.items():
                if inner.setdefault(seen, name) != name:
                    hint = f"Name the columns: {shorten(seen)} is a column of several tables."
                    raise refuse(f"{shorten(written(item))} of several tables with {shorten(seen)}", item, hint)
        shared = [source for source in sources if len(sources) == 1]
        table = exp.to_identifier(shared[0].name, quoted=True) if shared and shared[0].name else None
        return [exp.Column(this=exp.to_identifier(seen, quoted=True), table=table) for seen in inner]

    def check_id_name(self, name: str, source: str | None) -> None:
        """Refuse to give the name of an id column to another column."""
        ids = self.query.id_columns
        if source not in ids and name.lower() in {each.lower() for each in ids}:
            raise InvalidError(
                f"SQL: {shorten(name)} is not allowed as a name here: {ids[0]!r} tells whose rows are protected "
                "and must stay as it is."
            )

    def next(self, query: RowQuery, steps: int = 1) -> "SqlRows":
        """Continue with other rows, unless there are too many steps."""
        if self.steps + steps > _MOST_STEPS:
            raise InvalidError(
                f"SQL: more than {_MOST_STEPS} steps of sub-queries on top of each other are not allowed."
            )
        return evolve(self, query=query, steps=self.steps + steps)


def added(query: RowQuery, values: Mapping[str, Expression]) -> RowQuery:
    """Add computed columns, all at once: one by one, each would add a SELECT."""
    return query.project({**_references(query), **values}, query.null_groups) if values else query


def projected(query: RowQuery, values: Mapping[str, Expression]) -> RowQuery:
    """Compute every column anew; id columns stay. A renamed column keeps all that is known of it."""
    sources = {name: value.name for name, value in values.items() if isinstance(value, Reference)}
    null_groups = {name for name, source in sources.items() if source in query.null_groups}
    return query.project(values, frozenset(null_groups) | (query.null_groups & set(query.id_columns)))


def renamed(query: RowQuery, names: Mapping[str, str]) -> RowQuery:
    """Give columns other names, old to new, all at once."""
    if all(old == new for old, new in names.items()):
        return query
    return projected(query, {names.get(name, name): value for name, value in _references(query).items()})


def _references(query: RowQuery) -> dict[str, Expression]:
    return {name: Reference(name, known) for name, known in query.columns.items()}
