"""Settings of all tests: how many random examples each property gets, and which cases run every day.

A property gets a sixth of its examples every day, the same ones each day, so that a run says something of the change it
tests and nothing of luck; the long tests run all properties with all their examples and with fresh ones, and so does
``make fuzz``. Of the cases of a test that is marked with ``share(n)`` one in n runs every day; the others run with the
long tests, before a release.
"""

import gc
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import is_hypothesis_test, settings

DAILY, FEWEST = 6, 4  # one example in so many every day, and no fewer than this many

_SETTINGS = "_hypothesis_internal_use_settings"  # where Hypothesis' own plugin of pytest changes them too
settings.register_profile("fresh", deadline=None)  # how long an example takes depends on what else the machine does
settings.register_profile("daily", settings.get_profile("fresh"), derandomize=True, database=None)


def _long(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == "long")


def pytest_configure(config: pytest.Config) -> None:
    """Choose how examples are drawn, before any property is read."""
    settings.load_profile("fresh" if _long(config) else "daily")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark all cases but the daily share as long, before marks are looked at; fewer examples in a daily run."""
    seen: Counter[str] = Counter()
    properties: dict[int, Any] = {}
    long = _long(config)
    for item in items:
        mark = item.get_closest_marker("share")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % mark.args[0]:
                item.add_marker(pytest.mark.long)
            seen[name] += 1
        test = getattr(item, "function", None)
        if test is not None and is_hypothesis_test(test):
            properties[id(test)] = test
            if long:
                item.add_marker(pytest.mark.long)
    for test in () if long else properties.values():
        usual = getattr(test, _SETTINGS, None)
        if usual is not None:  # a machine of states has its own
            fewer = min(usual.max_examples, max(FEWEST, -(-usual.max_examples // DAILY)))
            setattr(test, _SETTINGS, settings(usual, max_examples=fewer))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for doctests in the package and in the documentation only: here are none, and the search takes seconds."""
    found = yield
    return [each for each in found if not isinstance(each, DoctestModule)]


def pytest_collection_finish() -> None:
    """Take what the tests are made of out of the garbage collector's way."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 20)  # cycles are few and small here; looking for them often takes seconds


def pytest_unconfigure() -> None:
    """Give it back, so that the interpreter can take everything apart."""
    gc.unfreeze()
