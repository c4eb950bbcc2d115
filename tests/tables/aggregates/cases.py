"""The cases of every aggregate, picked up from its test: what the laws of aggregates run over.

A module of ``privet.tables.aggregates`` that defines a final aggregate has a test of the same name, and the test lists
``CASES``: the aggregate with the parameters that matter, for the columns of ``tests.tables.nodes.spaces.VISITS``.
"""

import inspect
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import privet.tables.aggregates as package
from privet.tables.aggregates.aggregate import Aggregate


@cache
def aggregate_modules() -> dict[str, list[type[Aggregate]]]:
    """The final aggregates of each module that defines some, by the name of the module."""
    found: dict[str, list[type[Aggregate]]] = {}
    for each in iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{each.name}")
        classes = [item for item in vars(module).values() if inspect.isclass(item) and issubclass(item, Aggregate)]
        own = [item for item in classes if item.__module__ == module.__name__ and getattr(item, "__final__", False)]
        if own:
            found[each.name] = own
    return found


@cache
def aggregate_cases() -> tuple[Aggregate, ...]:
    """All cases of all aggregates."""
    tests = [import_module(f"tests.tables.aggregates.test_{name}") for name in aggregate_modules()]
    return tuple(case for test in tests for case in test.CASES)
