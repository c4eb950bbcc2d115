"""Rows in public groups."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

from attrs import evolve, field, frozen

from privet.core import Displayable, Fact, count_text
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables import files
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_distinct import DistinctColumn
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.columns import Rows, find_column
from privet.tables.curator.totals_request import TableTotals
from privet.tables.files.written import Words
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.group_totals import Grouping, Groups, check_statistic
from privet.tables.queries.describe_nodes import (
    bins_of,
    describe_aggregates,
    describe_caps,
    describe_kept_caps,
    describe_nodes,
)
from privet.tables.queries.own_period import is_own_period
from privet.tables.queries.row_query import RowQuery
from privet.tables.releases.table_release import TableRelease
from privet.tables.statistics import Contribution, implied_groups, listed_groups, read_other

_RESERVED = "privet "
_OWN_PERIOD = "note: the groups are the periods of the unit, so that all rows of one unit are in one group"
_LISTED = (
    "note: caps count over the groups that are listed: with other groups in the list, other rows of a person count, "
    "and every group may change"
)
_SUFFIXES = ("", "_error", "_low", "_high")  # as releases name their columns


@final
@frozen(kw_only=True, repr=False)
class GroupedRows(Displayable):
    """Rows in public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, in the order of the release.
        other: The last group, where it holds all rows of no other group.
        listed: Whether an analyst listed the groups; otherwise the codebook implies them.
    """

    query: RowQuery
    keys: tuple[str, ...] = ()
    groups: Groups = ((),)
    other: tuple[Any, ...] | None = None
    listed: bool = field(default=False, eq=False)

    def words(self, aggregates: Mapping[str, Aggregate], method: str = "group_by") -> Words:
        """Aggregates of the groups as plain data, in the words of a file."""
        groups = files.write_groups(method, self.keys, self.listed_groups, self.other) if self.keys else {}
        return {**self.query.words(), **groups, "aggregates": files.write_aggregates(aggregates)}

    def exact_words(self, aggregates: Mapping[str, Aggregate]) -> Words:
        """Everything that decides which rows count in which group, and what is computed, for a ledger.

        Args:
            aggregates: The aggregates, bound or not, by name.
        """
        query = self.query
        return {
            "rows": query.chain,
            "unit": query.unit,
            "caps": query.effective_caps,
            "estimated caps": query.auto_caps,
            "null groups": query.null_groups,
            "own period": self.one_group_each,
            "keys": self.keys,
            "groups": self.groups,
            "other": self.other,
            "aggregates": files.write_aggregates(aggregates),
        }

    @property
    def listed_groups(self) -> Groups:
        """The groups that an analyst listed; none where the codebook implies them."""
        groups = self.groups if self.other is None else self.groups[:-1]
        return groups if self.listed else ()

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows and the groups are; all of it public."""
        rows, _, *others = self.query.facts()
        return (rows, *((("groups", self.described_groups),) if self.keys else ()), *others)

    @property
    def described_groups(self) -> str:
        """How many groups there are, and by which keys."""
        return f"{len(self.groups):,} by {', '.join(self.keys)}" if self.keys else "one, all rows"

    def title(self, aggregates: Mapping[str, Aggregate]) -> str:
        """Write aggregates of the groups in one line, for the history of a session."""
        by = f"; by {', '.join(self.keys)} ({count_text(len(self.groups), 'group')})" if self.keys else ""
        return f"{describe_aggregates(aggregates)} of {describe_nodes(self.query.chain)}{by}"

    def bind(self, label: str, aggregate: Aggregate) -> Aggregate:
        """Bind an aggregate to the columns of the rows, and refuse statistics that the engine cannot count."""
        columns = self.query.columns
        if isinstance(aggregate, DistinctColumn) and self.query.id_columns[:1] == (aggregate.column,):
            aggregate = count_ids()  # the same number, which a person moves by one, however many rows they have
        bound = aggregate.bind(columns)
        for statistic in bound.measured().statistics:
            if self.other is not None and set(statistic.columns) & set(self.keys):
                raise InvalidError(f"agg: {label} reads a key, whose values the other group replaces; derive a copy.")
            check_statistic(f"agg: {label}", statistic, columns, has_ids=bool(self.query.id_columns))
        return bound

    @property
    def description(self) -> tuple[str, ...]:
        """The privacy unit, the rows, and how much one person counts; all of it public."""
        if not self.query.id_columns:
            return self.description_of_rows
        query, caps = self.query, self.query.effective_caps
        kept = (
            describe_kept_caps(query.chain, query.unit, query.caps, query.implied_caps)
            if not query.one_row_each
            else ()
        )
        caps = evolve(caps, by=caps.by_of(self.keys))
        if self.one_group_each:
            caps, kept = evolve(caps, groups=1), (*kept, _OWN_PERIOD)
        return (*self.description_of_rows, f"caps of a person: {describe_caps(caps)}", *kept)

    @property
    def description_of_lists(self) -> tuple[str, ...]:
        """Say where caps count over the groups that are listed, so that the list decides which rows count."""
        query, caps = self.query, self.query.effective_caps
        by = any(each.groups is not None for each in caps.by_of(self.keys))
        limited = bool(query.id_columns) and (caps.rows is not None or caps.groups is not None or by)
        once = query.one_row_each or self.one_group_each
        return (_LISTED,) if self.listed and limited and not once else ()

    @property
    def description_of_rows(self) -> tuple[str, ...]:
        """The privacy unit and the rows."""
        rows = f"rows: {describe_nodes(self.query.chain)}"
        return (f"protected: {self.query.curator.tables.protected}", rows, *self.query.curator.tables.part)

    @property
    def one_group_each(self) -> bool:
        """Whether all rows of one privacy unit lie in one group, because the groups are the periods of the unit."""
        query = self.query
        first = query.chain.links[0].unit
        book = query.curator.codebooks.get(first.name) if isinstance(first, FromTable) else None
        return book is not None and is_own_period(query.chain, book, self.keys)

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the reader of a release."""
        return self.query.curator.notes(self.description)

    @property
    def grouping(self) -> Grouping:
        """The groups, the caps, and the key that decides whose rows count."""
        grouping = self.query.grouping(self.keys, self.groups, self.other)
        return evolve(grouping, caps=evolve(grouping.caps, groups=1)) if self.one_group_each else grouping

    @property
    def totals(self) -> TableTotals:
        """The exact numbers of the groups."""
        query = self.query
        return TableTotals(
            tables=query.curator.tables, table=query.table, space=query.chain.output, grouping=self.grouping
        )

    @property
    def contribution(self) -> Contribution:
        """How much one privacy unit adds at most, from the unit, the nodes of the query and the caps."""
        unit = self.query.unit
        if isinstance(unit, Rows):
            rows: Any = self.query.chain.map(unit.count)
            return Contribution(l0=rows, l1=rows, linf=rows)
        return self.grouping.contribution(has_ids=True)  # no node splits a person in two


def count_once(grouped: GroupedRows) -> GroupedRows:
    """Keep one row of a person in a group, where only persons are counted and nothing else bounds the rows.

    The number of persons stays the same, so that a cap on groups alone is enough.
    """
    caps = grouped.query.effective_caps
    if not grouped.query.id_columns or caps.rows is not None or caps.rows_per_group is not None:
        return grouped
    return evolve(grouped, query=grouped.query.cap(rows_per_group=1))


def group_rows(
    query: RowQuery, keys: Sequence[str], *, groups: object = None, other: object = (), where: str = "group_by"
) -> GroupedRows:
    """Put rows into public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, or None for those that the codebook implies.
        other: The key of one more group that holds all other rows; an empty tuple for none.
        where: The caller, for messages.
    """
    check_keys(query, where, keys)
    if groups is None:
        check_persons(query, where, keys)
        listed = implied_groups(query.columns, keys, query.null_groups)
    else:
        named = _groups_of(where, keys, groups) if isinstance(groups, TableRelease) else groups
        listed = listed_groups(query.columns, keys, named)
    if isinstance(other, tuple) and not other:
        return GroupedRows(query=query, keys=tuple(keys), groups=listed, listed=groups is not None)
    label = read_other(query.columns, keys, listed, other, id_columns=query.id_columns)
    return GroupedRows(query=query, keys=tuple(keys), groups=(*listed, label), other=label, listed=groups is not None)


def _groups_of(where: str, keys: Sequence[str], release: TableRelease) -> list[tuple[Any, ...]]:
    """Give the groups of a release, such as one of private keys, by the names of their keys."""
    table = release.to_dict()
    columns = [find_column(f"{where}.groups", name, table, at="in the release") for name in keys]
    return list(zip(*columns, strict=True))


def check_keys(query: RowQuery, where: str, keys: Sequence[object]) -> None:
    """Refuse keys that cannot make a group."""
    for name in keys:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise WrongTypeError(f"{where} takes names of columns one by one, {where}('a', 'b'), got {kind}.")
        if "(" in name and name not in query.columns:
            label = name.partition("(")[0].strip() or "part"
            raise InvalidError(f"{where}: give what is computed a name: {where}({label}={name!r}).")
    if not keys or len(set(keys)) != len(keys):
        raise InvalidError(f"{where} takes different columns, at least one.")
    for name in map(str, keys):
        if name.lower().startswith(_RESERVED):
            raise InvalidError(
                f"{where}: names that begin with {_RESERVED!r} are used inside queries; rename {name!r}."
            )
        kind = find_column(where, name, query.columns).kind
        if kind not in ("integer", "text", "boolean"):
            how = "width=..." if kind == "real" else "by='month'"
            bins = bins_of(query.chain, name)
            advice = f"cut it into bins with bin({name!r}, {how}), or derive a column"
            if kind == "list":
                advice = f"make a row for each of its items first, unnest({name!r})"
            raise MismatchError(
                f"{where} takes integer, text and boolean columns, and {name!r} is {kind}: "
                f"{f'its bins are in {bins!r}, so write {where}({bins!r})' if bins else advice}."
            )


def check_persons(query: RowQuery, where: str, keys: Sequence[str]) -> None:
    """Refuse a group for each person: a release never describes one person."""
    for name in keys:
        if name in query.id_columns and query.columns[name].categories is None:
            raise InvalidError(
                f"{where}: {name!r} tells persons apart, and no answer is about one person. Count persons with "
                "count_ids(), or make one row for each person with summarize(...)."
            )


def name_aggregates(
    keys: Sequence[str], aggregates: Iterable[object], named: Mapping[str, object]
) -> dict[str, Aggregate]:
    """Give each aggregate its name in the release.

    Args:
        keys: The names of the group keys, which no aggregate may have.
        aggregates: Aggregates under their own names.
        named: Aggregates by name.
    """
    labelled: dict[str, Aggregate] = {}
    for name, aggregate in [(None, item) for item in aggregates] + list(named.items()):
        if not isinstance(aggregate, Aggregate):
            raise WrongTypeError(
                f"agg takes aggregates such as pv.count() or pv.mean('spending'), got {type(aggregate).__name__}."
                f"{_instead(name, aggregate)}"
            )
        label = aggregate.name if name is None else name
        if label in labelled or label in keys:
            raise InvalidError(f"agg: two columns of the result are called {label!r}; name one of them.")
        labelled[label] = aggregate
    if not labelled:
        raise InvalidError("agg takes at least one aggregate, such as pv.count().")
    return labelled


def _instead(name: str | None, given: object) -> str:
    """Say what to write instead of the names of other libraries: a text, a dictionary, or a function without a call."""
    pairs = list(given.items()) if isinstance(given, Mapping) else [(name, given)]
    column, function = pairs[0] if pairs else (None, None)
    if not isinstance(function, str) or not function.isidentifier():
        return " Call it: pv.mean('spending')." if callable(given) else ""
    if function in ("count", "size", "len"):
        return " Write pv.count()."
    return f" Write pv.{function}({column!r})." if isinstance(column, str) else f" Write pv.{function}(...)."


def check_outputs(keys: Sequence[str], aggregates: Mapping[str, Aggregate]) -> None:
    """Refuse aggregates whose columns would hide each other in the release."""
    taken = set(keys)
    for label, aggregate in aggregates.items():
        for output in aggregate.outputs:
            name = label if output == "" else f"{label}_{output}"
            columns = [f"{name}{suffix}" for suffix in _SUFFIXES]
            twice = next((each for each in columns if each in taken), None)
            if twice is not None:
                raise InvalidError(f"agg: two columns of the result are called {twice!r}; name them differently.")
            taken.update(columns)
