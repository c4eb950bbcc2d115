"""Privacy measure conversion: a measurement whose loss is stated in another form."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.forms import Form
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.combinators.inside import home, is_measurement, placed, released
from privet.core.space import Space
from privet.errors import WrongTypeError

_LABEL = "MeasureConversion.measurement"


@final
@frozen(kw_only=True)
class MeasureConversion(Measurement):
    """Release as another measurement does, and state the loss in another form.

    Args:
        measurement: A measurement, on its space or to be placed.
        to: ``PureForm()``, ``ApproximateForm(delta=...)``, ``ConcentratedForm()`` or ``RenyiForm(orders=[...])``.

    Guarantee: the loss of the measurement, in the form asked for; ``UnavailableError`` where that form is stronger.
    Proof: docs/combinators/measure_conversion.md.

    >>> from privet.accounting.losses.forms import ConcentratedForm
    >>> from privet.mechanisms.laplace import Laplace
    >>> noisy = Laplace(scale=2)
    >>> told = MeasureConversion(measurement=noisy.place(noisy.default()), to=ConcentratedForm())
    >>> told.map(1).epsilon(), told.map(1).rho() <= Fraction(1, 8)
    (inf, True)
    """

    measurement: Any = field()
    to: Form = field()

    @measurement.validator
    def _check_measurement(self, _: Any, value: Any) -> None:
        is_measurement(_LABEL, value)

    @to.validator
    def _check_to(self, _: Any, value: Any) -> None:
        if not isinstance(value, Form):
            raise WrongTypeError(
                f"MeasureConversion.to must be a form such as ApproximateForm(delta=1e-6), got {type(value).__name__}."
            )

    def default(self) -> Space | None:
        """The space of the measurement, where it has one."""
        return home(self.measurement)

    def accept(self, space: Space) -> None:
        """Whatever the measurement reads."""
        placed(_LABEL, self.measurement, space)

    def release(self, value: Any, space: Space) -> Any:
        """As the measurement does."""
        return released(placed(_LABEL, self.measurement, space), value)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The same loss, of which one form is kept."""
        return self.to.restate(placed(_LABEL, self.measurement, space).map(d_in))

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """As the measurement says."""
        return placed(_LABEL, self.measurement, space).accuracy(beta)
