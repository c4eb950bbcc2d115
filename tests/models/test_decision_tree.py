"""Decision trees: quality with a stated margin, the law of histories and its twins, text, missing values, refusals."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetWarning
from privet.models.binning import Binning
from privet.models.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from privet.models.features import Features, Numeric
from privet.models.json_form import from_json
from privet.models.private_rows import PrivateRows
from privet.models.tree_growth import DecisionTree, depth_for, level_shares
from privet.models.tree_text import describe_tree
from tests.models.history_law import check_history, drawn_classes, drawn_numbers, drawn_table, spends_within

EDGES: list[Any] = [np.empty((0, 2)), np.full((5, 2), math.nan), np.array([[math.inf, -math.inf]]), np.zeros((1, 2))]
LOSSES: list[dict[str, Any]] = [{"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": 0.025}]


def classifier(**more: Any) -> DecisionTreeClassifier:
    form = {} if "rho" in more else {"epsilon": 1}
    return DecisionTreeClassifier(**(form | {"bounds": (-1, 1), "classes": [0, 1]} | more))


def regressor(**more: Any) -> DecisionTreeRegressor:
    form = {} if "rho" in more else {"epsilon": 1}
    return DecisionTreeRegressor(**(form | {"bounds": (-1, 1), "target_bounds": (-2, 2)} | more))


def steps(rows: int) -> tuple[Any, Any]:
    """A class that two splits tell, and a column without use."""
    source = np.random.default_rng(1)
    x = source.uniform(-1, 1, size=(rows, 3))
    return x, ((x[:, 0] > 0.25) & (x[:, 1] > -0.5)).astype(int)


def within(loss: Any, budget: dict[str, Any]) -> bool:
    """Tell whether a loss fits a budget; with epsilon and a delta, as pure privacy, too."""
    return bool(loss.rho() <= budget["rho"] if "rho" in budget else loss.epsilon(0) <= budget["epsilon"])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("criterion", ["gini", "gain", "max_class"])
def test_two_splits_are_found(criterion: str, loss: dict[str, Any]) -> None:
    """10,000 rows at epsilon 1: of 360 fits of 5,000 rows the worst had an accuracy of 1.0; a constant has 0.72."""
    x, y = steps(10_000)
    model = classifier(criterion=criterion, max_depth=2, **loss).fit(x, y)
    assert model.score(x, y) > 0.85
    assert model.max_depth_ == 2
    assert abs(model.n_samples_ - 10_000) < 1_000
    assert model.signal_
    assert within(model.loss_, loss)
    assert np.allclose(model.predict_proba(x[:9]).sum(axis=1), 1)


@pytest.mark.parametrize("loss", LOSSES)
def test_nearly_all_of_the_budget_is_used(loss: dict[str, Any]) -> None:
    x, y = steps(2_000)
    fixed = classifier(bins=8, max_depth=2, **loss)
    for model in (classifier(**loss).fit(x, y), regressor(**loss).fit(x, y), fixed.fit(x, y)):
        assert within(model.loss_, loss)
        assert not within(model.loss_, {name: 0.99 * amount for name, amount in loss.items() if name != "delta"})


@pytest.mark.parametrize("loss", LOSSES)
def test_a_number(loss: dict[str, Any]) -> None:
    """10,000 rows at epsilon 1: of 120 fits the worst had an R² of 0.959."""
    source = np.random.default_rng(2)
    x = source.uniform(-1, 1, size=(10_000, 2))
    y = np.where(x[:, 0] > 0, 1.0, -1.0) + 0.2 * source.normal(size=10_000)
    model = regressor(**loss).fit(x, y)
    assert model.score(x, y) > 0.7
    assert np.abs(model.predict(EDGES[2])).max() <= 2


def test_a_number_far_inside_its_bounds() -> None:
    """The first release finds the part of the bounds where rows are; of 300 fits of 20,000 rows the worst had 0.94."""
    source = np.random.default_rng(3)
    x = source.uniform(-1, 1, size=(40_000, 2))
    y = np.where(x[:, 0] > 0, 3.0, 1.0) + 0.2 * source.normal(size=40_000)
    model = regressor(target_bounds=(0, 100), max_depth=2).fit(x, y)
    assert model.score(x, y) > 0.5


def test_categories_edges_and_missing_values() -> None:
    source = np.random.default_rng(2)
    x = np.empty((6_000, 2), dtype=object)
    x[:, 0], x[:, 1] = source.choice(["a", "b", "?"], 6_000), source.uniform(0, 1e5, 6_000)
    x[::3, 1] = math.nan
    public: dict[str, Any] = {"bounds": {1: (0, 1e5)}, "categories": {0: ["a", "b"]}}
    by_category = classifier(**public, max_depth=1).fit(x, (x[:, 0] == "?").astype(int))
    assert by_category.predict([["c", 1], [None, 1], ["a", 1]]).tolist() == [1, 1, 0]
    gone = np.array([item != item for item in x[:, 1].tolist()]).astype(int)
    by_missing = classifier(**public, max_depth=1).fit(x, gone)
    assert by_missing.predict(np.array([["a", math.nan], ["a", 5e4]], dtype=object)).tolist() == [1, 0]
    assert "1 is missing" in by_missing.export_text()
    x[:, 1] = 10 ** source.uniform(0, 5, 6_000)  # which equal bins do not tell apart
    low = np.array([item < 100 for item in x[:, 1].tolist()]).astype(int)
    fine = classifier(**public, edges={1: [10, 100, 1000, 50_000]}, max_depth=1).fit(x, low)
    assert "1 < 100" in fine.export_text()


def test_a_tree_in_words() -> None:
    table = pd.DataFrame({"age": np.tile([20.0, 60.0], 3_000), "job": np.repeat(["x", "y", "z"], 2_000)})
    target = np.where(table["job"] == "y", "yes", np.where(table["age"] > 40, "yes", "no"))
    public: dict[str, Any] = {"bounds": {"age": (0, 80)}, "categories": {"job": ["x", "y", "z"]}}
    model = DecisionTreeClassifier(epsilon=50, **public, classes=["no", "yes"], max_depth=2, bins=4)
    text = model.fit(table, target).export_text()
    assert 6 <= len(text.splitlines()) <= 10  # where all rows are of one class, any split will do, even none
    assert "|--- job is y" in text or "age < " in text
    assert "yes (1.00), about " in text or "yes (0.99), about " in text
    number = DecisionTreeRegressor(epsilon=50, bounds=(0, 80), target_bounds=(0, 10), max_depth=1, bins=4)
    words = number.fit(table[["age"]].to_numpy(), np.tile([1.0, 9.0], 3_000)).export_text().splitlines()
    assert len(words) == 4
    assert {line.rpartition("--- ")[2].split(",")[0] for line in words[1::2]} >= {"1.00", "9.00"} or "0 < " in words[0]


def test_a_split_that_splits_nothing_has_no_line() -> None:
    """Below age < 40 every row is below 60, too."""
    features = Features(columns=(Numeric(lower=0, upper=80),), names=("age",))
    young, old = (0, (0, 0, 1, 1, 1)), (0, (0, 0, 0, 1, 1))  # below 40, and below 60; the last code is for missing
    tree = DecisionTree(
        binning=Binning(features=features, bins=4, edges=(None,)),
        levels=((young,), (old, old)),
        rows=np.array([30.0, 7.0, 20.0, 25.0]),
        shares=np.zeros((4, 2)),
    )
    assert describe_tree(tree, ["a", "b", "c", "d"]).splitlines() == [
        "|--- age < 40",
        "|   |--- a, about 30 rows",
        "|--- age >= 40 or missing",
        "|   |--- age < 60",
        "|   |   |--- c, about 20 rows",
        "|   |--- age >= 60 or missing",
        "|   |   |--- d, about 25 rows",
    ]


def test_a_class_that_nobody_has_stays_in_the_list() -> None:
    x, y = steps(3_000)
    model = classifier(classes=[0, 1, 2]).fit(x, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(x[:2]).shape == (2, 3)
    assert model.score(x, y) > 0.7


@pytest.mark.parametrize("x", EDGES)
@pytest.mark.parametrize("loss", LOSSES)
def test_any_numbers_are_read(x: Any, loss: dict[str, Any]) -> None:
    for make in (classifier, regressor):
        for more in ({}, {"criterion": "gain"}, {"bins": 3, "max_depth": 3}):
            model: Any = make(**loss, **more).fit(x, np.zeros(len(x)))
            assert np.isfinite(np.asarray(model.predict(EDGES[1]), dtype=float)).all()
            assert len(model.predict(EDGES[0])) == 0
            assert model.export_text()


@pytest.mark.parametrize("loss", LOSSES)
def test_too_few_rows_are_named(loss: dict[str, Any]) -> None:
    """Noise hides it where the number of rows is nine deviations too large; of a deep tree six are enough."""
    with pytest.warns(PrivetWarning, match="are too few for a tree"):
        model = classifier(max_depth=1, **loss).fit(EDGES[1], np.zeros(5))
    assert not model.signal_


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"bounds": None}, "bounds must give"),
        ({"classes": None}, "classes must list"),
        ({"epsilon": None}, "needs a privacy budget"),
        ({"bins": 1}, "bins must be between 2 and 1024"),
        ({"max_depth": 11}, "max_depth must be between 1 and 10, got 11"),
        ({"criterion": "entropy"}, "criterion must be one of 'gain', 'gini', 'max_class', got 'entropy'"),
        ({"edges": {7: [1]}}, "no column of numbers"),
    ],
)
def test_what_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        classifier(**more).fit(np.zeros((4, 2)), [0, 1, 0, 1])


def test_a_model_comes_back_from_its_text() -> None:
    x, y = steps(2_000)
    model, number = classifier().fit(x, y), regressor().fit(x, y)
    again = from_json(model.to_json())
    assert (again.predict_proba(x) == model.predict_proba(x)).all()
    assert again.export_text() == model.export_text()
    assert (from_json(number.to_json()).predict(x) == number.predict(x)).all()


def test_a_fit_of_a_session() -> None:
    source = np.random.default_rng(4)
    age = source.uniform(10, 99, 3_000)
    rows = pd.DataFrame({"age": age, "job": source.choice(["a", "b", "?"], 3_000), "old": age > 60, "pay": 20 * age})
    rows.loc[::50, "age"] = np.nan
    rows["id"] = np.arange(3_000) // 2
    columns = {
        "age": pv.column("real", bounds=(18, 90)), "job": pv.column("text", categories=("b", "a")),
        "old": pv.column("boolean"), "pay": pv.column("real", bounds=(0, 2_000)), "id": pv.column("integer"),
    }  # fmt: skip
    for unit in (pv.Rows(), pv.Persons(id="id", rows=2)):
        session = pv.Session(rows, pv.Codebook(columns=columns, unit=unit), pv.budget(epsilon=20, delta=1e-6))
        names = ("age", "job") if isinstance(unit, pv.Rows) else ("id", "age", "job")
        query = session.query().select(*names, "old")
        model = query.fit(DecisionTreeClassifier(target="old"), epsilon=3, delta=1e-7)
        assert model.predict(pd.DataFrame({"age": [20.0, 85.0], "job": ["a", "a"]})).tolist() == [False, True]
        number = session.query().select(*names, "pay").fit(DecisionTreeRegressor(target="pay"), epsilon=3, delta=1e-7)
        low, high = number.predict(pd.DataFrame({"age": [25.0, 85.0], "job": ["a", "a"]}))
        assert low + 300 < high
        assert "DecisionTreeRegressor of pay" in repr(session.history)


def test_a_codebook_gives_all_facts() -> None:
    columns = {"age": pv.column("real", bounds=(0, 90)), "sick": pv.column("boolean")}
    book = pv.Codebook(columns=columns, unit=pv.Rows())
    table = pd.DataFrame({"age": np.tile([10.0, 80.0], 1_000), "sick": np.tile([False, True], 1_000)})
    model = DecisionTreeClassifier(epsilon=1, codebook=book, target="sick").fit(table)
    assert model.predict(table[:2]).tolist() == [False, True]


def test_rules_of_depth_and_levels() -> None:
    assert [depth_for(rows, 2) for rows in (0, 150, 1_200, 1e9)] == [1, 1, 3, 8]
    assert depth_for(0, 10) == 4
    for pure in (True, False):
        shares = level_shares(5, pure=pure)
        assert sum(shares) == 1
        assert shares == sorted(shares)


LAWS: dict[str, tuple[Callable[[], Any], str]] = {
    "classifier": (lambda: classifier(epsilon=2), "class"),
    "classifier, rho": (lambda: classifier(rho=0.05, criterion="gain", classes=[0, 1, 2]), "class"),
    "classifier, deep": (lambda: classifier(epsilon=2, bins=3, max_depth=3, criterion="max_class"), "class"),
    "regressor": (lambda: regressor(epsilon=2), "number"),
    "regressor, rho": (lambda: regressor(rho=0.05, bins=4, max_depth=2), "number"),
}


def draw(name: str, number: int, target: str) -> tuple[Any, Any, int]:
    """Draw a data set and the row that its neighbour does not have."""
    source = random.Random(f"{name} {number}")
    rows = source.choice([1, 2, 5, 12])
    drawn = drawn_classes(source, rows, 2) if target == "class" else drawn_numbers(source, rows)
    return drawn_table(source, rows, 2), drawn, source.randrange(rows)


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("name", LAWS)
def test_neighbours_with_one_history_give_near_statistics(name: str) -> None:
    make, target = LAWS[name]
    for number in range(100):
        table, drawn, remove = draw(name, number, target)
        assert spends_within(check_history(make, table, drawn, remove=remove, seed=number), 2, 1e-6)


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("name", LAWS)
def test_persons_with_several_rows_are_protected_by_their_cap(name: str) -> None:
    source = np.random.default_rng(5)
    table, persons = source.normal(size=(24, 2)), np.repeat(np.arange(8), 3)
    target = source.integers(0, 2, 24) if LAWS[name][1] == "class" else source.normal(size=24)

    def make() -> Any:
        model = LAWS[name][0]()
        model.rows_per_person = 3
        return model

    for remove in range(8):
        assert spends_within(check_history(make, table, target, remove=remove, persons=persons), 2, 1e-6)


class BinsFromData:
    """Takes candidate splits from the values: quantiles of the column."""

    def fit(self, X: Any, y: Any) -> Any:
        values = sorted({float(item) for item in X[:, 0].tolist() if abs(item) < 1})
        return classifier(edges={0: values or [0.0]}).fit(X, y)


class ClassesSeen:
    """Lists the classes that occur, and one more."""

    def fit(self, X: Any, y: Any) -> Any:
        return classifier(classes=sorted({7, *y.tolist(), 8})).fit(X, y)


class EmptyNodesLeftOut:
    """Stops where a node has no rows."""

    def fit(self, X: Any, y: Any) -> Any:
        model = classifier()
        model.max_depth = 1 + int(len({round(item, 1) for item in X[:, 0].tolist() if abs(item) < 1}) > 3)
        return model.fit(X, y)


class MissingDropped:
    """Takes the number of bins from how many numbers there are."""

    def fit(self, X: Any, y: Any) -> Any:
        return classifier(bins=2 + int(np.isfinite(X).sum())).fit(X, y)


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
@pytest.mark.parametrize("twin", [BinsFromData, ClassesSeen, EmptyNodesLeftOut, MissingDropped])
def test_a_twin_is_caught(twin: Any) -> None:
    """Each takes something from the data that must be public; some data set shows it."""

    def check_all() -> None:
        for number in range(100):
            table, target, remove = draw(twin.__name__, number, "class")
            check_history(twin, table, target, remove=remove, seed=number)

    with pytest.raises(AssertionError, match=r"history law|assert \["):
        check_all()


@pytest.mark.filterwarnings("ignore::privet.errors.PrivetWarning")
def test_leaves_that_depend_on_other_rows_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes by the ranks of the data, as a quantile binning of private rows would give."""

    def ranks(self: Binning, table: Any) -> Any:
        columns = [
            np.argsort(np.argsort(np.nan_to_num(column))) % size for column, size in zip(table, self.sizes, strict=True)
        ]
        return np.stack(columns, axis=1)  # fmt: skip

    monkeypatch.setattr(Binning, "codes", ranks)

    def check_all() -> None:
        for number in range(100):
            table, target, remove = draw("ranks", number, "class")
            check_history(lambda: classifier(epsilon=2), table, target, remove=remove, seed=number)

    with pytest.raises(AssertionError, match="history law"):
        check_all()


def test_every_level_is_one_selection_and_charged_before_the_rows_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = steps(500)
    seen = []
    right = PrivateRows.measure

    def measure(self: PrivateRows, name: str, chain: Any) -> Any:
        seen.append((name, len(self.account.charges)))
        return right(self, name, chain)

    monkeypatch.setattr(PrivateRows, "measure", measure)
    model = classifier(max_depth=3, epsilon=5).fit(x, y)
    names = ["number of rows", "splits of level 1", "splits of level 2", "splits of level 3", "leaves"]
    assert seen == [(name, at) for at, name in enumerate(names)]
    assert list(model.noise_scale_) == names
    assert "splits of level 3: PermuteAndFlip of scale " in model.explain()
