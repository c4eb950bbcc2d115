"""The outermost SELECT: its keys, its aggregates, and the columns that it computes from released values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError, MismatchError, PrivetError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Column, Kind, find_column
from privet.tables.expressions import BY_NAME, Expression, Reference, depth, describe, shorten, written
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.sql.aggregates import Calls, grouped_items, holds_aggregate, is_aggregate, refuse_aggregates
from privet.tables.sql.call_bounds import CallBounds, unmarked
from privet.tables.sql.computed import Output, find_reach
from privet.tables.sql.ends import read_order, read_rows
from privet.tables.sql.instead import ONE_LEVEL, describe_levels, instead_of
from privet.tables.sql.key_groups import AS_TEXT, Key, as_text, beyond_note, clipped
from privet.tables.sql.person_averages import PersonCalls
from privet.tables.sql.plain_names import column_name, plain_name, second_name
from privet.tables.sql.post_processing import Order, PostProcessing, check_labels
from privet.tables.sql.release_columns import columns_of, released_column, released_kind, whole_columns
from privet.tables.sql.rows import SqlRows
from privet.tables.sql.tree import (
    compiled,
    free_name,
    is_star,
    is_whole_literal,
    only,
    read_scalar,
    refuse,
    split_alias,
)
from privet.tables.sql.vendors import check_quotients
from privet.tables.statistics import KEY_TYPES

_DEEPEST = 100
_LABELS_FIRST = ("bigquery", "clickhouse")  # there a label hides a column in HAVING
_HINT = "HAVING, ORDER BY and computed columns see keys and selected aggregates only."


class Selection:
    """The outermost SELECT while it is read into an aggregate query.

    Args:
        rows: The rows of its FROM clause.
        items: Its list.
        bounds: Bounds written within calls.
        of_persons: Whether an average is that of persons' averages, as under the privacy clause.
        listed: Whether the groups are listed or found, so that the keys stay as they are.
    """

    def __init__(
        self, rows: SqlRows, items: Sequence[exp.Expr], bounds: Sequence[CallBounds], *, of_persons: bool, listed: bool
    ) -> None:
        self.rows = rows
        self.items = [split_alias(item) for item in items]
        self.bounds = bounds
        self.of_persons = of_persons
        self.listed = listed
        self.columns: dict[str, str] = {}  # from compiled expressions to the columns with their values
        self.derived: dict[str, Expression] = {}  # the same expressions, by column
        self.taken = {name.lower() for name in rows.query.columns}
        self.keys: list[str] = []
        self.shown_keys: dict[str, Key] = {}  # by the column that makes the groups
        self.key_columns: dict[str, str] = {}  # from columns with values of a key to the column that makes the groups
        self.kinds: set[type[exp.Expr]] = set()  # the types of the keys: only such nodes are compared with keys
        self.aggregates: dict[str, Aggregate] = {}
        self.trees: dict[str, exp.Expr] = {}  # by label in lower case, over released columns
        self.places: list[exp.Expr | None] = []  # by place in the list, over released columns
        self.outputs: list[Output] = []
        self.summaries: dict[str, str] = {}  # of the rows of each person in a group, if the statement needs them
        self.by_person = False
        self.notes: list[str] = []

    @property
    def most_rows(self) -> int | None:
        """How many rows of a person count in a group; None if nothing bounds them."""
        if self.rows.query.imputed is not None:  # caps come before an imputation
            rows: Any = self.rows.query.chain.map(1)
            return int(rows)
        try:
            return GroupedRows(query=self.rows.query, keys=tuple(self.keys), groups=()).contribution.linf
        except InvalidError:
            return None

    def column_of(self, node: exp.Expr, label: str | None = None) -> str:
        """Name the column with the values of an expression; derive it if there is none."""
        value = self.rows.read(node)
        if isinstance(value, Reference):
            return value.name
        text = compiled(value)
        if text not in self.columns:
            name = free_name(label, self.taken) if label else plain_name(node, self.taken)
            self.taken.add(name.lower())
            self.derived[name] = value
            self.columns[text] = name
        return self.columns[text]

    def read_keys(self, group: exp.Expr | None, distinct: exp.Expr | None = None) -> None:
        """Read GROUP BY: columns, expressions, names and places of the SELECT list; and DISTINCT, which groups too."""
        clause = group or distinct
        if clause is None:
            return
        if group is not None and not group.expressions and not group.args.get("all"):
            raise InvalidError("SQL: an empty GROUP BY is not allowed. Name a key, or leave it out.")
        for key, label in self._key_nodes(group):
            refuse_aggregates(key, "in GROUP BY", clause)
            if isinstance(key, exp.Rollup | exp.Cube | exp.GroupingSets):
                raise refuse(f"GROUP BY {describe_levels(key)}", clause, ONE_LEVEL)
            name = self.column_of(key, label)
            if name in self.key_columns:
                if group is None or group.args.get("all"):
                    continue
                raise refuse("the same key twice in GROUP BY", clause)
            if name in self.rows.query.id_columns or name in self.rows.id_copies:
                hint = "A group of one person is that person's data. Count persons: COUNT(DISTINCT id)."
                raise refuse(f"GROUP BY {name!r}, which tells whose rows are protected,", clause, hint)
            self._add_key(name)
            self.kinds.add(type(key))
        if distinct is not None:
            self._check_distinct(distinct)

    def _add_key(self, name: str) -> None:
        """Add a key; dates, timestamps and real numbers make groups as texts, and the caps bound summaries."""
        value = self._value(name)
        key = Key(name, value)
        listed = self.listed or (isinstance(value, Reference) and value.name in self.rows.values)
        ends = None if listed or value.kind != "integer" else self.rows.implied_bounds(value)
        if value.kind not in KEY_TYPES or ends is not None:
            made = free_name(f"{name}{AS_TEXT}" if ends is None else name, self.taken)
            self.taken.add(made.lower())
            self.derived[made] = as_text(value, self.rows) if ends is None else clipped(value, ends, self.rows)
            key = Key(made, value, value.kind) if ends is None else Key(made, self.derived[made])
            self.notes += [] if ends is None else [beyond_note(name, ends)]
        self.keys.append(key.name)
        self.key_columns[name] = key.name
        self.shown_keys[key.name] = key

    def _check_distinct(self, distinct: exp.Expr) -> None:
        """Refuse a DISTINCT that would merge groups: rows of the result differ if all keys are selected."""
        only(distinct)
        if {name for name in map(self._key_of, (node for node, _ in self.items)) if name} != set(self.keys):
            raise refuse("DISTINCT without all keys of GROUP BY in the list", distinct, "Select the keys too.")

    def _key_nodes(self, group: exp.Expr | None) -> list[tuple[exp.Expr, str | None]]:
        """Give the keys and their names; ALL and DISTINCT stand for the items without an aggregate."""
        if group is None and any(holds_aggregate(node) is not None for node, _ in self.items):
            return []
        if group is not None and not group.args.get("all"):
            return [self._key_node(node) for node in group.expressions]
        chosen = {id(node) for node in grouped_items([node for node, _ in self.items])}
        return [item for item in self.items if id(item[0]) in chosen]

    def _key_node(self, node: exp.Expr) -> tuple[exp.Expr, str | None]:
        """Follow a place (``GROUP BY 1``) or a name of the SELECT list."""
        if isinstance(node, exp.Literal):
            return self.items[self._place(node, "GROUP BY")]
        name = column_name(node)
        same = [item for item in self.items if item[1] is not None and name is not None and item[1].lower() == name]
        is_column = name in {each.lower() for each in self.rows.visible}
        if not same:
            return node, next((label for item, label in self.items if item == node), None)
        alias_first = self.rows.dialect == "bigquery" and holds_aggregate(same[0][0]) is None
        return (node, None) if is_column and not alias_first else same[0]

    def _place(self, node: exp.Literal, clause: str) -> int:
        if not is_whole_literal(node) or not 1 <= int(node.name) <= len(self.items):
            raise refuse(f"{clause} {shorten(node.name)}", node, "Name a column, or give its place in the list.")
        return int(node.name) - 1

    def read_items(self) -> None:
        """Read the SELECT list: aggregates first, so that no computed column adds one of them again."""
        named: dict[int, str] = {}  # the names that the statement gives
        labels: dict[int, str] = {}  # those of the release, in which a key may have such a name already
        keys = {name.lower() for name in self.keys}
        for at, (node, alias) in enumerate(self.items):
            if is_aggregate(node):
                aggregate = self._calls().read(node)
                plain = (
                    plain_name(node) if isinstance(node, exp.Filter) else aggregate.name
                )  # a filter is a CASE within
                label = alias or second_name(plain, named.values())
                if label in named.values():
                    raise InvalidError(f"SQL: the name {label!r} is used twice; choose another with AS.")
                named[at], labels[at] = label, free_name(label, keys)
                self.aggregates[labels[at]] = aggregate
        shown: list[tuple[str, exp.Expr]] = []
        for at, (node, alias) in enumerate(self.items):
            if at in labels:
                aggregate = self.aggregates[labels[at]]
                names = zip(columns_of(named[at], aggregate), columns_of(labels[at], aggregate), strict=True)
                shown += [(name, released_column(column)) for name, column in names]
                self.places.append(shown[-1][1].copy() if len(self.aggregates[labels[at]].outputs) == 1 else None)
            else:
                shown.append(self._computed(node, alias, {label.lower() for label, _ in shown}))
                self.places.append(shown[-1][1].copy())
        if not self.aggregates and not self.keys:
            raise InvalidError(
                "SQL: a SELECT without an aggregate is not allowed: raw rows are never shown. Add COUNT(*)."
            )
        self.outputs = self.read_outputs(shown)
        for label, tree in shown:
            self.trees.setdefault(label.lower(), tree)
        check_labels(self.released(), self.keys)

    def read_outputs(self, items: Sequence[tuple[str, exp.Expr]]) -> list[Output]:
        """Give the columns of the result, from labels and expressions over released columns.

        Names of which one would hide another are refused.
        """
        known, numbers, released, whole = self.known(), self.numbers(), self.released(), self._whole()
        outputs: list[Output] = []
        labels: dict[bool, list[str]] = {True: [], False: []}  # with and without an interval
        for label, tree in items:
            check_quotients(tree, whole)
            value = read_scalar(tree.copy(), known, self.rows.dialect)
            name = value.name if isinstance(value, Reference) else None
            reach = None if name is not None else find_reach(tree, numbers, self.rows.dialect)
            outputs.append(Output(label, value, name, reach))
            labels[reach is not None or name in released].append(label)
        check_labels(labels[True], labels[False])
        return outputs

    def _computed(self, node: exp.Expr, alias: str | None, before: set[str]) -> tuple[str, exp.Expr]:
        """Read an item that is no aggregate: a key, or an expression over keys and aggregates.

        Args:
            node: The item.
            alias: Its name, if the statement gives one.
            before: The names of the items before it, in lower case.
        """
        if is_star(node):
            raise refuse("SELECT *", node, "Name keys and aggregates: rows are never shown.")
        key = self._key_of(node)
        if key is not None:
            column = next(name for name, each in self.key_columns.items() if each == key)
            name = self.rows.label_of(node) if isinstance(node, exp.Column) else column.rstrip()
            return alias or name, self.shown_keys[key].tree()
        tree = self.rewritten(node)
        others = {name.lower() for name in (*self.released(), *self.keys, *(label for _, label in self.items if label))}
        return alias or plain_name(node, before | others), tree

    def after(self, select: exp.Select) -> PostProcessing:
        """Read HAVING, ORDER BY, LIMIT and OFFSET."""
        having, order = select.args.get("having"), select.args.get("order")
        condition = None
        if having is not None:
            condition = self._released(having.this, "HAVING")
            if condition.kind != "boolean":
                raise MismatchError(
                    f"SQL: HAVING takes a condition, got {condition.kind}: {shorten(written(having.this))}."
                )
        return PostProcessing(
            columns=tuple(self.outputs),
            having=condition,
            order=tuple(self._order(order)),
            limit=read_rows(select.args.get("limit"), exp.Limit),
            offset=read_rows(select.args.get("offset"), exp.Offset) or 0,
        )

    def _order(self, clause: exp.Expr | None) -> Iterator[Order]:
        for each in read_order(clause):
            if isinstance(each.this, exp.Literal):
                tree = self.places[self._place(each.this, "ORDER BY")]
                if tree is None:
                    raise refuse(f"ORDER BY {each.this.name}, which stands for several columns,", each)
                value = read_scalar(tree.copy(), self.known(), self.rows.dialect)
            else:
                value = self._released(each.this, "ORDER BY")
            yield Order(value, bool(each.args.get("desc")), bool(each.args.get("nulls_first")))

    def _released(self, node: exp.Expr, clause: str) -> Expression:
        """Read an expression over released values."""
        tree = self.rewritten(node, self.trees if clause == "ORDER BY" else self.having_labels())
        check_quotients(tree, self._whole())
        value = read_scalar(tree, self.known(), self.rows.dialect)
        if not value.references():
            raise refuse(f"{shorten(written(node))} in {clause}, which names no column of the result,", node)
        return value

    def having_labels(self) -> dict[str, exp.Expr]:
        """Give the labels that HAVING may name: a label that is a key too means the key, but not in all dialects."""
        if self.rows.dialect in _LABELS_FIRST:
            return self.trees
        keys = {self.rows.seen_as(name).lower() for name in self.key_columns if name not in self.derived}
        return {label: tree for label, tree in self.trees.items() if label not in keys}

    def rewritten(self, node: exp.Expr, labels: Mapping[str, exp.Expr] | None = None) -> exp.Expr:
        """Replace keys, aggregates and, after the release, labels of the SELECT list by released columns.

        The result may name released columns only: ``read_scalar`` refuses any other name.

        Args:
            node: The expression.
            labels: The labels that it may name, in lower case, and what they stand for; None in the SELECT list.
        """
        if depth(node) > _DEEPEST:
            raise InvalidError(f"SQL: the expression is nested too deeply: {shorten(written(node))}.")
        whole = exp.Paren(this=node.copy())
        waiting: list[exp.Expr] = [whole.this]
        while waiting:
            part = waiting.pop()
            new = self._replacement(part, labels)
            if new is not None:
                part.replace(new)
                continue
            part.meta.clear()
            waiting += reversed(list(part.iter_expressions()))
        rewritten: exp.Expr = whole.this
        return rewritten

    def _replacement(self, node: exp.Expr, labels: Mapping[str, exp.Expr] | None) -> exp.Expr | None:
        """Give what replaces a node; None if its parts have to be looked at."""
        name = column_name(node)
        if labels is not None and name is not None and name in labels:
            return exp.Paren(this=labels[name].copy())
        if is_aggregate(node):
            return released_column(self._aggregate_column(node))
        key = self._key_of(node)
        if key is not None:
            return self.shown_keys[key].tree()
        if isinstance(node, exp.Column):
            if self.rows.find(node) is None:
                names = [*self.rows.visible, *(labels or ())]
                find_column("SQL", node.name, dict.fromkeys(names))
            hint = _HINT if labels is not None else "Put it in GROUP BY: raw rows are never shown."
            raise refuse(f"{shorten(written(node))} without an aggregate", node, hint)
        unknown = isinstance(node, exp.Anonymous) and node.name.lower() not in BY_NAME
        if unknown or isinstance(node, exp.Query | exp.Window | exp.AggFunc | exp.Filter | exp.WithinGroup | exp.Star):
            raise refuse(describe(node), node, instead_of(node))
        return None

    def _aggregate_column(self, node: exp.Expr) -> str:
        """Name the released column of an aggregate; add the aggregate if it is new, also for HAVING and ORDER BY."""
        aggregate = self._calls().read(node)
        if len(aggregate.outputs) != 1:
            raise refuse(f"{describe(unmarked(node))} within an expression", node, "It gives several columns.")
        return self.column_for(aggregate)

    def column_for(self, aggregate: Aggregate) -> str:
        """Name the released column of an aggregate with one output; add the aggregate if it is new."""
        same = [label for label, each in self.aggregates.items() if each == aggregate]
        if same:
            return columns_of(same[0], aggregate)[0]
        taken = {alias.lower() for _, alias in self.items if alias is not None}
        taken |= {name.lower() for name in (*self.aggregates, *self.keys, *self.rows.visible)}
        label = free_name(aggregate.name, taken)
        self.aggregates[label] = aggregate
        return columns_of(label, aggregate)[0]

    def _key_of(self, node: exp.Expr) -> str | None:
        """Name the key that an expression equals; None if it is no key."""
        if isinstance(node, exp.Column):
            column = self.rows.find(node)
            return None if column is None else self.key_columns.get(column)
        if type(node) not in self.kinds or holds_aggregate(node) is not None:
            return None
        try:
            name = self.columns.get(compiled(self.rows.read(node)))
        except PrivetError:  # an expression of the result, not of a row
            return None
        return None if name is None else self.key_columns.get(name)

    def _calls(self) -> Calls | PersonCalls:
        if self.by_person:
            ids = self.rows.query.id_columns
            return PersonCalls(ids, self.column_of, self.bounds, self.most_rows, self.summaries, self.taken)
        ids, implied = self.rows.query.id_columns, lambda name: self.rows.implied_bounds(self._value(name))
        return Calls(ids, self.column_of, self.bounds, self.most_rows, self.of_persons, implied)

    def _value(self, name: str) -> Expression:
        """Give the values of a column."""
        return self.derived[name] if name in self.derived else Reference(name, self.rows.query.columns[name])

    def _whole(self) -> set[str]:
        return whole_columns(self.aggregates, self._kind)

    def known(self) -> dict[str, Column]:
        """Give what is known of released columns: numbers are real, categories and keys have their kind."""
        known = {key: Column(kind=self._kind(key)) for key in self.keys}
        for label, aggregate in self.aggregates.items():
            known |= {name: Column(kind=released_kind(aggregate, self._kind)) for name in columns_of(label, aggregate)}
        return known

    def _kind(self, name: str) -> Kind:
        if name in self.summaries:
            return "integer" if self.summaries[name].startswith("count") else "real"
        return self._value(name).kind

    def released(self) -> list[str]:
        """Name the released columns that are no keys."""
        return [name for label, aggregate in self.aggregates.items() for name in columns_of(label, aggregate)]

    def numbers(self) -> dict[str, Column]:
        """Give what is known of released columns that are numbers with intervals."""
        numeric = [name for label, item in self.aggregates.items() if item.numeric for name in columns_of(label, item)]
        return {name: known for name, known in self.known().items() if name in numeric and known.kind == "real"}
