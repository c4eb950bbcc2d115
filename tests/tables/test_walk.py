"""A release goes down through the layers, and printing formats only what it shows."""

from collections import Counter
from typing import Any

from bench.walk import trace, upward, walk

import privet as pv
from privet.tables.releases.display import SHOWN


def test_no_call_goes_back_up() -> None:
    calls = walk()
    assert len(calls) > 100
    assert upward(calls) == Counter()


def test_a_call_back_up_is_seen() -> None:
    assert upward([("queries", "session", "Session.answer"), ("session", "queries", "ask")]).total() == 1


def test_printing_looks_at_the_groups_that_it_shows_only() -> None:
    keys = [str(number) for number in range(1000)]
    book = pv.Codebook(columns={"key": pv.column("text", categories=keys)}, unit=pv.Rows())
    session = pv.Session([], book, pv.budget(epsilon=1))
    release: Any = session.query().group_by("key").agg(pv.count()).release(epsilon=1)
    printed = str(release)
    assert printed.splitlines()[SHOWN + 1] == f"and {1000 - SHOWN} groups more"
    rows = release.first_rows(SHOWN, release.layout())
    assert {len(values) for values in rows.values()} == {SHOWN}
    assert len(trace(lambda: str(release))) < 60
