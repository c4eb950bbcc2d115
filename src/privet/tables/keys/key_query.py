"""Queries for private keys: which groups occur is released where enough persons have them."""

from collections.abc import Callable
from fractions import Fraction
from typing import final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Fact, count_text
from privet.errors import InvalidError, MismatchError
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import progress
from privet.tables.files.written import QueryFile, Words, plan_source
from privet.tables.keys.key_release import KeyRelease
from privet.tables.keys.private_keys import KeyPlan, Method, moved_by_unit, plan_private_keys
from privet.tables.noise.key_round import RoundNoise
from privet.tables.queries.describe_nodes import describe_nodes
from privet.tables.queries.grouped_rows import GroupedRows, check_keys, count_once
from privet.tables.queries.row_query import RowQuery
from privet.tables.releases.released_column import single_kind


@final
@frozen(kw_only=True, eq=False)
class KeyRequest:
    """Private keys of some rows.

    Args:
        plan: Noise, thresholds and the queries of all rounds.
        query: The query that was planned.
        notes: Lines for the reader of the release.
    """

    plan: KeyPlan
    query: "KeyQuery"
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> PrivateTables:
        """The tables that it was planned for."""
        return self.query.query.curator.tables

    @property
    def title(self) -> str:
        """The keys in one line, for the history of a session."""
        return f"private keys {', '.join(self.plan.keys)} of {describe_nodes(self.query.query.chain)}"

    @property
    def delta(self) -> Fraction | None:
        """The delta at which the plan reads its epsilon."""
        return self.plan.delta

    def words(self) -> Words:
        """Everything that decides the release, by which a ledger knows it."""
        query = self.query
        how = {"method": query.method, "noise": query.noise, "rounds": query.rounds, "top": query.top}
        return {**query._grouped.exact_words({}), **how}

    def read_back(self, text: str) -> KeyRelease:
        """Read a release of this request that was stored."""
        return KeyRelease.from_json(text)

    def measure(self, tables: PrivateTables) -> Callable[[], KeyRelease]:
        """Rehearse the queries; return the function that reads and adds noise, round after round."""
        plan = self.plan
        if (plan.secret, plan.id_columns) != (tables.key, self.query.query.id_columns):
            raise MismatchError("private_keys: the plan belongs to another session; plan this query.")
        self.query.check_plan(plan)
        tables.rehearse(self.query.query.chain.output, [plan.query(each, ()) for each in plan.rounds])
        known = self.query.query.columns
        return lambda: KeyRelease(
            keys=plan.keys,
            groups=plan.release(tables.database.engine.execute),
            rounds=plan.rounds,
            notes=self.notes,
            kinds=tuple(single_kind(known[name].kind) for name in plan.keys),
        )


@final
@frozen(kw_only=True, repr=False)
class KeyQuery(QueryFile):
    """The groups of some rows, ready to describe, plan and release.

    A key is released where the number of its persons, with noise, reaches a threshold.

    Args:
        query: The rows.
        keys: The columns that make a group; null is no key.
        method: ``"plain"`` counts persons (or rows); ``"weighted"`` spreads one weight of each person over the
            person's keys, which releases more keys where persons have several.
        noise: With weights, ``"laplace"`` or ``"gaussian"``; with ``top``, ``"laplace"`` or ``"gumbel"``; None for the
            mechanism whose threshold is lower.
        rounds: With weights, how often to look: keys of one round are left out of the next.
        top: How many keys to release at most, those that most persons have; None for all.
    """

    query: RowQuery
    keys: tuple[str, ...]
    method: Method = "plain"
    noise: RoundNoise | None = None
    rounds: int = 1
    top: int | None = None

    def __attrs_post_init__(self) -> None:
        check_keys(self.query, "private_keys", self.keys)

    @property
    def _grouped(self) -> GroupedRows:
        """The rows, in groups that are not known yet; a person has a key once, however many rows."""
        return count_once(GroupedRows(query=self.query, keys=self.keys, groups=()))

    def plan(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> KeyPlan:
        """Choose noise and thresholds; read no data and spend nothing.

        Args:
            epsilon: What the release may lose about keys that many persons have.
            delta: The probability that a key is released that only one person has.
            rho: Refused: a threshold needs a delta.
        """
        if rho is not None or epsilon is None or delta is None:
            raise InvalidError("private_keys takes epsilon=... and delta=...: a threshold needs a delta, and no rho.")
        allowance = self.query.curator.allow("private_keys", epsilon=epsilon, delta=delta)
        tables = self.query.curator.tables
        with progress("planning the noise"):
            plan = plan_private_keys(
                self.query.relation,
                self.keys,
                id_columns=self.query.id_columns,
                contribution=self._grouped.contribution,
                secret=tables.key,
                epsilon=allowance.budget.point().cost,
                delta=allowance.budget.point().delta,
                method=self.method,
                noise=self.noise,
                rounds=self.rounds,
                top=self.top,
            )
        free = self.method == "plain" and self.top is None
        chosen = None if free else plan.rounds[0].noise  # a file names the noise that was chosen
        source = plan_source(evolve(self, noise=chosen), epsilon=epsilon, delta=delta, rho=rho)
        return evolve(plan, source=source, stated=allowance.budget)

    def facts(self) -> tuple[Fact, ...]:
        """Say which keys are released, of which rows, and how."""
        rows, _, *others = self.query.facts()
        weights = f"{self.noise or 'the better'} noise, {count_text(self.rounds, 'round')}"
        how = "counts" if self.method == "plain" else f"weights, {weights}"
        most = () if self.top is None else (("at most", count_text(self.top, "key")),)
        return (("private keys", ", ".join(self.keys)), rows, ("method", how), *most, *others)

    def words(self) -> Words:
        """The query as plain data, in the words of a file."""
        noise = {} if self.noise is None else {"noise": self.noise}
        most = {} if self.top is None else {"top": self.top}
        keys = {"private_keys": list(self.keys), "method": self.method, **noise, "rounds": self.rounds, **most}
        return {**self.query.words(), **keys}

    def describe(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> str:
        """Write down the rounds, and how many persons a key needs; read no data and spend nothing.

        Args:
            epsilon: What the release may lose about keys that many persons have.
            delta: The probability that a key is released that only one person has.
            rho: Refused: a threshold needs a delta.
        """
        return self.describe_plan(self.plan(epsilon=epsilon, delta=delta, rho=rho))

    def describe_plan(self, plan: KeyPlan) -> str:
        """Write down the rounds of a plan of this query."""
        grouped = self._grouped
        curator = self.query.curator
        notes = (*curator.advice(plan.stated), *curator.advisor.unit_lines)
        return "\n".join([*grouped.description, plan.describe(), *notes])

    def loss(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> Loss:
        """Give the privacy loss of a release."""
        return self.plan(epsilon=epsilon, delta=delta, rho=rho).loss

    def release(
        self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None, again: bool = False
    ) -> KeyRelease:
        """Charge the budget of the session, count, and release the keys that reach the threshold.

        Args:
            epsilon: What the release may lose about keys that many persons have.
            delta: The probability that a key is released that only one person has.
            rho: Refused: a threshold needs a delta.
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        return self.release_plan(self.plan(epsilon=epsilon, delta=delta, rho=rho), again=again)

    def check_plan(self, plan: KeyPlan) -> None:
        """Refuse the plan of another query: its loss would not be that of this release."""
        contribution = self._grouped.contribution
        moved = [moved_by_unit(self.method, each.noise, contribution, self.query.id_columns) for each in plan.rounds]
        same = (plan.keys, plan.top, len(moved)) == (self.keys, self.top, self.rounds)
        draws = all(each.draws in (None, self.top) for each in plan.rounds)
        if not (same and draws) or [each.moved for each in plan.rounds] != moved:
            raise MismatchError("private_keys: the plan is for another query; plan this query.")

    def release_plan(self, plan: KeyPlan, _: Allowance | None = None, *, again: bool = False) -> KeyRelease:
        """Charge a plan of this query, count, and release the keys that reach its thresholds."""
        return self.query.curator.release(self.request_for(plan), again=again)

    def request_for(self, plan: KeyPlan) -> KeyRequest:
        """Give what a curator charges and measures, for a plan of this query."""
        notes = (*self._grouped.notes, *self.query.curator.advice(plan.stated))
        return KeyRequest(plan=evolve(plan, relation=self.query.relation), query=self, notes=notes)
