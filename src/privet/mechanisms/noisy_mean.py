"""The mean of a column whose size is private."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, Bounds, Space, exact_data, is_a, read_share, to_float_down, to_float_up
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.transforms import bounded_column, ends_in_steps
from privet.transforms.endpoint_sums import EndpointSums, mean_of


@final
@frozen(kw_only=True)
class MeanRelease:
    """A private mean with the two noisy sums behind it; everything here is public.

    Args:
        toward_lower: The noisy sum of distances to the lower bound.
        toward_upper: The noisy sum of distances to the upper bound.
        bounds: The outermost grid points within the bounds of the column.
        noise: The mechanism, for intervals.
        space: The space of the sums, for intervals.
    """

    toward_lower: float
    toward_upper: float
    bounds: Bounds = field(repr=False)
    noise: Laplace | Gaussian = field(repr=False)
    space: Space = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean, always within the bounds."""
        return float(mean_of(exact_data(self.toward_lower), exact_data(self.toward_upper), *self.bounds))

    @property
    def count(self) -> float:
        """The number of rows that had a value, not below zero."""
        width = self.bounds[1] - self.bounds[0]
        return max(float((exact_data(self.toward_lower) + exact_data(self.toward_upper)) / width), 0.0)

    def interval(self, level: object = Fraction(95, 100)) -> tuple[float, float]:
        """An interval that holds the mean of the clamped rows with probability ``level`` or more.

        Each sum stays within its error with half of the remaining probability; the mean grows with one and falls
        with the other, so its extremes are at opposite corners.
        """
        share = read_share("interval.level", level)
        error = self.noise.accuracy((1 - share) / 2, self.space)
        low, high = exact_data(self.toward_lower), exact_data(self.toward_upper)
        if high - error <= 0 and low - error <= 0:
            return to_float_down(self.bounds[0]), to_float_up(self.bounds[1])  # the sums do not exclude an empty column
        smallest = mean_of(low - error, high + error, *self.bounds)
        largest = mean_of(low + error, high - error, *self.bounds)
        return to_float_down(smallest), to_float_up(largest)


@final
@frozen(kw_only=True)
class NoisyMean(Measurement):
    """Average a bounded column whose size is private.

    Adds noise to the two ``EndpointSums`` and divides afterwards. Nulls and NaN are left out of the mean.

    Args:
        noise: ``Laplace`` or ``Gaussian``, its scale in the units of the data.

    Guarantee: the loss of ``noise`` at ``d_in (upper - lower)``; count and mean together cost no more.
    Proof: docs/mechanisms/noisy_mean.md.

    >>> from privet.core.space import vector
    >>> (vector(float, bounds=(0, 50)) >> NoisyMean(noise=Laplace(scale=50))).map(1).epsilon()
    Fraction(1, 1)
    """

    noise: Laplace | Gaussian = field(validator=is_a(Laplace | Gaussian, "Laplace(...) or Gaussian(...)"))

    def accept(self, space: Space) -> None:
        """A bounded column."""
        EndpointSums().output(space)

    def release(self, value: Array, space: Space) -> MeanRelease:
        """Release both sums."""
        sums = EndpointSums()
        between = sums.output(space)
        lower, upper = self.noise.release(sums.apply(value, space), between).tolist()
        domain, bounds = bounded_column(self, space)
        low, high = (end * domain.step for end in ends_in_steps(bounds, domain.step))
        return MeanRelease(toward_lower=lower, toward_upper=upper, bounds=(low, high), noise=self.noise, space=between)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The loss of the noise at the distance of the sums."""
        sums = EndpointSums()
        return self.noise.loss(sums.stability(d_in, space), sums.output(space))
