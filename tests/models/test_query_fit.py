"""Fits of the rows of a session: charged first, the same rows as from a frame."""

import warnings
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, PrivetWarning, UnavailableError, WrongTypeError
from privet.models.categorical_nb import CategoricalNB
from privet.models.decision_tree import DecisionTreeClassifier
from privet.models.gradient_boosting import GradientBoostingRegressor
from privet.models.k_bins_discretizer import KBinsDiscretizer
from privet.models.k_means import KMeans
from privet.models.linear_regression import LinearRegression
from privet.models.lloyd_k_means import LloydKMeans
from privet.models.logistic_regression import LogisticRegression
from privet.models.pipelines import pipeline
from privet.models.private_rows import Account
from privet.models.theil_sen import TheilSenRegressor
from tests.models.history_law import Step, histories

ROWS = 2_000
LOSS: dict[str, Any] = {"epsilon": 1, "delta": 1e-7}


def frame() -> Any:
    source = np.random.default_rng(2)
    age, hours = source.uniform(10, 99, ROWS), source.integers(-5, 90, ROWS)
    job = source.choice(["a", "b", "c", "other"], ROWS)
    income = 500 * age + 900 * hours + 9_000 * (job == "b") + source.normal(0, 5_000, ROWS)
    table = pd.DataFrame({"age": age, "job": job, "hours": hours, "income": income, "rich": income > 60_000})
    table.loc[::50, "age"] = np.nan
    table.loc[::70, "income"] = np.nan
    table["id"] = np.arange(ROWS) // 2
    return table


COLUMNS = {
    "age": pv.column("real", bounds=(18, 90)),
    "job": pv.column("text", categories=("c", "a", "b")),
    "hours": pv.column("integer", bounds=(0, 80)),
    "income": pv.column("real", bounds=(0, 200_000)),
    "rich": pv.column("boolean"),
    "id": pv.column("integer"),
}


def session(unit: Any = None, **budget: Any) -> Any:
    book = pv.Codebook(columns=COLUMNS, unit=unit or pv.Rows())
    return pv.Session(frame(), book, pv.budget(**(budget or {"epsilon": 5, "delta": 1e-6})))


def test_a_fit_is_charged_and_in_the_history() -> None:
    opened = session()
    model = opened.query().select("age", "job", "hours", "income").fit(LinearRegression(target="income"), **LOSS)
    assert model.coef_.shape == (5,)
    assert opened.spent.epsilon <= 1
    assert "LinearRegression of income" in repr(opened.history)
    assert model.score(frame()[["age", "job", "hours"]].fillna(54), frame()["income"].fillna(60_000)) > 0.5


@pytest.mark.parametrize("target", ["income", "rich"])
def test_a_table_and_a_frame_give_the_same_whole_numbers(target: str) -> None:
    """Every statistic of the fit is equal, as whole numbers, whichever way the rows came."""
    names = ["age", "job", "hours", target]
    public: dict[str, Any] = {"bounds": {"age": (18, 90), "hours": (0, 80)}, "categories": {"job": ["c", "a", "b"]}}
    bare: Any
    full: Any
    if target == "income":
        bare, full = (
            LinearRegression(target=target),
            LinearRegression(target=target, target_bounds=(0, 200_000), **public, **LOSS),
        )
    else:
        bare, full = (
            LogisticRegression(target=target),
            LogisticRegression(target=target, classes=[False, True], **public, **LOSS),
        )
    first: list[Step] = []
    second: list[Step] = []
    with histories(first, None), mock.patch("privet.models.query_fit._rehearse"):
        session().query().select(*names).fit(bare, **LOSS)
    with histories(second, None):
        full.fit(frame()[names])
    assert [step.name for step in first] == [step.name for step in second]
    for one, other in zip(first, second, strict=True):
        assert one.exact.tolist() == other.exact.tolist()


def test_nothing_is_read_before_the_charge() -> None:
    opened = session(epsilon=0.5, delta=1e-6)
    engine = type(opened.query().table.engine)
    with mock.patch.object(engine, "arrays", side_effect=AssertionError("read")), pytest.raises(BudgetExceededError):
        opened.query().select("age", "income").fit(LinearRegression(target="income"), **LOSS)
    assert opened.spent.epsilon == 0


def test_persons_are_protected_by_the_caps_of_the_query() -> None:
    unit = pv.Persons(id="id", rows=2)
    by_person = session(unit).query().select("id", "age", "income").fit(LinearRegression(target="income"), **LOSS)
    by_row = session().query().select("age", "income").fit(LinearRegression(target="income"), **LOSS)
    ratio = by_person.noise_scale_["centre and radius"] / by_row.noise_scale_["centre and radius"]
    assert abs(ratio - 2) < 1e-9


PUBLIC = pd.DataFrame({"job": ["a", "a", "a", "b"], "factor": [1.0, 2.0, 3.0, 4.0]})
QUERIES: dict[str, Any] = {
    "rows": lambda rows: rows,
    "union": lambda rows: rows.union(rows),
    "two filters": lambda rows: rows.filter("age > 50").union(rows.filter("age <= 50")),
    "public join": lambda rows: rows.join_public(PUBLIC, on="job"),
    "resized": lambda rows: rows.resize(500),
}


@pytest.mark.parametrize("kind", [LinearRegression, CategoricalNB])
@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("count", [1, 3, 10])
def test_a_fit_protects_what_a_count_of_the_same_rows_protects(kind: Any, name: str, count: int) -> None:
    """Units of several rows, and nodes that repeat rows, move a statistic several times as far."""
    rows = QUERIES[name](session(pv.Rows(count=count)).query().select("age", "job", "income", "rich"))
    scale = float(rows.agg(n=pv.count()).plan(epsilon=1).noise_words()[0].scale)
    seen: list[int] = []

    def account(spending: Any, d_in: int) -> Account:
        seen.append(d_in)
        return Account(spending, d_in)

    target = "income" if kind is LinearRegression else "rich"
    with mock.patch("privet.models.query_fit.Account", account):
        rows.fit(kind(target=target), **LOSS)
    assert seen == [scale, scale]
    assert scale >= count


def test_a_ledger_knows_a_fit_of_a_public_join(tmp_path: Path) -> None:
    fits = []
    for _ in range(2):
        opened = with_ledger(tmp_path / "budget.db")
        rows = opened.query().select("age", "job", "income").join_public(PUBLIC, on="job")
        fits.append(rows.select("age", "income").fit(LinearRegression(target="income"), **LOSS))
    assert fits[0].to_json() == fits[1].to_json()
    assert opened.spent.epsilon <= 1


def test_a_mistake_costs_nothing() -> None:
    opened = session()
    with pytest.raises(InvalidError, match="target names 'incom'; the query has age"):
        opened.query().select("age", "income").fit(LinearRegression(target="incom"), **LOSS)
    with pytest.raises(WrongTypeError, match="got the class LinearRegression: write"):
        opened.query().fit(LinearRegression, **LOSS)
    with pytest.raises(InvalidError, match="a session pays"):
        opened.query().fit(LinearRegression(target="income", epsilon=1), **LOSS)
    with pytest.raises(InvalidError, match="'id' has neither"):
        opened.query().fit(LinearRegression(target="income"), **LOSS)
    with pytest.raises(InvalidError, match="target must name the column"):
        opened.query().fit(LinearRegression(), **LOSS)
    assert opened.spent.epsilon == 0


@pytest.mark.parametrize(
    "model",
    [
        pv.models.GradientBoostingRegressor(target="income", learning_rate=7),
        pv.models.GradientBoostingRegressor(target="income", max_depth=99),
        pv.models.LinearRegression(target="income", inference="x"),  # type: ignore[arg-type]
        pv.models.PoissonRegressor(target="age"),
        pv.models.PCA(n_components=1_000),
        pv.models.KMeans(n_clusters=0),
        pv.models.CategoricalNB(target="rich", bins=1),
        pv.models.CategoricalNB(target="rich", edges={"hours": [3, 2]}),
        pv.models.GaussianNB(target="rich", variance="x"),
        pv.models.GradientBoostingRegressor(target="income", rows_per_person=2),
        pv.models.KBinsDiscretizer(strategy="uniform"),
        pv.models.StandardScaler(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_mistake_in_an_argument_of_a_model_costs_nothing(model: Any) -> None:
    opened = session()
    columns = ("age", "hours", "income", "rich") if model.target == "rich" else ("age", "hours", "income", "job")
    with pytest.raises(InvalidError):
        opened.query().select(*columns).fit(model, **LOSS)
    assert opened.spent.epsilon == 0


def test_facts_that_the_model_states_stand() -> None:
    """A list without one category is needed for intervals: the columns of all categories add up to one."""
    rows = session(epsilon=20, delta=1e-6).query().select("age", "job", "income")
    stated: dict[str, Any] = {"categories": {"job": ["b", "a"]}, "bounds": {"age": (20, 60)}}
    model = LinearRegression(inference="two_step", target="income", **stated)
    fitted = rows.fit(model, epsilon=15, delta=1e-7)
    assert fitted.features_.encoded_names() == ("age", "job=b", "job=a")
    assert [float(end) for end in fitted.features_.columns[0].bounds] == [20, 60]
    assert fitted.usable_
    assert abs(fitted.coef_[1] - 9_000) < 6_000


def test_a_list_of_classes_may_be_shorter_and_in_another_order() -> None:
    """With all classes there would be twice as many rows; the noise of their number has deviations of 30 and 40."""
    rows = session().query().select("age", "hours", "job")
    for kind in (LogisticRegression, CategoricalNB):
        fitted = rows.fit(kind(target="job", classes=["c", "b"]), **LOSS)
        assert fitted.classes_.tolist() == ["b", "c"]
        assert abs(fitted.n_samples_ - ROWS / 2) < 400


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearRegression(target="income", bounds=(0, 1)), "must be a dictionary by the name of a column"),
        (LinearRegression(target="income", bounds={"agee": (0, 1)}), "names 'agee'; the numbers with bounds"),
        (LinearRegression(target="income", categories={"age": [1]}), "names 'age'; the columns with a list"),
        (LinearRegression(target="job"), "'job', which must be a number with bounds"),
    ],
)
def test_facts_that_contradict_the_codebook_cost_nothing(model: Any, message: str) -> None:
    opened = session()
    with pytest.raises(InvalidError, match=message):
        opened.query().select("age", "job", "income").fit(model, **LOSS)
    assert opened.spent.epsilon == 0


def test_a_model_without_a_target_leaves_its_column_out() -> None:
    model = session().query().select("age", "hours", "income").fit(pv.models.PCA(target="income"), **LOSS)
    assert model.components_.shape == (2, 2)


def test_a_scaler_can_be_fitted_to_a_session() -> None:
    opened = session()
    scaler = opened.query().select("age", "hours").fit(pv.models.StandardScaler(), **LOSS)
    assert scaler.get_feature_names_out().tolist() == ["age", "hours"]
    assert opened.spent.epsilon <= 1


def with_ledger(path: Path) -> Any:
    book = pv.Codebook(columns=COLUMNS, unit=pv.Rows())
    limit = pv.budget(epsilon=5, delta=1e-6)
    ledger = pv.Ledger(path)
    return pv.Session(frame(), book, limit, ledger=ledger, dataset="visits", analyst="ann")


def test_a_ledger_gives_the_same_fit_again_for_nothing(tmp_path: Path) -> None:
    model = GradientBoostingRegressor(target="income", n_estimators=3, edges={"hours": np.linspace(1, 79, 1001)})
    first = with_ledger(tmp_path / "budget.db").query().select("age", "hours", "income").fit(model, **LOSS)
    opened = with_ledger(tmp_path / "budget.db")
    again = opened.query().select("age", "hours", "income").fit(model, **LOSS)
    assert again.to_json() == first.to_json()
    assert opened.spent.epsilon <= 1
    fresh = opened.query().select("age", "hours", "income").fit(model, again=True, **LOSS)
    assert fresh.to_json() != first.to_json()
    assert opened.spent.epsilon > 1


def test_models_that_differ_in_one_number_are_different_requests(tmp_path: Path) -> None:
    """An array of a thousand numbers and one of two must be told apart by every digit."""
    opened = with_ledger(tmp_path / "budget.db")
    for edges in (np.linspace(1, 79, 1001), [10.0, 20.0]):
        moved = np.array(edges)
        moved[-1] += 1e-9
        fits = [
            opened.query()
            .select("age", "hours", "income")
            .fit(
                GradientBoostingRegressor(target="income", n_estimators=2, edges={"hours": each}),
                epsilon=0.5,
                delta=1e-8,
            )
            for each in (np.array(edges), moved)
        ]
        assert fits[0].to_json() != fits[1].to_json()
    assert opened.spent.epsilon > 1.9


@pytest.mark.parametrize(
    ("model", "columns"),
    [
        (pv.models.GaussianNB(target="rich"), ("age", "hours", "rich")),
        (pv.models.CategoricalNB(target="rich"), ("age", "job", "rich")),
        (pv.models.StandardScaler(), ("age", "hours")),
        (pv.models.KBinsDiscretizer(strategy="quantile"), ("age", "hours")),
        (pv.models.KMeans(n_clusters=2), ("age", "job")),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_kind_of_model_can_be_stored(model: Any, columns: tuple[str, ...], tmp_path: Path) -> None:
    first = with_ledger(tmp_path / "budget.db").query().select(*columns).fit(model, **LOSS)
    again = with_ledger(tmp_path / "budget.db").query().select(*columns).fit(model, **LOSS)
    assert again.to_json() == first.to_json()


def test_rho_is_a_budget_too() -> None:
    opened = session(rho=0.05)
    opened.query().select("age", "hours", "rich").fit(LogisticRegression(target="rich"), rho=0.02)
    assert float(opened.spent.rho) <= 0.02 * (1 + 1e-12)


def test_a_warning_that_is_an_error_gives_no_fresh_noise(tmp_path: Path) -> None:
    """A ledger lets a fit that was broken off run again under its charge; the warning once broke off every fit.

    44 rows are 5.5 deviations of their noise below what boosting needs.
    """
    opened = with_ledger(tmp_path / "budget.db")
    rows = opened.query().select("age", "income").filter("age > 97")
    seen = set()
    for _ in range(3):
        with warnings.catch_warnings():
            warnings.simplefilter("error", PrivetWarning)
            with pytest.raises(PrivetWarning, match="are too few") as caught:
                rows.fit(GradientBoostingRegressor(target="income", n_estimators=3), epsilon=0.1, delta=1e-7)
        seen.add(str(caught.value))
    assert len(seen) == 1
    assert len(opened.history) == 1


@pytest.mark.parametrize("error", [MemoryError("shape (2000, 7)"), ValueError("0.4711"), RuntimeWarning("0.4711")])
def test_a_fit_that_breaks_off_shows_nothing(error: Exception) -> None:
    """The messages of numpy have numbers of rows and released numbers."""
    opened = session()
    with (
        mock.patch("privet.models.query_fit._rehearse"),
        mock.patch.object(LinearRegression, "_fit_parts", side_effect=error),
        pytest.raises(UnavailableError, match="the fit was broken off, and nothing of it is kept") as caught,
    ):
        opened.query().select("age", "income").fit(LinearRegression(target="income"), **LOSS)
    assert caught.value.__context__ is None
    assert 0.99 < opened.spent.epsilon <= 1


def test_a_lack_of_memory_shows_no_number_of_rows() -> None:
    model = LinearRegression(**LOSS, bounds=(0, 1), target_bounds=(0, 1))
    with (
        mock.patch.object(LinearRegression, "_fit", side_effect=MemoryError("shape (12345, 7)")),
        pytest.raises(UnavailableError, match="LinearRegression: the fit was broken off") as caught,
    ):
        model.fit([[0.5]], [0.5])
    assert caught.value.__context__ is None


@pytest.mark.parametrize(
    "model",
    [
        LloydKMeans(n_clusters=200_000),
        LloydKMeans(iterations=10**400),
        KMeans(n_clusters=10**400),
        TheilSenRegressor(target="income", matchings=20_000),
    ],
)
def test_sizes_that_would_need_too_much_are_refused_before_the_charge(model: Any) -> None:
    opened = session()
    with pytest.raises(InvalidError, match="must be between 1 and 1,000"):
        opened.query().select("age", "income").fit(model, **LOSS)
    assert opened.spent.epsilon == 0


def test_a_fit_that_could_not_be_stored_is_refused_before_the_charge() -> None:
    """``numpy.bool`` once was no ``bool`` after the charge."""
    opened = session()
    bins = KBinsDiscretizer(n_bins=np.int64(4), strategy="quantile")
    assert opened.query().select("age").fit(bins, **LOSS).n_bins_.tolist() == [4]
    spent = opened.spent.epsilon
    with (
        mock.patch.object(LinearRegression, "to_json", side_effect=WrongTypeError("cannot be written")),
        pytest.raises(WrongTypeError, match="cannot be written"),
    ):
        opened.query().select("age", "income").fit(LinearRegression(target="income"), **LOSS)
    assert opened.spent.epsilon == spent


@pytest.mark.parametrize("name", ["linear", "bayes"])
def test_the_caps_of_persons_hold_for_fits(name: str) -> None:
    """A fit that counts all five rows of a person has noise for two."""
    table = pd.DataFrame({"id": np.arange(5_000) // 5, "age": 50.0, "rich": np.arange(5_000) % 2 == 0})
    columns = {each: COLUMNS[each] for each in ("id", "age", "rich")}
    book = pv.Codebook(columns=columns, unit=pv.Persons("id", rows=2))
    opened = pv.Session(table, book, pv.budget(epsilon=5, delta=1e-6))
    model = LogisticRegression(target="rich") if name == "linear" else CategoricalNB(target="rich", bins=4)
    fitted = opened.query().fit(model, **LOSS)
    assert abs(fitted.n_samples_ - 2_000) < 500


def test_a_pure_fit_spends_no_delta() -> None:
    opened = session()
    tree = DecisionTreeClassifier(target="rich", max_depth=2, bins=4)
    opened.query().select("age", "rich").fit(tree, **LOSS)
    assert opened.spent.epsilon == 1
    assert opened.spent.delta == 0


def test_a_pipeline_is_refused_with_what_to_do() -> None:
    made = pipeline([("model", LinearRegression(target="income", target_bounds=(0, 1)))])
    with pytest.raises(WrongTypeError, match="got a pipeline: in a session the codebook has the bounds, so fit its la"):
        session().query().fit(made, **LOSS)
