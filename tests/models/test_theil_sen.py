"""Theil-Sen regression: quality, the law of histories with coupled pairs, what is refused and what is ordinary."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, PrivetWarning, WrongTypeError
from privet.models import theil_sen
from privet.models.json_form import from_json
from privet.models.theil_sen import TheilSenRegressor
from privet.transforms.pair_lines import PairLines
from tests.laws.replay import replayed
from tests.models.history_law import check_history, drawn_numbers, drawn_table
from tests.transforms.coupled_pairs import coupled

UNIT: dict[str, Any] = {"bounds": (-1, 1), "target_bounds": (-1, 1)}
TEN: dict[str, Any] = {"bounds": (0, 10), "target_bounds": (0, 10)}
COMBINE = PairLines.combine
BUDGETS: list[dict[str, Any]] = [{"epsilon": 2}, {"epsilon": 2, "delta": 1e-6}, {"rho": 0.1}, {"rho": 5_000}]


def drawn(rows: int, outliers: float = 0.0) -> tuple[Any, Any]:
    """Points around a line with slope 0.5 and intercept 2; a share of the targets is zero instead."""
    source = np.random.default_rng(0)
    x = source.uniform(0, 10, rows)
    y = np.where(source.random(rows) < outliers, 0.0, 2 + 0.5 * x + source.normal(size=rows))
    return x[:, None], y


@pytest.mark.parametrize("budget", [{"epsilon": 1}, {"rho": 0.05}])
@pytest.mark.parametrize("outliers", [0.0, 0.1])
def test_the_line_is_that_of_most_points(budget: dict[str, Any], outliers: float) -> None:
    """4,000 points: the slope of a fit errs by about 0.004, with exponential tails.

    It errs by more than 0.08 less than once in a million times. Half the slope errs by 0.25, an intercept at the wrong
    place by more than 1, and least squares errs by 0.05 in the slope and by 0.25 in the intercept with outliers.
    """
    x, y = drawn(4_000, outliers)
    model = TheilSenRegressor(**TEN, **budget).fit(x, y)
    assert abs(model.coef_[0] - 0.5) < 0.08
    assert abs(model.intercept_ - 2) < 0.6
    assert abs(model.predict([[5]])[0] - 4.5) < 0.4
    assert abs(model.n_samples_ - 4_000) < 1_000
    assert model.signal_


@pytest.mark.parametrize("budget", BUDGETS[:3])
def test_the_loss_is_within_the_budget(budget: dict[str, Any]) -> None:
    loss = TheilSenRegressor(**TEN, **budget).fit(*drawn(500)).loss_
    spent = loss.rho() / Fraction("0.1") if "rho" in budget else loss.epsilon(budget.get("delta", 0)) / 2
    assert 0.98 < float(spent) <= 1


def test_other_units_give_the_same_line() -> None:
    """Under the same coins."""
    x, y = drawn(1_000)
    with replayed(seed=3):
        first = TheilSenRegressor(**TEN, epsilon=1).fit(x, y)
    with replayed(seed=3):
        other = TheilSenRegressor(epsilon=1, bounds=(32, 212), target_bounds=(-1_000, 9_000))
        other.fit(x * 18 + 32, y * 1_000 - 1_000)
    assert other.coef_[0] == pytest.approx(first.coef_[0] * 1_000 / 18, rel=1e-3)
    assert other.predict([[122]])[0] == pytest.approx(first.predict([[5]])[0] * 1_000 - 1_000, abs=10)


def make(budget: dict[str, Any], **more: Any) -> Callable[[], Any]:
    return lambda: TheilSenRegressor(**{**UNIT, "matchings": 3, **budget, **more})


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_neighbours_with_one_history_give_near_statistics(budget: dict[str, Any]) -> None:
    """The pairs of the neighbour are coupled as in the proof; all else must follow from releases."""
    for number in range(100):
        source = random.Random(f"{budget} {number}")
        rows = source.choice([1, 2, 3, 5, 12])
        table, target = drawn_table(source, rows, 1), drawn_numbers(source, rows)
        with coupled(PairLines):
            check_history(make(budget), table, target, remove=source.randrange(rows), seed=number)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_persons_with_several_rows_are_protected_by_their_cap(budget: dict[str, Any]) -> None:
    for number in range(25):
        source = random.Random(f"persons {budget} {number}")
        table, target = drawn_table(source, 24, 1), drawn_numbers(source, 24)
        persons = np.repeat(np.arange(8), 3)
        with coupled(PairLines):
            model = make(budget, rows_per_person=3)
            check_history(model, table, target, remove=source.randrange(8), seed=number, persons=persons)


class RangeOfTheData:
    """Takes the bounds of x from the rows."""

    def fit(self, X: Any, y: Any) -> Any:
        inside = np.nan_to_num(X, posinf=1, neginf=-1)
        sides = (float(inside.min(initial=-1)) - 0.1, float(inside.max(initial=1)) + 0.1)
        return TheilSenRegressor(epsilon=2, bounds=sides, target_bounds=(-1, 1), matchings=3).fit(X, y)


class QuartersOfTheData:
    """Evaluates the lines at the quarters of the rows."""

    def fit(self, X: Any, y: Any) -> Any:
        inside = np.clip(np.nan_to_num(X), -1, 1)
        at = tuple(Fraction(float(np.quantile([*inside[:, 0], 0], share))) for share in (0.25, 0.75))
        with mock.patch.object(theil_sen, "_QUARTERS", at):
            return make({"epsilon": 2})().fit(X, y)


class OneMatchingCharged:
    """Charges for one matching."""

    def fit(self, X: Any, y: Any) -> Any:
        right = PairLines.stability

        def once(self: Any, d_in: int, space: Any) -> Any:
            return right(evolve(self, matchings=1), d_in, space)

        with mock.patch.object(PairLines, "stability", once):
            return make({"epsilon": 2})().fit(X, y)


class AllPairs:
    """Uses all pairs, for the price of three matchings."""

    def fit(self, X: Any, y: Any) -> Any:
        def every(self: Any, value: Any, coins: Any, space: Any) -> Any:
            first, second = np.triu_indices(len(value), 1)
            pairs = np.stack([first, second], axis=1).ravel()
            return COMBINE(evolve(self, matchings=1), value[pairs], np.arange(len(pairs)), space)

        with mock.patch.object(PairLines, "combine", every):
            return make({"epsilon": 2})().fit(X, y)


class TemperatureByRows:
    """Uses the true number of rows for the temperature."""

    def fit(self, X: Any, y: Any) -> Any:
        right = theil_sen._temperature
        with mock.patch.object(theil_sen, "_temperature", lambda spending, pairs: right(spending, pairs + len(X))):
            return make({"epsilon": 2})().fit(X, y)


class DropsByTheMedian:
    """Leaves out the rows below the median of x: where one row is, others go."""

    def fit(self, X: Any, y: Any) -> Any:
        keep = np.nan_to_num(X[:, 0]) >= np.median(np.nan_to_num(X[:, 0])) if len(X) else []
        return make({"epsilon": 2})().fit(X[keep], y[keep])


@pytest.mark.parametrize(
    ("twin", "message"),
    [
        (RangeOfTheData, "(medians at the quarter points moves by|what was learnt depends on the data)"),
        (QuartersOfTheData, "the chain of medians at the quarter points depends on the data"),
        (OneMatchingCharged, "medians at the quarter points moves by"),
        (AllPairs, "medians at the quarter points moves by"),
        (TemperatureByRows, "the noise of medians at the quarter points depends on the data"),
        (DropsByTheMedian, "moves by"),
    ],
)
def test_a_twin_is_caught(twin: Any, message: str) -> None:
    def check_all() -> None:
        for number in range(100):
            source = random.Random(f"{twin.__name__} {number}")
            rows = source.choice([1, 2, 5, 12])
            table, target = drawn_table(source, rows, 1), drawn_numbers(source, rows)
            with coupled(PairLines):
                check_history(twin, table, target, remove=source.randrange(rows), seed=number)

    with pytest.raises(AssertionError, match=f"^history law: .*{message}"):
        check_all()


ORDINARY = [
    (np.empty((0, 1)), []),
    ([[0.5]], [1.0]),
    ([[0.5], [0.7]], [1.0, math.nan]),
    ([[math.nan], [None], [0.5]], [1.0, 0.0, 0.5]),
    ([[math.inf], [-math.inf], [1e300]], [math.inf, -math.inf, 0.0]),
    ([[0.25]] * 31, [0.5] * 31),
    ([[0.25]] * 30, np.linspace(-1, 1, 30)),
    ([[0.0], [1.0]] * 500, [0.0, 1.0] * 500),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(("x", "y"), ORDINARY)
def test_any_numbers_and_any_number_of_rows_are_ordinary(x: Any, y: Any, budget: dict[str, Any]) -> None:
    model = TheilSenRegressor(**UNIT, **budget).fit(x, y)
    assert model.coef_.shape == (1,)
    assert np.isfinite([*model.coef_, model.intercept_, model.n_samples_]).all()
    assert (np.abs(model.predict([[math.nan], [math.inf], [0.0]])) <= 1).all()


def test_a_missing_x_is_no_point() -> None:
    """Half the rows have no x; read as the middle of the bounds they would flatten the line."""
    x, y = drawn(8_000)
    x[::2] = math.nan
    y[::2] = 0
    model = TheilSenRegressor(**TEN, epsilon=1).fit(x, y)
    assert abs(model.coef_[0] - 0.5) < 0.08
    assert abs(model.n_samples_ - 4_000) < 1_000


def test_too_few_rows_are_named() -> None:
    """Normal noise would have to be twelve deviations too large to hide it, Laplace noise eight scales only."""
    with pytest.warns(PrivetWarning, match="too few for medians at this budget"):
        model = TheilSenRegressor(**TEN, rho=0.001).fit(*drawn(100))
    assert not model.signal_


def test_a_person_with_more_rows_costs_more_noise() -> None:
    x, y = drawn(300)
    model = TheilSenRegressor(**TEN, epsilon=1, rows_per_person=3).fit(x, y, persons=np.arange(300) // 3)
    assert model.loss_.epsilon() <= 1
    one = TheilSenRegressor(**TEN, epsilon=1).fit(x, y)
    # three rows change five pairs of each matching, one row changes two
    assert _temperature_of(model) / _temperature_of(one) == pytest.approx(2.5, rel=1e-4)


def _temperature_of(model: Any) -> float:
    text: str = model.releases_[1].partition("of temperature ")[2].partition(",")[0]
    return float(text)


def test_more_matchings_are_no_noisier() -> None:
    """The ranks of a median move by as large a share of all pairs, however many pairs there are."""
    shares = [_temperature_of(make({"epsilon": 1}, matchings=often)().fit(*drawn(50))) / often for often in (1, 5, 20)]
    assert shares == pytest.approx([shares[0]] * 3, rel=1e-4)


@pytest.mark.parametrize(
    ("more", "x", "error", "message"),
    [
        ({}, np.zeros((9, 2)), InvalidError, r"a line to one column of numbers, got 2 \(x0, x1\): choose one column"),
        ({"bounds": None, "categories": {0: [7]}}, np.zeros((9, 1)), InvalidError, "to one column of numbers, got 1"),
        ({"bounds": None}, np.zeros((9, 1)), InvalidError, "TheilSenRegressor.bounds must give"),
        ({"target_bounds": None}, np.zeros((9, 1)), InvalidError, "TheilSenRegressor.target_bounds must give"),
        ({"matchings": "all"}, np.zeros((9, 1)), InvalidError, "one row is in n - 1 of all pairs, and the number of"),
        (
            {"matchings": 0},
            np.zeros((9, 1)),
            InvalidError,
            "TheilSenRegressor.matchings must be between 1 and 1,000, got 0",
        ),
        ({"matchings": 1.5}, np.zeros((9, 1)), WrongTypeError, "TheilSenRegressor.matchings must be a whole number"),
        ({"epsilon": None}, np.zeros((9, 1)), InvalidError, "needs a privacy budget"),
    ],
)
def test_public_mistakes_are_refused(more: dict[str, Any], x: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        TheilSenRegressor(**{**UNIT, "epsilon": 1, **more}).fit(x, np.zeros(9))


def test_a_model_in_json_predicts_bit_by_bit_the_same() -> None:
    model = TheilSenRegressor(**TEN, rho=0.1).fit(*drawn(400))
    again = from_json(model.to_json())
    assert again.predict(drawn(50)[0]).tolist() == model.predict(drawn(50)[0]).tolist()
    assert again.to_json() == model.to_json()
    assert again.explain() == model.explain()


COLUMNS: dict[str, Any] = {
    "age": pv.column("integer", bounds=(0, 10)),
    "pay": pv.column("real", bounds=(0, 10)),
    "job": pv.column("text", categories=("a", "b")),
}


def session(rows: int = 4_000, **budget: Any) -> Any:
    x, y = drawn(rows)
    table = [{"age": round(a), "pay": b, "job": "a"} for a, b in zip(x[:, 0].tolist(), y.tolist(), strict=True)]
    return pv.Session(table, pv.Codebook(columns=COLUMNS, unit=pv.Rows()), pv.budget(**budget))


@pytest.mark.parametrize("budget", [{"epsilon": 2}, {"epsilon": 2, "delta": 1e-6}, {"rho": 0.1}])
def test_a_session_pays_for_a_fit(budget: dict[str, Any]) -> None:
    opened = session(**budget)
    model = opened.query().select("age", "pay").fit(TheilSenRegressor(target="pay"), **budget)
    assert abs(model.coef_[0] - 0.5) < 0.08
    assert "TheilSenRegressor of pay" in repr(opened.history)
    with pytest.raises(BudgetExceededError):
        opened.query().select("age", "pay").fit(TheilSenRegressor(target="pay"), **budget)


def test_a_mistake_in_a_session_costs_nothing() -> None:
    opened = session(50, epsilon=1)
    for names, model in [
        (("age", "job", "pay"), TheilSenRegressor(target="pay")),
        (("job", "pay"), TheilSenRegressor(target="pay")),
        (("age", "pay"), TheilSenRegressor(target="pay", matchings="all")),
    ]:
        with pytest.raises(InvalidError):
            opened.query().select(*names).fit(model, epsilon=1)
    assert opened.spent.epsilon == 0
