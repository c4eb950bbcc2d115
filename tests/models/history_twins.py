"""Estimators with one deliberate mistake each, and what the law of histories must say of them."""

import warnings
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
from attrs import evolve, frozen

from privet.core.space import Space
from privet.models import descent, inference, k_bins_discretizer, linear_regression
from privet.models.binning import release_count
from privet.models.gaussian_nb import GaussianNB
from privet.models.k_bins_discretizer import KBinsDiscretizer
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.private_rows import Account
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.sum_of_outer_products import SumOfOuterProducts
from privet.transforms.sums_by_group import SumsByGroup
from tests.transforms.twins import TwinOf

BUDGET: dict[str, Any] = {"epsilon": 2.0, "delta": 1e-6}
UNIT: dict[str, Any] = {**BUDGET, "bounds": (-1, 1)}


def linear(**more: Any) -> LinearRegression:
    return LinearRegression(**UNIT, target_bounds=(-1, 1), **more)


class BoundsFromData:
    """Takes bounds from the rows."""

    def fit(self, X: Any, y: Any) -> Any:
        finite = np.nan_to_num(X, nan=0, posinf=9, neginf=-9)
        sides = list(zip(finite.min(axis=0) - 1, finite.max(axis=0) + 1, strict=True)) if len(X) else (-1, 1)
        return LinearRegression(**BUDGET, target_bounds=(-1, 1), bounds=sides).fit(X, y)


class ClassesFromData:
    """Lists the classes that occur, beside those that are known."""

    def fit(self, X: Any, y: Any) -> Any:
        return LogisticRegression(**UNIT, classes=sorted({0, 1, *y.tolist()})).fit(X, y)


class MissingClass:
    """Leaves out a class that nobody has."""

    def fit(self, X: Any, y: Any) -> Any:
        seen = sorted({0, 1, 2} & {*y.tolist()})
        return GaussianNB(**UNIT, classes=seen if len(seen) > 1 else [0, 1, 2]).fit(X, y)


class MissingClassRaises:
    """Refuses data without a row of every class."""

    def fit(self, X: Any, y: Any) -> Any:
        if not {0, 1} <= {*y.tolist()}:
            raise ValueError("a class has no rows")
        return GaussianNB(**UNIT, classes=[0, 1]).fit(X, y)


class RateByRows:
    """Divides the learning rate by the true number of rows."""

    def fit(self, X: Any, y: Any) -> Any:
        def wrong(rows: Any, inverse: Any, **more: Any) -> Any:
            return descent.descend(rows, inverse * 10 / max(len(rows.value), 1), **more)

        with mock.patch.object(linear_regression, "descend", wrong):
            return linear().fit(X, y)


class ClipByRows:
    """Divides the clip by the true number of rows, as for a mean gradient."""

    def fit(self, X: Any, y: Any) -> Any:
        def wrong(rows: Any, inverse: Any, *, clip: Fraction, **more: Any) -> Any:
            return descent.descend(rows, inverse, clip=clip / max(len(rows.value), 1), **more)

        with mock.patch.object(linear_regression, "descend", wrong):
            return linear().fit(X, y)


class _Wrapped:
    """Does something before or after the releases of a fit."""

    made: Any = staticmethod(linear)

    def fit(self, X: Any, y: Any) -> Any:
        model = self.made()
        right = model._fit

        def wrong(job: Any) -> None:
            self.before(model, job)
            right(job)
            self.after(model, job)
            vars(model).pop("_fit")

        model._fit = wrong
        return model.fit(X, y)

    def before(self, model: Any, job: Any) -> None: ...

    def after(self, model: Any, job: Any) -> None: ...


class NoiseByRows(_Wrapped):
    """Adds more noise where there are more rows."""

    def before(self, model: Any, job: Any) -> None:
        job.account.spending = evolve(job.account.spending, total=job.account.spending.total / (1 + job.table.rows))


class MoreReleases(_Wrapped):
    """Makes one more release where the number of rows is odd."""

    made: Any = staticmethod(lambda: linear(inference="two_step"))

    def before(self, model: Any, job: Any) -> None:
        job.account.spending = evolve(job.account.spending, total=job.account.spending.total / 2)
        if job.table.rows % 2:
            release_count(job, Fraction(1, 10))


class ReleasedTwice(_Wrapped):
    """Releases the number of rows a second time, at the cost of another account."""

    def after(self, model: Any, job: Any) -> None:
        release_count(evolve(job, account=Account(job.account.spending, job.account.d_in)), Fraction(1, 10))


class KeepsTheRange(_Wrapped):
    """Keeps the largest value of a column, which is no release."""

    def after(self, model: Any, job: Any) -> None:
        model.largest_ = float(np.max(np.nan_to_num(job.table.columns[0]), initial=0.0))


class WarnsOfMoved(_Wrapped):
    """Warns if a value is moved to its bounds."""

    def after(self, model: Any, job: Any) -> None:
        if (np.abs(job.table.columns[0]) > 1).any():
            warnings.warn("a value is moved", stacklevel=1)


@frozen
class _NotMoved(TwinOf):
    """Claims a ball and leaves the rows where they are."""

    def apply(self, value: Any, space: Space) -> Any:
        return value


class InterceptOutside:
    """Appends the column of the intercept after rows were clipped, and claims the radius without it."""

    def fit(self, X: Any, y: Any) -> Any:
        def claimed(*, radius: Fraction, grid: Fraction) -> Any:
            return _NotMoved(ClampNorm(radius=radius * Fraction(7072, 10_000), grid=grid))

        with (
            mock.patch.object(linear_regression, "_INTERCEPT", Fraction(1)),
            mock.patch.object(descent, "ClampNorm", claimed),
        ):
            return linear().fit(X, y)


@frozen
class _Doubled(TwinOf):
    """Counts products off the diagonal twice, with the map of the triangle that has each once."""

    def apply(self, value: Any, space: Space) -> Any:
        right, columns = self.right.apply(value, space), space.domain.columns  # type: ignore[attr-defined]
        twice = [1 if i == j else 2 for i in range(columns) for j in range(i, columns)]
        return right * np.array(twice, dtype=object)


class UnweightedMoments:
    """Releases moments with products off the diagonal weighted, and without the sensitivity of the weight."""

    def fit(self, X: Any, y: Any) -> Any:
        def wrong(*, weight: Fraction) -> Any:
            return _Doubled(SumOfOuterProducts(weight=weight))

        with mock.patch.object(inference, "SumOfOuterProducts", wrong):
            return linear(inference="two_step").fit(X, y)


@frozen
class _OneGrouping(TwinOf):
    """Counts a row in each of several groupings, and charges one."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return SumsByGroup(groups=[1]).stability(d_in, space)


class CountedTwice:
    """Releases the counts of two columns for the price of one."""

    def fit(self, X: Any) -> Any:
        def wrong(**more: Any) -> Any:
            return _OneGrouping(SumsByGroup(**more))

        with mock.patch.object(k_bins_discretizer, "SumsByGroup", wrong):
            return KBinsDiscretizer(strategy="quantile", **UNIT).fit(X)


class Centred:
    """Subtracts the mean of the rows that it sees."""

    def fit(self, X: Any, y: Any) -> Any:
        rows = np.nan_to_num(X, posinf=1, neginf=-1)
        return linear().fit(rows - rows.mean(axis=0) if len(rows) else rows, y)


@frozen
class HistoryTwin:
    """A mistake, the kind of its target, and what the law must say."""

    make: Any
    target: str
    message: str


HISTORY_TWINS = [
    HistoryTwin(BoundsFromData, "number", "moves by"),
    HistoryTwin(Centred, "number", "moves by"),
    HistoryTwin(ClassesFromData, "class", "the chain of .* depends on the data"),
    HistoryTwin(MissingClass, "class", "the chain of moments by class depends on the data"),
    HistoryTwin(MissingClassRaises, "class", "an exception depends on the data"),
    HistoryTwin(RateByRows, "number", "the chain of gradient depends on the data"),
    HistoryTwin(ClipByRows, "number", "the chain of gradient depends on the data"),
    HistoryTwin(NoiseByRows, "number", "the noise of centre and radius depends on the data"),
    HistoryTwin(
        MoreReleases, "number", "number of rows became centre and radius|centre and radius became number of rows"
    ),
    HistoryTwin(ReleasedTwice, "number", "loss_ leaves out a release"),
    HistoryTwin(KeepsTheRange, "number", "what was learnt depends on the data"),
    HistoryTwin(WarnsOfMoved, "number", "a warning depends on the data"),
    HistoryTwin(InterceptOutside, "number", "products of features moves by"),
    HistoryTwin(UnweightedMoments, "number", "moments moves by"),
    HistoryTwin(CountedTwice, "none", "histograms moves by"),
]
