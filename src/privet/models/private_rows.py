"""Private rows behind a filter: row-by-row changes are free, every release is charged before the rows are read."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Self, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.chains.transformation import RowTransformation, Transformation, TransformationChain
from privet.combinators.inner_measurement import run_measurement
from privet.core import Array, Space
from privet.errors import WrongTypeError
from privet.models.rows_in_parts import RowsInParts
from privet.models.spending import Spending


@final
@frozen(kw_only=True)
class Charge:
    """One release of a fit.

    Args:
        name: What was released.
        unit: The mechanism and its scale, in words.
        loss: Its loss.
        scale: The scale of its noise, the temperature of a selection, or the scale of a tilt.
    """

    name: str
    unit: str
    loss: Loss
    scale: float


@final
class Account:
    """The filter of one fit, with a list of what was charged.

    Args:
        spending: The budget.
        d_in: How many rows neighbouring data differ by.
    """

    def __init__(self, spending: Spending, d_in: int) -> None:
        self.spending, self.d_in = spending, d_in
        self.filter = spending.open_filter()
        self.charges: list[Charge] = []

    def charge(self, name: str, chain: MeasurementChain) -> None:
        """Spend the loss of a chain, or refuse."""
        loss = chain.map(self.d_in)
        self.filter.charge(loss)
        unit, scale = _unit_and_scale(chain.mechanism)
        self.charges.append(Charge(name=name, unit=unit, loss=loss, scale=scale))

    @property
    def loss(self) -> Loss:
        """The loss of the whole budget: what a fit spends of it may depend on releases, so less is no guarantee."""
        return self.spending.whole()


@final
@frozen(kw_only=True)
class PrivateRows:
    """Rows that only releases may leave.

    Args:
        value: A member of the domain of the space, or one in parts.
        space: The space of the rows.
        account: What releases are charged to.
    """

    value: Any = field(repr=False)
    space: Space
    account: Account = field(repr=False)

    def through(self, *units: RowTransformation) -> Self:
        """Return the rows after row-by-row units; neighbours stay as far apart as they are."""
        value, space = self.value, self.space
        for unit in units:
            if not isinstance(unit, RowTransformation):
                raise WrongTypeError(f"{type(unit).__name__} is no row-by-row unit: release what it gives.")
            chain: TransformationChain = space >> unit
            with np.errstate(all="ignore"):
                value = value.through(chain) if isinstance(value, RowsInParts) else chain.run(value)
                space = chain.output
        return type(self)(value=value, space=space, account=self.account)

    def release(self, name: str, *units: Any, share: Fraction) -> Any:
        """Add noise to the result of a chain of units; it costs a share of the budget.

        Args:
            name: What is released, for the record.
            units: Transformations; the last gives numbers.
            share: The part of the total budget that the release costs.
        """
        chain: Any = self.space >> units[0]
        for unit in units[1:]:
            chain = chain >> unit
        noise = self.account.spending.noise(chain.map(self.account.d_in), share)
        return self.measure(name, chain >> noise)

    def release_sums(self, name: str, unit: Transformation, *, share: Fraction, compute: Callable[[], Array]) -> Any:
        """Add noise to sums that an engine computes of the same rows; it costs what ``release`` costs.

        Args:
            name: What is released, for the record.
            unit: The transformation whose result ``compute`` gives.
            share: The part of the total budget that the release costs.
            compute: Gives the sums as whole numbers; it is called after the charge.
        """
        chain: Any = self.space >> unit
        placed = chain >> self.account.spending.noise(chain.map(self.account.d_in), share)
        self.account.charge(name, placed)
        grid = placed.place.domain.grid
        with np.errstate(all="ignore"):
            return placed.post_process(placed.mechanism.release(compute() * int(1 / grid), placed.place))

    def measure(self, name: str, chain: MeasurementChain | Measurement) -> Any:
        """Make the release of a measurement, charged first."""
        placed: MeasurementChain = chain if isinstance(chain, MeasurementChain) else self.space >> chain
        self.account.charge(name, placed)
        with np.errstate(all="ignore"):
            if not isinstance(self.value, RowsInParts):
                return run_measurement(placed, self.value)
            if not placed.links:
                return run_measurement(placed, self.value.together())
            result = self.value.result_of(TransformationChain(placed.links))
            return placed.post_process(placed.mechanism.release(result, placed.place))

    def scale(self) -> float:
        """Return the noise scale of the latest release, in the units of its statistics."""
        return self.account.charges[-1].scale


def _unit_and_scale(mechanism: Any) -> tuple[str, float]:
    """Describe a mechanism with the scale of its noise, the temperature of its selection, or the scale of its tilt."""
    inner = getattr(mechanism, "each", mechanism)  # of several selections at once
    for size in ("scale", "temperature", "tilt_scale"):
        if hasattr(inner, size):
            found = float(getattr(inner, size))
            return f"{type(inner).__name__} of {size.replace('_', ' ')} {found:.6g}", found
    return type(inner).__name__, 0.0
