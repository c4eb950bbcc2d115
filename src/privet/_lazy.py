"""Names that load their modules when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from privet._names import ANALYST, CALCULUS, Names


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
    from difflib import get_close_matches

    for other, names in (("privet", ANALYST), ("privet.calculus", CALCULUS)):
        if other != door and name in homes_of(names):
            return f"{door} has no name {name!r}; {other} has: from {other} import {name}."
    close = get_close_matches(name, homes, n=1, cutoff=0.6) or [each for each in homes if each.lower() == name.lower()]
    hint = f" Did you mean {close[0]}?" if close else f" The public names are listed in dir({door})."
    return f"{door} has no name {name!r}.{hint}"
