"""Caps and bounds that a query estimates privately."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.core import number, read_bounds, read_number, read_whole, readable, short
from privet.errors import InvalidError

Quantile = Fraction | tuple[Fraction, Fraction] | None
CapOrBounds = int | tuple[Fraction, Fraction]


def _quantile(value: Any) -> Quantile:
    if value is None:
        return None
    if isinstance(value, tuple | list):
        pair = read_bounds("auto.quantile", value)
        if pair[0] < 0 or pair[1] > 1:
            raise InvalidError(f"auto.quantile must lie between zero and one, got {short(pair)}.")
        return pair
    share = read_number("auto.quantile", value)
    if not 0 < share <= 1:
        raise InvalidError(f"auto.quantile must be above zero and at most one, got {short(share)}.")
    return share


def _most(value: Any) -> int | None:
    if value is None:
        return None
    most = read_whole("auto.most", value)
    if most < 1:
        raise InvalidError(f"auto.most must be 1 or more, got {most}.")
    return most


@final
@frozen(kw_only=True)
class Auto:
    """A cap or bounds that are estimated privately before the release, for a share of what it may lose.

    Args:
        share: The part of epsilon (or rho) that the estimate costs, above zero and below one.
        quantile: The share of persons that a cap leaves whole, or of values that bounds leave unchanged: a share, or
            for bounds a pair (low, high). None for the choice with the least expected error.
        most: The largest cap to consider, for caps only.
        beta: The probability with which noise alone may be taken for persons.

    Guarantee: an estimate costs its share, whatever its value is.
    Proof: docs/tables/auto.md.

    >>> auto(share=0.05, quantile=0.99)
    Auto(share=0.05, quantile=0.99, most=None, beta=0.0001)
    """

    share: Fraction = field(default=Fraction(1, 10), converter=number, validator=readable, repr=short)
    quantile: Quantile = field(default=None, converter=_quantile, repr=short)
    most: int | None = field(default=None, converter=_most)
    beta: Fraction = field(default=Fraction(1, 10_000), converter=number, validator=readable, repr=short)

    @share.validator
    @beta.validator
    def _check(self, attribute: Any, value: Fraction) -> None:
        if not 0 < value < 1:
            raise InvalidError(f"auto.{attribute.name} must be above zero and below one, got {short(value)}.")


def auto(
    *, share: Any = Fraction(1, 10), quantile: Any = None, most: Any = None, beta: Any = Fraction(1, 10_000)
) -> Auto:
    """Leave a cap or bounds to be estimated privately: ``cap(rows=auto())``, ``mean("cost", bounds=auto(share=0.2))``.

    >>> auto().share
    Fraction(1, 10)
    """
    return Auto(share=share, quantile=quantile, most=most, beta=beta)
