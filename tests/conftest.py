"""Settings of all tests: Hypothesis without deadlines, and which cases run every day.

How long an example takes depends on what else the machine does. Of the cases of a test that is marked with
``share(n)`` one in n runs every day; the others run with the long tests, before a release.
"""

from collections import Counter

import pytest
from hypothesis import settings

settings.register_profile("privet", deadline=None)
settings.load_profile("privet")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all cases but the daily share as long, before marks are looked at."""
    seen: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("share")
        if mark is not None:
            name = item.nodeid.partition("[")[0]
            if seen[name] % mark.args[0]:
                item.add_marker(pytest.mark.long)
            seen[name] += 1
