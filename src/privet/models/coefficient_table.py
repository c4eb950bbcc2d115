"""A table of coefficients with their standard errors and intervals."""

from statistics import NormalDist
from typing import final

from attrs import field, frozen

from privet.core import short
from privet.models.signal import rows_text


def normal_quantile(share: float) -> float:
    """Return the value below which this share of a standard normal law lies.

    >>> round(normal_quantile(0.975), 3)
    1.96
    """
    return NormalDist().inv_cdf(share)


@final
@frozen(kw_only=True, repr=False)
class CoefficientTable:
    """The coefficients of a regression, with standard errors and intervals.

    Args:
        names: The intercept and the encoded columns.
        estimates: The intercept and the coefficients.
        errors: Their standard errors, of sampling and of noise.
        lower: The lower ends of the intervals.
        upper: The upper ends.
        level: The level of the intervals.
        rows: The noisy number of rows.
        usable: Whether the intervals can be trusted.
    """

    names: tuple[str, ...] = field(repr=short)
    estimates: tuple[float, ...]
    errors: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    level: float
    rows: float
    usable: bool

    def __repr__(self) -> str:
        wide = max((len(name) for name in self.names), default=0)
        lines = [f"{rows_text(self.rows)}; intervals of {100 * self.level:.12g}% cover sampling and noise"]
        lines.append(f"{'':{wide}}  {'estimate':>12}  {'error':>10}  {'low':>12}  {'high':>12}")
        table = zip(self.names, self.estimates, self.errors, self.lower, self.upper, strict=True)
        lines += [
            f"{name:{wide}}  {b:>12.5g}  {e:>10.3g}  {low:>12.5g}  {high:>12.5g}" for name, b, e, low, high in table
        ]
        lines.append("not covered: values beyond the bounds, missing features, a relation that is not linear")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, list[object]]:
        """Return the columns of the table, for a data frame."""
        return {
            "name": list(self.names),
            "estimate": list(self.estimates),
            "error": list(self.errors),
            "low": list(self.lower),
            "high": list(self.upper),
        }
