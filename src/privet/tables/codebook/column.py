"""One column of a codebook: what its values are, what nulls mean, and whether it can identify persons."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypedDict, Unpack, final

from attrs import field, frozen

from privet.core import count_text, cut_text, read_grid, read_whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.kinds import read_kind
from privet.tables.codebook.null_keys import read_nulls
from privet.tables.codebook.nulls import NullPolicy, NullsDropped
from privet.tables.codebook.problem import codebook_problems
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import from_python
from privet.tables.codebook.values import (
    check_real_grid,
    check_text,
    read_categories,
    read_column_bounds,
    read_length,
    value_text,
)
from privet.tables.columns import MOST_ROWS, Column, Notation, Period, closest

_OTHERS = ("bounds", "grid", "categories", "length", "most_items", "nulls", "description")
_LONGEST = 300  # characters of a column in one line


def _short_column(column: Column) -> str:
    return cut_text(repr(column), _LONGEST)  # there may be very many categories


@final
@frozen
class CodebookColumn:
    """A column with its null policy and its description; ``column(...)`` builds one from what a person types.

    Args:
        column: What its values are, once read.
        nulls: What a query makes of nulls.
        description: What it is about, for people.
    """

    column: Column = field(repr=_short_column)
    nulls: NullPolicy = field(factory=NullsDropped)
    description: str = field(default="")

    @column.validator
    def _check_column(self, _: object, value: object) -> None:
        if not isinstance(value, Column):
            raise WrongTypeError(f"CodebookColumn.column must be a Column, got {type(value).__name__}.")
        check_column("CodebookColumn", value)

    @nulls.validator
    def _check_nulls(self, _: object, value: object) -> None:
        if not isinstance(value, NullPolicy):
            raise WrongTypeError(f"CodebookColumn.nulls must be a null policy, got {type(value).__name__}.")

    @description.validator
    def _check_description(self, _: object, value: object) -> None:
        check_text("CodebookColumn.description", value)

    def __attrs_post_init__(self) -> None:
        # what stands in for a null is read as a value of the column, which only now is known
        if self.column.kind == "list" and self.nulls != NullsDropped():
            raise InvalidError(
                "CodebookColumn.nulls of a list must be drop, since a row without a list has no items; for items that "
                'are null derive a value behind unnest, such as coalesce(tag, "none").'
            )
        object.__setattr__(self, "nulls", self.nulls.fit("CodebookColumn.nulls", self.column))

    @property
    def after_nulls(self) -> Column:
        """The column as queries see it, after the null policy."""
        return self.nulls.apply_to(self.column.as_read)

    @property
    def step(self) -> Fraction | None:
        """The grid of a bounded real column, by default 2^-32 of the magnitude of its bounds; None for others."""
        values = self.column.values
        return check_real_grid("CodebookColumn", values.bounds, values.grid) if values.kind == "real" else None

    def describe(self) -> str:
        """Say in one line what values are, and what happens to nulls."""
        column, values = self.column.values, ""
        if column.categories is not None:
            values = f", {count_text(len(column.categories), 'category', 'categories')}"
        elif column.bounds is not None:
            values = ", from {} to {}".format(*(value_text(column.kind, end) for end in column.bounds))
        written = f"; {column.notation.words}" if column.notation.words else ""
        return f"{kind_text(self.column)}{values}{written}; {self.nulls.meaning(column)}"


def kind_text(column: Column) -> str:
    """Name the type of a column: of a list, that of its items and how many there are."""
    return column.kind if column.item is None else f"list of {column.item.kind}, up to {column.most:,}"


def list_of(item: Column, most: object) -> Column:
    """Make the column of lists of such values; ``most`` is how many items a list has at most."""
    number = read_whole("column.most_items", most)
    if not 1 <= number <= MOST_ROWS:
        raise InvalidError(
            f"column.most_items must be from 1 to {MOST_ROWS:,}, got {number:,}: no query makes more rows of one."
        )
    return Column(kind="list", item=item, most=number)


def check_column(label: str, column: Column) -> None:
    """Refuse what a column of a table cannot be, beyond what ``Column`` itself refuses."""
    if column.item is not None:
        check_column(label, column.item)
    if column.bounds is not None and column.categories is not None:
        raise InvalidError(f"{label} takes bounds or categories, not both: a column of categories is not clamped.")
    if column.bounds is not None:
        read_column_bounds(f"{label}.bounds", column.kind, column.bounds)
    if column.categories is not None:
        read_categories(f"{label}.categories", column.kind, column.categories)
    if column.kind == "real":
        check_real_grid(label, column.bounds, column.grid)
    if not column.nullable:
        raise InvalidError(
            f"{label}.nullable cannot be false: what a source holds is not known, and what cannot be read becomes "
            "null; choose what stands in for nulls instead."
        )


def check_identifier(label: str, name: str, columns: Mapping[str, CodebookColumn | None]) -> str:
    """Refuse an id column that is not there, or that would merge persons; one that is None has problems of its own."""
    if name not in columns:
        raise InvalidError(f"{label} must be one of the columns, got {name!r}.{closest(name, columns)}")
    known = columns[name]
    if known is None:
        return name
    if known.column.kind not in ("integer", "text"):
        raise InvalidError(f"{label} must be an integer or text column, got {known.column.kind} column {name!r}.")
    if known.column.bounds is not None or known.column.categories is not None:
        raise InvalidError(
            f"{label}: column {name!r} must not have bounds or categories, which would merge or drop persons."
        )
    if known.column.notation.percent is not None:
        raise InvalidError(f"{label}: column {name!r} must not have percent: an identifier is no percentage.")
    if known.nulls != NullsDropped():
        raise InvalidError(
            f"{label}: column {name!r} must leave out nulls: anything in place of them would make one person of many."
        )
    return name


def check_period_column(label: str, period: Period, columns: Mapping[str, CodebookColumn | None]) -> Period:
    """Refuse a period of a column that is not there, or is no date; one that is None has problems of its own."""
    name = period[0]
    if name not in columns:
        raise InvalidError(f"{label} must be of one of the columns, got {name!r}.{closest(name, columns)}")
    known = columns[name]
    if known is not None and known.column.kind not in ("date", "timestamp"):
        raise InvalidError(f"{label} must be of a date or timestamp column, got {known.column.kind} column {name!r}.")
    return period


class NotationKeys(TypedDict, total=False):
    """How texts of a source write the values of a column, as the keys of a codebook say."""

    missing: Sequence[object] | None
    format: str | Sequence[str] | None
    decimal: str | None
    thousands: str | None
    currency: Sequence[str]
    percent: str | None
    true_words: Sequence[str]
    false_words: Sequence[str]
    clean: str | Sequence[str]


def column(
    kind: str | type,
    *,
    bounds: object = None,
    grid: object = None,
    categories: object = None,
    length: object = None,
    most_items: object = None,
    nulls: object = None,
    description: str = "",
    **notation: Unpack[NotationKeys],
) -> CodebookColumn:
    """Describe a column of a codebook.

    Args:
        kind: The type: ``integer``, ``real``, ``boolean``, ``text``, ``date`` or ``timestamp``. Also ``int``,
            ``float``, ``str``, ``bool``, ``date`` and ``datetime`` of Python, or the texts ``"int"``, ``"float"``,
            ``"number"``, ``"str"``, ``"string"``, ``"bool"`` and ``"datetime"``.
        bounds: Where values lie: a pair of numbers, or of dates or times as ISO text or as date objects.
        grid: The step to which reals are rounded, a power of two; by default 2^-32 of the magnitude of the bounds.
        categories: The values that may occur, in their public order.
        length: How many characters a text has at most, 1,000 by default; longer ones are cut there.
        most_items: How many items a list has at most, where values are lists of such items; the first are kept.
        nulls: What a query makes of nulls: ``"drop"`` (the default), ``"category"``, ``{"value": 15}``,
            ``{"impute": "uniform"}``, ``{"impute": "categories"}``,
            ``{"impute": {"gaussian": {"shift": 40, "scale": 10}}}``; or ``NullsDropped()`` and the like.
        description: What the column is about.
        notation: How texts of a source write its values, as the keys of a codebook say: ``missing=("NA", -999)``,
            ``format="%m/%d/%Y"`` or several, ``decimal=","``, ``thousands="."``, ``currency=("$", "EUR")``,
            ``percent="points"`` (12 % is 12) or ``"share"`` (0.12), ``true_words=("yes",)`` with
            ``false_words=("no",)``, ``clean="trim"``, ``"lower"`` or ``"upper"``.

    >>> column(float, bounds=(0, 600), nulls={"value": 15}).nulls
    NullsReplaced(value=15)
    >>> column(float, bounds=(0, 900), decimal=",", thousands=".", currency=["€"], missing=["k.A.", -1]).column.kind
    'real'
    """
    known = read_kind("column.type", kind)
    item = Column(
        kind=known,
        bounds=None if bounds is None else read_column_bounds("column.bounds", known, bounds),
        grid=None if grid is None else read_grid("column.grid", grid),
        categories=None if categories is None else read_categories("column.categories", known, categories),
        length=None if length is None else read_length("column", known, categories, length),
        notation=_notation(notation),
    )
    made = item if most_items is None else list_of(item, most_items)
    return CodebookColumn(made, NullsDropped() if nulls is None else _policy(nulls, item), description)


def _notation(given: Mapping[str, Any]) -> Notation:
    """Take how texts write values; its own check reads and refuses what is in it."""
    names = list(NotationKeys.__annotations__)
    for name in given:
        if name not in names:
            raise WrongTypeError(f"column has no parameter {name!r}.{closest(name, (*names, *_OTHERS))}")
    stated: Any = {name: () if name == "format" and value is None else value for name, value in given.items()}
    return Notation(**stated)


def _policy(value: object, made: Column) -> NullPolicy:
    """Take a null policy, or read one that is written as in a codebook: ``"drop"``, ``{"value": 15}``."""
    if isinstance(value, NullPolicy):
        return value
    problems = codebook_problems()
    policy = read_nulls(TreeReader(problems), from_python(value, problems, "column.nulls"), made)
    problems.raise_any()
    assert policy is not None  # noqa: S101 - without a problem there is a policy
    return policy
