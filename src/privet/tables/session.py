"""Sessions: a table, a codebook and a budget; questions are charged before the table is read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

from sqlglot import exp

from privet.accounting.loss import Budget
from privet.combinators.privacy_filter import PrivacyFilter
from privet.core.rows import Array
from privet.errors import Invalid, Unavailable, WrongType
from privet.noise import uniform_below
from privet.tables.aggregates.statistic import Statistic
from privet.tables.caps import KEY_BITS, Caps, cap
from privet.tables.codebook import Codebook
from privet.tables.codebook_column import CodebookColumn
from privet.tables.column import LARGEST, SMALLEST
from privet.tables.counting import MANY, collected, counted, gathered, spread
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.literals import case
from privet.tables.noise_plan import NoisePlan, add_noise
from privet.tables.nulls import NullsAsCategory, NullsDropped, NullsReplaced
from privet.tables.private_keys import counted_keys, plan_keys, release_keys
from privet.tables.query import Query, Question, among_groups, used_columns
from privet.tables.reading import literal
from privet.tables.relation import Relation, column
from privet.tables.release import Release, released
from privet.tables.sql import read_sql
from privet.tables.sql_answer import SqlAnswer
from privet.tables.unit import Persons

_NONE = Caps()
_Queries = list[tuple[tuple[Statistic, ...], Relation]]
_ANY_NUMBER = 2**62  # of groups, where it is not known


@final
class Session:
    """Private answers about one table, within one budget.

    Args:
        source: A path of CSV or Parquet files, an Arrow table, a pandas or polars frame, a pair of an open DuckDB
            connection and a table, or a list of dictionaries.
        codebook: What is publicly known of it: a ``Codebook``, or the path of one.
        budget: What all releases together may cost; its form is that of every charge.

    Guarantee: all releases together cost no more than the budget, for neighbours that differ in one privacy unit of the
        codebook. Nothing else depends on the data.
    Proof: docs/tables/session.md.

    >>> from privet.accounting.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.codebook_column import column
    >>> from privet.tables.unit import Rows
    >>> book = Codebook(columns={"ward": column("text", categories=("a", "b"))}, unit=Rows())
    >>> session = Session([{"ward": "a"}] * 900 + [{"ward": "b"}] * 100, book, budget(epsilon=1))
    >>> answer = session.query().group_by("ward").agg(count()).release(epsilon=0.5)
    >>> [bool(850 < answer.values("count")[0] < 950), session.remaining.epsilon]
    [True, Fraction(1, 2)]
    """

    def __init__(self, source: Any, codebook: Codebook | str | Path, budget: Budget) -> None:
        if isinstance(codebook, str | Path):
            codebook = Codebook.read(codebook)
        if not isinstance(codebook, Codebook):
            raise WrongType(f"Session.codebook must be a Codebook or the path of one, got {type(codebook).__name__}.")
        self.codebook = codebook
        self._filter = PrivacyFilter(budget)
        _check_unit(codebook)
        self._engine = DuckDBEngine()
        self._joined = 0
        self._key = uniform_below(2**KEY_BITS)  # decides whose rows stay where there are too many
        raw = {name: item.column for name, item in codebook.columns.items()}
        table = self._engine.load(source, raw, codebook.table or "data")
        self._relation = _filled(table, codebook)

    @property
    def owner(self) -> tuple[str, ...]:
        """The columns that tell whose rows are whose."""
        unit = self.codebook.unit
        return (unit.id,) if isinstance(unit, Persons) else ()

    @property
    def spent(self) -> Budget:
        """What was spent."""
        return self._filter.spent

    @property
    def remaining(self) -> Any:
        """What may still be spent."""
        return self._filter.remaining

    def query(self) -> Query:
        """Begin a query: all rows of the table."""
        columns = self.codebook.columns.items()
        missing = frozenset(name for name, item in columns if isinstance(item.nulls, NullsAsCategory))
        return Query(session=self, relation=self._relation, caps=_NONE, missing=missing)

    def sql(
        self,
        text: str,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        weights: Mapping[str, Any] | None = None,
    ) -> SqlAnswer:
        """Answer one SELECT; what is understood is in docs/tables/sql.md."""
        return read_sql(self, text).release(epsilon=epsilon, delta=delta, rho=rho, weights=weights)

    def caps_of(self, asked: Caps) -> Caps:
        """Give the caps of a query: its own, and the codebook's where it says nothing."""
        unit = self.codebook.unit
        if not isinstance(unit, Persons):
            return asked
        if asked != _NONE:
            return asked
        return Caps(rows=unit.rows, groups=unit.groups, rows_per_group=unit.rows_per_group)

    def answer(self, question: Question, plan: NoisePlan, delta: Any) -> Release:
        """Charge, read once, add noise. Called by ``Question.release``."""
        grouped = question.grouped
        queries = self._queries(question, plan)  # what is wrong with them shows before anything is spent
        self._filter.charge(plan.loss, delta=delta or None)
        numbers = add_noise(plan, self._counted(question, queries))
        notes = (f"protected: {self.codebook.unit.protects}", *self.codebook.assumptions)
        return released(plan, numbers, keys=grouped.keys, groups=grouped.groups, notes=notes)

    def answer_keys(self, query: Query, keys: Sequence[str], epsilon: Any, delta: Any) -> tuple[tuple[Any, ...], ...]:
        """Charge, count, and release the keys that reach the threshold. Called by ``Query.private_keys``."""
        moved, person = query.contribution(grouped=True), self._person()
        distance = moved.rows(_ANY_NUMBER) if person is None else moved.persons(_ANY_NUMBER)
        plan = plan_keys(distance, epsilon, delta)
        rows = query.relation
        if person is not None:
            rows = cap(rows, self.caps_of(query.caps), person=self.owner, groups=keys, used=(), key=self._key)
        counts = counted_keys(rows, keys, person)
        self._filter.charge(plan.loss)
        return release_keys(self._engine.execute(counts), keys, plan)

    def _exact(self, question: Question, plan: NoisePlan) -> dict[Statistic, Array]:
        """What is counted in each group, without noise."""
        return self._counted(question, self._queries(question, plan))

    def _queries(self, question: Question, plan: NoisePlan) -> _Queries:
        """Write the queries, from public facts: one for all statistics of one number, one for each of many."""
        keys, rows = question.grouped.keys, self._capped(question)
        single = tuple(statistic for statistic in plan.statistics if statistic.kind not in MANY)
        many = [statistic for statistic in plan.statistics if statistic.kind in MANY]
        first = [(single, counted(rows, keys, single, self._person()))] if single else []
        return [*first, *(((statistic,), spread(rows, keys, statistic)) for statistic in many)]

    def _counted(self, question: Question, queries: _Queries) -> dict[Statistic, Array]:
        """Read the table, once for each query."""
        keys, groups = question.grouped.keys, question.grouped.groups
        exact: dict[Statistic, Array] = {}
        for statistics, query in queries:
            found = self._engine.execute(query)
            if statistics[0].kind in MANY:
                exact[statistics[0]] = gathered(found, keys, groups, statistics[0])
            else:
                exact |= collected(found, keys, groups, statistics)
        return exact

    def public(self, source: Any, columns: Mapping[str, CodebookColumn], on: Sequence[str]) -> Relation:
        """Read a public table to join with. It is not private: what is wrong with it is said."""
        for name, item in columns.items():
            if not isinstance(item, CodebookColumn):
                raise WrongType(f"join_public.columns[{name!r}] must be made by pv.column(...).")
        missing = [name for name in on if name not in columns]
        if missing or not on:
            raise Invalid(f"join_public.columns must describe the columns to match; {missing or 'none'} is missing.")
        self._joined += 1
        read = {name: item.column for name, item in columns.items()}
        loaded = self._engine.load(source, read, f"public {self._joined}")
        relation = self._engine.hold(loaded, f"public {self._joined} held")  # keys that are unique now must stay so
        keys = self._engine.execute(relation.select(*on))
        pairs = list(zip(*(keys[name] for name in on), strict=True))
        if len(set(pairs)) != len(pairs):
            raise Invalid(
                f"join_public: rows of the public table share values of {', '.join(on)}: each must be unique."
            )
        return relation

    def close(self) -> None:
        """Forget the table."""
        self._engine.close()

    def _person(self) -> str | None:
        return self.owner[0] if self.owner else None

    def _capped(self, question: Question) -> Relation:
        grouped = question.grouped
        query = grouped.query
        if not self.owner and grouped.all_categories:
            return query.relation  # rows without a group are left out when the groups are put in order
        rows = among_groups(query.relation, grouped.keys, grouped.groups, query.missing)
        if not self.owner:
            return rows
        caps = self.caps_of(grouped.query.caps)
        used = used_columns(question.aggregates, rows.columns)
        return cap(rows, caps, person=self.owner, groups=grouped.keys, used=used, key=self._key)

    def __repr__(self) -> str:
        return f"Session({self.codebook!r}, {self._filter!r})"

    def __reduce__(self) -> Any:
        raise WrongType("a session holds private data and a budget and cannot be copied or pickled.")


def _check_unit(codebook: Codebook) -> None:
    unit = codebook.unit
    if isinstance(unit, Persons) and unit.period is not None:
        raise Unavailable("Session: units of a person within a period are not answered yet; use a person.")
    if codebook.sampling is not None:
        raise Unavailable("Session: sampling facts are not used by sessions yet; leave them out of the codebook.")
    for name, item in codebook.columns.items():
        if not isinstance(item.nulls, NullsDropped | NullsReplaced | NullsAsCategory):
            raise Unavailable(f"Session: column {name!r} has nulls drawn at random, which sessions do not do yet.")


def _filled(table: Relation, codebook: Codebook) -> Relation:
    """Apply the null policies: what stands in for a null is a function of the row."""
    outputs: dict[str, tuple[exp.Expr, Any]] = {}
    for name, item in codebook.columns.items():
        value = _value(name, item)
        if isinstance(codebook.unit, Persons) and name == codebook.unit.id and item.column.kind == "integer":
            # numbers beyond 64 bits are read as the outermost ones: there they would make one person of many
            ends = [exp.EQ(this=column(name, "r"), expression=literal(item.column, end)) for end in (SMALLEST, LARGEST)]
            value = case([(exp.or_(*ends), exp.null())], value)
        outputs[name] = (value, item.filled)
    return table.project(outputs)


def _value(name: str, item: CodebookColumn) -> exp.Expr:
    value = column(name, "r")
    if isinstance(item.nulls, NullsReplaced):
        return exp.Coalesce(this=value, expressions=[literal(item.column, item.nulls.value)])
    return value
