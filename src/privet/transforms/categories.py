"""Reading lists of categories."""

import math
from typing import Any

import numpy as np
from attrs import Attribute

from privet.core import INT_MAX, INT_MIN, VectorDomain
from privet.errors import InvalidError, MismatchError, WrongTypeError


def plain_tuple(value: object) -> tuple[Any, ...] | None:
    """Convert a field to a tuple of plain values, or to None, which the validator refuses, if it is not a list."""
    if isinstance(value, str) or not isinstance(value, tuple | list | set | frozenset | range | np.ndarray):
        return None
    items = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
    return tuple(plain(item) for item in items)


def plain(value: object) -> Any:
    """Convert a numpy value to a Python value."""
    return value.item() if isinstance(value, np.generic) else value


def check_values(label: str, values: tuple[Any, ...] | None) -> None:
    """Refuse anything but a list of one or more different values of one kind."""
    if not values:
        raise WrongTypeError(f"{label} must be a list of one or more values.")
    kinds = {type(value) for value in values}
    if not kinds <= {int, float, bool, str} or len(kinds) > 1:
        raise WrongTypeError(f"{label} must all be of one kind: int, float, bool or str.")
    if any(value != value for value in values):
        raise InvalidError(f"{label} must be finite numbers; NaN is not a category.")
    if kinds == {int} and not all(INT_MIN <= value <= INT_MAX for value in values):
        raise InvalidError(f"{label} must lie within 64-bit integers.")
    if len(set(values)) < len(values):
        raise InvalidError(f"{label} must be different values, got {len(values)} of which {len(set(values))} differ.")


def check_categories(label: str, values: tuple[Any, ...] | None) -> None:
    """Refuse what ``check_values`` refuses, and infinities: no column may hold them as categories."""
    check_values(label, values)
    if any(isinstance(value, float) and math.isinf(value) for value in values or ()):
        raise InvalidError(f"{label} must be finite numbers.")


def different_values(instance: object, attribute: "Attribute[Any]", value: tuple[Any, ...] | None) -> None:
    """Refuse a field that is not a list of different values."""
    check_values(f"{type(instance).__name__}.{attribute.name}", value)


def categories_only(instance: object, attribute: "Attribute[Any]", value: tuple[Any, ...] | None) -> None:
    """Refuse a field that is not a list of categories."""
    check_categories(f"{type(instance).__name__}.{attribute.name}", value)


def check_kind(label: str, values: tuple[Any, ...], domain: VectorDomain) -> None:
    """Refuse categories that a column of this kind cannot hold."""
    if any(type(value) is not domain.kind for value in values):
        raise MismatchError(f"{label} must be of kind {domain.kind.__name__}, the kind of the column.")
