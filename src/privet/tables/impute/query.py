"""Queries of a table whose missing values are imputed; nothing is read until an aggregate is released."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, field, frozen

from privet.core.checks import read_whole
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns.column import Column
from privet.tables.expressions.bins import binned
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.term import Term
from privet.tables.impute.aggregate_query import ImputedAggregateQuery, ask
from privet.tables.impute.imputation import Imputation, read_imputation
from privet.tables.impute.rows import RESERVED
from privet.tables.impute.totals import Dependence
from privet.tables.nodes.read_expression import read
from privet.tables.statistics.groups import implied_groups, listed_groups
from privet.tables.vocabulary.relation import Relation, check_names

if TYPE_CHECKING:
    from privet.tables.queries.query import Query

_KEYS = ("integer", "text", "boolean")
_Expression = str | Term | Expression


@final
@frozen(kw_only=True)
class Step:
    """One step behind an imputation: a condition, or a new column.

    Args:
        expression: Of the columns of one row.
        name: Of the new column; None for a condition.
        tainted: Whether it reads what depends on imputed values.
    """

    expression: Expression
    name: str | None
    tainted: bool

    def applied(self, relation: Relation) -> Relation:
        """Write the step."""
        if self.name is None:
            return relation.filter(self.expression.sql())
        return relation.with_column(self.name, self.expression.sql(), self.expression.column)


@final
@frozen(kw_only=True)
class ImputedQuery:
    """Rows of a private table in which missing values of one column are imputed.

    Args:
        query: The rows before.
        imputation: What is imputed, and how.
        columns: What is known of the columns now.
        steps: What happens behind the imputation.
        tainted: The columns that depend on imputed values.
        reach: For copies of the imputed column, how far one donor moves a value.
        settled: The columns that are the same for all rows of a stratum, within which donors are found.
        missing: Columns whose nulls are a group of their own.
    """

    query: "Query"
    imputation: Imputation
    columns: Mapping[str, Column]
    steps: tuple[Step, ...] = ()
    tainted: frozenset[str] = field(factory=frozenset)
    reach: Mapping[str, Fraction] = field(factory=dict)
    settled: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()

    def filter(self, condition: _Expression) -> "ImputedQuery":
        """Keep the rows of which a condition is true, such as ``"income > 1000"``."""
        found = read(condition, self.columns)
        if found.kind != "boolean":
            raise MismatchError(f"filter takes a condition, got {found.kind}: {condition}.")
        return evolve(self, steps=(*self.steps, Step(expression=found, name=None, tainted=self._reads(found))))

    def derive(self, /, **expressions: _Expression) -> "ImputedQuery":
        """Add columns, each computed from the others of its row: ``derive(rich="income > 1000")``."""
        found = self
        for name, text in expressions.items():
            found = found._with(name, read(text, found.columns))
        return found

    def bin(
        self,
        name: str,
        edges: Sequence[Any] | None = None,
        *,
        width: Any = None,
        by: str | None = None,
        into: str | None = None,
    ) -> "ImputedQuery":
        """Cut a column into bins with a name each, as ``Query.bin`` does.

        Args:
            name: The column: numbers, dates or timestamps.
            edges: Rising numbers.
            width: Or the width of all bins, between the bounds of the column.
            by: Or a calendar period.
            into: What to call the new column, by default the name with ``_bin``.
        """
        return self.derive(**{into or f"{name}_bin": binned(name, self._find(name), edges=edges, width=width, by=by)})

    def group_by(self, *keys: str, among: Any = None) -> "ImputedGroups":
        """Answer for each public group: those the codebook implies, or those that are listed.

        Args:
            keys: Columns, each with categories, unless groups are listed.
            among: The groups to answer for; other rows are left out.
        """
        if not keys or len(set(keys)) != len(keys):
            raise InvalidError("group_by takes different columns, at least one.")
        for name in keys:
            if self._find(name).kind not in _KEYS:
                raise MismatchError(f"group_by takes integer, text and boolean columns; {name!r} is none: derive one.")
        if among is None:
            groups = implied_groups(self.columns, keys, self.missing)
        else:
            groups = listed_groups(self.columns, keys, among)
        return ImputedGroups(query=self, keys=keys, groups=groups)

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Ask aggregates of all rows together."""
        return ImputedGroups(query=self, keys=(), groups=((),)).agg(*aggregates, **named)

    def applied(self, relation: Relation, *, known: bool = False) -> Relation:
        """Write all steps; with ``known``, without conditions on what depends on imputed values.

        Args:
            relation: The completed rows.
            known: Whether to leave those out.
        """
        for step in self.steps:
            if not (known and step.name is None and step.tainted):
                relation = step.applied(relation)
        return relation

    def dependence(self, keys: Sequence[str]) -> Dependence:
        """Tell what depends on imputed values where rows are grouped by keys."""
        entered = any(step.tainted for step in self.steps if step.name is None)
        entered = entered or not self.tainted.isdisjoint(keys)
        return Dependence(columns=self.columns, tainted=self.tainted, reach=self.reach, entered=entered)

    def _with(self, name: str, found: Expression) -> "ImputedQuery":
        if name in self.query.session.owner:
            raise InvalidError(f"derive: {name!r} tells whose rows are protected and must stay as it is.")
        if name.lower().startswith(RESERVED):
            raise InvalidError(f"derive: names that begin with {RESERVED!r} are used inside queries; rename {name!r}.")
        columns = {**self.columns, name: found.column}
        check_names("derive", columns)
        tainted = self._reads(found)
        reach = {each: far for each, far in self.reach.items() if each != name}
        if isinstance(found, Reference) and found.name in self.reach:
            reach[name] = self.reach[found.name]
        return evolve(
            self,
            columns=columns,
            steps=(*self.steps, Step(expression=found, name=name, tainted=tainted)),
            tainted=self.tainted | {name} if tainted else self.tainted - {name},
            reach=reach,
            settled=self.settled | {name} if self.settled.issuperset(found.references()) else self.settled - {name},
            missing=self.missing - {name},
        )

    def _reads(self, found: Expression) -> bool:
        return not self.tainted.isdisjoint(found.references())

    def _find(self, name: str) -> Column:
        if name not in self.columns:
            raise InvalidError(f"there is no column {name!r}; there are {', '.join(map(repr, self.columns))}.")
        return self.columns[name]


@final
@frozen(kw_only=True)
class ImputedGroups:
    """An imputed query with public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, in the order of the result.
    """

    query: ImputedQuery
    keys: tuple[str, ...]
    groups: tuple[tuple[Any, ...], ...]

    @property
    def together(self) -> int:
        """How many groups one row may move at most: those that may have rows of one stratum."""
        places = [at for at, name in enumerate(self.keys) if name in self.query.settled]
        return max(Counter(tuple(group[at] for at in places) for group in self.groups).values())

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Ask several aggregates of each group: ``agg(count(), average=mean("income"))``."""
        asked: dict[str, Aggregate] = {}
        for name, aggregate in [(None, item) for item in aggregates] + list(named.items()):
            if not isinstance(aggregate, Aggregate):
                raise WrongTypeError(f"agg takes aggregates such as pv.count(), got {type(aggregate).__name__}.")
            label = aggregate.name if name is None else name
            if label in asked or label in self.keys:
                raise InvalidError(f"agg: two columns of the result are called {label!r}; name one of them.")
            asked[label] = aggregate
        if not asked:
            raise InvalidError("agg takes at least one aggregate, such as pv.count().")
        return ask(self, asked)


def impute(
    query: "Query",
    name: str,
    *,
    by: Any = (),
    within: Any = (),
    k: Any = None,
    scheme: Scheme | None = None,
    guess: Guess | None = None,
    default: Any = None,
) -> ImputedQuery:
    """Begin an imputed query. Called by ``Query.impute``, where the arguments are described."""
    if k is not None:
        if scheme is not None:
            raise InvalidError("impute takes k=... or scheme=..., which has a k of its own, not both.")
        number = read_whole("impute.k", k)
        known = query.columns.get(name)
        many = MeanOfNeighbours if known is not None and known.bounds is not None else MajorityOfNeighbours
        scheme = NearestNeighbour() if number == 1 else many(k=number)
    found = read_imputation(
        name, query.columns, by=by, within=within, scheme=scheme, guess=guess, default=default, apart=query.missing
    )
    reach = {} if found.reach is None else {name: found.reach}
    return ImputedQuery(
        query=query,
        imputation=found,
        columns={**query.columns, name: found.completed},
        tainted=frozenset({name}),
        reach=reach,
        settled=frozenset(each.name for each in found.strata),
        missing=query.missing,
    )
