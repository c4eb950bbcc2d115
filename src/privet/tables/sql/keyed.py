"""A SELECT whose groups are not public: the release finds those that enough persons have, and then their aggregates."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Fact, read_number
from privet.errors import InvalidError, UnavailableError
from privet.tables.curator.allowance import Amount
from privet.tables.engines.grammar import Grammar
from privet.tables.files.key_words import write_private
from privet.tables.files.query_keys import write_sql
from privet.tables.files.written import QueryFile, Words
from privet.tables.keys.keyed_query import KeyedQuery
from privet.tables.keys.private import PrivateKeys, private, read_private
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import Weights
from privet.tables.sql.answer import SqlRelease
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.shown_columns import hidden_aggregates, shown_columns
from privet.tables.sql.tree import number

THRESHOLD = "LAPLACE_THRESHOLD"
_STRATEGIES = ("PUBLIC_GROUPS", THRESHOLD)


@final
@frozen(kw_only=True, repr=False)
class SqlKeyedQuery(QueryFile):
    """A SELECT with private keys, ready to describe and release. Made by ``session.sql(text, keys=pv.private(...))``.

    Args:
        query: The aggregates, and how their groups are found.
        after: The post-processing of the release.
        options: The privacy loss that the OPTIONS allow.
        text: The statement.
        join_rows: How many rows of a person a join takes, unless the statement says it.
        dialect: Whose SQL it is, if the caller said that.
        given_keys: Whether ``keys=pv.private(...)`` stood beside the statement.
        notes: Lines for the reader.

    Guarantee: that of ``KeyedQuery``; HAVING, ORDER BY and LIMIT see released values only.
    """

    query: KeyedQuery
    after: PostProcessing
    options: Mapping[str, Any]
    text: str
    join_rows: int | None = None
    dialect: Grammar | None = None
    given_keys: bool = False
    notes: tuple[str, ...] = ()

    def facts(self) -> tuple[Fact, ...]:
        """Say what the statement is, and what it computes."""
        return (("SQL", self.text), *self.query.facts())

    def words(self) -> Words:
        """The statement as plain data, in the words of a file."""
        rows = self.query.rows
        words = write_sql(self.text, self.join_rows, (), rows.other, self.dialect)
        return {**words, **({"keys": write_private(rows.private)} if self.given_keys else {})}

    @property
    def columns(self) -> dict[str, str]:
        """By label, the aggregate that a column of the SELECT shows, or from which aggregates it is computed."""
        return shown_columns(self.after, self.query.aggregates, self.query.rows.keys)

    @property
    def unselected(self) -> tuple[str, ...]:
        """The aggregates that HAVING, ORDER BY or an inner SELECT list name and the result does not show."""
        return hidden_aggregates(self.after, self.query.aggregates)

    def epsilon_for(self, half_widths: Mapping[str, Any] | None = None, /, **named: Any) -> float:
        """Refuse: how many groups there are, and so the noise, is not known before the keys are released."""
        raise UnavailableError(
            "epsilon_for: the groups are not known before the keys are released. Compare describe(epsilon=...) for "
            "some epsilons."
        )

    def plan(
        self,
        epsilon: Amount = None,
        *,
        delta: Amount = None,
        rho: Amount = None,
        weights: Weights = None,
        group_size: Amount = None,
    ) -> NoisePlan:
        """Refuse: how many groups there are is not known yet."""
        return self.query.plan()

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
        """Write down how the groups are found, what that costs, and the noise in each of them; read no data.

        The arguments are those of ``KeyedQuery.describe``; ``bias`` is refused.
        """
        _refuse_bias("describe", bias, most_rows)
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        shown: Any = {"weights": weights, "group_size": group_size, "typical": typical}
        return with_notes(self.query.describe(**limits, **shown), self.notes)

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
        """Give the privacy loss of keys and aggregates, whichever groups there are; ``bias`` is refused."""
        _refuse_bias("loss", bias, most_rows)
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        return self.query.loss(weights=weights, group_size=group_size, **limits)

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
        """Release the keys that enough persons have and the aggregates of their groups; then do the rest.

        The arguments are those of ``KeyedQuery.release``; ``bias`` is refused.
        """
        _refuse_bias("release", bias, most_rows)
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        release = self.query.release(weights=weights, group_size=group_size, again=again, **limits)
        noted = evolve(release, notes=(*release.notes, *self.notes))
        return SqlRelease(release=noted, after=self.after, text=self.text)


def _refuse_bias(where: str, bias: Amount, most_rows: int | None) -> None:
    if bias is not None or most_rows is not None:
        raise InvalidError(
            f"{where}: bias=... measures groups that are known, and the release finds these. List them with "
            "session.sql(text, groups=[...]), or leave bias out."
        )


def private_keys_of(options: Mapping[str, str], keys: object) -> tuple[PrivateKeys | None, bool]:
    """Give how groups are found, if they are not public; and whether they must be found even if they are.

    Args:
        options: The options of the statement.
        keys: ``pv.private(...)``, beside the statement; None without it.
    """
    strategy = options.get("group_selection_strategy", "").upper()
    if keys is not None:
        found = read_private("session.sql", keys)
        if strategy == "PUBLIC_GROUPS":
            raise InvalidError("SQL: OPTIONS say PUBLIC_GROUPS; leave keys=... out, or leave the option out.")
        return found, True
    if strategy not in ("", *_STRATEGIES):
        raise InvalidError(f"SQL: group_selection_strategy must be {' or '.join(_STRATEGIES)}.")
    if strategy == "PUBLIC_GROUPS" or "delta" not in options:
        if strategy == THRESHOLD:
            raise InvalidError(f"SQL: group_selection_strategy = {THRESHOLD} needs the option delta, such as 1e-7.")
        return None, False
    delta = read_number("delta", number(options["delta"]))
    if not 0 < delta < 1:
        return None, False  # the release says what is wrong with it
    return private(delta=delta), strategy == THRESHOLD


def budget_of(options: Mapping[str, str]) -> dict[str, Fraction]:
    """Give the privacy loss that the options allow. A delta of one bounds nothing: then none of it is used."""
    given = {name: read_number(name, number(options[name])) for name in ("epsilon", "delta") if name in options}
    return {name: value for name, value in given.items() if name != "delta" or value != 1}


def agreed_limits(options: Mapping[str, Any], **budget: Amount) -> dict[str, Any]:
    """Take the budget from the OPTIONS or from the arguments; both must agree."""
    limits = {name: value for name, value in budget.items() if value is not None}
    if limits and options and limits != options:
        raise InvalidError(
            f"SQL: OPTIONS give {', '.join(options)} already; leave {', '.join(limits)} out, or leave them "
            "out of OPTIONS."
        )
    return {**options, **limits}


def with_notes(text: str, notes: tuple[str, ...]) -> str:
    """Add lines to a description."""
    return "\n".join([text, *(f"note: {note}" for note in notes)])
