"""Conversion of values to another kind; a value that cannot be converted becomes null."""

import math
import re
from collections.abc import Callable
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import BLANKS, DTYPES, INT_MAX, INT_MIN, Array, Space, VectorDomain, must_be, read_rows
from privet.errors import WrongTypeError
from privet.transforms import column, present

_SPACE = " \t\r\n"
_WHOLE = re.compile(r"([+-]?)([0-9]+)", re.ASCII)
_REAL = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE
)
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}


@final
@frozen(kw_only=True)
class Cast(RowTransformation):
    """Convert every value to another kind; a value that cannot be converted becomes null.

    Args:
        to: ``int``, ``float``, ``bool`` or ``str``.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/cast.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> Cast(to=int))(["12", " -7 ", "many", None]).tolist()
    [12, -7, None, None]
    """

    to: type = field(
        validator=must_be(
            lambda kind: kind in (int, float, bool, str), "int, float, bool or str", WrongTypeError, repr
        ),
        repr=lambda kind: kind.__name__,
    )

    def output(self, space: Space) -> Space:
        """A column of the new kind, without the descriptors of the old values."""
        return Space(self._read_as(column(self, space)), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Convert row by row."""
        before = column(self, space)
        if before.kind is self.to:
            return np.asanyarray(value)
        values, null = present(value)
        converted, failed = _convert(values, before.kind, self.to)
        null = failed if null is None else null | failed
        converted[null] = BLANKS[self.to]  # no value of the data stays under a mask
        return self._read_as(before).coerce(converted, null)

    def _read_as(self, domain: VectorDomain) -> VectorDomain:
        if domain.kind is self.to:
            return domain
        always = domain.kind is bool or (domain.kind is int and self.to is not bool)
        return evolve(
            domain,
            kind=self.to,
            bounds=None,
            sides=None,
            grid=None,
            categories=None,
            nan=self.to is float and domain.kind is str,
            nullable=domain.nullable or not always,
        )


def _convert(values: Array, before: type, after: type) -> tuple[Array, Array]:
    """Return the values as another kind, and a mask of those that could not be converted."""
    if before is not str and after in (int, float):
        converted, null = read_rows(values, after)
        return converted.copy(), np.zeros(len(values), dtype=bool) if null is None else null
    reader = _READERS[before, after]
    items = [reader(item) for item in values.tolist()]
    failed = np.array([item is None for item in items], dtype=bool)
    converted = np.empty(len(items), dtype=DTYPES[after])
    converted[:] = [BLANKS[after] if item is None else item for item in items]
    return converted, failed


def _whole(text: str) -> int | None:
    match = _WHOLE.fullmatch(text.strip(_SPACE))
    if match is None:
        return None
    sign, digits = match[1], match[2].lstrip("0") or "0"
    if len(digits) > 19:  # before any conversion: Python refuses to read thousands of digits
        return INT_MIN if sign == "-" else INT_MAX
    return min(max(int(sign + digits), INT_MIN), INT_MAX)


def _real(text: str) -> float | None:
    stripped = text.strip(_SPACE)
    return float(stripped) if _REAL.fullmatch(stripped) else None


def _truth(text: str) -> bool | None:
    return _TRUTHS.get(text.strip(_SPACE).lower())


def _zero_or_one(value: float) -> bool | None:
    return bool(value) if value in (0, 1) else None


def _text(value: float) -> str | None:
    # -0.0 and 0.0 are equal for every metric, so they must become the same text
    return None if math.isnan(value) else repr(value + 0.0)


_READERS: dict[tuple[type, type], Callable[[Any], Any]] = {
    (str, int): _whole,
    (str, float): _real,
    (str, bool): _truth,
    (int, bool): _zero_or_one,
    (float, bool): _zero_or_one,
    (int, str): str,
    (float, str): _text,
    (bool, str): lambda value: "true" if value else "false",
}
