"""Groups that a release finds by itself: two charges, both checked first, and a total meaning."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, MismatchError, UnavailableError, WrongTypeError
from privet.tables.keys import keyed_query
from privet.tables.noise.planner import plan_noise
from privet.tables.releases.release import Release
from privet.tables.statistics import Contribution
from tests.tables.aggregates.cases import aggregate_cases
from tests.tables.nodes.spaces import VISITS
from tests.tables.opened import database_of

ROWS = [{"person": n, "key": "ba"[n % 2], "size": n % 10, "n": n % 3} for n in range(4000)]
ROWS += [{"person": 5000 + n, "key": f"rare {n}", "size": 3, "n": 1} for n in range(600)]
UNITS = [pv.Persons("person", groups=2, rows_per_group=1), pv.Rows()]
DELTA = Fraction(1, 10**9)


def opened(rows: list[dict[str, Any]] = ROWS, unit: Any = UNITS[0], epsilon: Any = 9, delta: Any = 1e-6) -> pv.Session:
    columns = {
        "person": pv.column("integer"),
        "key": pv.column("text"),
        "size": pv.column("integer", bounds=(0, 9)),
        "n": pv.column("integer", bounds=(0, 2)),
    }
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=epsilon, delta=delta))


def grouped(session: pv.Session, **options: Any) -> Any:
    return session.query().group_by("key", keys=pv.private(delta=DELTA, **options))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("share", [Fraction(1, 4), Fraction(1, 2)])
def test_keys_and_aggregates_are_released_and_charged_together(unit: Any, share: Fraction) -> None:
    session = opened(unit=unit)
    release = grouped(session, share=share).agg(pv.count(), pv.mean("size")).release(epsilon=4)
    assert release.groups == (("a",), ("b",))
    assert all(abs(value - 2000) < 60 for value in release.values("count"))
    spent: Any = session.spent
    assert spent.epsilon == 4
    assert 0 < spent.delta <= DELTA
    assert release.loss.pure().cost == 4
    assert release.loss.pure().delta == spent.delta
    assert release.notes[-1] == f"groups: 2 private keys, at a cost of epsilon {float(4 * share):.4g} and delta 1e-09"


def test_the_release_is_that_of_two_calls() -> None:
    """The same noise and thresholds, hence the same loss, as private_keys and then group_by with its release."""
    one, two = opened(), opened()
    release = grouped(one).agg(pv.count()).release(epsilon=4)
    keys = two.query().private_keys("key").release(epsilon=1, delta=DELTA)
    second = two.query().group_by("key", groups=keys).agg(pv.count()).release(epsilon=3)
    assert (release.key_rounds, release.plan, release.groups) == (keys.rounds, second.plan, second.groups)
    assert one.spent == two.spent


def test_the_delta_of_the_release_includes_that_of_the_keys() -> None:
    session = opened()
    grouped(session, method="weighted", noise="gaussian").agg(pv.count()).release(epsilon=2, delta=1e-7)
    spent: Any = session.spent
    assert Fraction(19, 10) < spent.epsilon <= 2
    assert spent.delta <= Fraction(1, 10**7)
    with pytest.raises(InvalidError, match=r"release.delta must be at least that of the keys, 1e-09, got 1e-12"):
        grouped(session).agg(pv.count()).release(epsilon=1, delta=1e-12)


def test_nothing_is_charged_unless_both_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    for session in (opened(epsilon=1), opened(delta=0)):
        with pytest.raises(BudgetExceededError, match="Nothing was spent"):
            grouped(session).agg(pv.count()).release(epsilon=2)
        assert session.spent.epsilon == 0  # type: ignore[attr-defined]
    session, spent = opened(), []

    def stop(*_: Any, **__: Any) -> None:
        spent.append(session.spent.epsilon)  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(type(database_of(session).engine), "execute", stop)
    with pytest.raises(KeyboardInterrupt):
        grouped(session).agg(pv.count()).release(epsilon=4)
    assert spent == [1]  # the keys are charged before they are read, the rest later


def test_without_a_key_there_are_no_groups_and_no_second_charge() -> None:
    session = opened([])
    release = grouped(session).agg(pv.count(), pv.mean("size")).release(epsilon=4)
    assert release.groups == ()
    assert release.to_dict() == {name: [] for name in release.to_dict()}
    assert session.spent.epsilon == 1 == release.loss.pure().cost  # type: ignore[attr-defined]
    assert pv.Release.from_json(release.to_json()) == release
    assert "groups: 0 private keys" in str(release)


@pytest.mark.parametrize("aggregate", aggregate_cases(), ids=str)
def test_no_groups_have_a_meaning_for_every_aggregate(aggregate: Any) -> None:

    bound = aggregate.bind(VISITS)
    plan = plan_noise(
        {"x": bound}, contribution=Contribution(l0=1, l1=1, linf=1), groups=1, budget=pv.budget(epsilon=1)
    )
    numbers = tuple(np.zeros((0, part.measured.length), dtype=np.int64) for part in plan.planned)
    rounds = grouped(opened([])).agg(pv.count()).release(epsilon=1).key_rounds
    empty = Release(keys=("k",), groups=(), plan=evolve(plan, groups=0), numbers=numbers, key_rounds=rounds)
    assert all(values == [] for values in empty.to_dict().values())
    assert Release.from_json(empty.to_json()) == empty
    assert str(empty)


def test_only_private_keys_may_be_none() -> None:
    release = grouped(opened([])).agg(pv.count()).release(epsilon=1)
    with pytest.raises(InvalidError, match="one group or more, unless they are private keys"):
        type(release)(keys=release.keys, groups=(), plan=release.plan, numbers=release.numbers)


@pytest.mark.parametrize("rows", [[], ROWS])
def test_all_other_rows_are_one_group(rows: list[dict[str, Any]]) -> None:
    query = opened(rows).query().group_by("key", keys=pv.private(delta=DELTA), other="(other)")
    release = query.agg(pv.count()).release(epsilon=4)
    assert release.groups == ((("a",), ("b",), ("(other)",)) if rows else (("(other)",),))
    assert abs(release.values("count")[-1] - (600 if rows else 0)) < 40


def test_a_key_with_the_name_of_the_other_group_is_counted_there() -> None:
    release = (
        opened().query().group_by("key", keys=pv.private(delta=DELTA), other="a").agg(pv.count()).release(epsilon=4)
    )
    assert release.groups == (("b",), ("a",))
    assert abs(release.values("count")[1] - 2600) < 60


def test_derived_keys_caps_and_filters_work() -> None:
    query = opened().query().filter("size > 2").cap(groups=1, rows_per_group=1)
    release = query.group_by("key", odd="n = 1", keys=pv.private(delta=DELTA)).agg(pv.count()).release(epsilon=4)
    assert release.keys == ("key", "odd")
    assert release.groups == (("a", False), ("a", True), ("b", False), ("b", True))


def test_keys_that_no_query_can_contain_are_left_out_without_an_error(monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(keyed_query, "is_key", lambda value: value != "a")
    assert grouped(opened()).agg(pv.count()).release(epsilon=4).groups == (("b",),)


def test_describe_says_what_the_keys_cost_and_reads_nothing() -> None:
    session = opened()
    text = grouped(session).agg(pv.count()).describe(epsilon=4)
    assert text.splitlines()[:8] == [
        "groups: by key; which there are is released first",
        "protected: all rows of any one person (column 'person')",
        "rows: data",
        "caps of a person: 2 groups, 1 row in a group",
        "round 1: laplace noise of scale 2, threshold 43; a key needs about 43 persons",
        "cost of the keys: epsilon 1, delta 1e-09",
        "left for the aggregates: epsilon 3",
        "noise in each group, where there are 2 groups or more:",
    ]
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]
    assert grouped(session).agg(pv.count()).loss(epsilon=4).pure().cost == 4


def test_a_session_without_limits_charges_nothing_and_says_so() -> None:
    book = opened().codebook
    session = pv.Session(ROWS, book, pv.InfiniteBudget())
    release = session.query().group_by("key", keys=pv.private(delta=DELTA)).agg(pv.count()).release(epsilon=4)
    assert release.groups == (("a",), ("b",))
    assert release.notes[0].startswith("NOT PRIVATE")


def test_a_planner_describes_and_releases_nothing() -> None:
    planner = pv.Planner(opened().codebook, pv.budget(epsilon=9, delta=1e-6))
    query = planner.query().group_by("key", keys=pv.private(delta=DELTA)).agg(pv.count())
    assert "cost of the keys" in query.describe(epsilon=1)
    with pytest.raises(UnavailableError, match="there are no data here"):
        query.release(epsilon=1)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda q: q.plan(epsilon=1), UnavailableError, "the groups are not known before the keys are released"),
        (lambda q: q.release(rho=1), InvalidError, "a threshold needs a delta"),
        (lambda q: q.release(), InvalidError, "private keys take epsilon="),
        (lambda q: q.release(epsilon=1, weights="odd"), InvalidError, "release.weights must be"),
    ],
)
def test_what_has_no_rule_is_refused_before_a_charge(ask: Any, error: type[Exception], message: str) -> None:
    session = opened()
    with pytest.raises(error, match=message):
        ask(grouped(session).agg(pv.count()))
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda q, p: q.group_by("key", groups=["a"], keys=p), WrongTypeError, "or groups that the release finds"),
        (lambda q, p: q.group_by("key", groups=p), WrongTypeError, r"keys=pv.private\(delta=1e-7\)"),
        (lambda q, p: q.group_by("key", keys="x"), WrongTypeError, r"keys=pv.private\(delta=1e-7\)"),
        (lambda q, p: q.group_by("kye", keys=p), InvalidError, "Did you mean 'key'"),
        (lambda q, p: q.group_by(keys=p), InvalidError, "group_by takes different columns, at least one"),
        (lambda q, p: q.group_by("person", keys=p), InvalidError, "no answer is about one person"),
        (lambda q, p: q.group_by("key", keys=p, other=3), WrongTypeError, "'key' is text, got int"),
        (lambda q, p: q.cap(rows=pv.auto()).group_by("key", keys=p), InvalidError, "needs caps that are numbers"),
        (
            lambda q, p: q.group_by("key", keys=p).agg(pv.mean("size", bounds=pv.auto())),
            InvalidError,
            "needs bounds that are numbers",
        ),
        (lambda q, p: q.group_by("key", keys=p).agg(pv.mean("syze")), InvalidError, "Did you mean 'size'"),
        (lambda q, p: q.group_by("key", keys=p).agg(), InvalidError, "at least one aggregate"),
        (lambda q, p: q.impute("size", by="n").group_by("key", keys=p), InvalidError, "cannot follow impute"),
        (lambda q, p: q.group_by("key", keys=p).release(), UnavailableError, "Say what to compute with .agg"),
    ],
)
def test_mistakes_show_when_the_query_is_built(ask: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ask(opened().query(), pv.private(delta=DELTA))


def test_batches_and_dates_refuse_it() -> None:
    session = opened()
    with pytest.raises(WrongTypeError, match="must be an aggregate query"):
        session.batch(a=grouped(session).agg(pv.count()))
    columns = {"day": pv.column("date", bounds=("2024-01-01", "2024-12-31"))}
    other = pv.Session([], pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=1, delta=1e-6))
    with pytest.raises(MismatchError, match="cut it into bins"):
        other.query().group_by("day", keys=pv.private(delta=DELTA))


def test_a_description_keeps_what_the_unit_does_not_protect() -> None:
    columns = {"id": pv.column("integer"), "day": pv.column("date"), "town": pv.column("text")}
    unit = pv.Persons("id", rows=2, period=("day", "month"))
    planner = pv.Planner(pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=2, delta=1e-5))
    text = planner.query().group_by("town", keys=pv.private(delta=DELTA)).agg(pv.count()).describe(epsilon=1)
    assert "Not protected: what shows in several months" in text
    assert [line for line in text.splitlines() if line.startswith("loss: ")] == ["loss: epsilon = 0.75"]
