"""Names that load their modules when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from privet._familiar import find_close, find_hint
from privet._names import ANALYST, CALCULUS, Names
from privet.errors import UnavailableError

_MODELS = "privet.models."  # the modules that import scikit-learn, which is an extra


def homes_of(names: Names) -> dict[str, str]:
    """Give the module of each name.

    >>> homes_of({"privet.noise.uniform": ("uniform_below",)})
    {'uniform_below': 'privet.noise.uniform'}
    """
    return {name: module for module, each in names.items() for name in each}


def load(door: str, homes: Mapping[str, str], name: str) -> Any:
    """Import the module of a name and give what it calls so.

    Args:
        door: The module that was asked, for the message.
        homes: The module of each name.
        name: The name.
    """
    if name.startswith("__"):  # what Python and its tools look for
        raise AttributeError(f"module {door!r} has no attribute {name!r}")
    if name not in homes:
        raise AttributeError(_unknown(door, homes, name))
    if homes[name].startswith(_MODELS) and find_spec("sklearn") is None:
        raise UnavailableError(f"{door}.{name} needs scikit-learn: pip install 'privet[models]'.")
    return getattr(import_module(homes[name]), name)


def on_demand(door: str, names: Names) -> Callable[[str], Any]:
    """Give the ``__getattr__`` of a module whose names load their modules when they are first used.

    Inside the package it parts what every session needs from what few sessions need. The module imports the same names
    for type checkers, so that layers and cycles are checked as for any other import.

    Args:
        door: The module.
        names: Its names, by the module that defines them.
    """
    homes = homes_of(names)

    def find(name: str) -> Any:
        value = load(door, homes, name)
        setattr(sys.modules[door], name, value)
        return value

    return find


def _unknown(door: str, homes: Mapping[str, str], name: str) -> str:
    hint = find_hint("pv", name) if door == "privet" else None
    elsewhere = [
        other
        for other, names in (("privet", ANALYST), ("privet.calculus", CALCULUS))
        if other != door and name in homes_of(names)
    ]
    if hint is not None:
        unit = f" A unit of the calculus has this name: {elsewhere[0]}.{name}." if elsewhere else ""
        return f"pv has no {name!r}{hint}{unit}"
    if elsewhere:
        return f"{door} has no name {name!r}; {elsewhere[0]} has: from {elsewhere[0]} import {name}."
    close = find_close(name, homes)
    more = f" Did you mean {close}?" if close else f" The public names are listed in dir({door})."
    return f"{door} has no name {name!r}.{more}"
