"""Rows of private tables, filtered and derived; nothing is read until an aggregate of them is released."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation, TransformationChain
from privet.core import Fact, is_among
from privet.errors import InvalidError, MismatchError, PrivetError, WrongTypeError
from privet.tables import files
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Auto, Column, Persons, PrivacyUnit, find_column, read_names
from privet.tables.curator.curator import Curator
from privet.tables.curator.request import Releasable
from privet.tables.expressions import Expression, Reference, Term
from privet.tables.files.written import Words
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.group_totals import Grouping, Groups
from privet.tables.nodes.imputed_table import ImputedDomain, rows_of
from privet.tables.nodes.imputed_values import ImputedFacts
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import HowPublic, JoinPublic
from privet.tables.nodes.joined import How
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList
from privet.tables.queries.describe_nodes import describe_nodes
from privet.tables.queries.no_rule import no_rule, word_of
from privet.tables.queries.own_caps import CAP_NAMES, AutoCaps, CapName, describe_own_caps, merged, set_caps, with_names
from privet.tables.queries.person_functions import PersonFunctions
from privet.tables.queries.private_rows import PrivateRows
from privet.tables.queries.row_nodes import RowNodes
from privet.tables.queries.rows_of_person import OneRowBy, joined_caps, kept_by, matched_rows
from privet.tables.queries.traced_columns import caps_of_table
from privet.tables.queries.without_aggregates import WithoutAggregates
from privet.tables.relations.caps import Caps
from privet.tables.relations.public_source import find_public
from privet.tables.relations.public_table import PublicTable
from privet.tables.relations.table_space import Table
from privet.tables.vocabulary import Relation


@frozen(kw_only=True, repr=False)
class RowQuery(RowNodes, PersonFunctions, PrivateRows, WithoutAggregates):
    """Rows of private tables, filtered and derived; nothing is read until an aggregate of them is released.

    Args:
        curator: Who holds the tables and the budget.
        chain: The nodes so far, each a transformation of tables.
        unit: The privacy unit, with the caps that hold where the query sets none.
        caps: How many rows of a person count, where the query sets that.
        null_groups: Columns whose nulls form a group of their own.
        one_row_by: Columns of which each person has at most one row for each combination of values: none of them where
            each person has one row in all; None where nothing says so.
        implied_caps: The caps that hold where the query sets none, behind nodes that make several rows of one; None
            for those of the unit.
        auto_caps: Caps that are estimated first, by name.
    """

    curator: Curator = field(repr=False)
    chain: TransformationChain
    unit: PrivacyUnit = field()
    caps: Caps = field(factory=Caps)
    null_groups: frozenset[str] = frozenset()
    one_row_by: OneRowBy = None
    implied_caps: Caps | None = None
    auto_caps: AutoCaps = ()

    @unit.validator
    def _check_unit(self, _: object, value: PrivacyUnit) -> None:
        if all(value != book.unit for book in self.curator.codebooks.values()):
            raise MismatchError("a query protects the unit of its codebook; open a session with another codebook.")

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows are, and how much one person counts; all of it public."""
        caps = describe_own_caps(self.effective_caps, self.auto_caps)
        return (
            ("rows", describe_nodes(self.chain)),
            ("columns", ", ".join(self.columns)),
            *((("caps of a person", caps),) if self.id_columns else ()),
            ("protected", self.curator.tables.protected),
        )

    @abstractmethod
    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> Releasable:
        """Aggregate all rows together."""

    @property
    def one_row_each(self) -> bool:
        """Whether each person has at most one row."""
        return self.one_row_by == frozenset()

    @property
    def table(self) -> Table:
        """The rows, as a table of the engine."""
        self.refuse_imputed("this release")
        table: Table = self.chain.run(self.curator.tables.database)
        return table

    @property
    def relation(self) -> Relation:
        """The rows, as one relational expression."""
        return self.table.relation

    @property
    def id_columns(self) -> tuple[str, ...]:
        """The id columns; none where rows are protected one by one."""
        return rows_of(self, self.chain.output)[1]

    @property
    def columns(self) -> Mapping[str, Column]:
        """What is publicly known of the columns."""
        columns: Mapping[str, Column] = self.chain.output.domain.columns  # type: ignore[attr-defined]
        return columns

    @property
    def imputed(self) -> ImputedFacts | None:
        """What depends on imputed values; None where nothing was imputed."""
        domain = self.chain.output.domain
        return domain.facts if isinstance(domain, ImputedDomain) else None

    def derive(self, /, **expressions: str | Term) -> Self:
        """Add columns, each computed from the others of its row: ``derive(hours="minutes / 60")``."""
        query = self
        for name, text in expressions.items():
            self._keep_id(name, "derive")
            outputs: dict[str, str | Term | Expression] = {**query.references(), name: text}
            query = query.then(ProjectColumns(outputs=outputs, call="derive"))
        return evolve(query, null_groups=self.null_groups - set(expressions))

    def select(self, *names: str) -> Self:
        """Keep these columns only, and the id columns."""
        known = self.references()
        hidden = [name for name in self.id_columns if name not in names]
        for name in names:
            self.find_column(name)
        kept = {name: known[name] for name in (*names, *hidden)}
        return evolve(self.then(ProjectColumns(outputs=kept, call="select")), null_groups=self.null_groups & set(kept))

    def rename(self, /, *pairs: object, **names: str) -> Self:
        """Give columns new names: ``rename(new="old")``."""
        if pairs or not all(isinstance(old, str) for old in names.values()):
            raise WrongTypeError("rename takes no dictionary; write the new name first: rename(cost='spending').")
        for name in (*names, *names.values()):
            self._keep_id(name, "rename")
        renamed = {old: new for new, old in names.items()}
        if len(renamed) < len(names):
            raise InvalidError("rename: one column cannot have two new names; derive the second one.")
        for new, old in names.items():
            if old not in self.columns and new in self.columns:
                raise InvalidError(f"rename: the new name comes first: rename({old}={new!r}).")
            self.find_column(old)
        outputs = tuple((renamed.get(name, name), value) for name, value in self.references().items())
        null_groups = frozenset(renamed.get(name, name) for name in self.null_groups)
        query = self.then(ProjectColumns(outputs=outputs, call="rename"))
        return evolve(query, null_groups=null_groups, caps=with_names(self.caps, renamed))

    def project(self, outputs: Mapping[str, Expression], null_groups: frozenset[str] = frozenset()) -> Self:
        """Compute every column anew; id columns stay, named or not."""
        hidden = {name: value for name, value in self.references().items() if name in self.id_columns}
        projected = self.then(ProjectColumns(outputs={**hidden, **outputs}))
        return evolve(projected, null_groups=null_groups)

    def join_public(
        self,
        source: object,
        columns: Mapping[str, Any] | None = None,
        *,
        on: str | Sequence[str],
        how: HowPublic = "inner",
    ) -> Self:
        """Add the columns of a public table to each row that has a partner there; other rows are left out.

        Where several public rows have the same keys, a row becomes several. A person stays one person; where rows are
        protected one by one, the noise grows with the largest number of public rows that share their keys.

        Args:
            source: Public data, in memory: a list of dictionaries, an Arrow table, a pandas or polars frame; or the
                name of a public table of the session, ``Session(..., public={...})``.
            columns: What they are: ``pv.column(...)`` by name, those of ``on`` included. By default the types of the
                public table, with bounds and categories from its values.
            on: The columns to match: integer, text, boolean or date.
            how: ``"left"`` keeps rows without a partner, with nulls in the public columns; ``"right"`` leaves them out
                and makes the public keys the groups, so that a key without rows is a group of zero.
        """
        matched = read_names("join_public.on", on)
        tables = self.curator.tables
        return self.joined_public(find_public(tables.public, tables.database.engine, source, columns, matched), how)

    def joined_public(self, public: PublicTable, how: HowPublic = "inner") -> Self:
        """Add the columns of a public table that an engine has read; see ``join_public``."""
        right = is_among(how, ("right",))
        if not right:
            public = public.without_keys()  # there may be millions
        joined = self.then(JoinPublic(public=public, how=how))
        if right:
            joined = evolve(joined, null_groups=joined.null_groups - set(public.on))
        return joined.multiplied(public.most)

    def join(
        self, other: "RowQuery", *, on: str | Sequence[str] = (), rows: int | None = None, how: How = "inner"
    ) -> Self:
        """Match each row with the rows that the same person has in another query of this session.

        Args:
            other: The other query, of this or another private table.
            on: Columns to match beside the person.
            rows: How many rows of each person of ``other`` are matched at most. By default as many as the caps of its
                codebook allow; then as many joined rows of a person count as the caps of both codebooks imply.
            how: ``"left"`` keeps rows without a partner, with nulls in the columns of ``other``.
        """
        self._check_other(other, "join")
        matched = read_names("join.on", on)
        most = matched_rows(other.most_rows) if rows is None and other.id_columns else rows
        node = JoinPersons(
            first=self.chain,
            second=other.chain,
            on=matched,
            rows=1 if most is None else most,
            how=how,
            key=self.curator.tables.key,
            rows_from_caps=rows is None,
        )
        null_groups = self.null_groups | (other.null_groups - set(other.id_columns) - set(matched))
        ours, theirs = (each is not None and each <= set(matched) for each in (self.one_row_by, other.one_row_by))
        once = theirs or node.rows == 1
        caps = self.implied_caps
        if rows is None and not once:
            caps = joined_caps(self._default_caps, unique=ours, matched=node.rows, how=how)
        one_row_by = self.one_row_by if once else None
        return evolve(self._begin(node), null_groups=null_groups, one_row_by=one_row_by, implied_caps=caps)

    def resize(self, rows: int, *, fill: Mapping[str, Any] | None = None) -> Self:
        """Make exactly so many rows: a random sample of them, or public rows beside them. For the unit ``Rows``.

        The number is a guess: nothing but the release reveals whether it was right. It costs twice the privacy loss,
        because one row more or less replaces a row.

        Args:
            rows: The number of rows, public.
            fill: Public values of the rows that are added if there are too few, by column; null in the others.
        """
        return self.then(ResizeRows(rows=rows, fill=fill, key=self.curator.tables.key))

    def union(self, other: "RowQuery") -> Self:
        """Put the rows of another query with the same columns after these."""
        self._check_other(other, "union")
        return evolve(
            self._begin(UnionRows(first=self.chain, second=other.chain)),
            null_groups=self.null_groups | other.null_groups,
            one_row_by=None,
        )

    def summarize(self, /, *keys: str, **summaries: str) -> Self:
        """Replace the rows of each person by one row: ``summarize(visits="count(*)", longest="max(minutes)")``.

        Args:
            keys: Columns to group by: one row for each person and each combination of their values.
            summaries: By name, one of ``count(*)``, ``count(x)``, ``count(distinct x)``, ``sum(x)``, ``mean(x)``,
                ``min(x)``, ``max(x)``, ``median(x)``, ``quantile(x, 0.9)``, ``mode(x)``, ``first(x, day)``,
                ``last(x, day)``, ``any_value(x)``, where ``x`` and ``day`` are expressions of one row.
        """
        return self.then(SummarizePersons(keys=keys, summaries=summaries))

    def cap(
        self,
        rows: int | Auto | None = None,
        *,
        groups: int | Auto | None = None,
        rows_per_group: int | Auto | None = None,
        by: Mapping[Any, Mapping[str, int]] | None = None,
    ) -> Self:
        """Set how many rows of a person count in this query; the codebook's caps hold for those that are not given.

        Args:
            rows: In all; ``auto()`` to estimate the cap privately.
            groups: In how many groups they count.
            rows_per_group: In one group.
            by: Caps by column, such as ``{"month": {"groups": 3, "rows_per_group": 2}}``: a person counts in at most 3
                months, with at most 2 rows in each; ``{("city", "month"): ...}`` for several columns together.
        """
        self.refuse_imputed("cap")
        given: dict[CapName, int | Auto | None] = {"groups": groups, "rows_per_group": rows_per_group, "rows": rows}
        columns, ids = self.columns, self.id_columns
        caps, auto_caps = set_caps(self.caps, self.auto_caps, given, by=by, columns=columns, id_columns=ids)
        return evolve(self, caps=caps, auto_caps=auto_caps)

    def multiplied(self, most: int) -> Self:
        """Say that a row may be several now: as many more rows of a person count."""
        if most == 1:
            return self
        caps = joined_caps(self._default_caps, unique=False, matched=most, how="inner")
        return evolve(self, one_row_by=None, implied_caps=caps)

    def then(self, node: Transformation) -> Self:
        """Add a node."""
        if not isinstance(node, FilterRows | ProjectColumns):
            self.refuse_imputed(word_of(node))
        try:
            chain = self.chain >> node
        except PrivetError as error:
            raise error.with_traceback(None) from None  # the mistake is in the query, not in our code
        if isinstance(node, ProjectColumns):
            return evolve(self, chain=chain, one_row_by=kept_by(node, self.one_row_by))
        if isinstance(node, SummarizePersons | SummarizeByFunction):
            kept, once = self.null_groups & set(node.keys), frozenset(node.keys) - set(self.id_columns)
            return evolve(self, chain=chain, null_groups=kept, one_row_by=once)
        if isinstance(node, SplitText | UnnestList):
            split = evolve(self, chain=chain, null_groups=self.null_groups - {node.into})
            lost = self.one_row_by is not None and node.into in self.one_row_by
            split = evolve(split, one_row_by=None if lost else self.one_row_by)
            return split.multiplied(node.rows_of(self.columns[node.name]))
        return evolve(self, chain=chain)

    def grouping(self, keys: Sequence[str], groups: Groups, other: tuple[Any, ...] | None = None) -> Grouping:
        """Give public groups with the caps that hold in them, and the key that decides whose rows count."""
        self.refuse_imputed("this release")
        if self.auto_caps:
            raise InvalidError("caps cannot be estimated here: give numbers to cap(...), not auto().")
        return Grouping(
            keys=tuple(keys),
            groups=tuple(groups),
            null_groups=self.null_groups,
            caps=self.effective_caps,
            key=self.curator.tables.key,
            other=other,
        )

    @property
    def effective_caps(self) -> Caps:
        """The query's own caps, and the codebook's where the query sets none; one row where each person has one."""
        unit = self.unit
        if not isinstance(unit, Persons):
            return self.caps
        if self.one_row_each:
            return Caps(rows=1)
        by = merged(caps_of_table(self.chain, unit), self.caps.by)
        default = self._default_caps
        numbers: dict[str, Any] = {name: getattr(self.caps, name) or getattr(default, name) for name in CAP_NAMES}
        return Caps(**numbers, by=tuple(each for each in by if self.columns.keys() >= set(each.columns)))

    @property
    def most_rows(self) -> int | None:
        """How many rows of a person count at most; None where nothing says so, or an estimate will."""
        return None if self.auto_caps else self.effective_caps.distances[1]

    @property
    def _default_caps(self) -> Caps:
        """The caps that hold where the query sets none."""
        return self.implied_caps or Caps(**{name: getattr(self.unit, name, None) for name in CAP_NAMES})

    def words(self) -> Words:
        """The rows as plain data, in the words of a file."""
        caps: Words = {name: most for name in CAP_NAMES if (most := getattr(self.caps, name)) is not None}
        caps.update(self.auto_caps)
        if self.caps.by:
            caps["by"] = self.caps.by
        return files.write_rows(self.chain, caps)

    def references(self) -> dict[str, str | Term | Expression]:
        """Refer to every column as it is."""
        return {name: Reference(name, known) for name, known in self.columns.items()}

    def _begin(self, node: Transformation) -> Self:
        """Continue behind a node that combines two queries."""
        return evolve(self, chain=self.chain.input >> node)

    def _check_other(self, other: object, what: str) -> None:
        if not isinstance(other, RowQuery):
            public = " For a public table write join_public(frame, on=...)." if what == "join" else ""
            raise WrongTypeError(f"{what} takes another query of the session, got {type(other).__name__}.{public}")
        self.refuse_imputed(what)
        other.refuse_imputed(what)
        if other.curator is not self.curator:
            raise InvalidError(f"{what}: the other query belongs to another session, with a budget of its own.")
        if (other.caps, other.auto_caps) not in ((Caps(), ()), (self.caps, self.auto_caps)):
            raise InvalidError(f"{what}: caps hold for the rows of the result; put .cap(...) behind {what}(...).")

    def refuse_imputed(self, what: str) -> None:
        """Refuse what has no rule for imputed values: one row may change many of them."""
        if self.imputed is not None:
            raise no_rule(what)

    def find_column(self, name: str) -> Column:
        """Give what is known of a column, or refuse an unknown name."""
        return find_column("", name, self.columns)

    def _keep_id(self, name: str, what: str) -> None:
        if name in self.id_columns:
            raise InvalidError(f"{what}: {name!r} tells whose rows are protected and must stay as it is.")
