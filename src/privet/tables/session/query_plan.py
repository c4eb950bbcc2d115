"""Plans of files: a query with the noise that was chosen for it, ready to describe and to release."""

from collections.abc import Callable, Mapping
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, Protocol, final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.core import Displayable, Fact, Problems
from privet.errors import MismatchError
from privet.tables.codebook.part import Values
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping as MappingNode
from privet.tables.codebook.tree import Node
from privet.tables.curator.allowance import Allowance, read_allowance
from privet.tables.files.plan_keys import ARGUMENTS, PLAN
from privet.tables.files.written import NoiseWords, PlanFile, open_file
from privet.tables.sql.imputed import SqlImputedQuery
from privet.tables.sql.read import SqlQuery


class Plannable(Protocol):
    """A query whose plan can be read from a file."""

    @property
    def facts(self) -> Callable[[], tuple[Fact, ...]]:
        """Say what the query computes."""

    @property
    def plan(self) -> Callable[..., PlanFile]:
        """Choose the noise; read no data and spend nothing."""

    @property
    def describe_plan(self) -> Callable[..., str]:
        """Write a plan of this query in words."""

    @property
    def release_plan(self) -> Callable[..., object]:
        """Charge a plan of this query, read the data, and release with the noise of the plan."""


@final
@frozen(kw_only=True, repr=False)
class QueryPlan(Displayable):
    """A query with its plan. Made by ``session.read_plan``.

    Args:
        query: The query.
        plan: The noise of its release, and the privacy loss.
        arguments: What the query was planned with: ``epsilon``, ``delta``, ``rho``, ``weights`` and so on.
    """

    query: Plannable
    plan: PlanFile
    arguments: Mapping[str, Any]

    def facts(self) -> tuple[Fact, ...]:
        """Say what is computed, and with which noise."""
        return (*self.query.facts(), *self.plan.facts())

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release."""
        return self.plan.loss

    def describe(self) -> str:
        """Write down the query and the noise; read no data and spend nothing."""
        size = {"group_size": self.arguments["group_size"]} if "group_size" in self.arguments else {}
        return self.query.describe_plan(self.plan, **size)

    def release(self, *, again: bool = False) -> Any:
        """Charge the budget of the session, read the data, and release with exactly the noise of the plan.

        Args:
            again: With a ledger, whether to charge for a fresh release where one is stored.
        """
        return self.query.release_plan(self.plan, _allowance(self.arguments), again=again)

    def to_yaml(self) -> str:
        """Write the plan as YAML."""
        return self.plan.to_yaml()


def read_plan(door: object, source: str | Path) -> QueryPlan:
    """Read a plan from a file, or from its text, or raise everything that is wrong with it.

    The noise is that of the file. It must be noise of the numbers of the query, and its loss must fit the budget of the
    file. Without noise in the file, the query is planned now.

    Args:
        door: The session or planner whose methods are called.
        source: The path of a file, or its text.

    Raises:
        ProblemsError: with all problems, each with its path, its line and a way out.
    """
    root, problems = open_file("plan", source)
    values = PLAN.read(TreeReader(problems), root, {"door": door})
    problems.raise_any()
    made = _make(problems, root, values or {})
    problems.raise_any()
    return made  # type: ignore[return-value] # without a problem there is a plan


def _make(problems: Problems, root: Node, values: Values) -> QueryPlan | None:
    query: Any = values["query"]
    more = {name: values[name] for name in ARGUMENTS if name in values}
    options = query.options if isinstance(query, SqlQuery | SqlImputedQuery) else {}
    arguments = {**options, **values.get("budget", {}), **more}
    places = root.items if isinstance(root, MappingNode) else {}
    taken = signature(query.plan).parameters
    for name in more:
        if name not in taken:
            problems.add(places[name].place, f"{name} is no part of a plan of such a query.", fix="Leave it out.")
            return None
    budget, noise = places.get("budget", root), values.get("noise")
    plan = problems.attempt(budget.place, partial(query.plan, **arguments))
    if plan is None or noise is None:
        return None if plan is None else QueryPlan(query=query, plan=plan, arguments=arguments)
    return problems.attempt(places["noise"].place, lambda: _with_noise(query, plan, noise, arguments))


def _with_noise(query: Plannable, plan: PlanFile, noise: list[NoiseWords], arguments: Mapping[str, Any]) -> QueryPlan:
    """Put the noise of the file in the place of that which was chosen now; it must be for the same numbers."""
    made = plan.with_noise(iter(noise)) if len(plan.noise_words()) == len(noise) else plan
    if made.noise_words() != noise:
        raise MismatchError(
            "the noise is for other numbers than those of this query, or for another codebook; plan the query again."
        )
    allowance = _allowance(arguments)
    if noise and allowance is not None and not made.loss <= allowance.budget:
        raise MismatchError("the noise costs more than the budget of the plan allows; plan the query again.")
    return QueryPlan(query=query, plan=made, arguments=arguments)


def _allowance(arguments: Mapping[str, Any]) -> Allowance | None:
    """Give what the release may lose; None for parts of a session without a budget."""
    amounts = {name: arguments[name] for name in ("epsilon", "delta", "rho") if name in arguments}
    return read_allowance("plan", **amounts) if amounts else None
