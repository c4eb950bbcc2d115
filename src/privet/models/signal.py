"""The public judgement of a fit: whether it can be expected to carry information."""

from typing import final

from attrs import field, frozen

_FEWEST = 10.0  # rows; many models read a smaller noisy count as this one


@final
@frozen
class Signal:
    """Whether a fit can be expected to carry information, judged from releases and public facts only.

    Args:
        expected: The judgement.
        reason: Why, in words.
    """

    expected: bool = field(converter=bool)  # a numpy bool is none
    reason: str

    def __bool__(self) -> bool:
        return self.expected


def rows_text(count: float) -> str:
    """Write a noisy number of rows.

    >>> rows_text(1234.5), rows_text(10), rows_text(-3)
    ('about 1,234 rows', '10 rows or fewer', '10 rows or fewer')
    """
    return f"about {count:,.0f} rows" if count > _FEWEST else "10 rows or fewer"
