"""The checks of scikit-learn over every estimator, and by name those that contradict privacy."""

import warnings
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from sklearn.utils.estimator_checks import check_estimator

from privet.models.estimator import PrivateClassifier, PrivateRegressor
from privet.models.features import Features
from privet.models.json_form import ESTIMATORS
from privet.models.tables_of import Columns

PAGE = Path(__file__).parents[2] / "docs" / "models" / "scikit_learn.md"
NOISE = "compares two fits: every fit draws fresh noise"
CONTENTS = "expects an error for some contents of the data: an error would reveal them"
EXPECTED = {
    "check_classifier_data_not_an_array": NOISE,
    "check_classifiers_regression_target": CONTENTS,
    "check_dtype_object": CONTENTS,
    "check_estimators_empty_data_messages": "expects an error without rows: the number of rows is private",
    "check_fit_idempotent": NOISE,
    "check_regressor_data_not_an_array": NOISE,
    "check_regressors_int": NOISE,
    "check_supervised_y_2d": NOISE,
    "check_supervised_y_no_nan": CONTENTS,
}
MORE: dict[str, dict[str, str]] = {
    "KMeans": {"check_clustering": "reads labels_, and the labels of private rows are private"},
    "LloydKMeans": {"check_clustering": "reads labels_, and the labels of private rows are private"},
    "PoissonRegressor": {"check_regressors_train": "has negative targets, and events are counted from zero"},
    "StandardScaler": {
        "check_estimator_sparse_array": "sets with_mean, a parameter of another StandardScaler",
        "check_estimator_sparse_matrix": "sets with_mean, a parameter of another StandardScaler",
    },
    "TheilSenRegressor": {"check_regressors_train": "expects a good score from ten columns, and it takes one"},
}
# a large budget, and bounds that hold the data of the checks
GIVEN: dict[str, Any] = {"rho": 100_000, "bounds": (-12, 12), "target_bounds": (-4, 4), "n_estimators": 10}
OTHER: dict[str, dict[str, Any]] = {
    "KBinsDiscretizer": {"rho": None},
    "GradientBoostingClassifier": {"bounds": (-4, 4), "n_estimators": 80},
    "GradientBoostingRegressor": {"bounds": (-4, 4), "n_estimators": 80},
    "PoissonRegressor": {"target_bounds": (0, 4)},
    "StandardScaler": {"rho": None},
    "RandomForestClassifier": {"bounds": (-4, 4), "n_estimators": 60},  # random splits must fall among the rows
    "RandomForestRegressor": {"bounds": (-4, 4), "n_estimators": 60},
}


@cache
def with_classes(kind: type[Any]) -> type[Any]:
    """Return a classifier that reads the classes from the data, for the checks only: they give no list."""

    def _read_target(self: Any, target: Any) -> Any:
        seen = np.unique(np.array(np.asarray(target).tolist()))
        self._seen = seen if len(seen) > 1 else np.unique([*seen.tolist(), "other" if seen.dtype.kind in "UO" else 77])
        return kind._read_target(self, target)

    def _known_classes(self: Any) -> Any:
        return self._seen

    def _refuse_kind(self: Any, kind: Any) -> None:
        """There is no list yet."""

    methods = {"_read_target": _read_target, "_known_classes": _known_classes, "_refuse_kind": _refuse_kind}
    more = {**methods, "__module__": __name__, "__doc__": ""}
    made = type(kind.__name__, (kind,), more)
    globals()[kind.__name__] = made  # for the check that pickles
    return made


@cache
def with_one_column(kind: type[Any]) -> type[Any]:
    """Return a model of one column that reads the first column, for the checks only: they give several."""

    def _known_columns(self: Any, label: str, table: Any) -> Any:
        return PrivateRegressor._known_columns(self, label, table)

    def _fit(self: Any, job: Any) -> None:
        table = Columns(names=None, columns=job.table.columns[:1], rows=job.table.rows)
        kind._fit(self, evolve(job, features=Features(columns=job.features.columns[:1]), table=table))

    more = {"_known_columns": _known_columns, "_fit": _fit, "__module__": __name__, "__doc__": ""}
    made = type(kind.__name__, (kind,), more)
    globals()[kind.__name__] = made  # for the check that pickles
    return made


DOUBLES = {"TheilSenRegressor": with_one_column}


def estimators() -> Iterator[Any]:
    for name, module in ESTIMATORS.items():
        if name == "Pipeline" or find_spec(f"privet.models.{module}") is None:
            continue
        kind = getattr(import_module(f"privet.models.{module}"), name)
        form = {} if "concentrated" in kind.forms else {"rho": None, "epsilon": 100_000, "delta": 1e-6}
        parameters = GIVEN | form | OTHER.get(name, {})
        given = {key: value for key, value in parameters.items() if key in kind._get_param_names()}
        double = with_classes if issubclass(kind, PrivateClassifier) else DOUBLES.get(name)
        yield (double(kind) if double is not None else kind)(**given)


@pytest.mark.parametrize("estimator", list(estimators()), ids=lambda each: type(each).__name__)
def test_scikit_learn_finds_nothing_else(estimator: Any) -> None:
    expected = EXPECTED | MORE.get(type(estimator).__name__, {})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks warn of what they skip
        results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None, on_skip=None)
    failed = {each["check_name"]: f"{each['exception']!r}"[:300] for each in results if each["status"] == "failed"}
    assert not failed
    assert sum(each["status"] == "passed" for each in results) > 30


def test_the_page_lists_what_is_not_checked() -> None:
    text = PAGE.read_text()
    for name, reason in [*EXPECTED.items(), *(item for more in MORE.values() for item in more.items())]:
        assert f"`{name}`" in text
        assert reason in text
