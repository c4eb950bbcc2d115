"""Keys that are not publicly known."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import Invalid, PrivetError, Unavailable
from privet.tables.private_keys import counted_keys, plan_keys
from privet.tables.unit import PrivacyUnit

PERSONS = pv.Persons(id="person", groups=2, rows_per_group=1)


def opened(rows: list[dict[str, Any]], unit: PrivacyUnit, budget: Any = None) -> pv.Session:
    columns = {"person": pv.column("integer"), "key": pv.column("text"), "more": pv.column("integer", bounds=(0, 9))}
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit), budget or pv.budget(epsilon=5, delta=1e-6))


def test_common_keys_show_in_order_and_rare_ones_do_not() -> None:
    rows = [{"person": n, "key": "ba"[n % 2], "more": 1} for n in range(2000)]
    rows += [{"person": 5000, "key": "rare", "more": 1}] * 3000 + [
        {"person": n, "key": None, "more": 1} for n in range(999)
    ]
    session = opened(rows, PERSONS)
    assert session.query().private_keys("key", epsilon=1, delta=1e-9) == (("a",), ("b",))
    assert session.query().private_keys("key", "more", epsilon=1, delta=1e-9) == (("a", 1), ("b", 1))
    assert session.spent.epsilon == 2  # type: ignore[attr-defined]


def test_the_threshold_is_the_smallest_that_fits() -> None:
    distance = pv.Parts(l0=3, l1=3, l2_squared=3, linf=1)
    plan = plan_keys(distance, Fraction(1, 2), Fraction(1, 10**6))
    assert plan.loss.pure().cost == Fraction(1, 2)
    assert plan.loss.pure().delta <= Fraction(1, 10**6)
    lower = pv.StableHistogram(scale=plan.scale, threshold=plan.threshold - 1).loss_of(distance)
    assert lower.pure().delta > Fraction(1, 10**6)


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", "c", None])), max_size=15), st.integers(1, 4))
def test_one_person_moves_each_of_a_few_counts_by_one(rows: list[tuple[int, str | None]], gone: int) -> None:
    table = [{"person": person, "key": key, "more": 0} for person, key in rows]
    counts = []
    for kept in (table, [row for row in table if row["person"] != gone]):
        session = opened(kept, PERSONS)
        session._key = 99
        rows_kept = _capped(session)
        result = session._engine.execute(counted_keys(rows_kept, ("key",), "person"))
        counts.append(dict(zip(result["key"], result["privet count"], strict=True)))
        session.close()
    moved = [Fraction(abs(counts[0].get(key, 0) - counts[1].get(key, 0))) for key in {*counts[0], *counts[1]}]
    assert pv.Parts.of(moved) <= pv.Parts(l0=2, l1=2, l2_squared=2, linf=1)


def _capped(session: pv.Session) -> Any:
    from privet.tables.caps import cap

    query = session.query()
    return cap(
        query.relation, session.caps_of(query.caps), person=("person",), groups=("key",), used=(), key=session._key
    )


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda q: q.private_keys(epsilon=1, delta=1e-9), Invalid, "at least one"),
        (lambda q: q.private_keys("nosuch", epsilon=1, delta=1e-9), PrivetError, "nosuch"),
        (lambda q: q.private_keys("key", epsilon=0, delta=1e-9), Invalid, "epsilon must be above zero"),
        (lambda q: q.private_keys("key", epsilon=1, delta=0), Invalid, "delta must be above zero"),
    ],
)
def test_wrong_questions_are_refused(ask: Any, error: type[Exception], message: str) -> None:
    session = opened([], PERSONS)
    with pytest.raises(error, match=message):
        ask(session.query())
    assert session.remaining == pv.budget(epsilon=5, delta=1e-6)


def test_a_budget_without_a_delta_has_no_private_keys() -> None:
    with pytest.raises(Unavailable, match="rho"):
        opened([], PERSONS, pv.budget(rho=1)).query().private_keys("key", epsilon=1, delta=1e-9)
