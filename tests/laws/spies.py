"""Users' functions that answer anything, look at all they can reach, and write wherever they can."""

import contextlib
import zlib
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from attrs import field, frozen

SEEN: list[Any] = []
"""What spies have seen since it was cleared last."""


@final
@frozen
class Spy:
    """A function of anything, which gives one of its answers by what it was given.

    Args:
        answers: What it may give; an exception is raised.
    """

    answers: Sequence[Any] = field(repr=False, eq=False)

    def __call__(self, *arguments: Any) -> Any:
        number = zlib.crc32(repr([_plain(item) for item in arguments]).encode())
        for item in arguments:
            look(item)
            write(item)
        answer = self.answers[number % len(self.answers)]
        if isinstance(answer, type) and issubclass(answer, BaseException):
            raise answer
        return answer


def _plain(item: Any) -> Any:
    if isinstance(item, dict):
        return {key: _plain(cell) for key, cell in item.items()}
    return item.tolist() if isinstance(item, np.ndarray) else item


def look(item: Any) -> None:
    """Collect the values that can be reached: under masks, and in the memory behind a view."""
    if isinstance(item, np.ndarray):
        plain: Any = np.ma.getdata(item)
        while plain is not None:
            SEEN.extend(plain.reshape(-1).tolist())
            plain = plain.base if isinstance(plain.base, np.ndarray) else None
    elif isinstance(item, dict):
        for cell in item.values():
            look(cell)
    elif isinstance(item, list | tuple):
        SEEN.extend(item)
    else:
        SEEN.append(item)


def write(item: Any) -> None:
    """Write, in every way there is."""
    if isinstance(item, np.ndarray):
        plain: Any = np.ma.getdata(item)
        behind = plain.base if isinstance(plain.base, np.ndarray) else plain
        for array in (item, plain, behind, np.ma.getmaskarray(item), getattr(item, "mask", item)):
            for attempt in (_fill, _sort, _open):
                with contextlib.suppress(Exception):
                    attempt(array)
    elif isinstance(item, dict):
        for cell in item.values():
            write(cell)
        item.clear()
    elif isinstance(item, list):
        item.clear()


def _fill(array: Any) -> None:
    array[...] = array.reshape(-1)[0]


def _sort(array: Any) -> None:
    array[::-1].sort()


def _open(array: Any) -> None:
    array.flags.writeable = True
    array[...] = array.reshape(-1)[-1]
