"""The calculus: spaces, stable transformations, mechanisms, combinators and privacy losses, that compose.

>>> import privet.calculus as pc
>>> chain = pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=20)
>>> chain.map(2).epsilon()
Fraction(1, 1)
"""

from typing import Any

from privet._lazy import homes_of, load
from privet._names import CALCULUS

_HOMES = homes_of(CALCULUS)

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list of names, computed once


def __getattr__(name: str) -> Any:
    value = load("privet.calculus", _HOMES, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
