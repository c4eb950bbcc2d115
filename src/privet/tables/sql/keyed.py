"""A SELECT whose groups are not public: the release finds those that enough persons have, and then their aggregates."""

from collections.abc import Mapping
from typing import Any, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Fact, read_number
from privet.errors import InvalidError, WrongTypeError
from privet.tables.curator.allowance import Amount
from privet.tables.files.written import QueryFile, Words
from privet.tables.keys.keyed_query import KeyedQuery
from privet.tables.keys.private import PrivateKeys, private
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import Weights
from privet.tables.sql.answer import PostProcessing, SqlRelease
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
        notes: Lines for the reader.

    Guarantee: that of ``KeyedQuery``; HAVING, ORDER BY and LIMIT see released values only.
    """

    query: KeyedQuery
    after: PostProcessing
    options: Mapping[str, Any]
    text: str
    notes: tuple[str, ...] = ()

    def facts(self) -> tuple[Fact, ...]:
        """Say what the statement is, and what it computes."""
        return (("SQL", self.text), *self.query.facts())

    def words(self) -> Words:
        """Say that files do not hold it."""
        return self.query.words()

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
    ) -> str:
        """Write down how the groups are found, what that costs, and the noise in each of them; read no data.

        The arguments are those of ``KeyedQuery.describe``.
        """
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
    ) -> Loss:
        """Give the privacy loss of keys and aggregates, whichever groups there are."""
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
    ) -> SqlRelease:
        """Release the keys that enough persons have and the aggregates of their groups; then do the rest.

        The arguments are those of ``KeyedQuery.release``.
        """
        limits = agreed_limits(self.options, epsilon=epsilon, delta=delta, rho=rho)
        release = self.query.release(weights=weights, group_size=group_size, **limits)
        noted = evolve(release, notes=(*release.notes, *self.notes))
        return SqlRelease(release=noted, after=self.after, text=self.text)


def private_keys_of(options: Mapping[str, str], keys: object) -> tuple[PrivateKeys | None, bool]:
    """Give how groups are found, if they are not public; and whether they must be found even if they are.

    Args:
        options: The options of the statement.
        keys: ``pv.private(...)``, beside the statement; None without it.
    """
    strategy = options.get("group_selection_strategy", "").upper()
    if keys is not None:
        if not isinstance(keys, PrivateKeys):
            raise WrongTypeError(f"session.sql: keys must be pv.private(delta=1e-7), got {type(keys).__name__}.")
        if strategy == "PUBLIC_GROUPS":
            raise InvalidError("SQL: OPTIONS say PUBLIC_GROUPS; leave keys=... out, or leave the option out.")
        return keys, True
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
