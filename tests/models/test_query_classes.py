"""Classes of a session: a codebook may list them in any order, a model has them sorted."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import InvalidError
from privet.models.categorical_nb import CategoricalNB
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression

CLASSES = ["low", "middle", "high"]  # as one would list them; sorted: high, low, middle
AGES = {"low": 20.0, "middle": 50.0, "high": 80.0}


def opened() -> Any:
    kind = np.repeat(CLASSES, [2_000, 1_500, 1_000])
    frame = pd.DataFrame({"age": [AGES[each] for each in kind], "kind": kind})
    columns = {"age": pv.column("real", bounds=(0, 100)), "kind": pv.column("text", categories=tuple(CLASSES))}
    return pv.Session(frame, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(rho=20))


@pytest.mark.parametrize("make", [LogisticRegression, CategoricalNB])
def test_classes_that_are_not_listed_in_order_keep_their_rows(make: Any) -> None:
    """CategoricalNB counts in the engine, the other reads rows: both number the classes as the model does."""
    model = opened().query().fit(make(target="kind"), rho=10)
    assert model.classes_.tolist() == sorted(CLASSES)
    assert model.predict(pd.DataFrame({"age": list(AGES.values())})).tolist() == CLASSES


@pytest.mark.parametrize("make", [LogisticRegression, CategoricalNB])
def test_classes_that_a_model_lists_itself_keep_their_rows(make: Any) -> None:
    """The class that the model does not list belongs to no class."""
    model = opened().query().fit(make(target="kind", classes=["low", "high"]), rho=10)
    assert model.classes_.tolist() == ["high", "low"]
    assert model.predict(pd.DataFrame({"age": [20.0, 80.0]})).tolist() == ["low", "high"]


def mixed() -> Any:
    """Rows of which half have the first value of every column."""
    frame = pd.DataFrame({"age": [10.0, 90.0] * 2_000, "flag": [False, True] * 2_000, "code": [0, 1] * 2_000})
    columns = {
        "age": pv.column("real", bounds=(0, 100)),
        "flag": pv.column("boolean"),
        "code": pv.column("integer", categories=(0, 1)),
        "free": pv.column("integer"),
        "share": pv.column("real", bounds=(0, 1)),
        "word": pv.column("text"),
        "day": pv.column("date"),
    }
    frame = frame.assign(free=frame["code"], share=frame["code"] * 1.0, word="1", day=pd.Timestamp("2020-01-01"))
    return pv.Session(frame, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(rho=20)).query()


@pytest.mark.parametrize("target", ["flag", "code", "free", "share"])
@pytest.mark.parametrize("classes", [[0, 1], [False, True], [0.0, 1.0]])
@pytest.mark.parametrize("make", [LogisticRegression, CategoricalNB])
def test_classes_of_another_type_that_are_equal_keep_their_rows(make: Any, target: str, classes: list[Any]) -> None:
    """An array finds 1 where a model lists True, and so does a table."""
    model = mixed().select("age", target).fit(make(target=target, classes=classes), rho=10)
    assert model.n_samples_ > 3_900
    assert model.predict(pd.DataFrame({"age": [10.0, 90.0]})).tolist() == classes


@pytest.mark.parametrize("values", [[1], [True], [1.0]])
@pytest.mark.parametrize("name", ["flag", "code"])
def test_categories_of_another_type_that_are_equal_keep_their_rows(name: str, values: list[Any]) -> None:
    model = LinearRegression(target="age", categories={name: values})
    assert mixed().select("age", name).fit(model, rho=10).coef_[0] > 60


@pytest.mark.parametrize(
    ("target", "classes"),
    [
        ("free", ["0", "1"]),
        ("free", [0, 0.5]),
        ("free", [0, 2**70]),
        ("share", ["0", "1"]),
        ("share", [0, 10**400]),
        ("word", [0, 1]),
        ("day", ["2020-01-01", "2020-01-02"]),
        ("day", [pd.Timestamp("2020-01-01").date(), pd.Timestamp("2020-01-02").date()]),
    ],
)
def test_classes_that_a_column_cannot_hold_are_refused(target: str, classes: list[Any]) -> None:
    """An engine would compare the text '1' with the number 1, which an array does not."""
    with pytest.raises(InvalidError, match=f"classes has .* for '{target}', which is of kind"):
        mixed().select("age", target).fit(LogisticRegression(target=target, classes=classes), rho=10)


def test_a_codebook_of_the_model_is_refused_in_a_session() -> None:
    """It was left aside without a word; the session has one, with other bounds perhaps."""
    opens = opened()
    columns = {"age": pv.column("real", bounds=(0, 40)), "kind": pv.column("text", categories=tuple(CLASSES))}
    model = LogisticRegression(target="kind", codebook=pv.Codebook(columns=columns, unit=pv.Rows()))
    with pytest.raises(InvalidError, match="the session has a codebook: leave it out"):
        opens.query().fit(model, rho=1)
    assert len(opens.history) == 0


@pytest.mark.parametrize("number", [Fraction, Decimal])
@pytest.mark.parametrize("name", ["flag", "code"])
def test_categories_that_an_engine_cannot_compare_are_refused(name: str, number: Any) -> None:
    """They are equal to listed values, and yet the engine would fail, or read True as False."""
    model = LinearRegression(target="age", categories={name: [number(0), number(1)]})
    with pytest.raises(InvalidError, match=f"categories has .* for '{name}', which is of kind"):
        mixed().select("age", name).fit(model, rho=10)
