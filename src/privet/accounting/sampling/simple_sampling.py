"""Simple random sampling: a fixed number of records without replacement, seen from the whole data."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss, Sampling, additive
from privet.accounting.numerics import share
from privet.accounting.sampling.sampling import SampledLoss
from privet.core import number, short


@final
@frozen
class SimpleSampling(Sampling):
    """A fixed number of N records is drawn without replacement: replace-one neighbours, N public.

    Args:
        rate: The share that is drawn, above zero and at most one.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> round(float(PureLoss(1).amplify(SimpleSampling(rate=0.1)).epsilon()), 4)
    0.1586
    """

    rate: Fraction = field(converter=number, validator=share, repr=short)

    def amplify(self, loss: Loss) -> Loss:
        """Take the loss of one replacement in the sample to that of one replacement in the whole."""
        return loss if self.rate == 1 else SimpleSampledLoss(loss, self.rate)


@final
@frozen(order=False)
class SimpleSampledLoss(SampledLoss):
    """The loss of one replaced record in the whole data, where the release reads a simple random sample.

    Args:
        base: The loss of one replacement in the sample, in both directions.
        rate: The share that is drawn.

    Guarantee: delta'(ln(1 + rate (e^epsilon - 1))) = rate delta(epsilon) for epsilon of zero or more.
    Proof: docs/accounting/sampling/simple_sampling.md.

    >>> from privet.accounting.losses.approximate import ApproximateLoss
    >>> ApproximateLoss(1, 1e-6).amplify(SimpleSampling(rate=0.5)).pure().delta
    Fraction(1, 2000000)
    """

    base: Loss = field(converter=additive)
    rate: Fraction = field(converter=number, validator=share, repr=short)
