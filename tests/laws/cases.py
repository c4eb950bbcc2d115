"""What a unit's test hands to the laws."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

from attrs import field, frozen

from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core.space import Space
from tests.laws.masses import Masses

Law = Literal["map", "loss", "samples", "parity", "membership", "touching", "row by row"]
Tight = Literal["epsilon", "delta", "rho", "no"]


@frozen(kw_only=True)
class Case:
    """A placed unit with what the laws need to know about it.

    Args:
        name: For the test's id.
        chain: The unit on a space.
        pairs: Inputs of the chain, two by two, for the loss law.
        masses: The exact output distribution for a member of the chain's input domain.
        tight: Which answer of the loss the exact divergence must come close to on the first pair.
        sample: How many releases the samples law draws; zero leaves it out.
        fewest: How many of them are enough every day: more for units whose twins show in many draws only.
        input: What the samples law releases.
        questions: What a queryable release is asked by the touching law: the first has an exact answer, and has it
            again after all the others.
    """

    name: str
    chain: TransformationChain | MeasurementChain
    pairs: Sequence[tuple[Any, Any]] = ()
    masses: Callable[[Any, Space], Masses] | None = None
    tight: Tight = "no"
    sample: int = 0
    fewest: int = 3_000
    input: Any = 0
    questions: Sequence[Any] = ()
    orders: Sequence[Fraction] = field(default=(Fraction(3, 2), Fraction(2), Fraction(10)))


@frozen(kw_only=True)
class Twin:
    """A case with one deliberate mistake, and the law that must notice it."""

    law: Law
    case: Case
