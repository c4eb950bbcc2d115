"""Logistic regression: quality, classes that do not occur, frames, and what it refuses."""

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import privet as pv
from privet.errors import InvalidError
from privet.models.logistic_regression import LogisticRegression

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}


def people(rows: int, seed: int = 0) -> Any:
    """Draw a frame with a number, a text and two classes."""
    source = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": source.uniform(18, 90, rows), "job": source.choice(["a", "b"], rows)})
    score = (frame["age"] - 50) / 10 + 2 * (frame["job"] == "b") + source.logistic(size=rows)
    return frame.assign(rich=np.where(score > 0, "yes", "no"))


PUBLIC: dict[str, Any] = {"bounds": {"age": (18, 90)}, "categories": {"job": ["a", "b", "c"]}, "classes": ["yes", "no"]}


def test_breast_cancer_and_digits_are_learnt() -> None:
    """In the sample the mean of five fits is above 0.94 and 0.89; the bounds here are many errors below."""
    table, target = load_breast_cancer(return_X_y=True)
    limits = list(zip(np.floor(table.min(axis=0)), np.ceil(table.max(axis=0)), strict=True))
    scores = [
        LogisticRegression(bounds=limits, classes=[0, 1], **BUDGET).fit(table, target).score(table, target)
        for _ in range(5)
    ]
    assert np.mean(scores) > 0.9
    table, target = load_digits(return_X_y=True)
    model = LogisticRegression(bounds=(0, 16), classes=range(10), **BUDGET).fit(table, target)
    assert model.score(table, target) > 0.8
    assert model.coef_.shape == (10, 64)
    assert np.allclose(model.predict_proba(table[:5]).sum(axis=1), 1)


def test_steep_coefficients_are_reached() -> None:
    """Almost no noise: with steps of a quarter of their length, all coefficients are a fifth too small."""
    source = np.random.default_rng(3)
    table, truth = source.uniform(-1, 1, size=(20_000, 3)), np.array([4.0, -3.0, 2.0])
    target = (table @ truth + source.logistic(size=20_000) > 0).astype(int)
    model = LogisticRegression(rho=100, bounds=(-1, 1), classes=[0, 1]).fit(table, target)
    assert np.abs(model.coef_[0] / truth - 1).max() < 0.12


def test_a_frame_of_either_kind_is_read_by_name() -> None:
    frame = people(5_000)
    model = LogisticRegression(target="rich", **PUBLIC, **BUDGET).fit(frame)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == ["age", "job"]
    assert model.score(frame[["age", "job"]], frame["rich"]) > 0.8
    other = LogisticRegression(**PUBLIC, **BUDGET).fit(pl.from_pandas(frame[["age", "job"]]), frame["rich"])
    assert other.score(frame[["age", "job"]], frame["rich"]) > 0.8
    assert model.coef_.shape == (1, 4)  # one for age, one for each category, also one that nobody has


def test_a_class_that_nobody_has_stays_in_the_list() -> None:
    frame = people(500)
    model = LogisticRegression(**{**PUBLIC, "classes": ["maybe", "no", "yes"]}, **BUDGET)
    model.fit(frame[["age", "job"]], frame["rich"])
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.predict_proba(frame[["age", "job"]]).shape == (500, 3)


def test_an_unknown_class_or_category_is_no_error() -> None:
    frame = people(300)
    strange = frame.assign(rich="perhaps", job=None)
    model = LogisticRegression(target="rich", **PUBLIC, **BUDGET).fit(strange)
    assert np.isfinite(model.coef_).all()
    assert set(model.predict(strange)) <= {"no", "yes"}


def test_a_codebook_has_the_public_facts() -> None:
    frame = people(3_000)
    book = pv.Codebook(
        columns={
            "age": pv.column("real", bounds=(18, 90)),
            "job": pv.column("text", categories=("a", "b", "c")),
            "rich": pv.column("text", categories=("no", "yes")),
        },
        unit=pv.Rows(),
    )
    model = LogisticRegression(codebook=book, target="rich", **BUDGET).fit(frame)
    assert model.score(frame, frame["rich"]) > 0.75


def test_the_loss_is_within_every_form_of_a_budget() -> None:
    frame = people(300)
    forms: list[dict[str, Any]] = [
        BUDGET,
        {"rho": 0.01},
        {"budget": pv.budget(rho=0.01)},
        {"budget": pv.budget(epsilon=2, delta=1e-7)},
    ]
    for given in forms:
        model = LogisticRegression(target="rich", **PUBLIC, **given).fit(frame)
        stated: Any = given.get("budget") or pv.budget(**given)
        assert stated.covers(model.loss_)
        assert model.explain().startswith("LogisticRegression: what the fit released")
    assert model.loss_.epsilon(Fraction(1, 10**7)) > Fraction(199, 100)  # nothing is left unused


def test_persons_need_a_cap() -> None:
    frame = people(400)
    persons = np.repeat(np.arange(100), 4)
    with pytest.raises(InvalidError, match="rows_per_person must be given"):
        LogisticRegression(target="rich", **PUBLIC, **BUDGET).fit(frame, persons=persons)
    one = LogisticRegression(target="rich", rows_per_person=1, **PUBLIC, **BUDGET).fit(frame, persons=persons)
    four = LogisticRegression(target="rich", rows_per_person=4, **PUBLIC, **BUDGET).fit(frame, persons=persons)
    ratio = four.noise_scale_["centre and radius"] / one.noise_scale_["centre and radius"]
    assert abs(ratio - 4) < 1e-9
    assert abs(one.n_samples_ - 100) < 200  # eight deviations of its noise


def test_few_rows_are_warned_of() -> None:
    """Noise hides it in 4 of 1,000 fits; in three of three with chance 5e-8."""
    frame = people(30)
    with pytest.warns(pv.errors.PrivetWarning, match="rows are too few for 5 coefficients"):
        models = [LogisticRegression(target="rich", **PUBLIC, **BUDGET).fit(frame) for _ in range(3)]
    assert not all(model.signal_ for model in models)


def test_what_is_missing_is_refused() -> None:
    frame = people(50)
    with pytest.raises(InvalidError, match="classes must list the classes"):
        LogisticRegression(bounds=(0, 1), **BUDGET).fit([[1.0]], ["a"])
    with pytest.raises(InvalidError, match="bounds must give a lower and an upper bound for column 'age'"):
        LogisticRegression(classes=["no", "yes"], target="rich", **BUDGET).fit(frame)
    with pytest.raises(InvalidError, match="bounds names 'agee', which is no column"):
        LogisticRegression(**{**PUBLIC, "bounds": {"agee": (0, 1)}}, target="rich", **BUDGET).fit(frame)
    with pytest.raises(InvalidError, match="lower must be below upper"):
        LogisticRegression(bounds=(1, 1), classes=[0, 1], **BUDGET).fit([[1.0]], [0])
    with pytest.raises(InvalidError, match="must have two or more classes"):
        LogisticRegression(bounds=(0, 1), classes=[0], **BUDGET).fit([[1.0]], [0])
