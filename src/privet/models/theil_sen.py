"""Private Theil-Sen regression: medians of the lines through random pairs of points."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve
from sklearn.base import RegressorMixin

from privet.combinators.parallel_composition import ParallelComposition
from privet.core import Array, read_rows, sqrt_down
from privet.errors import InvalidError
from privet.mechanisms.quantile_interval import QuantileInterval
from privet.models.binning import release_count
from privet.models.estimator import PrivateRegressor
from privet.models.features import Numeric
from privet.models.fit_job import FitJob, read_limited
from privet.models.signal import Signal, rows_text
from privet.models.spending import Form, Spending
from privet.transforms.matchings import refuse_all_pairs
from privet.transforms.pair_lines import PairLines

_COUNT = Fraction(1, 20)
_MEDIAN = (1 - _COUNT) / 2  # the share of each of the two medians
_QUARTERS = (Fraction(-1, 2), Fraction(1, 2))  # of the range -1 .. 1
_REACH = 4  # heights of lines are clamped to four times the range of the target: x may fill a part of its bounds
_GRID = Fraction(1, 2**16)  # of heights: finer than any sampling error, and few candidates where values are tied
_SHORT = 2**20  # temperatures are rounded up to this part of a row
_CLEAR = 20  # temperatures: with so many pairs a median is hardly ever taken far from the middle


@final
class TheilSenRegressor(RegressorMixin, PrivateRegressor):
    """Fit a line to one column of numbers with privacy, robustly: extreme points have no more weight than others.

    Rows are paired at random, ``matchings`` times. The line through each pair is evaluated at the quarter and the
    three-quarter point of the public range of x, and the private medians of the two columns of heights give the line.
    Its slope is a median of slopes, not the slope of least squares. A row without x or without a target is left out.

    Args:
        matchings: In how many pairs each row is at most. More are slower and not noisier; all pairs are refused.
        epsilon: The privacy loss, with ``delta`` or without.
        delta: Optional, and never spent: with epsilon, privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds of the column: a pair, a list of one pair, or a dictionary by name or position.
        target_bounds: Public bounds of the target.
        codebook: A codebook with the bounds.
        target: The name of the target, where it is a column of the frame.
        categories: As in other models; a column with a list of categories is refused.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/theil_sen.md.

    >>> import numpy as np
    >>> x = np.linspace(0, 10, 5_000)[:, None]
    >>> model = TheilSenRegressor(epsilon=1, bounds=(0, 10), target_bounds=(0, 50)).fit(x, 4 * x[:, 0] + 3)
    >>> round(float(model.coef_[0]), 1)
    4.0
    """

    forms: ClassVar[tuple[Form, ...]] = ("pure", "concentrated")

    def __init__(
        self,
        *,
        matchings: Any = 10,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        target_bounds: Any = None,
        codebook: Any = None,
        target: Any = None,
        categories: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.matchings = matchings
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.codebook = codebook
        self.target = target
        self.categories = categories
        self.rows_per_person = rows_per_person

    def _known_columns(self, label: str, table: Any) -> Any:
        """Refuse public facts that do not fit, before anything is charged or read."""
        refuse_all_pairs(f"{label}.matchings", self.matchings)
        read_limited(f"{label}.matchings", self.matchings)
        features = super()._known_columns(label, table)
        if len(features.columns) != 1 or not isinstance(features.columns[0], Numeric):
            shown = ", ".join(features.encoded_names()[:5])
            raise InvalidError(
                f"{label} fits a line to one column of numbers, got {len(features.columns)} ({shown}): choose one "
                "column, or use LinearRegression."
            )
        return features

    coef_: Array
    _encoded_coef: float
    _encoded_intercept: float

    def _fit(self, job: FitJob) -> None:
        job = _complete(job)
        count = release_count(job, _COUNT)
        lines = PairLines(
            at=_QUARTERS,
            bounds=(-_REACH, _REACH),
            grid=_GRID,
            matchings=read_limited(f"{job.label}.matchings", self.matchings),
        )
        rows = job.encoded()
        chain = rows.space >> lines
        changed: Any = chain.map(job.account.d_in)
        temperature = _temperature(job.account.spending, changed.linf)
        median = QuantileInterval(alpha=Fraction(1, 2), temperature=temperature)
        heights = rows.measure("medians at the quarter points", chain >> ParallelComposition(each=median))
        self._read(*(float(height) for height in heights))
        self.n_samples_ = count
        self.signal_ = _signal(count, count / 2 * lines.matchings / float(temperature))

    def _read(self, low: float, high: float) -> None:
        """Write the line through two points, for encoded rows and in the units of the data."""
        column, x = self.target_column_, self.features_.columns[0]
        self._encoded_coef, self._encoded_intercept = high - low, (low + high) / 2
        slope = (high - low) * column.half / x.half
        self.coef_ = np.array([slope])
        self.intercept_ = float((low + high) / 2 * column.half + column.middle - slope * x.middle)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted numbers, within the bounds of the target."""
        scaled = np.clip(self._encoded(X)[:, 0] * self._encoded_coef + self._encoded_intercept, -1.0, 1.0)
        return np.asarray(scaled * self.target_column_.half + self.target_column_.middle)


def _complete(job: FitJob) -> FitJob:
    """Leave out the rows without x; each stays or goes by itself."""
    values, null = read_rows(job.table.columns[0], float)
    keep = ~np.isnan(values) if null is None else ~(np.isnan(values) | null)
    return evolve(job, table=job.table.take(keep), target=np.asarray(job.target)[keep])


def _temperature(spending: Spending, pairs: Fraction) -> Fraction:
    """Return the temperature at which a median of heights, of which so many change, costs its share of the budget.

    The bounded range of a median is eta = pairs / temperature: epsilon = eta, and rho is at most eta² / 8.
    """
    share = _MEDIAN * spending.total
    eta = share if spending.form == "pure" else sqrt_down(8 * share)
    return Fraction(math.ceil(pairs / eta * _SHORT), _SHORT)


def _signal(rows: float, temperatures: float) -> Signal:
    if temperatures >= _CLEAR:
        return Signal(expected=True, reason=f"{rows_text(rows)}: the medians stand out from the noise of their ranks.")
    return Signal(
        expected=False,
        reason=f"{rows_text(rows)} are too few for medians at this budget: the line is mostly noise. Use more "
        "rows or a larger budget.",
    )
