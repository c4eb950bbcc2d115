"""Privacy measure conversion: a measurement whose loss is stated in another form."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.forms import Form
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.combinators.inner_measurement import input_space, is_measurement, place_measurement, run_measurement
from privet.core import Space, is_a

_LABEL = "MeasureConversion.measurement"


@final
@frozen(kw_only=True)
class MeasureConversion(Measurement):
    """Make the release of another measurement, and state its loss in another form.

    Args:
        measurement: A measurement, on its space or to be placed.
        to: ``PureForm()``, ``ApproximateForm(delta=...)``, ``ConcentratedForm()`` or ``RenyiForm(orders=[...])``.

    Guarantee: the loss of the measurement, in the stated form; ``UnavailableError`` if that form is stronger.
    Proof: docs/combinators/measure_conversion.md.

    >>> from privet.accounting.losses.forms import ConcentratedForm
    >>> from privet.mechanisms.laplace import Laplace
    >>> noisy = Laplace(scale=2)
    >>> converted = MeasureConversion(measurement=noisy.place(noisy.default()), to=ConcentratedForm())
    >>> converted.map(1).epsilon(), converted.map(1).rho() <= Fraction(1, 8)
    (inf, True)
    """

    measurement: Any = field(validator=is_measurement)
    to: Form = field(validator=is_a(Form, "a form such as ApproximateForm(delta=1e-6)"))

    def default(self) -> Space | None:
        """The input space of the measurement, if it is placed."""
        return input_space(self.measurement)

    def accept(self, space: Space) -> None:
        """Any space that the measurement reads."""
        place_measurement(_LABEL, self.measurement, space)

    def release(self, value: object, space: Space) -> Any:
        """Run the measurement."""
        return run_measurement(place_measurement(_LABEL, self.measurement, space), value)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The same loss, restated in one form."""
        return self.to.restate(place_measurement(_LABEL, self.measurement, space).map(d_in))

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The accuracy of the measurement."""
        return place_measurement(_LABEL, self.measurement, space).accuracy(beta)
