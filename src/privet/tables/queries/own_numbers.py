"""Whether a plan is one of a query's own numbers."""

from collections.abc import Mapping
from fractions import Fraction

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import NoiseKind
from privet.tables.aggregates.shared import share
from privet.tables.noise.plan import NoisePlan


def plans_numbers_of(plan: NoisePlan, aggregates: Mapping[str, Aggregate]) -> bool:
    """Say whether a plan is for exactly the numbers of these aggregates, alone or shared as a plan shares them.

    Args:
        plan: The plan.
        aggregates: The bound aggregates, by name.
    """
    named, equal = tuple(aggregates.items()), (Fraction(1),) * len(aggregates)
    kinds: tuple[tuple[NoiseKind, ...], ...] = (("laplace",), ("gaussian",), ("laplace", "gaussian"))
    if plan.aggregates != named and not any(plan.aggregates == share(named, equal, each) for each in kinds):
        return False
    numbers = {name: aggregate.measured() for name, aggregate in plan.aggregates}
    read = [(name, part.measured) for part in plan.planned for name in part.names]
    return len(read) == len(numbers) and all(numbers.get(name) == measured for name, measured in read)
