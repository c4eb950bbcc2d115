"""Calling what somebody else wrote: that it failed, and how, may depend on the data."""

from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def quietly(function: Callable[..., Found], *arguments: object) -> Found | None:
    """Call a function, or give None: whatever it raises, ``sys.exit`` too, may depend on the data.

    Only an interrupt from the keyboard passes: it comes from the person at the machine. A function must not raise one.

    >>> quietly(int, "7"), quietly(int, "seven")
    (7, None)
    """
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - see above
        return None
