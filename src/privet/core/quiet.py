"""Calling users' code: whether and how it fails may depend on the data."""

from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def quietly(function: Callable[..., Result], *arguments: object) -> Result | None:
    """Call a function; return None if it raises anything, ``sys.exit`` included, since that may depend on the data.

    Only a keyboard interrupt passes through: it comes from the person at the machine. A function must not raise one.

    >>> quietly(int, "7"), quietly(int, "seven")
    (7, None)
    """
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - see above
        return None
