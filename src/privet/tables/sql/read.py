"""SQL as a way to write queries: one SELECT becomes an aggregate query and post-processing of its release.

A list says which nodes of the tree are allowed. Any other node is refused by name, before a charge and before the table
is read. The text itself never reaches the engine.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.accounting.losses.loss import Loss
from privet.core import Fact
from privet.errors import InvalidError, PrivetError
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.engines.default import write_query
from privet.tables.engines.grammar import Grammar
from privet.tables.expressions import depth, shorten
from privet.tables.files.query_keys import write_sql
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.noise.least_epsilon import named_targets, read_targets
from privet.tables.noise.plan import LEVEL, NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery, Weights
from privet.tables.queries.batch import InBatch
from privet.tables.queries.bias import read_bias
from privet.tables.queries.row_query import RowQuery
from privet.tables.releases.release import Release
from privet.tables.sql import imputed_on_demand as on_demand
from privet.tables.sql.answer import SqlRelease
from privet.tables.sql.beside import Beside
from privet.tables.sql.conditions import mentioned_names
from privet.tables.sql.from_clause import Scope
from privet.tables.sql.imputed_table import behind_impute, read_imputation
from privet.tables.sql.instead import in_sql
from privet.tables.sql.interval_ends import split_ends, with_ends
from privet.tables.sql.keyed import SqlKeyedQuery, agreed_limits, budget_of, private_keys_of
from privet.tables.sql.options import caps_of, check_options, matched_of, threshold_of
from privet.tables.sql.outer import find_outer, outer_after
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.public_groups import describe_groups, plan_groups, release_groups
from privet.tables.sql.rows import Source, SqlRows
from privet.tables.sql.select import Selection
from privet.tables.sql.selected_query import (
    has_unknown_groups,
    keyed_query_of,
    note_outer_rows,
    query_of,
    read_averages,
)
from privet.tables.sql.shown_columns import hidden_aggregates, shown_columns
from privet.tables.sql.threshold import keep_large_groups
from privet.tables.sql.tree import Statement, only, read_dialect, read_statement, refuse
from privet.tables.vocabulary import Relation

if TYPE_CHECKING:
    from privet.tables.sql.imputed import SqlImputedQuery

_PARTS = ("with_", "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct")
_UNSELECTED = "used and not shown; each takes its share of the loss"
_ROOM = 12  # SELECTs that a session puts around the rows
_SHALLOW = 60  # levels of a tree that can be written however deep the call stack is


@final
@frozen(kw_only=True, repr=False)
class SqlQuery(QueryFile, InBatch):
    """A SELECT, ready to describe, plan and release. Made by ``session.sql``.

    Args:
        query: The aggregate query.
        after: The post-processing of its release.
        options: The privacy loss that its OPTIONS allow.
        text: The statement.
        join_rows: How many rows of a person a join takes, unless the statement says it.
        dialect: Whose SQL it is, if the caller said that.
    """

    query: AggregateQuery
    after: PostProcessing
    options: Mapping[str, Any]
    text: str
    join_rows: int | None = None
    dialect: Grammar | None = None

    def facts(self) -> tuple[Fact, ...]:
        """Say what the statement is, and what it computes."""
        return (("SQL", self.text), *self.query.facts())

    def words(self) -> Words:
        """The statement as plain data, in the words of a file."""
        grouped = self.query.grouped
        return write_sql(self.text, self.join_rows, grouped.listed_groups, grouped.other, self.dialect)

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> NoisePlan:
        """Choose the noise; read no data and spend nothing. The arguments are those of ``AggregateQuery.plan``."""
        limits = self._limits(epsilon=epsilon, delta=delta, rho=rho)
        if not self.query.aggregates:
            return plan_groups(self.query)
        plan = self.query.plan(weights=weights, group_size=group_size, **limits)
        amounts: Any = {"epsilon": None, "delta": None, "rho": None, **limits}
        return evolve(plan, source=plan_source(self, weights=weights, group_size=group_size, **amounts))

    def describe_plan(
        self, plan: NoisePlan, *, group_size: Amount = None, typical: Mapping[str, Any] | None = None
    ) -> str:
        """Write down groups, caps, and what to expect of the columns of the SELECT."""
        if not self.query.aggregates:
            return describe_groups(self.query)
        return self.query.describe_plan(plan, group_size=group_size, typical=typical, columns=self.columns)

    @property
    def columns(self) -> dict[str, str]:
        """By label, the aggregate that a column of the SELECT shows, or from which aggregates it is computed."""
        return shown_columns(self.after, self.query.aggregates, self.query.grouped.keys)

    @property
    def unselected(self) -> tuple[str, ...]:
        """The aggregates that HAVING, ORDER BY or an inner SELECT list name and the result does not show."""
        return hidden_aggregates(self.after, self.query.aggregates)

    def epsilon_for(
        self,
        half_widths: Mapping[str, Any] | None = None,
        /,
        *,
        level: Amount = LEVEL,
        group_size: Amount = None,
        delta: Amount = None,
        weights: Weights = None,
        **named: Any,
    ) -> float:
        """Give the least epsilon with which the intervals of columns are narrow enough; read no data, spend nothing.

        The arguments are those of ``AggregateQuery.epsilon_for``; the names are those of the columns of the SELECT.
        """
        widths, columns = named_targets(half_widths, named), self.columns
        for label, name in columns.items():
            if label in widths and name not in self.query.aggregates:
                raise InvalidError(f"epsilon_for: {label!r} is {name}. Give half-widths of those columns.")
        least: dict[str, float] = {}
        for label, width in read_targets(columns, widths).items():
            least[columns[label]] = min(width, least.get(columns[label], width))
        return self.query.epsilon_for(least, level=level, group_size=group_size, delta=delta, weights=weights)

    def release_plan(self, plan: NoisePlan, allowance: Allowance, *, again: bool = False) -> SqlRelease:
        """Charge a plan of this query, read once, add its noise, and do what the statement asks for afterwards."""
        if not self.query.aggregates:
            return self._made(release_groups(self.query))
        return self._made(self.query.release_plan(plan, allowance, again=again))

    def describe(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        typical: Mapping[str, Any] | None = None,
        bias: Amount = None,
        most_rows: int | None = None,
    ) -> str:
        """Write down groups, caps, noise and expected errors; read no data and spend nothing.

        The arguments are those of ``AggregateQuery.describe``.
        """
        limits = self._limits(epsilon=epsilon, delta=delta, rho=rho)
        share = read_bias("describe", bias, most_rows)
        if not self.query.aggregates:
            return describe_groups(self.query)
        shown: Any = {"group_size": group_size, "typical": typical, "bias": share}
        text = self.query.describe_for(limits, weights, columns=self.columns, **shown)
        return text if not self.unselected else f"{text}\nalso released: {', '.join(self.unselected)} ({_UNSELECTED})"

    def loss(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        bias: Amount = None,
        most_rows: int | None = None,
    ) -> Loss:
        """Give the privacy loss of a release."""
        limits = self._limits(epsilon=epsilon, delta=delta, rho=rho)
        if not self.query.aggregates:
            return plan_groups(self.query).loss
        measured: Any = {"bias": bias, "most_rows": most_rows}
        return self.query.loss(weights=weights, group_size=group_size, **measured, **limits)

    def release(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
        bias: Amount = None,
        most_rows: int | None = None,
        again: bool = False,
    ) -> SqlRelease:
        """Charge, read once and add noise; then apply HAVING, ORDER BY and LIMIT, and compute columns.

        Args:
            epsilon: The privacy loss that the release may have, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or its loss in concentrated privacy.
            weights: The share of the loss of each aggregate, relative to the others; or ``"equal errors"``.
            group_size: About how many rows a group has, if that is public; equal errors need it.
            bias: The share of the loss that is paid to measure what caps and bounds leave out; nothing by default.
            most_rows: Up to how many rows of a person that is measured.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        limits = self._limits(epsilon=epsilon, delta=delta, rho=rho)
        if not self.query.aggregates:
            return self._made(release_groups(self.query))
        measured: Any = {"bias": bias, "most_rows": most_rows, "again": again}
        return self._made(self.query.release(weights=weights, group_size=group_size, **measured, **limits))

    def in_batch(self, where: str) -> AggregateQuery:
        """Give the aggregate query, if the statement asks for nothing after the release: a batch would not do it."""
        after, shown = self.after, {output.label: output.name for output in self.after.columns}
        is_plain = all(label == name for label, name in shown.items()) and not self.unselected
        if after.having is not None or after.order or after.limit is not None or after.offset or not is_plain:
            raise InvalidError(
                f"{where}: a batch gives keys and aggregates. Leave HAVING, ORDER BY, LIMIT and computed columns out, "
                "or release the statement by itself."
            )
        if self.options:
            given = ", ".join(self.options)
            raise InvalidError(f"{where}: a batch has one budget; leave {given} out of OPTIONS.")
        if not self.query.aggregates:
            raise InvalidError(f"{where}: a batch needs aggregates. Add COUNT(*), or release the groups by themselves.")
        return self.query

    def _limits(self, **budget: Amount) -> dict[str, Any]:
        return agreed_limits(self.options, **budget)

    def _made(self, release: Release) -> SqlRelease:
        return SqlRelease(release=release, after=self.after, text=self.text)


def read_sql(
    tables: Mapping[str, RowQuery], text: str, *, dialect: object = None, beside: Beside
) -> "SqlQuery | SqlKeyedQuery | SqlImputedQuery":
    """Read one SELECT; read no data and spend nothing.

    Args:
        tables: All rows of each private table, by name.
        text: ``SELECT ward, COUNT(*) AS n FROM data GROUP BY ward``; docs/tables/sql.md lists what is allowed.
        dialect: Whose SQL it is, such as ``"postgres"``; plain SQL if nothing is said.
        beside: What a caller says beside the statement.

    Raises:
        PrivetError: for any part that is not allowed, by name.

    >>> import privet as pv
    >>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    >>> session = pv.Session([{"ward": "a"}] * 900, book, pv.budget(epsilon=1))
    >>> query = session.sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n DESC LIMIT 1")
    >>> query.release(epsilon=1).values("ward")
    ['a']
    """
    try:
        return evolve(_read(tables, read_statement(text, dialect), beside), dialect=read_dialect(dialect))
    except RecursionError:
        raise InvalidError(f"SQL: the statement is nested too deeply: {shorten(text)}.") from None
    except PrivetError as error:
        advice = in_sql(behind_impute(error))
        raise advice.with_traceback(None) from None  # what is wrong with a statement, nobody finds in our code


def _read(
    tables: Mapping[str, RowQuery], statement: Statement, beside: Beside
) -> "SqlQuery | SqlKeyedQuery | SqlImputedQuery":
    options = statement.options or {}
    caps: dict[str, Any] = dict(caps_of(options))
    imputation = read_imputation(statement.tree, tables, beside)
    if imputation is not None and beside.impute_table is not None:  # caps come first: nothing may follow but filters
        tables = {**tables, imputation.table: beside.impute_table(imputation.table, caps, imputation.how)}
        caps = {}
    id_columns = next(iter(tables.values())).id_columns
    outer = find_outer(statement.tree, id_columns)
    select = statement.tree if outer is None else outer.inner
    only(select, *_PARTS)
    check_options(id_columns, options)
    if statement.options is not None and not (select.meta.get("private") or statement.tree.meta.get("private")):
        raise InvalidError("SQL: WITH DIFFERENTIAL_PRIVACY must stand in the SELECT whose aggregates are released.")
    rows = _rows(tables, select, statement, beside)
    rows = evolve(rows, query=rows.query.cap(**caps)) if caps else rows
    items, ends = split_ends(select) if outer is None else (select.expressions, [])
    listed = beside.groups is not None or beside.keys is not None
    selection = Selection(rows, items, statement.bounds, of_persons=statement.options is not None, listed=listed)
    selection.read_keys(select.args.get("group"), select.args.get("distinct"))
    read_averages(selection, select)
    note_outer_rows(selection, select)
    selection.read_items()
    after = selection.after(select) if outer is None else outer_after(selection, outer)
    if select.args.get("distinct") and not select.args.get("group") and selection.keys and selection.aggregates:
        raise refuse("HAVING or ORDER BY of an aggregate with DISTINCT", select, "Write GROUP BY instead of DISTINCT.")
    after = with_ends(selection, keep_large_groups(selection, after, threshold_of(options)), ends)
    limits = budget_of(options)
    notes = tuple(selection.notes)
    if imputation is not None:
        if ends:
            raise refuse(
                f"{ends[0].node.name.upper()} with impute=...", ends[0].node, "release(interval=1/5) pays for it."
            )
        imputed = on_demand.imputed_query_of(selection, beside, statement.text)
        return on_demand.SqlImputedQuery(query=imputed, after=after, options=limits, text=statement.text, notes=notes)
    private, must = private_keys_of(options, beside.keys)
    if private is not None and beside.groups is None and (must or has_unknown_groups(selection)):
        keyed = keyed_query_of(selection, private, beside.other)
        _check_writable(keyed.rows.query.relation)
        beside_it: Any = {"join_rows": beside.join_rows, "given_keys": beside.keys is not None, "notes": notes}
        return SqlKeyedQuery(query=keyed, after=after, options=limits, text=statement.text, **beside_it)
    # after HAVING and ORDER BY, whose aggregates are released too
    query = query_of(selection, beside.groups, beside.other)
    _check_writable(query.grouped.query.relation)
    query = evolve(query, text=f"SQL: {statement.text}", notes=notes)  # the history shows what was written
    return SqlQuery(query=query, after=after, options=limits, text=statement.text, join_rows=beside.join_rows)


def _rows(tables: Mapping[str, RowQuery], select: exp.Select, statement: Statement, beside: Beside) -> SqlRows:
    """Read WITH, FROM and WHERE."""
    named = {
        name: SqlRows(
            query,
            (Source(name, {each: each for each in _described(query, name)}),),
            statement.dialect,
            public=name in beside.public,
        )
        for name, query in {**tables, **beside.public}.items()
    }
    matched = matched_of(statement.options or {}, beside.join_rows)
    rows = Scope(named, matched=matched, mentioned=mentioned_names(statement.tree)).source(select)
    if rows.public:
        raise InvalidError(
            "SQL: the statement reads public tables only, so that there is nothing to protect: compute it where they "
            f"are, without noise. The private tables are {', '.join(map(repr, tables))}."
        )
    return rows


def _described(query: RowQuery, table: str) -> tuple[str, ...]:
    """Name the columns of a private table that its codebook describes; the session added the others."""
    return tuple(name for name in query.curator.codebooks[table].columns if name in query.columns)


def _check_writable(relation: Relation) -> None:
    """Write the rows as SQL now, with room for groups and caps, so that too deep a nesting fails before a charge."""
    if depth(relation.query) <= _SHALLOW:
        return
    for _ in range(_ROOM):
        relation = relation.select(*relation.columns)
    write_query(relation)
