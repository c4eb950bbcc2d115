"""What composition needs of a loss. Losses are defined in a higher layer; composition and plots need only this base."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from privet.accounting.composition.outcomes import Outcomes
from privet.accounting.numerics import Amount, Point
from privet.accounting.pairs.distribution import Distribution
from privet.accounting.pairs.pair import Pair

Curve = Callable[[Fraction], Fraction]  # upper bounds of delta at each epsilon


class Composable(ABC):
    """A loss, as composition and plots see it."""

    @abstractmethod
    def pure(self) -> Point:
        """The cheapest (epsilon, delta) point that may be added to others."""

    @abstractmethod
    def concentrated(self) -> Point:
        """The cheapest (rho, delta) point that may be added to others."""

    @abstractmethod
    def epsilon(self, delta: object = 0) -> Amount:
        """The smallest known epsilon such that (epsilon, delta) bounds this loss; infinite where there is none."""

    @abstractmethod
    def renyi(self, order: object) -> Amount:
        """The smallest known bound of the Rényi divergence of an order above one."""

    @abstractmethod
    def renyi_point(self, order: object) -> Point:
        """The smallest known bound of the Rényi divergence of an order above one, outside an event; deltas add up."""

    @abstractmethod
    def at(self, outcome: Any) -> Amount:
        """The logarithm of how much likelier an outcome is for the data than for a neighbour."""

    @abstractmethod
    def curve(self, near: Fraction) -> Curve:
        """Give a function with upper bounds of delta, sharpest near an epsilon, for many evaluations."""

    @abstractmethod
    def pair(self) -> Pair:
        """Two laws that are at least as far apart as the releases of any two neighbours.

        Where the loss is ``directed`` the first law is that of the larger data; otherwise both orders are covered.
        """

    @abstractmethod
    def distribution(self, step: Any = ..., tail: object = ...) -> Distribution:
        """Give the loss distribution on a grid, every mass rounded up; what is in the tail counts as infinite."""

    @abstractmethod
    def parts(self) -> "tuple[tuple[Composable, int], ...]":
        """The losses that this one is the sum of, with how often each occurs."""

    @property
    @abstractmethod
    def by_curve(self) -> bool:
        """Tell whether the pair says no more than the points do: a sum first adds up such parts."""

    @property
    @abstractmethod
    def directed(self) -> bool:
        """Tell whether adding a record and removing one cost different losses."""

    @property
    @abstractmethod
    def tight(self) -> bool:
        """Tell whether neighbours may have the pair itself, as far as this loss says."""

    @abstractmethod
    def _attained(self) -> Pair | None:
        """Give a pair that neighbours may have, as far as this loss says, for bounds from below; or None."""

    @abstractmethod
    def _least_delta(self, epsilon: Fraction) -> Fraction:
        """Give a lower bound of delta in closed form, for tails too far out for floats; zero where there is none."""

    @abstractmethod
    def _lower_delta(self, epsilon: Fraction) -> Fraction:
        """Give the best lower bound of delta."""

    @abstractmethod
    def _unpaired(self) -> "Composable | None":
        """Give the sum of the parts that are known ``by_curve``, or None where there are none."""

    @abstractmethod
    def _outcomes(self) -> Outcomes:
        """Give the outcomes that are worth drawing."""
