"""What the check counts: exact numbers of the private data, never for publication."""

from typing import Any, final

from attrs import asdict, frozen

from privet.tables.columns import Kind


@final
@frozen(kw_only=True)
class ColumnFindings:
    """What happens to the values of one column.

    Args:
        name: The column.
        kind: The type that the codebook declares.
        missing: How many values are null in the source, or empty where the type is not text.
        unreadable: How many values are there and cannot be read as the declared type; they become null.
        below: How many are moved up to the lower bound; None without bounds.
        above: How many are moved down to the upper bound; None without bounds.
        unmatched: How many are none of the categories and become null; None without categories.
        cut: How many texts or lists are longer than the column allows; None for other types.
        lowest: The smallest value that was read, as text, where the column has bounds.
        highest: The largest; of lists, the largest number of items.
        nulls: What the codebook makes of nulls, in words.
    """

    name: str
    kind: Kind
    missing: int
    unreadable: int
    below: int | None = None
    above: int | None = None
    unmatched: int | None = None
    cut: int | None = None
    lowest: str | None = None
    highest: str | None = None
    nulls: str = ""

    @property
    def null(self) -> int:
        """How many values are null in the end, and so fall to the null policy."""
        return self.missing + self.unreadable + (self.unmatched or 0)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {**asdict(self), "null": self.null}


@final
@frozen(kw_only=True)
class PersonFindings:
    """What happens to the rows of persons.

    Args:
        id: The id column.
        period: The calendar period within which a person is protected, in words; empty for all rows of a person.
        without_id: How many rows have no identifier that can be read; no query uses them.
        persons: How many persons there are.
        several: How many of them have more than one row.
        heaviest: How many rows the person with the most rows has.
        cap: How many rows of a person a query uses at most; None where the codebook does not say.
        left_out: How many rows the cap leaves out; None without a cap.
    """

    id: str
    period: str = ""
    without_id: int
    persons: int
    several: int
    heaviest: int
    cap: int | None
    left_out: int | None

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return asdict(self)


@final
@frozen
class Finding:
    """Something to look at before the first release.

    Args:
        column: The column, or None where it is about rows.
        message: What was counted.
        suggestion: What to do about it.
        from_data: Whether the suggestion is a number that was taken from the data.
    """

    column: str | None
    message: str
    suggestion: str
    from_data: bool = False

    def __str__(self) -> str:
        return f"{self.message} {self.suggestion}"
