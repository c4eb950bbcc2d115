"""Sessions with keys that are not publicly known, and with one group for all others."""

from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.errors import InvalidError, PrivetError
from tests.tables.opened import database_of

ROWS = [{"person": n, "key": "ba"[n % 2], "size": n % 10} for n in range(4000)]
ROWS += [{"person": 5000 + n, "key": f"rare {n}", "size": 3} for n in range(600)] + [{"person": 1, "size": 3}] * 9
UNITS = [pv.Persons(id="person", groups=2, rows_per_group=1), pv.Rows()]


def opened(rows: list[dict[str, Any]] = ROWS, unit: Any = UNITS[0]) -> pv.Session:
    columns = {"person": pv.column("integer"), "key": pv.column("text"), "size": pv.column("integer", bounds=(0, 9))}
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=9, delta=1e-6))


@pytest.mark.parametrize("options", [{}, {"noise": "gaussian"}, {"noise": "laplace"}, {"rounds": 3}])
def test_weights_are_charged_no_more_than_was_asked(options: dict[str, Any]) -> None:
    session = opened()
    keys = session.query().private_keys("key", method="weighted", **options).release(epsilon=1, delta=1e-9)
    assert keys.groups == (("a",), ("b",))
    assert 0.99 < session.spent.epsilon <= 1  # type: ignore[attr-defined]
    assert 0 < session.spent.delta <= pc.exact(1e-9)  # type: ignore[attr-defined]


def test_all_rounds_are_charged_before_the_first_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    session, spent = opened(), []

    def stop(*_: Any, **__: Any) -> None:
        spent.append(session.spent.epsilon)  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(type(database_of(session).engine), "execute", stop)
    with pytest.raises(KeyboardInterrupt):
        session.query().private_keys("key", method="weighted", noise="laplace", rounds=3).release(epsilon=1, delta=1e-9)
    assert spent == [1]


def test_weights_of_rows_are_refused_and_cost_nothing() -> None:
    session = opened(unit=UNITS[1])
    with pytest.raises(InvalidError, match="use method='plain'"):
        session.query().private_keys("key", method="weighted").release(epsilon=1, delta=1e-9)
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("other", ["(other)", None])
def test_all_other_rows_are_one_group(unit: Any, other: str | None) -> None:
    grouped = opened(unit=unit).query().group_by("key", groups=["a", "b"], other=other)
    answer = grouped.agg(pv.count(), pv.mean("size")).release(epsilon=4)
    assert answer.groups == (("a",), ("b",), (other,))
    expected = 601 if unit == UNITS[0] else 609  # one row of a person counts in a group
    assert abs(answer.values("count")[2] - expected) < 40
    assert abs(answer.values("mean_size")[2] - 3) < 1


@pytest.mark.parametrize("rows", [[], [{"person": 1}], ROWS])
def test_the_other_group_is_always_there(rows: list[dict[str, Any]]) -> None:
    answer = opened(rows).query().group_by("key", groups=["a"], other="rest").agg(pv.count()).release(epsilon=1)
    assert answer.groups == (("a",), ("rest",))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda q: q.group_by("key", groups=["a"], other="a"), "differ from the listed"),
        (lambda q: q.group_by("size", other="rest"), "'size' is integer, got str"),
        (lambda q: q.group_by("person", groups=[1], other=0), "derive a copy"),
        (lambda q: q.group_by("size", groups=[1], other=-1).agg(pv.mean("size")), "reads a key"),
    ],
)
def test_wrong_other_groups_are_refused(ask: Any, message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        ask(opened([]).query())
