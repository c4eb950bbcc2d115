"""What is publicly known of the columns that a model reads: bounds of numbers, lists of categories."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import (
    Array,
    Bounds,
    clamp_floats,
    default_grid,
    number,
    quietly,
    read_bounds,
    read_rows,
    short,
    types_of,
)
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.codebook import Codebook

_EXAMPLES = {"bounds": "{'age': (18, 90)}", "categories": "{'job': ['a', 'b']}"}
_FARTHEST = Fraction(2) ** 1023  # a float holds twice as much: the width of bounds
_WHY = "Bounds taken from the data would reveal extreme rows, so they are never estimated silently."


@final
@frozen(kw_only=True)
class Numeric:
    """A column of numbers with public bounds: others are moved to the nearer bound, a missing one to the middle."""

    lower: Fraction = field(converter=number, repr=short)
    upper: Fraction = field(converter=number, repr=short)

    @property
    def bounds(self) -> Bounds:
        """The lower and the upper bound."""
        return self.lower, self.upper

    @property
    def middle(self) -> float:
        """The middle of the bounds."""
        return float((self.lower + self.upper) / 2)

    @property
    def half(self) -> float:
        """Half the width of the bounds."""
        return float((self.upper - self.lower) / 2)

    def inside(self, values: Array) -> Array:
        """Return numbers as a codebook reads them, so that an array and a table give the same rows; NaN stays NaN."""
        with np.errstate(all="ignore"):  # whatever a user sets, a value must not raise an error
            return clamp_floats(values, self.bounds, default_grid("bounds", self.bounds))

    def scaled(self, column: Any) -> Array:
        """Return the values from -1 to 1, missing ones as 0."""
        values, null = read_rows(column, float)
        with np.errstate(all="ignore"):
            unit = np.clip((self.inside(values) - self.middle) / self.half, -1.0, 1.0)
        unknown = np.isnan(unit) if null is None else np.isnan(unit) | null
        return np.where(unknown, 0.0, unit)


@final
@frozen(kw_only=True)
class Categorical:
    """A column with a public list of categories; any other value is in none of them."""

    values: tuple[Any, ...] = field(repr=short)

    def places(self, column: Any) -> Array:
        """Return the position of each value in the list; for any other value the length of the list."""
        return places_in(column, self.values)


@final
@frozen
class Coded:
    """A column that an engine has turned into positions in a public list.

    Args:
        places: The positions; the length of the list for any other value.
    """

    places: Array = field(repr=False)

    def __getitem__(self, keep: Array) -> "Coded":
        return Coded(self.places[keep])


Feature = Numeric | Categorical


def places_in(column: Any, values: Sequence[Any]) -> Array:
    """Return the position of each item of a column in a list of different values, or the length of the list.

    An item that cannot be compared is in no list; nothing here raises an error that depends on the items.
    """
    if isinstance(column, Coded):
        return column.places
    positions = {item: place for place, item in enumerate(values)}
    items = column.to_list() if hasattr(column, "to_list") else column.tolist()
    unknown = len(values)
    if types_of(items) <= _PLAIN:  # the same as below, and faster
        found = [positions.get(item, unknown) for item in items]
    else:  # each item is asked once, whatever the others are
        nested = any(isinstance(value, _NESTED) for value in values)
        found = [_place(positions, item, unknown, nested=nested) for item in items]
    return np.array(found, dtype=np.int64).reshape(len(items))


_PLAIN = frozenset({bool, int, float, str, bytes, type(None)})
_NESTED = (tuple, frozenset)


def _place(positions: Mapping[Any, int], item: Any, unknown: int, *, nested: bool) -> int:
    if issubclass(type(item), _NESTED) and not nested:  # the hash of a very deep one would end the process
        return unknown
    place = quietly(positions.get, item, unknown)
    return unknown if place is None else place


@final
@frozen(kw_only=True)
class Features:
    """The columns that a model reads, in order.

    Args:
        columns: What is public of each.
        names: Their names, or None where they have positions only.
    """

    columns: tuple[Feature, ...]
    names: tuple[str, ...] | None = None

    @property
    def radius_squared(self) -> int:
        """A bound on the squared length of an encoded row: one for each column, since categories exclude each other."""
        return len(self.columns)

    @property
    def width(self) -> int:
        """How many numbers an encoded row has."""
        return sum(1 if isinstance(item, Numeric) else len(item.values) for item in self.columns)

    def encode(self, table: Sequence[Any], rows: int, more: int = 0) -> Array:
        """Return numbers from -1 to 1, and for a list of categories one column each, which is 0 or 1.

        Args:
            table: The columns.
            rows: How many rows they have.
            more: How many columns to leave empty behind them.
        """
        encoded = np.zeros((rows, self.width + more))
        start = 0
        for item, column in zip(self.columns, table, strict=True):
            if isinstance(item, Numeric):
                encoded[:, start] = item.scaled(column)
                start += 1
                continue
            places = item.places(column)
            known = np.flatnonzero(places < len(item.values))
            encoded[known, start + places[known]] = 1.0
            start += len(item.values)
        return encoded

    def codes(self, table: Sequence[Any], bins: int) -> Array:
        """Return one whole number for each column: the bin of equal width, or the category; unknown ones come last."""
        found = []
        for item, column in zip(self.columns, table, strict=True):
            if isinstance(item, Numeric):
                found.append(np.clip(np.floor((item.scaled(column) + 1) / 2 * bins), 0, bins - 1).astype(np.int64))
            else:
                found.append(item.places(column))
        return np.stack(found, axis=1)

    def sizes(self, bins: int) -> tuple[int, ...]:
        """Return the number of codes of each column, with one for unknown categories."""
        return tuple(bins if isinstance(item, Numeric) else len(item.values) + 1 for item in self.columns)

    def scales(self) -> tuple[Array, Array]:
        """Return what an encoded column is in units of the data: (value - middle) / half."""
        middles: list[float] = []
        halves: list[float] = []
        for item in self.columns:
            count = 1 if isinstance(item, Numeric) else len(item.values)
            middles += [item.middle] if isinstance(item, Numeric) else [0.0] * count
            halves += [item.half] if isinstance(item, Numeric) else [1.0] * count
        return np.array(middles), np.array(halves)

    def lowest(self) -> Array:
        """Return the lowest value of each encoded column: -1 for a number, 0 for a category."""
        lists = [[-1.0] if isinstance(item, Numeric) else [0.0] * len(item.values) for item in self.columns]
        return np.array([value for each in lists for value in each])

    def encoded_names(self) -> tuple[str, ...]:
        """Name the encoded columns."""
        names = self.names or tuple(f"x{at}" for at in range(len(self.columns)))
        found: list[str] = []
        for name, item in zip(names, self.columns, strict=True):
            found += [name] if isinstance(item, Numeric) else [f"{name}={value}" for value in item.values]
        return tuple(found)


def read_features(
    label: str, names: tuple[str, ...] | None, count: int, bounds: Any, categories: Any, codebook: Any
) -> Features:
    """Read the public facts of every column; refuse a column of which nothing is known.

    Args:
        label: The estimator, for messages.
        names: The names of the columns, or None.
        count: How many columns there are.
        bounds: A pair for all columns, a list of pairs, or a dictionary of pairs by name or position.
        categories: A dictionary of lists by name or position.
        codebook: A codebook that has the other columns, or None.
    """
    lists = _by_column(label, "categories", categories, names, count)
    pairs = _pairs(label, bounds, names, count)
    codebook = read_codebook(label, codebook)
    columns: list[Feature] = []
    both = sorted(lists.keys() & pairs.keys()) if isinstance(bounds, Mapping) else []
    if both:
        raise InvalidError(f"{label}.bounds and categories both name column {both[0]}: it has one kind of values.")
    for at in range(count):
        name = names[at] if names is not None else None
        item = _known(label, at, name, pairs, lists, codebook)
        if item is None:
            shown = f"column {name!r}" if name is not None else f"column {at}"
            if codebook is not None and names is None:
                raise InvalidError(
                    f"{label}.codebook knows columns by their names, and these rows have none: pass a pandas or polars "
                    f"frame, or give bounds= or categories= by position: {shown} has neither."
                )
            raise InvalidError(
                f"{label}.bounds must give a lower and an upper bound for {shown} (or categories= its list, or "
                f"codebook= both). {_WHY}"
            )
        columns.append(item)
    return Features(columns=tuple(columns), names=names)


def _known(
    label: str, at: int, name: str | None, pairs: dict[int, Any], lists: dict[int, Any], codebook: Any
) -> Feature | None:
    shown = f"[{at if name is None else name!r}]"
    if at in lists:
        return read_categories(f"{label}.categories{shown}", lists[at], "a list of values")
    if at in pairs:
        return read_numeric(f"{label}.bounds{shown}", pairs[at])
    if codebook is not None and name is not None and name in codebook.columns:
        column = codebook[name].column.values
        if column.categories is not None:
            return Categorical(values=tuple(column.categories))
        if column.bounds is not None:
            return read_numeric(f"{label}.codebook{shown}", column.bounds)
        if column.kind == "boolean":
            return Categorical(values=(False, True))
    return None


def read_numeric(label: str, pair: Any) -> Numeric:
    """Read a pair of bounds, the lower one below the upper one; refuse those between which floats are too coarse."""
    lower, upper = read_bounds(label, pair)
    if max(abs(lower), abs(upper)) > _FARTHEST:
        raise InvalidError(
            f"{label} must be at most 2^1023 (about 9e307) in size, got {short((lower, upper))}: scale the column."
        )
    try:
        default_grid(label, (lower, upper))
    except InvalidError:  # which speaks of a grid, and a model has none
        raise InvalidError(
            f"{label} must be further apart, got {short((lower, upper))}: a model reads numbers to 32 binary digits of "
            "the larger bound. Subtract a constant from the column, and scale up what is too close to zero."
        ) from None
    return Numeric(lower=lower, upper=upper)


def read_categories(label: str, values: Any, rule: str = "a list of values for each column") -> Categorical:
    """Read a list of different categories.

    Args:
        label: The parameter, for messages.
        values: The list.
        rule: What the parameter must be, for messages.
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise WrongTypeError(f"{label} must be {rule}, got {type(values).__name__}.")
    listed = tuple(item.item() if isinstance(item, np.generic) else item for item in values)
    if not listed:
        raise InvalidError(f"{label} must have one or more values, got none.")
    seen: set[Any] = set()
    for item in listed:
        if not isinstance(item, Hashable):
            raise WrongTypeError(f"{label} must have values such as 1 or 'yes', got {type(item).__name__}.")
        if quietly(lambda item=item: bool(item != item)) is not False:
            raise InvalidError(f"{label} must have no NaN: a missing value is in no list.")
        if item in seen:
            raise InvalidError(f"{label} must have different values, got {short(item)} twice: leave one of them out.")
        seen.add(item)
    return Categorical(values=listed)


def read_codebook(label: str, given: Any) -> Codebook | None:
    """Read a codebook, or None where there is none.

    Args:
        label: The estimator, for messages.
        given: The parameter.
    """
    if given is None or isinstance(given, Codebook):
        return given
    hint = "pv.Codebook.from_dict(...)" if isinstance(given, Mapping) else 'pv.Codebook.read("visits.yaml")'
    raise WrongTypeError(f"{label}.codebook must be a codebook, got {type(given).__name__}: give {hint}.")


def _pairs(label: str, bounds: Any, names: tuple[str, ...] | None, count: int) -> dict[int, Any]:
    if bounds is None or isinstance(bounds, Mapping):
        return _by_column(label, "bounds", bounds, names, count)
    if isinstance(bounds, str | bytes) or not hasattr(bounds, "__iter__"):
        raise WrongTypeError(
            f"{label}.bounds must be a pair such as (0, 100), a list of pairs or a dictionary by column, got "
            f"{type(bounds).__name__}."
        )
    given = list(bounds)  # it may be an iterator
    _refuse_two_lists(label, tuple(given) if isinstance(bounds, tuple) else given, count)
    listed = [tuple(each.tolist()) if isinstance(each, np.ndarray) and each.ndim == 1 else each for each in given]
    if len(listed) == 2 and not any(hasattr(item, "__len__") for item in listed):
        return dict.fromkeys(range(count), tuple(listed))
    if len(listed) != count:
        raise InvalidError(
            f"{label}.bounds must have one pair for each of {count} columns, got {len(listed)}. Columns of categories "
            "need none: give a dictionary such as {'age': (18, 90)}, by name or position."
        )
    return dict(enumerate(listed))


def _refuse_two_lists(label: str, bounds: list[Any] | tuple[Any, ...], count: int) -> None:
    """Refuse all lower and all upper bounds, as other libraries take them; of two columns they would pass for pairs.

    A list of two lists may be two pairs, and an array of two rows too; a tuple of two lists hardly is.
    """
    sides = [item for item in bounds if isinstance(item, list | tuple | np.ndarray)]
    if len(sides) != 2 or len(bounds) != 2 or any(not _is_row(side, count) for side in sides):
        return
    if count != 2 or (isinstance(bounds, tuple) and not any(isinstance(side, tuple) for side in sides)):
        raise InvalidError(
            f"{label}.bounds looks like a list of lower and a list of upper bounds: give one pair for each column, "
            "such as [(18, 90), (0, 60)]. list(zip(lower, upper)) makes them."
        )


def _is_row(side: Any, count: int) -> bool:
    return getattr(side, "ndim", 1) == 1 and len(side) == count


def _by_column(label: str, argument: str, given: Any, names: tuple[str, ...] | None, count: int) -> dict[int, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise WrongTypeError(
            f"{label}.{argument} must be a dictionary by column, such as {_EXAMPLES[argument]}, got "
            f"{type(given).__name__}."
        )
    places = {key: place_of(key, names, count) for key in given}
    found: dict[int, Any] = {}
    for key, place in places.items():
        if place is None:
            raise InvalidError(
                f"{label}.{argument} names {short(key)}, which is no column; the columns are "
                f"{short(names if names is not None else tuple(range(count)))}."
            )
        if place in found:
            raise InvalidError(f"{label}.{argument} has two entries for one column; {short(key)} is one of them.")
        found[place] = given[key]
    return found


def place_of(key: Any, names: tuple[str, ...] | None, count: int) -> int | None:
    """Return the position of the column that a key of a dictionary means, or None.

    A column whose name is the key, or is written like it, goes before a position: a frame may have a column 0 that is
    not its first one.

    Args:
        key: A name or a position.
        names: The names of the columns, or None.
        count: How many columns there are.

    >>> place_of(0, ("1", "0"), 2), place_of(0, ("a", "b"), 2), place_of("c", ("a", "b"), 2)
    (1, 0, None)
    """
    if names is not None and str(key) in names:
        return names.index(str(key))
    if isinstance(key, bool) or not isinstance(key, int | np.integer):
        return None
    return int(key) if 0 <= key < count else None
