"""Reading JSON that somebody may have changed: strictly, and with ``InvalidError`` for everything that is wrong."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin

import numpy as np

from privet.core import formats
from privet.errors import InvalidError, PrivetError

_FRACTION = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")  # as str writes one; an exponent could fill the memory
_CHANGED = "this was not written by to_json, or was changed since."


def read_json(what: str, text: object) -> Any:
    """Read a text as JSON, without repeated keys, NaN, infinities or halves of characters.

    Args:
        what: The class that is read, for messages.
        text: What ``to_json`` wrote.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise InvalidError(f"{what}.from_json reads the text that to_json wrote, got {type(text).__name__}.")
    try:
        data = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, parse_float=_finite)
        json.dumps(data, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except InvalidError as error:
        raise InvalidError(f"{what}.from_json: {error}") from None
    except (RecursionError, ValueError):
        raise InvalidError(f"{what}.from_json reads the text that to_json wrote; this is no JSON.") from None
    return data


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidError(f"the key {twice[:40]!r} stands there twice, and only one of its values can be meant.")
    return values


def _no_constant(name: str) -> NoReturn:
    raise InvalidError(f"{name} is no JSON; to_json writes what is not finite as a text.")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise InvalidError(f"the number {digits[:40]} is too large.")
    return value


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Turn every error while values are read into ``InvalidError``.

    Args:
        what: The class that is read, for messages.
    """
    reason = _CHANGED
    try:
        with np.errstate(all="ignore"):
            yield
    except PrivetError as error:
        if isinstance(error, InvalidError) and ".from_json" in str(error):
            raise
        reason = str(error)
    except (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError):
        pass
    else:
        return
    raise InvalidError(f"{what}.from_json: {reason}") from None


def check(correct: object) -> None:
    """Refuse values that no ``to_json`` writes."""
    if not correct:
        raise InvalidError(_CHANGED)


def read_fraction(text: object) -> Fraction:
    """Read a fraction as ``str`` writes it.

    >>> read_fraction("400/3")
    Fraction(400, 3)
    """
    check(isinstance(text, str) and _FRACTION.fullmatch(text))
    return Fraction(str(text))


def agrees(data: object, written: object) -> bool:
    """Tell whether plain values are those that ``to_json`` writes for the object that was read from them.

    This shows values that were misread, rounded, dropped or put in another type. An older text may lack newer fields.

    Args:
        data: The values that were read.
        written: The values that ``to_json`` would write.
    """
    if type(data) is not type(written):
        return False
    if isinstance(data, dict) and isinstance(written, dict):
        return data.keys() <= written.keys() and all(agrees(item, written[key]) for key, item in data.items())
    if isinstance(data, list) and isinstance(written, list):
        return len(data) == len(written) and all(map(agrees, data, written))
    return bool(data == written)


def _fits_tuple(values: tuple[object, ...], hints: tuple[object, ...]) -> bool:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return all(fits(each, hints[0]) for each in values)
    return len(values) == len(hints) and all(map(fits, values, hints))


def fits(value: object, hint: object) -> bool:
    """Tell whether a value is of an annotated type; True is no whole number.

    >>> fits((1, 2), tuple[int, ...]), fits((1, True), tuple[int, ...])
    (True, False)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(fits(value, each) for each in inner)
    if origin is Literal:
        return value in inner
    if origin is tuple:
        return isinstance(value, tuple) and _fits_tuple(value, inner)
    if hint is None or hint is NoneType:
        return value is None
    return type(value) is hint or (hint not in (int, float, str) and isinstance(hint, type) and isinstance(value, hint))


def check_format(where: str, expected: str, data: object) -> None:
    """Refuse files of another kind, and files of a newer format than this version of Privet reads.

    Args:
        where: The caller, for messages.
        expected: The format that is read, such as ``"release/1"``.
        data: What was read, with a key ``format``.

    >>> check_format("Release.from_json", "release/1", {"format": "release/1"})
    """
    name, _, newest = expected.partition("/")
    try:
        version = formats.check_format(name, int(newest), data.get("format") if isinstance(data, dict) else None)
    except InvalidError as error:
        raise InvalidError(f"{where}: {error}") from None
    if version == 0:
        raise InvalidError(f"{where} reads what to_json wrote, which begins with the format {expected!r}.")
