"""Population amplification: the data owner asserts that the data are themselves a secret sample."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen, validators
from attrs.converters import optional

from privet.accounting.composition.composable import Curve
from privet.accounting.composition.routes import Route
from privet.accounting.losses.loss import Loss, Sampling
from privet.accounting.numerics import Amount, Point, share
from privet.accounting.pairs.distribution import Distribution
from privet.accounting.pairs.pair import Pair
from privet.accounting.sampling.sampling import Poisson
from privet.accounting.sampling.simple_sampling import SimpleSampling
from privet.core import number, positive, read_whole, require, require_type, short, whole
from privet.errors import InvalidError


@final
@frozen(kw_only=True, repr=False)
class Population(Sampling):
    """The data are a random sample of a population, and nobody but the holder of the data knows who is in it.

    Privet cannot check this. The loss it gives says so wherever it is shown. It holds for persons of the population,
    and for all releases from these data *together*: the sample was drawn once.

    Args:
        rate: Each person was in the data with this probability or less, independently of all others: the loss is that
            of one added or removed record.
        size: Or the data are a simple random sample of so many persons or fewer: the loss is that of one replaced one.
        population: How many persons it was drawn from, at least.
        name: Which sample it is. Losses with equal assertions are taken to be of *one* sample; two samples need two
            names, even where they were drawn alike.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss = PureLoss(2).amplify(Population(size=10, population=100))
    >>> round(float(loss.epsilon()), 4)
    0.494
    >>> loss.assumptions()[0]
    'the data are a secret simple random sample of at most 10 of at least 100 persons (asserted, not checked)'
    """

    rate: Fraction | None = field(default=None, converter=optional(number), validator=validators.optional(share))
    size: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))
    population: int | None = field(default=None, converter=optional(whole), validator=validators.optional(positive))
    name: str = field(default="")

    def __attrs_post_init__(self) -> None:
        by_rate = self.rate is not None and self.size is None and self.population is None
        by_size = self.rate is None and self.size is not None and self.population is not None
        if not by_rate and not by_size:
            raise InvalidError(
                "Population takes rate=... where persons came into the data independently of each other, or both "
                "size=... and population=... for a simple random sample; other designs: see ClusterSampling."
            )
        require_type(isinstance(self.name, str), "Population.name", "text", self.name)
        if self.size is not None and self.population is not None:
            require(self.size <= self.population, "Population.size", f"at most population={self.population}", self.size)

    def __repr__(self) -> str:
        named = f", name={self.name!r}" if self.name else ""
        if self.rate is not None:
            return f"Population(rate={short(self.rate)}{named})"
        return f"Population(size={self.size}, population={self.population}{named})"

    @property
    def design(self) -> Poisson | SimpleSampling:
        """The sampling that is asserted."""
        by_size = SimpleSampling(rate=Fraction(self.size or 1, self.population or 1))
        return by_size if self.rate is None else Poisson(self.rate)

    @property
    def assertion(self) -> str:
        """What the owner of the data vouches for, in one line for reports."""
        if self.rate is not None:
            drawn = f"Poisson sample, each person with probability at most {short(self.rate)}"
        else:
            drawn = f"simple random sample of at most {self.size} of at least {self.population} persons"
        data = f"the data {self.name!r}" if self.name else "the data"
        return f"{data} are a secret {drawn} (asserted, not checked)"

    def amplify(self, loss: Loss) -> Loss:
        """Mark the loss with the assertion."""
        return loss if self.design.rate == 1 else PopulationLoss(loss, self)


@final
@frozen(order=False)
class PopulationLoss(Loss):
    """A loss for the persons of a population of which the data are asserted to be a secret sample.

    The answers ``epsilon`` and ``delta`` are amplified. What is *added to others* is not: the sample is drawn once, so
    that each release tells more about who is in it. Sums of losses with one assertion are amplified as a whole.

    Args:
        base: The loss of one step in the data.
        asserted: The population.
        size: How many steps lie between the populations.

    Guarantee: that of the asserted sampling, if the assertion is true; that of ``base`` in any case.
    Proof: docs/accounting/sampling/population.md.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> loss = PureLoss(1).amplify(Population(rate=0.1))
    >>> loss + loss == (PureLoss(1) * 2).amplify(Population(rate=0.1))
    True
    """

    base: Loss
    asserted: Population
    size: int = field(default=1, converter=whole, validator=positive)

    def _additive(self) -> Loss:
        """The loss to use where other releases from the same data count as well: without the amplification."""
        return self.base._additive().group(self.size)

    def pure(self) -> Point:
        """The point without amplification, which may be added to others."""
        return self._additive().pure()

    def concentrated(self) -> Point:
        """The point without amplification, which may be added to others."""
        return self._additive().concentrated()

    def _renyi(self, order: Fraction) -> Amount:
        """The divergence without amplification, which may be added to others."""
        return self._additive().renyi(order)

    def gaussian(self) -> Amount:
        """The distance without amplification, which may be added to others."""
        return self._additive().gaussian()

    def pair(self) -> Pair:
        """The pair without amplification, which may be composed with others."""
        return self._additive().pair()

    @property
    def by_curve(self) -> bool:
        """As without amplification."""
        return self._additive().by_curve

    @property
    def directed(self) -> bool:
        """As without amplification."""
        return self._additive().directed

    def undirected(self) -> Loss:
        """Take the base in both directions."""
        return PopulationLoss(self.base.undirected(), self.asserted, self.size)

    def _attained(self) -> Pair | None:
        """Unknown for sums; see ``interval`` for this loss alone."""
        return None

    def parts(self) -> tuple[tuple[Loss, int], ...]:
        """The parts without amplification: a sum with other losses is made of these, and asserts nothing."""
        return self._additive().parts()

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The amplified curve."""
        return self._alone().delta(epsilon)

    def curve(self, near: Fraction) -> Curve:
        """The amplified curve."""
        return self._alone().curve(near)

    def _epsilon(self, delta: Fraction) -> Amount:
        """The amplified curve backwards."""
        return self._alone().epsilon(delta)

    def interval(self, *, delta: object = None, epsilon: object = None) -> tuple[Fraction, Amount]:
        """Both bounds of the amplified curve."""
        return self._alone().interval(delta=delta, epsilon=epsilon)

    def _routes(self, delta: Fraction) -> list[Route]:
        return self._alone()._routes(delta)

    def distribution(self, step: Any = Fraction(1, 1000), tail: object = Fraction(1, 10**12)) -> Distribution:
        """That of the amplified curve."""
        return self._alone().distribution(step, tail)

    def assumptions(self) -> tuple[str, ...]:
        """The assertion, after those of the base."""
        return tuple(dict.fromkeys((*self.base.assumptions(), self.asserted.assertion)))

    @property
    def group_size(self) -> int:
        """How many steps lie between the populations."""
        return self.size

    def _single(self) -> Loss:
        return PopulationLoss(self.base, self.asserted)

    def _lower_delta(self, epsilon: Fraction) -> Fraction:
        """That of the amplified curve."""
        return self._alone()._lower_delta(epsilon)

    def group(self, size: int) -> Loss:
        """Amplify one step, then take the group."""
        count = read_whole("Loss.group", size)
        return super().group(count) if count < 1 else PopulationLoss(self.base, self.asserted, self.size * count)

    def __add__(self, other: Any) -> Loss:
        if isinstance(other, PopulationLoss) and (other.asserted, other.size) == (self.asserted, self.size):
            return PopulationLoss(self.base + other.base, self.asserted, self.size)
        return super().__add__(other)

    def __mul__(self, times: Any) -> Loss:
        count = read_whole("Loss.times", times)
        return super().__mul__(count) if count < 1 else PopulationLoss(self.base * count, self.asserted, self.size)

    __rmul__ = __mul__

    def _alone(self) -> Loss:
        return self.asserted.design.amplify(self.base).group(self.size)
