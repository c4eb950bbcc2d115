"""Printed tables: how many groups they show, and the words for what is left out."""

from typing import Any

import pytest

import privet as pv
from privet.tables.releases.display import SHOWN, SHOWN_BINS


def by_key(groups: int, **aggregates: Any) -> Any:
    book = pv.Codebook(columns={"key": pv.column("integer"), "x": pv.column("real", bounds=(0, 1))}, unit=pv.Rows())
    session = pv.Session([], book, pv.budget(epsilon=1))
    return session.query().group_by("key", groups=list(range(groups))).agg(**aggregates).release(epsilon=1)


@pytest.mark.parametrize(
    ("groups", "line"),
    [(24, None), (SHOWN, None), (SHOWN + 1, "and 1 group more"), (SHOWN + 1500, "and 1,500 groups more")],
)
def test_the_first_groups_are_shown(groups: int, line: str | None) -> None:
    assert SHOWN >= 40
    release = by_key(groups, n=pv.count())
    lines = str(release).splitlines()
    shown = min(groups, SHOWN)
    assert lines[0] == "key  n (95 % interval)"
    assert lines[shown].startswith(f"{shown - 1} ")
    assert lines[shown + 1] == (line or "The 95 % interval covers the noise only.")
    html = release._repr_html_()
    assert html.count("<tr>") == shown + 1
    assert (line is None) or (line in html)


def test_a_notebook_has_a_column_for_each_interval() -> None:
    html = by_key(2, n=pv.count(), m=pv.mean("x"))._repr_html_()
    assert html.count(">95 % interval</th>") == 2


def test_a_histogram_of_many_bins_is_cut() -> None:
    release = by_key(3, bars=pv.histogram("x", 150))
    lines = str(release).splitlines()
    assert lines[0].split("  ")[0] == "key"
    assert [name in lines[0] for name in ("x low", "x high", "bars (95 % interval)")] == [True] * 3
    assert lines[SHOWN_BINS + 1] == f"and {450 - SHOWN_BINS} bins more"


def test_only_the_groups_that_are_shown_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """So printing takes no longer for very many groups."""
    release = by_key(2_000, n=pv.count(), m=pv.mean("x"))
    compute, computed = pv.Release._interval, []

    def record(self: pv.Release, name: str, level: Any) -> Any:
        computed.append(len(self.groups))
        return compute(self, name, level)

    monkeypatch.setattr(pv.Release, "_interval", record)
    str(release)
    release._repr_html_()
    assert computed
    assert max(computed) <= SHOWN
