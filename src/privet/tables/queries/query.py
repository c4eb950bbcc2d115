"""Queries: what is asked of private tables, built without looking at them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation, TransformationChain
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.codebook.problem import closest
from privet.tables.columns.auto import Auto
from privet.tables.columns.unit import Persons, PrivacyUnit
from privet.tables.expressions.bins import binned
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.term import Term
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.joined import How
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.queries.aggregate_query import AggregateQuery, GroupedQuery
from privet.tables.queries.two_stage import Wanted, with_caps
from privet.tables.relations.caps import Caps
from privet.tables.relations.public_table import PublicTable
from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.groups import implied_groups, listed_groups
from privet.tables.statistics.other_group import read_other
from privet.tables.vocabulary.relation import Relation

if TYPE_CHECKING:
    from privet.tables.impute.query import ImputedQuery
    from privet.tables.rollup.query import RollupRows
    from privet.tables.session.session import Session

_RESERVED = "privet "


@final
@frozen(kw_only=True)
class Query:
    """Rows of private tables, filtered and derived; nothing is read until an aggregate of them is released.

    Args:
        session: Where it will be answered.
        chain: The steps so far, each a transformation of tables.
        unit: What is protected, with the caps that hold where the query says nothing.
        caps: How many rows of a person count, where the query says so.
        missing: Columns whose nulls are a group of their own.
        single: Whether each person has at most one row.
        wanted: Caps that are estimated first, by name.
    """

    session: "Session" = field(repr=False)
    chain: TransformationChain
    unit: PrivacyUnit
    caps: Caps = field(factory=Caps)
    missing: frozenset[str] = frozenset()
    single: bool = False
    wanted: Wanted = ()

    @property
    def relation(self) -> Relation:
        """The rows, as one relational expression."""
        found: Relation = self.chain.run(self.session.database).relation
        return found

    @property
    def columns(self) -> Mapping[str, Any]:
        """What is known of the columns."""
        known: Mapping[str, Any] = self.chain.output.domain.columns  # type: ignore[attr-defined]
        return known

    def filter(self, condition: str | Term | Expression) -> "Query":
        """Keep the rows of which a condition is true, such as ``"duration > 0 and ward in ('a', 'b')"``."""
        return self.then(FilterRows(condition=condition))

    def derive(self, /, **expressions: str | Term) -> "Query":
        """Add columns, each computed from the others of its row: ``derive(hours="minutes / 60")``."""
        found = self
        for name, text in expressions.items():
            self._keep_owner(name, "derive")
            outputs: dict[str, str | Term | Expression] = {**found.references(), name: text}
            found = found.then(ProjectColumns(outputs=outputs))
        return evolve(found, missing=self.missing - set(expressions))

    def bin(
        self,
        name: str,
        edges: Sequence[Any] | None = None,
        *,
        width: Any = None,
        by: str | None = None,
        into: str | None = None,
    ) -> "Query":
        """Cut a column into bins with a name each, ready to group by: ``bin("age", width=10)``.

        Args:
            name: The column: numbers, dates or timestamps.
            edges: Rising numbers; a bin reaches from one, included, to the next; the last one includes its end.
            width: Or the width of all bins, between the bounds of the column.
            by: Or a calendar period: day, week, month, quarter or year.
            into: What to call the new column, by default the name with ``_bin``.
        """
        text = binned(name, self._find(name), edges=edges, width=width, by=by)
        return self.derive(**{into or f"{name}_bin": text})

    def select(self, *names: str) -> "Query":
        """Keep these columns only, and those that tell persons apart."""
        known = self.references()
        hidden = [name for name in self.session.owner if name not in names]
        for name in names:
            self._find(name)
        kept = {name: known[name] for name in (*names, *hidden)}
        return evolve(self.then(ProjectColumns(outputs=kept)), missing=self.missing & set(kept))

    def rename(self, /, **names: str) -> "Query":
        """Give columns new names: ``rename(new="old")``."""
        for name in (*names, *names.values()):
            self._keep_owner(name, "rename")
        renamed = {old: new for new, old in names.items()}
        if len(renamed) < len(names):
            raise InvalidError("rename: one column cannot have two new names; derive the second one.")
        for new, old in names.items():
            if old not in self.columns and new in self.columns:
                raise InvalidError(f"rename: the new name comes first: rename({old}={new!r}).")
            self._find(old)
        outputs = tuple((renamed.get(name, name), value) for name, value in self.references().items())
        missing = frozenset(renamed.get(name, name) for name in self.missing)
        return evolve(self.then(ProjectColumns(outputs=outputs)), missing=missing)

    def project(self, outputs: Mapping[str, Expression], missing: frozenset[str] = frozenset()) -> "Query":
        """Compute every column anew; columns that tell persons apart stay, named or not."""
        hidden = {name: value for name, value in self.references().items() if name in self.session.owner}
        made = self.then(ProjectColumns(outputs={**hidden, **outputs}))
        return evolve(made, missing=missing)

    def join_public(self, source: Any, columns: Mapping[str, Any], *, on: str | Sequence[str]) -> "Query":
        """Add the columns of a public table to each row that has a partner there; other rows are left out.

        Args:
            source: Public data, in memory: a list of dictionaries, an Arrow table, a pandas or polars frame.
            columns: What they are: ``pv.column(...)`` by name, those of ``on`` included.
            on: The columns to match, integer, text or boolean; together they must be different in every public row,
                so that one row of the table stays one row.
        """
        public = PublicTable(source=source, described=columns, on=(on,) if isinstance(on, str) else tuple(on))
        joined = self.then(JoinPublic(public=public))
        public.relation(self.session.database.engine)  # what is wrong with it is said now
        return joined

    def join(
        self, other: "Query", *, on: str | Sequence[str] = (), rows: int | None = None, how: How = "inner"
    ) -> "Query":
        """Match each row with the rows that the same person has in another query of this session.

        Args:
            other: The other query, of this or another private table.
            on: Columns to match beside the person.
            rows: How many rows of each person of ``other`` are matched at most; not needed where each has one.
            how: ``"left"`` keeps rows without a partner, with nulls in the columns of ``other``.
        """
        self._check_other(other, "join")
        if rows is None and not other.single:
            raise InvalidError(
                "join: say how many rows of a person of the other query are matched at most, rows=..., or summarize "
                "it to one row for each person first."
            )
        matched = (on,) if isinstance(on, str) else tuple(on)
        node = JoinPersons(
            first=self.chain,
            second=other.chain,
            on=matched,
            rows=1 if rows is None else rows,
            how=how,
            key=self.session.key,
        )
        missing = self.missing | (other.missing - set(self.session.owner) - set(matched))
        single = self.single and (other.single or rows == 1)
        return evolve(self._begin(node), missing=missing, single=single)

    def union(self, other: "Query") -> "Query":
        """Put the rows of another query with the same columns after these."""
        self._check_other(other, "union")
        return evolve(
            self._begin(UnionRows(first=self.chain, second=other.chain)),
            missing=self.missing | other.missing,
            single=False,
        )

    def summarize(self, /, *keys: str, **summaries: str) -> "Query":
        """Replace the rows of each person by one row: ``summarize(visits="count(*)", longest="max(minutes)")``.

        Args:
            keys: Columns to keep apart: one row for each person and each combination of their values.
            summaries: By name, one of ``count(*)``, ``count(x)``, ``count(distinct x)``, ``sum(x)``, ``mean(x)``,
                ``min(x)``, ``max(x)``, where ``x`` is an expression of one row.
        """
        made = self.then(SummarizePersons(keys=keys, summaries=summaries))
        return evolve(made, missing=self.missing & set(keys), single=not keys)

    def cap(
        self,
        *,
        rows: int | Auto | None = None,
        groups: int | Auto | None = None,
        rows_per_group: int | Auto | None = None,
    ) -> "Query":
        """Say how many rows of a person count in this query; what is not said stays as the codebook has it.

        Args:
            rows: In all; ``auto()`` where that is to be estimated privately.
            groups: In how many groups they count.
            rows_per_group: In one group.
        """
        named = {"groups": groups, "rows_per_group": rows_per_group, "rows": rows}
        asked = {name: value for name, value in named.items() if value is not None}
        return evolve(self, **with_caps(self, asked))

    def group_by(self, *keys: str, among: Any = None, other: Any = (), **derived: str | Term) -> "GroupedQuery":
        """Answer for each group. The groups are public: those the codebook implies, or those that are listed.

        Args:
            keys: Columns, each with categories, unless groups are listed.
            among: The groups to answer for, in this order: values, tuples of values where there are several keys, or a
                public table that has the keys as columns. Other rows are left out.
            other: What to call one more group, of all rows that have none of these: a value that is not among them, or
                None for null; a tuple where there are several keys. By default there is none.
            derived: Further keys, computed from a row: ``group_by("ward", year="year(day)")``.
        """
        query = self.derive(**derived) if derived else self
        names = (*keys, *derived)
        query.check_keys("group_by", names)
        if among is None:
            self._check_persons("group_by", names)
            groups = implied_groups(query.columns, names, query.missing)
        else:
            groups = listed_groups(query.columns, names, among)
        if other == ():
            return GroupedQuery(query=query, keys=names, groups=groups)
        label = read_other(query.columns, names, groups, other, owner=self.session.owner)
        return GroupedQuery(query=query, keys=names, groups=(*groups, label), other=label)

    def impute(
        self,
        name: str,
        *,
        by: Any = (),
        within: Any = (),
        k: Any = None,
        scheme: Any = None,
        guess: Any = None,
        default: Any = None,
    ) -> "ImputedQuery":
        """Impute the missing values of a column from the nearest rows that have one.

        Args:
            name: The column: a number with bounds, or with categories; its null policy is the default.
            by: What tells how near rows are: names, or names with whole weights or pairs such as ``("ordinal", 1)``.
            within: Columns that a donor must share; groups by them are paid for once.
            k: How many neighbours: 1 copies the nearest, more average (numbers) or vote (categories).
            scheme: Or how, such as ``MeanOfNeighbours(k=5)``.
            guess: What is publicly thought of the data; decides accuracy only.
            default: The public value that stands in for a donor that is missing.
        """
        from privet.tables.impute.query import impute

        return impute(self, name, by=by, within=within, k=k, scheme=scheme, guess=guess, default=default)

    def rollup(self, *keys: str, among: Any = None, **derived: str | Term) -> "RollupRows":
        """Answer for all rows, by the first key, by the first two, and so on; the answers add up.

        Args:
            keys: Columns, from the coarsest: ``rollup("region", "district")``.
            among: The finest groups, as for ``group_by``; a region may have districts of its own.
            derived: Further keys, computed from a row.
        """
        from privet.tables.rollup.query import RollupRows

        return RollupRows(finest=self.group_by(*keys, among=among, **derived))

    def private_keys(
        self, *keys: str, epsilon: Any, delta: Any, method: str = "plain", noise: str | None = None, rounds: int = 1
    ) -> tuple[tuple[Any, ...], ...]:
        """Release the groups that enough persons (or rows) have, in sorted order, for ``group_by(..., among=...)``.

        Which keys occur is private: a key shows where the number of its persons, with noise, reaches a threshold.

        Args:
            keys: The columns that make a group; null is no key.
            epsilon: What may be lost.
            delta: The probability with which a key may show that one person alone has.
            method: ``"plain"`` counts persons (or rows); ``"weighted"`` spreads one weight of each person over his or
                her keys, which finds more of them where persons have several.
            noise: With weights, ``"laplace"`` or ``"gaussian"``; None for the one that needs fewer persons.
            rounds: With weights, how often to look: keys found in one round are left out of the next.
        """
        self.check_keys("private_keys", keys)
        return self.session.answer_keys(
            self, keys, epsilon=epsilon, delta=delta, method=method, noise=noise, rounds=rounds
        )

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "AggregateQuery":
        """Ask aggregates of all rows together."""
        return GroupedQuery(query=self, keys=(), groups=((),)).agg(*aggregates, **named)

    def then(self, node: Transformation) -> "Query":
        """Add a step."""
        return evolve(self, chain=self.chain >> node)

    def grouping(self, keys: Sequence[str], groups: Any, other: tuple[Any, ...] | None = None) -> Grouping:
        """Give the last step but for its numbers: groups, caps, and what decides whose rows count."""
        if self.wanted:
            raise InvalidError(
                "caps are estimated for questions of their own only: give numbers to cap(...) here, not auto()."
            )
        return Grouping(
            keys=tuple(keys),
            groups=tuple(groups),
            missing=self.missing,
            caps=self.effective_caps,
            key=self.session.key,
            other=other,
        )

    @property
    def effective_caps(self) -> Caps:
        """The query's own caps, and the codebook's where it says nothing; one row where each person has one."""
        unit, names = self.unit, ("rows", "groups", "rows_per_group")
        if not isinstance(unit, Persons):
            return self.caps
        if self.single:
            return Caps(rows=1)
        return Caps(**{name: getattr(self.caps, name) or getattr(unit, name) for name in names})

    def contribution(self, keys: Sequence[str]) -> Contribution:
        """What one privacy unit adds at most to groups by these keys."""
        return GroupedQuery(query=self, keys=tuple(keys), groups=()).contribution

    def references(self) -> dict[str, str | Term | Expression]:
        """Refer to every column as it is."""
        return {name: Reference(name, known) for name, known in self.columns.items()}

    def check_keys(self, what: str, keys: Sequence[str]) -> None:
        """Refuse keys that cannot make a group."""
        for name in keys:
            if not isinstance(name, str):
                raise WrongTypeError(f"{what} takes names of columns one by one, {what}('a', 'b'), got {_kind(name)}.")
        if not keys or len(set(keys)) != len(keys):
            raise InvalidError(f"{what} takes different columns, at least one.")
        for name in keys:
            if name.lower().startswith(_RESERVED):
                raise InvalidError(
                    f"{what}: names that begin with {_RESERVED!r} are used inside queries; rename {name!r}."
                )
            kind = self._find(name).kind
            if kind not in ("integer", "text", "boolean"):
                how = "width=..." if kind == "real" else "by='month'"
                raise MismatchError(
                    f"{what} takes integer, text and boolean columns, and {name!r} is {kind}: cut it into bins with "
                    f"bin({name!r}, {how}), or derive a column."
                )

    def _check_persons(self, what: str, keys: Sequence[str]) -> None:
        """Refuse a group for each person, which nobody could answer for."""
        for name in keys:
            if name in self.session.owner and self.columns[name].categories is None:
                raise InvalidError(
                    f"{what}: {name!r} tells persons apart, and no answer is about one person. Count persons with "
                    "count_ids(), or make one row for each person with summarize(...)."
                )

    def _begin(self, node: Transformation) -> "Query":
        """Go on behind a step that puts two queries together."""
        return evolve(self, chain=self.chain.input >> node)

    def _check_other(self, other: Any, what: str) -> None:
        if not isinstance(other, Query):
            raise WrongTypeError(f"{what} takes another query of the session, got {_kind(other)}.")
        if other.session is not self.session:
            raise InvalidError(f"{what}: the other query belongs to another session, with a budget of its own.")
        if (other.caps, other.wanted) not in ((Caps(), ()), (self.caps, self.wanted)):
            raise InvalidError(f"{what}: caps hold for the rows of the result; put .cap(...) behind {what}(...).")

    def _find(self, name: str) -> Any:
        if name not in self.columns:
            there = ", ".join(map(repr, self.columns))
            raise InvalidError(f"there is no column {name!r}; there are {there}.{closest(str(name), self.columns)}")
        return self.columns[name]

    def _keep_owner(self, name: str, what: str) -> None:
        if name in self.session.owner:
            raise InvalidError(f"{what}: {name!r} tells whose rows are protected and must stay as it is.")


def _kind(value: Any) -> str:
    return type(value).__name__
