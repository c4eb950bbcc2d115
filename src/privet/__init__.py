"""Privet: a hedge around your data.

Provably private statistics of tables, with error bars and a record of what was spent. Names load when first used; the
calculus underneath has a door of its own, ``privet.calculus``.

>>> import privet as pv
>>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
>>> session = pv.Session([{"ward": "a"}] * 900, book, pv.budget(epsilon=1))
>>> release = session.query().group_by("ward").agg(pv.count()).release(epsilon=1)
>>> bool(850 < release.values("count")[0] < 950)
True
"""

from importlib import import_module
from typing import Any

from privet._lazy import homes_of, load
from privet._names import ANALYST

__version__ = "0.1.0"

_HOMES = homes_of(ANALYST)
_PACKAGES = ("calculus", "datasets", "errors", "models", "noise")

__all__ = sorted((*_HOMES, *_PACKAGES))  # noqa: PLE0605 - a list of names, computed once


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"privet.{name}")
    value = load("privet", _HOMES, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
