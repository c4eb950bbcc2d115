"""Partitions: the parts of a table behind budgets of their own, by parallel composition."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import Any, final

from attrs import field, frozen
from sqlglot import exp

from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.infinite import InfiniteBudget
from privet.core import Fact, count_text, read_whole
from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Rows
from privet.tables.curator.allowance import Amount, read_allowance
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.files.query_keys import write_groups
from privet.tables.files.written import NoiseWords, PlanFile, QueryFile, Words, plan_source
from privet.tables.noise.plan import describe_loss
from privet.tables.queries.describe_nodes import describe_nodes
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary import Relation, column, literal

MOST_PARTS = 10_000
_numbers = count(1)


@final
@frozen(kw_only=True, repr=False)
class PartitionPlan(PlanFile):
    """The budget of each part, and the privacy loss of all of them.

    Args:
        budget: What each part may lose.
        parts: In how many parts one privacy unit may have rows.
        source: The partition and its budget as plain data, for files; None where no session made the plan.

    Guarantee: ``loss`` bounds the releases of all parts together.
    Proof: docs/tables/partition.md.
    """

    budget: AdditiveBudget
    parts: int
    source: Words | None = field(default=None, eq=False, repr=False)

    def noise_words(self) -> list[NoiseWords]:
        """Give nothing: to divide rows needs no noise."""
        return []

    def with_noise(self, noise: Iterator[NoiseWords]) -> "PartitionPlan":
        """Change nothing: there is no noise."""
        return self

    def facts(self) -> tuple[Fact, ...]:
        """Say what each part may lose, and what all of them cost."""
        bounded = not isinstance(self.budget, InfiniteBudget)
        return (
            ("budget of each part", self.budget.describe()),
            ("one unit has rows in", f"at most {count_text(self.parts, 'part')}"),
            ("privacy loss", self.loss.describe() if bounded else "not bounded"),
        )

    @property
    def loss(self) -> Loss:
        """The loss of one part, times the number of parts in which one unit may have rows."""
        return self.budget.loss() * self.parts


@final
@frozen(kw_only=True, eq=False)
class PartitionRequest:
    """Parts of a table that become curators of their own.

    Args:
        curator: The curator of the whole table.
        plan: The budget of each part.
        grouped: The rows, with the parts as groups of one key.
        table: The name of the table.
        delta: The delta at which a budget of epsilon and delta reads the loss.
        words: Gives the partition as plain data, by which a ledger knows it.
    """

    curator: Curator
    plan: PartitionPlan
    grouped: GroupedRows
    table: str
    delta: Fraction | None = None
    words: Callable[[], Words] | None = None

    @property
    def opens_parts(self) -> bool:
        """It releases nothing: with a ledger, the parts are opened again under the same charge."""
        return True

    @property
    def draws_persons(self) -> bool:
        """Whether a secret of these tables decides which parts a person is in: other tables need another charge."""
        return bool(self.grouped.query.id_columns)

    @property
    def title(self) -> str:
        """The parts in one line, for the history of a session."""
        parts = count_text(len(self.grouped.groups), "part")
        return f"{parts} of {describe_nodes(self.grouped.query.chain)} by {self.grouped.keys[0]}"

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.curator.tables

    def measure(self, tables: PrivateTables) -> Callable[[], dict[Any, Curator]]:
        """Write and rehearse the queries; return the function that divides the rows."""
        query, key = self.grouped.query, self.grouped.keys[0]
        tables.database.engine.check_holding("the rows of the parts")  # a person must stay in the same parts
        rows = self._shared_out(tables)
        tables.rehearse(query.chain.output, [rows.select(key)])
        return lambda: self._divide(tables, rows)

    def _divide(self, tables: PrivateTables, rows: Relation) -> dict[Any, Curator]:
        key, values = self.grouped.keys[0], self._values
        ids = self.grouped.query.id_columns
        if ids:
            rows = tables.database.engine.hold(rows, f"privet parts {next(_numbers)}")
        share = f"; rows of a person count in at most {self.plan.parts} of {count_text(len(values), 'part')}"
        return {
            value: self.curator.child(
                self.table,
                rows.filter(_rows_with(rows, key, [value])),
                self.plan.budget,
                f"part: {key} = {value!r}{share if ids else ''}",
            )
            for value in values
        }

    @property
    def _values(self) -> list[Any]:
        return [group[0] for group in self.grouped.groups]

    def _shared_out(self, tables: PrivateTables) -> Relation:
        """Keep the rows of each person in as many parts as allowed; a keyed hash decides which."""
        query, key = self.grouped.query, self.grouped.keys[0]
        relation, ids = query.relation, query.id_columns
        if not ids:
            return relation
        listed = relation.filter(_rows_with(relation, key, self._values))  # rows of no part count toward no cap
        used = [name for name in relation.columns if name != key and name not in ids]
        capped = cap(listed, Caps(groups=self.plan.parts), person=ids, groups=(key,), used=used, key=tables.key)
        return capped.select(*relation.columns)


@final
@frozen(kw_only=True, repr=False)
class PartitionQuery(QueryFile):
    """The parts of a table, ready to be opened with a budget each.

    Args:
        grouped: The rows, with the parts as groups of one key.
        table: The name of the table.
        parts_per_person: In how many parts a person's rows are used at most, one by default.
    """

    grouped: GroupedRows
    table: str
    parts_per_person: int | None = None

    def __attrs_post_init__(self) -> None:
        if len(self.grouped.groups) > MOST_PARTS:
            raise InvalidError(
                f"partition opens at most {MOST_PARTS} parts, got {len(self.grouped.groups)}; list values with "
                "groups=[...]."
            )
        _ = self.parts  # wrong numbers are refused now

    def facts(self) -> tuple[Fact, ...]:
        """Say what the parts are."""
        rows, groups, *others = self.grouped.facts()
        most = f"at most {count_text(self.parts, 'part')}"
        return (("parts", groups[1]), ("one unit has rows in", most), rows, *others)

    @property
    def parts(self) -> int:
        """In how many parts one privacy unit may have rows."""
        return min(_most(self.grouped, self.parts_per_person), len(self.grouped.groups))

    def plan(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> PartitionPlan:
        """Give the budget of each part and the loss of all of them; read no data and spend nothing.

        Args:
            epsilon: What each part may lose, with or without ``delta``.
            delta: The probability of a larger loss; beside ``rho``, where a session of epsilon and delta reads it.
            rho: Or what each may lose in concentrated privacy.
        """
        given = any(value is not None for value in (epsilon, delta, rho))
        source = plan_source(self, epsilon=epsilon, delta=delta, rho=rho)
        if self.grouped.query.curator.endless and not given:
            return PartitionPlan(budget=InfiniteBudget(), parts=self.parts, source=source)
        allowance = self.grouped.query.curator.allow("partition", epsilon=epsilon, delta=delta, rho=rho)
        return PartitionPlan(budget=allowance.budget, parts=self.parts, source=source)

    def words(self) -> Words:
        """The partition as plain data, in the words of a file."""
        grouped = self.grouped
        words = write_groups("partition", grouped.keys, grouped.listed_groups, None)
        most = {} if self.parts_per_person is None else {"parts_per_person": self.parts_per_person}
        return {"table": self.table, **words, **most}

    def describe(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> str:
        """Write down the parts, their budgets and the loss of all of them; read no data and spend nothing.

        Args:
            epsilon: What each part may lose, with or without ``delta``.
            delta: The probability of a larger loss.
            rho: Or what each may lose in concentrated privacy.
        """
        return self.describe_plan(self.plan(epsilon=epsilon, delta=delta, rho=rho))

    def describe_plan(self, plan: PartitionPlan) -> str:
        """Write down the parts with the budget of a plan."""
        curator, unbounded = self.grouped.query.curator, isinstance(plan.budget, InfiniteBudget)
        return "\n".join(
            [
                f"parts: {self.grouped.described_groups}, each with {plan.budget.describe()}",
                *self.grouped.description_of_rows,
                f"one unit has rows in at most {count_text(self.parts, 'part')}",
                "loss: not bounded" if unbounded else describe_loss(plan.loss, plan.budget),
                *(() if unbounded else curator.advice(plan.budget)),
                *curator.advisor.unit_lines,
            ]
        )

    def request(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> PartitionRequest:
        """Plan, and give what a curator charges and measures."""
        read_at = None if rho is None else read_allowance("partition", rho=rho, delta=delta).delta
        return self.request_for(self.plan(epsilon=epsilon, delta=delta, rho=rho), read_at)

    def request_for(self, plan: PartitionPlan, read_at: Fraction | None) -> PartitionRequest:
        """Give what a curator charges and measures, for a plan of this partition."""
        if plan.parts != self.parts:
            raise MismatchError("the plan is for another partition; plan this one.")
        rows: Any = {"curator": self.grouped.query.curator, "grouped": self.grouped, "table": self.table}
        words = {**self.words(), "budget": plan.budget}  # two budgets of one price may be of two forms
        return PartitionRequest(plan=plan, delta=read_at, words=lambda: words, **rows)


def _most(grouped: GroupedRows, parts_per_person: int | None) -> int:
    unit = grouped.query.unit
    if isinstance(unit, Rows):
        if parts_per_person is not None:
            raise InvalidError("partition.parts_per_person is for units of persons; a row lies in one part.")
        rows: Any = grouped.query.chain.map(unit.count)
        return int(rows)
    most = 1 if parts_per_person is None else read_whole("partition.parts_per_person", parts_per_person)
    if most < 1:
        raise InvalidError(f"partition.parts_per_person must be one or more, got {most}.")
    return most


def _rows_with(relation: Relation, key: str, values: Sequence[Any]) -> exp.Expr:
    """Write the condition that a row lies in one of these parts; null is a part where it is listed."""
    conditions: list[exp.Expr] = []
    present: list[exp.Expr] = [literal(relation[key], value) for value in values if value is not None]
    if present:
        conditions.append(exp.In(this=column(key, "r"), expressions=present))
    if None in values:
        conditions.append(exp.Is(this=column(key, "r"), expression=exp.null()))
    return exp.or_(*conditions)
