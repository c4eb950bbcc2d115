"""Reading the scalars of a codebook, once it is known what each is for.

A number means its decimal as typed. The traps of YAML 1.1 are refused by name: leading zeros (octal), colons (base 60),
``yes`` and ``no`` for truth, infinities, underscores.
"""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core import read_number
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.tables.codebook.tree import Scalar, describe_node

_NUMBER = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?", flags=re.ASCII)
_RATIO = re.compile(r"[+-]?\d{1,400}/\d{1,400}", flags=re.ASCII)
_POWER = re.compile(r"2(\^|\*\*)([+-]?\d{1,4})", flags=re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0\d[\d.eE+-]*|[+-]?0[xXoObB]\w*", flags=re.ASCII)
_LONG = 400


def number(label: str, node: Scalar) -> Fraction:
    """Read a number as typed: ``600``, ``0.1``, ``1e3`` or ``1/3``."""
    if isinstance(node.value, str):
        return _from_text(label, node)
    value = node.value
    long_decimal = isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _LONG
    if long_decimal or (isinstance(value, int) and abs(value) >= 10**_LONG):
        raise NotExactError(f"{label} must be a number of at most {_LONG} digits.")
    return read_number(label, node.value)


def grid(label: str, node: Scalar) -> Fraction:
    """Read the step of a grid: a number, or ``2^-10``."""
    power = _POWER.fullmatch(node.value.strip()) if isinstance(node.value, str) else None
    if power is not None:
        exponent = int(power.group(2))
        if abs(exponent) > 1100:
            raise InvalidError(f"{label} must lie within the floats, got {describe_node(node)}.")
        return Fraction(2) ** exponent
    return number(label, node)


def _from_text(label: str, node: Scalar) -> Fraction:
    text = node.value.strip()
    if _LEADING_ZERO.fullmatch(text):
        raise NotExactError(f"{label} must be a decimal number without leading zeros, got {describe_node(node)}.")
    if _NUMBER.fullmatch(text):
        return Fraction(text)
    if _RATIO.fullmatch(text):
        above, below = map(int, text.split("/"))
        if below == 0:
            raise NotExactError(f"{label} must not be divided by zero, got {describe_node(node)}.")
        return Fraction(above, below)
    raise NotExactError(
        f"{label} must be a number such as 600, 0.1, 1e3 or 1/3, got {describe_node(node)}.{_hint(text)}"
    )


def _hint(text: str) -> str:
    plain = text.replace("_", "").replace(",", "").replace(" ", "")
    if plain != text and _NUMBER.fullmatch(plain):
        return f" Write {plain}."
    if re.fullmatch(r"[+-]?\d+(:[0-5]?\d)+(\.\d*)?", text, flags=re.ASCII):
        return " Write minutes or seconds as one number."
    return " Bounds are finite." if text.lower().lstrip("+-.") in ("inf", "infinity", "nan") else ""


def whole(label: str, node: Scalar) -> int:
    """Read a whole number."""
    value = number(label, node)
    if value.denominator != 1:
        raise WrongTypeError(f"{label} must be a whole number, got {describe_node(node)}.")
    return int(value)


def cap(label: str, node: Scalar) -> int:
    """Read a whole number above zero."""
    value = whole(label, node)
    if value < 1:
        raise InvalidError(f"{label} must be above zero, got {describe_node(node)}.")
    return value


def text(label: str, node: Scalar) -> str:
    """Read text: whatever was typed, but null."""
    if node.missing:
        raise WrongTypeError(f'{label} must be text, got nothing; put quotes around "null" if that is the text.')
    if not isinstance(node.value, str):
        raise WrongTypeError(f"{label} must be text, got {type(node.value).__name__}.")
    return str(node.value)


def flag(label: str, node: Scalar) -> bool:
    """Read true or false."""
    if isinstance(node.value, bool | np.bool_):
        return bool(node.value)
    if node.typed and node.plain and node.value in ("true", "false", "True", "False", "TRUE", "FALSE"):
        return bool(node.value.lower() == "true")
    raise WrongTypeError(f"{label} must be true or false, got {describe_node(node)}.")


def value_of(label: str, kind: str, node: Scalar, hint: str = "") -> Any:
    """Read a value of a column of this kind, as far as the kind tells; the hint is for a value that is not there."""
    if node.missing:
        raise WrongTypeError(f"{label} must be a value, got nothing{hint}.")
    if kind == "boolean":
        return flag(label, node)
    if kind == "integer":
        if node.typed and not node.plain:
            raise WrongTypeError(
                f"{label} must be a whole number without quotes, or the type must be text, got {describe_node(node)}."
            )
        return whole(label, node)
    if kind == "real":
        return number(label, node)
    return text(label, node) if kind == "text" or isinstance(node.value, str) else node.value
