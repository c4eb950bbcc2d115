"""Bugs of released libraries that answer questions about tables, each as a test of what happens here."""

import contextlib
import math
import os
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.accounting.planning.infinite import InfiniteBudget
from privet.errors import BudgetExceededError, PrivetError, UnavailableError
from tests.tables.opened import fix_key

HUGE = 2**62


def book(unit: Any = None, **columns: Any) -> pv.Codebook:
    usual = {
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "minutes": pv.column("integer", bounds=(0, 60)),
        "cost": pv.column("real", bounds=(-1, 1), grid=Fraction(1, 8)),
    }
    return pv.Codebook(columns={**usual, **columns}, unit=unit or pv.Persons(id="person", rows=2))


def row(person: int = 1, ward: Any = "a", minutes: Any = 5, cost: Any = 0.5) -> dict[str, Any]:
    return {"person": person, "ward": ward, "minutes": minutes, "cost": cost}


def opened(rows: list[dict[str, Any]], codebook: pv.Codebook | None = None, budget: Any = None) -> pv.Session:
    return pv.Session(rows, codebook or book(), budget or InfiniteBudget())


def test_sums_do_not_wrap() -> None:
    """A sum of 32-bit integers wrapped elsewhere and moved by 2^32 where 2 was claimed."""
    wide = book(minutes=pv.column("integer", bounds=(0, HUGE)))
    session = opened([row(person=n, minutes=HUGE) for n in range(50)], wide)
    value = float(session.query().agg(pv.sum("minutes")).release(epsilon=10**9).values("sum_minutes")[0])
    assert math.isclose(value, 50 * HUGE, rel_tol=1e-6)


@pytest.mark.parametrize("bad", [None, math.nan, math.inf, -math.inf, 1e308, "text"])
def test_one_bad_value_changes_nothing_but_its_own_row(bad: Any) -> None:
    """NaN made a whole sum NaN or zero elsewhere, and hidden nulls gave an exact count."""
    rows = [row(person=n) for n in range(40)]
    for session in (opened(rows), opened([*rows, row(person=99, cost=bad, minutes=bad)])):
        answer = session.query().agg(pv.count(), pv.count("cost"), pv.sum("cost")).release(epsilon=10**9)
        assert abs(float(answer.values("sum_cost")[0]) - 20) <= 1
        assert abs(float(answer.values("count_cost")[0]) - 40) <= 1


def test_a_count_of_what_is_not_null_is_noisy() -> None:
    session = opened([row(person=n, cost=None) for n in range(40)])
    drawn = {
        float(session.query().agg(pv.count("cost")).release(epsilon=0.1).values("count_cost")[0]) for _ in range(40)
    }
    assert len(drawn) > 5


def test_a_column_that_is_defined_anew_has_new_bounds() -> None:
    """Derived columns kept the bounds or categories of what they were made of."""
    query = opened([]).query()
    wider: Any = query.derive(minutes="minutes * 100")
    assert wider.columns["minutes"].bounds == (0, 6000)
    scales = [
        part.noise.scale for each in (query, wider) for part in each.agg(pv.sum("minutes")).plan(epsilon=1).planned
    ]
    assert scales[1] == 100 * scales[0]
    assert query.derive(ward="lower(ward) || 'x'").columns["ward"].categories != ("a", "b")


def test_a_cap_keeps_as_many_groups_as_it_charges_for() -> None:
    """A cap of k groups kept k - 1 and scaled the noise for k."""
    columns = {"day": pv.column("integer", bounds=(0, 9))}
    rows = [{**row(person=n), "day": day} for n in range(30) for day in range(10)]
    session = opened(rows, book(pv.Persons(id="person", groups=3, rows_per_group=1), **columns))
    answer = session.query().group_by("day").agg(pv.count()).release(epsilon=10**9)
    assert int(sum(answer.values("count"))) == 90
    assert answer.plan.contribution.l0 == 3


ASKED: dict[str, Callable[[pv.Session], Any]] = {
    "release": lambda s: s.query().agg(pv.count()).release(epsilon=0.5),
    "sql": lambda s: s.sql("SELECT COUNT(*) AS n FROM data").release(epsilon=0.5),
    "batch": lambda s: s.batch(a=s.query().agg(pv.count())).release(epsilon=0.5),
    "keys": lambda s: s.query().private_keys("ward").release(epsilon=0.5, delta=1e-7),
    "partition": lambda s: s.partition("ward").release(epsilon=0.5),
    "rollup": lambda s: s.query().rollup("ward").agg(pv.count()).release(epsilon=0.5),
}


@pytest.mark.parametrize("way", ASKED)
def test_every_way_to_an_answer_is_charged(way: str) -> None:
    """One option of a query spent nothing elsewhere."""
    session = opened([row(person=n) for n in range(20)], budget=pv.budget(epsilon=1, delta=1e-6))
    ASKED[way](session)
    assert Fraction(49, 100) <= session.spent.point().cost <= Fraction(1, 2)
    ASKED[way](session)
    with pytest.raises(BudgetExceededError):
        ASKED[way](session)


def test_threads_do_not_spend_more_than_the_budget() -> None:
    """Sixteen threads spent 1.8 of 1.0 elsewhere."""
    session = opened([row(person=n) for n in range(20)], budget=pv.budget(epsilon=1))
    question = session.query().agg(pv.count())
    granted = []

    def ask() -> None:
        for _ in range(3):
            with contextlib.suppress(BudgetExceededError):
                granted.append(question.release(epsilon=0.1))

    threads = [threading.Thread(target=ask) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 10
    assert session.remaining == pv.budget(epsilon=0)


def test_ten_tenths_are_one() -> None:
    session = opened([], budget=pv.budget(epsilon=1))
    for _ in range(10):
        session.query().agg(pv.count()).release(epsilon=0.1)
    with pytest.raises(BudgetExceededError):
        session.query().agg(pv.count()).release(epsilon=1e-9)


def test_bounds_never_come_from_the_data() -> None:
    """Bounds were taken from the data, with a warning."""
    session = opened([row()], book(cost=pv.column("real")))
    for aggregate in (pv.sum("cost"), pv.mean("cost"), pv.variance("cost"), pv.histogram("cost", 4)):
        with pytest.raises(PrivetError, match="bounds"):
            session.query().agg(aggregate)


@pytest.mark.parametrize(
    "rows", [[], [row()], [row(person=n, ward="zzz") for n in range(9)], [row(cost=math.nan)] * 99]
)
def test_length_order_and_types_of_a_result_are_public(rows: list[dict[str, Any]]) -> None:
    frame = opened(rows).query().group_by("ward").agg(pv.count(), pv.mean("cost"), pv.sum("minutes")).release(epsilon=1)
    read = frame.to_pandas()
    assert list(read["ward"]) == ["a", "b"]
    assert [str(read[name].dtype) for name in ("count", "mean_cost", "sum_minutes")] == ["int64", "float64", "int64"]


def test_releases_lie_on_a_public_grid() -> None:
    """Outputs between grid points told inputs apart elsewhere."""
    session = opened([row(person=n, cost=0.123456) for n in range(30)])
    for _ in range(20):
        answer = session.query().agg(pv.sum("cost")).release(epsilon=1)
        assert (Fraction(float(answer.values("sum_cost")[0])) / answer.plan.planned[0].noise.grid).denominator == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_forked_process_gets_no_answers() -> None:
    """Parent and child drew the same noise elsewhere, and spent the same budget twice."""
    session = opened([row()], budget=pv.budget(epsilon=1))
    question = session.query().agg(pv.count())
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            question.release(epsilon=0.5)
            os.write(writer, b"answered")
        except UnavailableError:
            os.write(writer, b"refused")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 20) == b"refused"


def test_removing_one_person_changes_the_kept_rows_of_no_other() -> None:
    """Caps by physical order or by random() changed the rows of 19,905 others."""
    generator = np.random.default_rng(3)
    rows = [row(person=int(n), ward="ab"[m % 2], minutes=m) for n in range(60) for m in generator.integers(0, 60, 5)]
    unit = pv.Persons(id="person", groups=1, rows_per_group=2)
    sessions = [opened(part, book(unit)) for part in (rows, [each for each in rows if each["person"] != 7])]
    sums = []
    for session in sessions:
        fix_key(session, 4711)
        query = session.query().filter("person <> 7")
        sums.append(query.group_by("ward").agg(pv.sum("minutes")).release(epsilon=10**9).values("sum_minutes").tolist())
    assert np.allclose(sums[0], sums[1], atol=1e-3)


def test_a_declared_sampling_rate_is_used_and_marked() -> None:
    """A rate was read under another name elsewhere: epsilon 1 was reported where 2.8 was lost."""
    sampled = pv.Codebook(columns=book().columns, unit=pv.Rows(), sampling=pv.Population(rate=0.1))
    session = pv.Session([row()], sampled, pv.budget(epsilon=2))
    answer = session.query().agg(pv.count()).release(epsilon=1)
    assert session.spent == pv.budget(epsilon=1)  # the sample's own loss adds up unamplified
    amplified = math.log1p(0.1 * math.expm1(1))
    assert amplified <= float(session.loss.epsilon()) < amplified * 1.001
    assert any("asserted" in note for note in answer.notes)


@pytest.mark.parametrize("caps", [{"rows": 1}, {"groups": 1, "rows_per_group": 1}])
def test_a_cap_prefers_no_group(caps: dict[str, int]) -> None:
    """A hash that mixes badly, or leaves out the person, lets one group win for everybody."""
    wards = ("a", "b", "c", "d")
    columns = {"ward": pv.column("text", categories=wards)}
    rows = [row(person=n, ward=ward) for n in range(4000) for ward in wards]
    session = opened(rows, book(pv.Persons(id="person", **caps), **columns))
    counts = session.query().group_by("ward").agg(pv.count()).release(epsilon=10**9).values("count")
    assert all(800 < count < 1200 for count in counts)  # more than seven standard deviations
