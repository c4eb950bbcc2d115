"""Sessions: private tables, codebooks and a budget; questions are charged before a table is read."""

from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from attrs import evolve

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics.convert import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.infinite import InfiniteBudget
from privet.accounting.planning.ledger import told
from privet.combinators.privacy_filter import PrivacyFilter
from privet.core.rows import Array
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, MismatchError, WrongTypeError
from privet.noise import uniform_below
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.engines.default import open_engine
from privet.tables.keys.private_keys import plan_private_keys
from privet.tables.nodes.from_table import FromTable
from privet.tables.noise.plan import NoisePlan, add_noise
from privet.tables.queries.aggregate_query import AggregateQuery, GroupedQuery, Weights
from privet.tables.queries.batch import Batch, BatchPlan, BatchRelease
from privet.tables.queries.budget_arguments import read_budget
from privet.tables.queries.partition import most_parts, part_of, shared_out
from privet.tables.queries.query import Query
from privet.tables.relations.caps import KEY_BITS
from privet.tables.relations.filling import filled
from privet.tables.relations.id_columns import id_columns_of, with_id_columns
from privet.tables.relations.table_space import Database, DatabaseDomain, RowDistance, Table, UnitDistance, means_of
from privet.tables.releases.release import Release, released
from privet.tables.session.sampling import for_population
from privet.tables.statistics.statistic import Statistic
from privet.tables.vocabulary.relation import Relation

if TYPE_CHECKING:
    from privet.tables.rollup.plan import RollupPlan
    from privet.tables.rollup.query import RollupQuery
    from privet.tables.rollup.release import RollupRelease
    from privet.tables.sql.answer import SqlAnswer

_numbers = count(1)
Codebooks = Codebook | str | Path


@final
class Session:
    """Private answers about one table or several, within one budget.

    Args:
        source: A path of CSV or Parquet files, an Arrow table, a pandas or polars frame, a pair of an open DuckDB
            connection and a table, or a list of dictionaries. Or several by name: ``{"visits": ..., "patients": ...}``.
        codebook: What is publicly known of it: a ``Codebook``, or the path of one; or several by name.
        budget: What all releases together may cost; its form is that of every charge.
        memory: How much memory queries may use, such as ``"4GB"``; more spills to disk.
        threads: How many threads queries may use; one for each core by default.
        snapshot: Whether to copy Parquet files now. Otherwise they are read by each query, and once one of them has
            changed the session answers nothing more. All other sources are read once and for all.

    Guarantee: all releases together cost no more than the budget, for neighbours that differ in one privacy unit of the
        codebook. Nothing else depends on the data.
    Proof: docs/tables/session.md.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.columns.unit import Rows
    >>> book = Codebook(columns={"ward": column("text", categories=("a", "b"))}, unit=Rows())
    >>> session = Session([{"ward": "a"}] * 900 + [{"ward": "b"}] * 100, book, budget(epsilon=1))
    >>> answer = session.query().group_by("ward").agg(count()).release(epsilon=0.5)
    >>> [bool(850 < answer.values("count")[0] < 950), session.remaining.epsilon]
    [True, Fraction(1, 2)]
    """

    def __init__(
        self,
        source: Any,
        codebook: Codebooks | Mapping[str, Codebooks] | None = None,
        budget: Budget | None = None,
        *,
        memory: str | None = None,
        threads: int | None = None,
        snapshot: bool = False,
    ) -> None:
        sources, codebooks = _tables(source, codebook)
        if budget is None:
            raise WrongTypeError("Session.budget is missing: give pv.budget(epsilon=...), or with delta, or rho.")
        if not isinstance(budget, Budget):
            raise WrongTypeError(
                f"Session.budget must be a budget such as pv.budget(epsilon=1), got {type(budget).__name__}."
            )
        self._filter = PrivacyFilter(budget)
        self.codebooks = codebooks
        self.owner = id_columns_of(codebooks)
        self.key = uniform_below(2**KEY_BITS)  # decides whose rows stay where there are too many
        engine, tables = open_engine(memory=memory, threads=threads), {}
        for name, book in codebooks.items():
            raw = {each: item.column for each, item in book.columns.items()}
            for each in self.owner[:1]:
                raw[each] = evolve(raw[each], rounds=False)  # rounding would make one person of many
            person = self.owner[0] if self.owner else None
            loaded = with_id_columns(
                engine.load(sources[name], raw, name, snapshot=snapshot), book.unit
            )  # the period of a date as read
            tables[name] = filled(loaded, book.columns, key=self.key, person=person)
        self.database = Database(tables=tables, engine=engine)
        self._borrowed = False
        self.told: tuple[str, ...] = ()  # which part of another session's rows this is

    @property
    def codebook(self) -> Codebook:
        """What is publicly known of the first table."""
        return next(iter(self.codebooks.values()))

    @property
    def space(self) -> Space:
        """The private tables, and how far apart neighbours are."""
        domain = DatabaseDomain(tables={name: each.columns for name, each in self.database.tables.items()})
        return Space(domain, UnitDistance(self.owner) if self.owner else RowDistance())

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent."""
        return self._filter.spent

    @property
    def loss(self) -> Loss:
        """What everything so far costs together, in the form of the budget.

        Where the codebooks say that the data are a secret sample, what it costs the persons of the population: the
        sample was drawn once, so that the *total* is amplified, never a single release.
        """
        return for_population(self._filter.spent.loss(), self.codebooks)

    @property
    def remaining(self) -> Any:
        """What may still be spent."""
        return self._filter.remaining

    def query(self, table: str | None = None) -> Query:
        """Begin a query: all rows of a private table, the first one by default."""
        name = next(iter(self.codebooks)) if table is None else table
        if name not in self.codebooks:
            raise InvalidError(f"query: there is no table {name!r}; there are {', '.join(map(repr, self.codebooks))}.")
        chain = self.space >> FromTable(name=name)
        book = self.codebooks[name]
        missing = frozenset(each for each, item in book.columns.items() if isinstance(item.nulls, NullsAsCategory))
        return Query(session=self, chain=chain, unit=book.unit, missing=missing)

    def sql(
        self,
        text: str,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Weights = None,
        rows: Any = None,
        join_rows: Any = None,
        among: Any = None,
        other: Any = (),
    ) -> "SqlAnswer":
        """Answer one SELECT; what is understood is in docs/tables/sql.md.

        Args:
            text: The statement.
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each aggregate, or ``"equal errors"``.
            rows: How many rows a group has, as far as is publicly known; needed for equal errors.
            join_rows: How many rows of a person a join takes of the table that it adds.
            among: The groups to answer for, such as those of ``Query.private_keys``, where the codebook implies none.
            other: The key of all other rows, where they are wanted too.
        """
        from privet.tables.sql.read import read_sql

        asked = read_sql(self, text, join_rows=join_rows, among=among, other=other)
        return asked.release(epsilon=epsilon, delta=delta, rho=rho, weights=weights, rows=rows)

    def answer(self, question: AggregateQuery, plan: NoisePlan, delta: Any) -> Release:
        """Charge, read once, add noise. Called by ``AggregateQuery.release``."""
        grouped = question.grouped
        self._check_plan(question, plan)
        grouping = grouped.grouping
        table = self._table(grouped.query)
        reading = grouping.reading(table.relation, self.owner, plan.statistics)  # what is wrong with it shows now
        self.rehearse(grouped.query, [query for _, query in reading])
        self._charge(plan.loss, delta=delta or None)
        return self._released(question, plan, add_noise(plan, grouping.read(table, reading)))

    def rehearse(self, query: Query, relations: Sequence[Relation]) -> None:
        """Refuse what the engine can answer for no table, before it is charged; reads no rows."""
        self.database.engine.rehearse(relations, means_of(query.chain.output), query.columns)

    def check_charges(self, wanted: AdditiveBudget, charges: Sequence[tuple[Loss, Any]]) -> None:
        """Refuse what does not fit the budget as a whole, before its first part is charged; spends nothing.

        Args:
            wanted: What all parts together stay within.
            charges: Pairs (loss, delta) as they will be charged.
        """
        left = self._filter.remaining
        total = Point.total((left.price(loss, delta or None), 1) for loss, delta in charges)
        if type(wanted) is type(left):
            total = wanted.point()
        room = left.point()
        if total.cost > room.cost or total.delta > room.delta:
            raise BudgetExceededError(
                f"estimates and query do not fit: they cost {told(total)}, left are {told(room)}. "
                "Nothing was spent; ask for less, or stop."
            )

    def answer_keys(self, query: Query, keys: Sequence[str], **asked: Any) -> tuple[tuple[Any, ...], ...]:
        """Charge, count, and release the keys that reach the threshold. Called by ``Query.private_keys``."""
        moved = query.contribution(keys)
        plan = plan_private_keys(query.relation, keys, owner=self.owner, contribution=moved, secret=self.key, **asked)
        self.rehearse(query, [plan.query(each, ()) for each in plan.rounds])
        self._charge(plan.loss, delta=plan.delta)
        return plan.release(self.database.engine.execute)

    def batch(self, /, **questions: AggregateQuery) -> Batch:
        """Put questions together, to be planned and charged as one: ``batch(a=query.agg(...), b=...).release(...)``."""
        return Batch(session=self, questions=questions)

    def answer_batch(self, batch: Batch, plan: BatchPlan, delta: Any) -> BatchRelease:
        """Charge once, then read and add noise for each question. Called by ``Batch.release``."""
        batch.check(plan)
        ready = []
        for name, question in batch.questions.items():
            grouping, table = question.grouped.grouping, self._table(question.grouped.query)
            reading = grouping.reading(table.relation, self.owner, plan.plans[name].statistics)
            self.rehearse(question.grouped.query, [query for _, query in reading])
            ready.append((name, question, grouping, table, reading))
        self._charge(plan.loss, delta=delta or None)
        found = {}
        for name, question, grouping, table, reading in ready:
            numbers = add_noise(plan.plans[name], grouping.read(table, reading))
            found[name] = self._released(question, plan.plans[name], numbers)
        return BatchRelease(releases=found, loss=plan.loss)

    def answer_rollup(self, question: "RollupQuery", plan: "RollupPlan", delta: Any) -> "RollupRelease":
        """Charge, read the finest groups once, add noise to every level. Called by ``RollupQuery.release``."""
        grouped = question.finest.grouped
        self._check_plan(question.finest, plan.levels[-1])
        grouping, table = grouped.grouping, self._table(grouped.query)
        reading = grouping.reading(table.relation, self.owner, plan.statistics)
        self.rehearse(grouped.query, [query for _, query in reading])
        self._charge(plan.loss, delta=delta or None)
        return question.released(plan, grouping.read(table, reading), self._notes(grouped))

    def partition(
        self,
        key: str,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        among: Any = None,
        groups: int | None = None,
        table: str | None = None,
    ) -> dict[Any, "Session"]:
        """Open one child session for each value of a column, each with the same budget; charged here and now.

        What the children answer is about different rows, so that together they cost what one of them may (parallel
        composition): once for rows, and for persons as often as a person's rows may lie in several parts.

        Args:
            key: The column, with categories unless values are listed.
            epsilon: What each child may lose, with or without ``delta``.
            delta: The probability with which more may be lost; beside ``rho``, the delta at which a session of epsilon
                and delta reads what its children cost.
            rho: Or what each may lose in concentrated privacy.
            among: The values to open a session for.
            groups: In how many parts a person's rows are used at most, one by default; others are left out.
            table: Which private table, the first one by default.
        """
        query = self.query(table)
        values = [group[0] for group in query.group_by(key, among=among).groups]
        most = most_parts(query, len(values), groups)
        given = any(value is not None for value in (epsilon, delta, rho))
        free = self._endless and not given
        each = InfiniteBudget() if free else read_budget("partition", epsilon=epsilon, delta=delta, rho=rho)
        rows = shared_out(query, key, values, most)
        self.rehearse(query, [rows.select(key)])
        if not self._endless:
            self._charge(each.loss() * most, delta=None if rho is None else delta or None)
        if self.owner:
            rows = self.database.engine.hold(rows, f"privet parts {next(_numbers)}")
        name = table or next(iter(self.codebooks))
        kept = f"; rows of a person count in at most {most} of {len(values)} parts" if self.owner else ""
        children = {value: self._child(name, part_of(rows, key, value), each) for value in values}
        for value, child in children.items():
            child.told = (*self.told, f"part: {key} = {value!r}{kept}")
        return children

    def _child(self, name: str, relation: Relation, budget: Budget) -> "Session":
        child = object.__new__(Session)
        child._filter = PrivacyFilter(budget)
        child._borrowed = True  # its parent closes the table
        child.codebooks = {name: self.codebooks[name]}
        child.owner, child.key = self.owner, self.key
        child.database = Database(tables={name: relation}, engine=self.database.engine)
        return child

    def _exact(self, question: AggregateQuery, plan: NoisePlan) -> dict[Statistic, Array]:
        """What is counted in each group, without noise."""
        grouping, table = question.grouped.grouping, self._table(question.grouped.query)
        return grouping.read(table, grouping.reading(table.relation, self.owner, plan.statistics))

    def _check_plan(self, question: AggregateQuery, plan: NoisePlan) -> None:
        grouped = question.grouped
        planned_for = plan.contribution, plan.groups
        if grouped.query.session is not self or planned_for != (question.contribution, len(grouped.groups)):
            raise MismatchError("answer: the plan is for another question, or for another session.")

    def _charge(self, loss: Loss, *, delta: Any = None) -> None:
        """Charge what is about to be read, if it is still there: a file that changed is refused before it costs."""
        self.database.engine.check_sources()
        self._filter.charge(loss, delta=delta)

    def _table(self, query: Query) -> Table:
        found: Table = query.chain.run(self.database)
        return found

    def _released(self, question: AggregateQuery, plan: NoisePlan, numbers: tuple[Array, ...]) -> Release:
        grouped = question.grouped
        return released(plan, numbers, keys=grouped.keys, groups=grouped.groups, notes=self._notes(grouped))

    def _notes(self, grouped: GroupedQuery) -> tuple[str, ...]:
        endless = ("NOT PRIVATE: no budget limits this session; for tests on public data only",)
        return (*(endless if self._endless else ()), *grouped.told, *self._assumptions())

    @property
    def _endless(self) -> bool:
        return isinstance(self._filter.spent, InfiniteBudget)

    def _assumptions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(told for book in self.codebooks.values() for told in book.assumptions))

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the tables: every later question is refused. A second time does nothing; children close nothing."""
        if not self._borrowed:
            self.database.engine.close()

    def __repr__(self) -> str:
        return f"Session({self.codebook!r}, {self._filter!r})"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a session holds private data and a budget and cannot be copied or pickled.")


def _tables(source: Any, codebook: Any) -> tuple[dict[str, Any], dict[str, Codebook]]:
    """Read one source with one codebook, or several of both by name."""
    if not isinstance(codebook, Mapping):
        if isinstance(source, Mapping):
            raise WrongTypeError(
                "Session: sources by name need codebooks by the same names, {'visits': codebook, ...}."
            )
        book = _codebook(codebook)
        return {book.table or "data": source}, {book.table or "data": book}
    if not isinstance(source, Mapping) or set(source) != set(codebook) or not codebook:
        there = ", ".join(map(repr, source)) if isinstance(source, Mapping) else f"one {type(source).__name__}"
        raise WrongTypeError(
            "Session: several tables need sources and codebooks by the same names, got sources "
            f"{there} and codebooks {', '.join(map(repr, codebook)) or 'of none'}."
        )
    books = {name: _codebook(each) for name, each in codebook.items()}
    return {name: source[name] for name in books}, books


def _codebook(given: Any) -> Codebook:
    if isinstance(given, str | Path):
        given = Codebook.read(given)
    if not isinstance(given, Codebook):
        raise WrongTypeError(f"Session.codebook must be a Codebook or the path of one, got {type(given).__name__}.")
    return given
