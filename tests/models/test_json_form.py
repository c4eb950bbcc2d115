"""Models as text: nothing is lost, nothing is run, and what was changed is refused."""

import json
import math
from datetime import UTC, date, datetime
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.models.categorical_nb import CategoricalNB
from privet.models.json_form import ESTIMATORS, contiguous, from_json, load, save, to_json
from privet.models.json_values import read_value, refuse_value, write_value
from privet.models.logistic_regression import LogisticRegression

SOURCE = Path(__file__).parents[2] / "src" / "privet" / "models"


def refuse_kind(kind: str, inner: Any) -> Any:
    raise InvalidError(kind)


def fitted(**more: Any) -> LogisticRegression:
    source = np.random.default_rng(1)
    x = source.normal(size=(400, 3))
    model = LogisticRegression(rho=1, bounds=(-3, 3), classes=["a", "b", "c"], **more)
    return model.fit(x, np.array(["a", "b", "c"])[source.integers(0, 3, 400)])


def test_a_model_that_was_read_predicts_bit_by_bit_the_same() -> None:
    model = fitted()
    again = from_json(model.to_json())
    rows = np.random.default_rng(2).normal(size=(1_000, 3))
    assert (model.predict_proba(rows) == again.predict_proba(rows)).all()
    assert model.predict(rows).tolist() == again.predict(rows).tolist()
    assert again.predict(rows).dtype == model.predict(rows).dtype
    assert again.loss_ == model.loss_
    assert again.explain() == model.explain()
    assert again.features_ == model.features_
    assert again.to_json() == model.to_json()
    assert vars(again).keys() == vars(model).keys()


def test_a_model_without_a_fit_keeps_its_parameters() -> None:
    book = pv.Codebook(unit=pv.Rows(), columns={"age": {"type": "integer", "bounds": (0, 99)}, "sick": bool})
    given = LogisticRegression(
        budget=pv.budget(epsilon=1, delta=1e-6), codebook=book, target="sick", bounds={"x": (0, 1)}
    )
    again = from_json(given.to_json())
    assert again.get_params() == given.get_params()
    assert not hasattr(again, "coef_")


def test_files(tmp_path: Path) -> None:
    model = fitted()
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").to_json() == model.to_json()
    save(model, str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


VALUES = [
    None, 7, -0.0, math.inf, "text", [True, [2.5]], (1, (2,)), {"a": 1, 3: (0, 1)}, Fraction(1, 3), date(2024, 2, 29),
    datetime(2024, 2, 29, 12, 30, tzinfo=UTC), np.float64(0.1), np.int64(3), np.bool_(True),
    np.array([0.1, math.nan, -math.inf]),
    np.zeros((0, 4)), np.array([["a", "bcd"]]), np.array([1, "x", None], dtype=object), np.arange(6).reshape(2, 3).T,
    np.array([True]), np.array([1.5], dtype=np.float32), np.array(2.0), np.uint8(3), pv.budget(rho="1/3"),
]  # fmt: skip
PARTS = {type(VALUES[-1]).__name__: type(VALUES[-1])}


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_values_keep_their_type_and_bits(value: Any) -> None:
    text = json.dumps(write_value(value, PARTS, refuse_value), allow_nan=False)
    again = read_value(json.loads(text), PARTS, refuse_kind)
    assert type(again) is type(value)
    if isinstance(value, np.ndarray):
        assert again.dtype == value.dtype
        assert again.shape == value.shape
        assert again.tobytes() == value.tobytes() or value.dtype == object
        assert value.dtype != object or again.tolist() == value.tolist()
    else:
        assert again == value
        assert math.copysign(1, again) == math.copysign(1, value) if isinstance(value, float) else True


@given(st.lists(st.floats(width=64)))
def test_floats_keep_their_bits(values: list[float]) -> None:
    array = np.array([value if value == value else math.nan for value in values])
    again = read_value(json.loads(json.dumps(write_value(array, {}, refuse_value))), {}, refuse_kind)
    assert again.tobytes() == array.tobytes()


@pytest.mark.parametrize("value", [{1, 2}, print, np.array([b"x"]), np.array(["2024"], dtype="M8[Y]"), 1j, object()])
def test_other_values_are_refused_when_they_are_written(value: Any) -> None:
    with pytest.raises(WrongTypeError, match="to_json cannot write a"):
        LogisticRegression(classes=value).to_json()


@pytest.mark.parametrize(
    "values", [range(3), pd.Series([0, 1, 2]), pd.Index([0, 1, 2]), pl.Series([0, 1, 2]), {0: 1, 1: 1, 2: 1}.keys()]
)
def test_every_list_that_a_fit_takes_can_be_written(values: Any) -> None:
    """It would be too late to refuse them when the fit was paid for."""
    again = from_json(
        CategoricalNB(epsilon=1, categories={0: values}, classes=values).fit([[0]] * 9, [0] * 9).to_json()
    )
    assert (list(again.categories[0]), list(again.classes)) == ([0, 1, 2], [0, 1, 2])
    assert again.classes_.tolist() == [0, 1, 2]


def test_other_estimators_are_refused() -> None:
    class LogisticRegression(BaseEstimator):
        """Has the name of one of ours."""

    for model in (BaseEstimator(), LogisticRegression(), 3):
        with pytest.raises(WrongTypeError, match="to_json cannot write a"):
            to_json(model)


def changed(path: list[Any], value: Any) -> str:
    data = json.loads(fitted().to_json())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(data)


HOSTILE: dict[str, tuple[list[Any], Any]] = {
    "another class": (["model", "class"], "os.system"),
    "a class of ours that is no estimator": (["model", "class"], "PrivateRows"),
    "no class": (["model", "class"], None),
    "a list for a class": (["model", "class"], ["LogisticRegression"]),
    "another parameter": (["model", "parameters", "warm"], 1),
    "a method": (["model", "fitted", "predict"], 1),
    "a class variable": (["model", "fitted", "forms"], ["pure"]),
    "a dunder": (["model", "fitted", "__class__"], 1),
    "a parameter among what was learnt": (["model", "fitted", "epsilon"], 1),
    "too short an array": (["model", "fitted", "coef_"], {"array": ["float64", [3, 3], [1.0]]}),
    "a huge shape": (["model", "fitted", "coef_"], {"array": ["float64", [10**12], []]}),
    "a negative shape": (["model", "fitted", "coef_"], {"array": ["float64", [-1], [1.0]]}),
    "an array of another kind": (["model", "fitted", "coef_"], {"array": ["V8", [1], [1.0]]}),
    "whole numbers as floats": (["model", "fitted", "coef_"], {"array": ["float64", [1], [1]]}),
    "a number that does not fit": (["model", "fitted", "coef_"], {"array": ["int8", [1], [1000]]}),
    "an unknown part": (["model", "fitted", "signal_"], {"part": ["Popen", {"args": "ls"}]}),
    "a field that no part has": (["model", "fitted", "signal_"], {"part": ["Signal", {"expected": True, "x": 1}]}),
    "a missing field": (["model", "fitted", "signal_"], {"part": ["Signal", {}]}),
    "a negative loss": (["model", "fitted", "loss_"], {"part": ["ConcentratedLoss", {"cost": {"fraction": "-1"}}]}),
    "a fraction with an exponent": (["model", "fitted", "n_samples_"], {"fraction": "1e999999999"}),
    "division by zero": (["model", "fitted", "n_samples_"], {"fraction": "1/0"}),
    "a fraction that is not reduced": (["model", "fitted", "n_samples_"], {"fraction": "2/2"}),
    "a name that stands twice": (["model", "fitted", "noise_scale_"], {"dict": [["gradient", 1.0], ["gradient", 2.0]]}),
    "a number beyond its type": (["model", "fitted", "coef_"], {"array": ["float32", [1], [0.1]]}),
    "an unknown kind": (["model", "fitted", "n_samples_"], {"pickle": "gASV"}),
    "two kinds": (["model", "fitted", "n_samples_"], {"fraction": "1", "tuple": []}),
    "a list as a key": (["model", "fitted", "noise_scale_"], {"dict": [[[1], 2]]}),
    "a codebook of nothing": (["model", "parameters", "codebook"], {"codebook": {"columns": 3}}),
    "a loss that is none": (["model", "fitted", "loss_"], [1]),
    "no judgement": (["model", "fitted", "signal_"], None),
    "no columns": (["model", "fitted", "features_"], 3),
    "no list of releases": (["model", "fitted", "releases_"], {"tuple": []}),
    "an attribute that no fit writes": (["model", "fitted", "note"], 1),
    "a private attribute that no fit writes": (["model", "fitted", "_callback_fit_ctx"], 1),
    "more room than text": (["model", "fitted", "classes_"], {"array": ["U", [3000], ["x" * 30_000, *["a"] * 2999]]}),
    "more beside the model": (["more"], 1),
    "a newer format": (["format"], "model/2"),
    "another format": (["format"], "codebook/1"),
}


@pytest.mark.parametrize(("path", "value"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_changed_text_is_refused(path: list[Any], value: Any) -> None:
    with pytest.raises(InvalidError, match=r"^models\.from_json"):
        from_json(changed(path, value))


@pytest.mark.parametrize(
    "text", ["", "{", "null", "[]", "{}", '{"format": "model/1"}', 3, None, b"\xff", "[" * 100_000]
)
def test_other_texts_are_refused(text: Any) -> None:
    with pytest.raises(InvalidError, match=r"^models\.from_json"):
        from_json(text)


@pytest.mark.parametrize(
    "name", ["loss_", "signal_", "features_", "classes_", "releases_", "coef_", "_encoded_coef", "_delta"]
)
def test_a_text_without_a_part_of_the_fit_is_refused(name: str) -> None:
    data = json.loads(fitted().to_json())
    del data["model"]["fitted"][name]
    with pytest.raises(InvalidError, match=r"^models\.from_json"):
        from_json(json.dumps(data))


def test_many_arrays_may_not_need_much_more_room_than_their_text() -> None:
    """Each has room for 64 MB of text in 5 kB; one like it is an ordinary list of classes."""
    one = {"array": ["U", [2001], ["x" * 5_000, *["a"] * 2_000]]}
    listed = json.loads(LogisticRegression(rho=1, bounds=(0, 1), classes=["no", "yes"]).to_json())
    listed["model"]["parameters"]["classes"] = one
    assert len(from_json(json.dumps(listed)).classes) == 2001
    listed["model"]["parameters"]["classes"] = [one] * 10
    with pytest.raises(InvalidError, match=r"^models\.from_json"):
        from_json(json.dumps(listed))


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InvalidError, match="there is no estimator 'Ridge'; there are .*CategoricalNB"):
        from_json(changed(["model", "class"], "Ridge"))
    with pytest.raises(InvalidError, match="model/2 needs a newer version of Privet"):
        from_json(changed(["format"], "model/2"))


def test_every_estimator_of_the_layer_can_be_read() -> None:
    """The list is closed, so a new estimator has to be added to it."""
    found = {}
    for path in sorted(SOURCE.glob("*.py")):
        module = import_module(f"privet.models.{path.stem}")
        for name, kind in vars(module).items():
            ours = isinstance(kind, type) and kind.__module__ == module.__name__ and issubclass(kind, BaseEstimator)
            if ours and not name.startswith("Private"):
                found[name] = path.stem
    assert {name: ESTIMATORS.get(name) for name in found} == found


def test_arrays_are_copied_into_plain_order() -> None:
    model = fitted()
    model.coef_ = np.arange(6.0).reshape(2, 3).T
    contiguous(model)
    assert model.coef_.flags.c_contiguous
    assert model.coef_.tolist() == [[0, 3], [1, 4], [2, 5]]
