"""Columns: what is publicly known of the values of one column.

Nothing here is an assertion about the private data. Whatever a source holds is *read into* the column by a total
function that is the same for every row: a value of another type, NaN, or a text that is no category becomes null; a
number beyond the bounds is moved to the nearer one; a text beyond the largest length is cut there. Expressions give
columns too, inferred from those of their parts.
"""

from fractions import Fraction
from typing import Any, Literal, final, get_args

from attrs import evolve, field, frozen

from privet.core import optional_grid, read_bounds, readable, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.notation import PLAIN, Notation

Scalar = Literal["integer", "real", "boolean", "text", "date", "timestamp"]
Kind = Literal[Scalar, "list"]
KINDS: tuple[Scalar, ...] = get_args(Scalar)  # of single values; an expression takes and gives these alone
NUMBERS: tuple[Kind, ...] = ("integer", "real")
ORDERED: tuple[Kind, ...] = ("integer", "real", "date", "timestamp")
SMALLEST, LARGEST = -(2**63), 2**63 - 1  # what an integer column can hold, and a timestamp in microseconds
DEFAULT_LENGTH = 1_000  # characters of a text of a source, where nothing else is said
LONGEST_TEXT = 10_000  # characters that any text may have at most, declared or derived
PLAIN_LENGTH = 4  # characters as long as a value that is no text: 16 bytes
Bounds = tuple[Fraction, Fraction]


def _bounds(value: object) -> Bounds | None:
    return None if value is None else read_bounds("Column.bounds", value)


@final
@frozen(kw_only=True)
class Column:
    """What every value of a column is.

    Args:
        kind: ``integer`` (64 bits), ``real`` (finite doubles), ``boolean``, ``text``, ``date`` or ``timestamp``; or a
            ``list`` of such values, which no expression and no aggregate reads before it is unnested.
        bounds: Where values lie: numbers; for dates days, for timestamps microseconds, since 1970-01-01.
        grid: The grid step to which reals are rounded before they are added up; None for the default of their bounds.
        categories: The values that may occur, in their public order; None where any may.
        nullable: Whether values may be null.
        exact: Whether a value that would have to be rounded or cut is null instead: a number with a fraction in an
            integer column, a text beyond the largest length. An id column is exact, or two persons could become one.
        length: How many characters (code points) a text has at most; by default that of the longest category, or
            1,000.
        notation: How the texts of a source write its values; of no meaning once they are read.
        item: What each item of a list is; for lists only.
        most: How many items a list has at most; for lists only. Of a longer one the first are kept.
    """

    kind: Kind = field()
    bounds: Bounds | None = field(default=None, converter=_bounds, repr=short)
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=short)
    categories: tuple[Any, ...] | None = field(default=None)
    nullable: bool = field(default=True)
    exact: bool = field(default=False, repr=False)
    length: int | None = field(default=None, repr=False)
    notation: Notation = field(default=PLAIN, repr=False)
    item: "Column | None" = field(default=None, repr=False)
    most: int | None = field(default=None, repr=False)

    @kind.validator
    def _check_kind(self, _: object, value: object) -> None:
        if value not in (*KINDS, "list"):
            raise InvalidError(f"Column.kind must be one of {', '.join(KINDS)} and list, got {value!r}.")

    @bounds.validator
    def _check_bounds(self, _: object, value: Bounds | None) -> None:
        if value is not None and self.kind not in ORDERED:
            raise InvalidError(f"Column.bounds are for {', '.join(ORDERED)}, got a {self.kind} column.")

    @notation.validator
    def _check_notation(self, _: object, value: object) -> None:
        if not isinstance(value, Notation):
            raise WrongTypeError(f"Column.notation must be a Notation, got {type(value).__name__}.")
        if value is not PLAIN:
            if self.kind == "list":
                raise InvalidError("Column.notation is for single values: give it to the item of a list.")
            object.__setattr__(self, "notation", value.check(self.kind, self.categories))

    @grid.validator
    def _check_grid(self, _: object, value: Fraction | None) -> None:
        if value is not None and (self.kind != "real" or value <= 0):
            raise InvalidError(
                f"Column.grid is a step above zero of a real column, got {short(value)} for {self.kind}."
            )

    @categories.validator
    def _check_categories(self, _: object, value: object) -> None:
        if value is None:
            return
        if not isinstance(value, tuple) or not value or len(set(value)) != len(value):
            raise WrongTypeError("Column.categories must be a tuple of different values, at least one.")
        if self.kind not in ("integer", "text", "boolean"):
            raise InvalidError(
                f"Column.categories are for integer, text and boolean columns, got a {self.kind} column."
            )
        expected = {"integer": int, "text": str, "boolean": bool}[self.kind]
        if any(type(item) is not expected for item in value):
            raise WrongTypeError(f"Column.categories of a {self.kind} column must all be {expected.__name__}.")

    @length.validator
    def _check_length(self, _: object, value: object) -> None:
        if value is None:
            return
        if self.kind != "text":
            raise InvalidError(f"Column.length is for text columns, got a {self.kind} column.")
        if type(value) is not int or not 0 <= value <= LONGEST_TEXT:
            raise InvalidError(
                f"Column.length must be a whole number of characters up to {LONGEST_TEXT:,}, got {value!r}."
            )

    @item.validator
    def _check_item(self, _: object, value: object) -> None:
        if self.kind != "list":
            if value is not None:
                raise InvalidError(f"Column.item is for lists, got a {self.kind} column.")
        elif not isinstance(value, Column) or value.kind == "list":
            raise InvalidError("Column.item must be a column of single values: lists of lists are not read.")

    @most.validator
    def _check_most(self, _: object, value: object) -> None:
        if self.kind != "list":
            if value is not None:
                raise InvalidError(f"Column.most is for lists, got a {self.kind} column.")
        elif type(value) is not int or value < 1:
            raise InvalidError(f"Column.most must be a whole number of items, 1 or more, got {value!r}.")

    def __attrs_post_init__(self) -> None:
        if self.kind != "text":
            return
        length = DEFAULT_LENGTH if self.length is None else self.length
        if self.categories is not None:  # the categories bound the length, also where one column is made from another
            length = max(map(len, self.categories))
            if length > LONGEST_TEXT:
                raise InvalidError(
                    f"Column.categories must have at most {LONGEST_TEXT:,} characters each, got {length:,}."
                )
        object.__setattr__(self, "length", length)

    @property
    def as_read(self) -> "Column":
        """What its values are once they are read: how texts wrote them is of no account any more."""
        if self.item is not None:
            return evolve(self, item=self.item.as_read)
        return self if self.notation is PLAIN else evolve(self, notation=PLAIN)

    @property
    def held(self) -> int:
        """How many characters a value takes at most, where a value that is no text counts as a few."""
        if self.item is not None:
            return (self.most or 0) * self.item.held
        return PLAIN_LENGTH if self.length is None else self.length

    @property
    def values(self) -> "Column":
        """What its single values are: those of the items of a list, its own else."""
        return self if self.item is None else self.item
