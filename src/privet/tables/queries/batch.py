"""Batches: several questions that are planned together and charged as one, at the tight total of their losses."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.tables.noise.batch_plan import BatchMember, BatchPlan, plan_batch
from privet.tables.noise.describe_loss import describe_loss
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.budget_arguments import read_budget
from privet.tables.releases.release import Release

if TYPE_CHECKING:
    from privet.tables.session.session import Session


def _unchanging(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(value))  # what is planned, charged and answered is the same


@final
@frozen(kw_only=True, repr=False)
class BatchRelease(Mapping[str, Release]):
    """What the questions of a batch gave, by name.

    Args:
        releases: One for each question.
        loss: What all of them together cost: less than the sum of the parts.
    """

    releases: Mapping[str, Release] = field(converter=_unchanging)
    loss: Loss

    def __getitem__(self, name: str) -> Release:
        return self.releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.releases)

    def __len__(self) -> int:
        return len(self.releases)

    def __repr__(self) -> str:
        return f"BatchRelease({', '.join(self.releases)})"

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{one}" for name, one in self.releases.items())


@final
@frozen(kw_only=True, repr=False)
class Batch:
    """Questions to be released together. Made by ``session.batch``.

    Args:
        session: Where they will be answered.
        questions: By name.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> from privet.tables.codebook.codebook import Codebook
    >>> from privet.tables.codebook.column import column
    >>> from privet.tables.session.session import Session
    >>> from privet.tables.columns.unit import Rows
    >>> book = Codebook(columns={"age": column("integer", bounds=(0, 9))}, unit=Rows())
    >>> session = Session([{"age": n % 10} for n in range(50)], book, budget(epsilon=1, delta=1e-6))
    >>> asked = {f"to_{n}": session.query().filter(f"age <= {n}").agg(count()) for n in range(9)}
    >>> found = session.batch(**asked).release(epsilon=1, delta=1e-6)
    >>> len(found), session.remaining.epsilon < 0.001
    (9, True)
    """

    session: "Session"
    questions: Mapping[str, AggregateQuery] = field(converter=_unchanging)

    def __attrs_post_init__(self) -> None:
        if not self.questions:
            raise InvalidError("batch takes at least one question by name, such as batch(ages=query.agg(pv.count())).")
        for name, question in self.questions.items():
            if not isinstance(question, AggregateQuery):
                raise WrongTypeError(
                    f"batch: {name} must be a question, such as query.agg(...), got {_kind(question)}."
                )
            question.check_settled(f"batch: {name}")
            if question.grouped.query.session is not self.session:
                raise InvalidError(f"batch: {name} belongs to another session, with a budget of its own.")

    def plan(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> BatchPlan:
        """Choose the noise of all questions for what may be lost in all; reads no data and spends nothing.

        Args:
            epsilon: What may be lost, with or without ``delta``.
            delta: The probability with which more may be lost; by default none.
            rho: Or what may be lost in concentrated privacy.
            weights: The share of the loss of each question, in relation to the others; equal by default.
        """
        budget = read_budget("batch", epsilon=epsilon, delta=delta, rho=rho)
        members = {
            name: BatchMember(
                aggregates=question.aggregates,
                contribution=question.contribution,
                groups=len(question.grouped.groups),
            )
            for name, question in self.questions.items()
        }
        return plan_batch(members, budget=budget, weights=weights)

    def describe(self, *, rows: Any = None, weights: Mapping[str, Any] | None = None, **lost: Any) -> str:
        """Write down the plan of each question and what they cost together."""
        plan = self.plan(weights=weights, **lost)
        told = [f"{name}\n{one.describe(rows)}" for name, one in plan.plans.items()]
        return "\n\n".join([*told, f"together: {describe_loss(plan.loss).removeprefix('loss: ')}"])

    def release(
        self, *, epsilon: Any = None, delta: Any = None, rho: Any = None, weights: Mapping[str, Any] | None = None
    ) -> BatchRelease:
        """Charge the tight total once, then read and release every question."""
        plan = self.plan(epsilon=epsilon, delta=delta, rho=rho, weights=weights)
        return self.session.answer_batch(self, plan, delta)

    def check(self, plan: BatchPlan) -> None:
        """Refuse a plan of other questions: its loss would not be that of the answers."""
        for name, question in self.questions.items():
            one = plan.plans.get(name)
            if one is None or (one.contribution, one.groups) != (question.contribution, len(question.grouped.groups)):
                raise MismatchError(f"batch: the plan of {name!r} is for another question; plan this batch.")

    def __repr__(self) -> str:
        return f"Batch({', '.join(self.questions)})"


def _kind(value: Any) -> str:
    return type(value).__name__
