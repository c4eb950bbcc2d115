"""Objective perturbation."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.core.exact import ball, ends, precision
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, UnavailableError
from privet.mechanisms.margin_losses import SLOPE_ERROR, HingeLoss, HuberLoss, LogisticLoss
from privet.mechanisms.objective_noise import largest_tilt_epsilon
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from tests.laws import Case, Twin
from tests.laws.replay import replayed
from tests.mechanisms.tilted import Broken, Tilted, exactly
from tests.mechanisms.twins import TwinOf

LOSSES = {"logistic": LogisticLoss(), "huber": HuberLoss(), "hinge": HingeLoss(0.25)}


def unit(**more: Any) -> ObjectivePerturbation:
    given = {"loss_function": "logistic", "radius": 1, "epsilon": 2}
    return ObjectivePerturbation(**{**given, **more})


FINE = unit(output_share=Fraction(1, 16), curvature_share=0.5, tolerance=Fraction(1, 256))
ROUGH = unit(output_share=0.75, tolerance=1)
PAIRED = pc.matrix(2)
FEW = [[1 / 64, -1]] * 400  # a long gradient with little curvature
WORST = [(FEW, [*FEW, [1, 1]])]
ROWS = [[0.5, 1], [1, 1], [-0.25, -1], [1, -1]]
CASES = [
    Case(
        name="objective perturbation, the worst pair",
        chain=PAIRED >> FINE,
        pairs=[*WORST, ([], [[1, 1]]), ([[1, 1]] * 3, [[1, 1]] * 3 + [[1, -1]])],
        masses=exactly(Tilted(unit=FINE), Fraction(-5, 4), 1200, range(-3, 4)),
    ),
    Case(
        name="objective perturbation, all releases",
        chain=PAIRED >> ROUGH,
        pairs=[(ROWS, ROWS[1:]), ([], [[1, 1]]), (FEW[:40], [*FEW[:40], [1, 1]])],
        masses=exactly(Tilted(unit=ROUGH), Fraction(0), 400, range(-60, 61)),
        sample=6000,
        fewest=6000,
        input=ROWS,
    ),
    Case(name="objective perturbation, huber", chain=pc.matrix(3) >> unit(loss_function="huber", threshold=0.5)),
    Case(name="objective perturbation, hinge", chain=pc.matrix(4) >> unit(loss_function="hinge", width=0.1)),
    Case(name="objective perturbation, known size", chain=pc.matrix(3, size=4) >> unit(radius=1000, ridge=10)),
    Case(name="objective perturbation, bounded columns", chain=pc.matrix(2, bounds=(-1, 1)) >> unit(radius=0.001)),
]


@frozen
class RefusesNan(TwinOf):
    """Raises an error for NaN, which says that there is one."""

    def release(self, value: Any, space: Space) -> Any:
        if np.isnan(value).any():
            raise InvalidError("the data have NaN.")
        return self.right.release(value, space)


@frozen
class OneRowAtMost(TwinOf):
    """Charges one row however many there are."""

    def loss(self, d_in: Any, space: Space) -> Any:
        return self.right.loss(min(d_in, 1), space)


def broken(name: str, around: Any, pairs: Any = WORST, **mistake: Any) -> Twin:
    tilted = Tilted(unit=FINE, **mistake)
    masses = exactly(tilted, Fraction(around), 1200, range(-3, 4))
    return Twin(law="loss", case=Case(name=name, chain=PAIRED >> Broken(FINE, tilted), pairs=pairs, masses=masses))


def misdrawn(name: str, **mistake: Any) -> Twin:
    """Draws by a mechanism with a mistake, against the masses of the right one."""
    case = Case(
        name=name,
        chain=PAIRED >> Broken(ROUGH, Tilted(unit=ROUGH, **mistake)),
        masses=exactly(Tilted(unit=ROUGH), Fraction(0), 400, range(-60, 61)),
        sample=20_000,
        input=ROWS,
    )
    return Twin(law="samples", case=case)


THREE = [(FEW, FEW + [[1, 1]] * 3)]
TWINS = [
    broken("a ridge that is too small", -1, ridge=Fraction(1, 10)),
    broken("noise for half the slope", -2, tilt=Fraction(1, 2)),
    broken("a ridge over the number of rows", -1, per_row=True),
    broken("an intercept outside the norm", -1, pairs=[(FEW, [*FEW, [2, 1]])], clamped=False),
    broken("an inexact minimiser without noise", 2, pairs=[([], [[1, 1]])], quiet=True, lazy=Fraction(1, 2)),
    Twin(
        law="loss",
        case=Case(
            name="three rows for one in the objective",
            chain=PAIRED >> OneRowAtMost(FINE),
            pairs=THREE,
            masses=exactly(Tilted(unit=FINE), Fraction(-1, 2), 1200, range(-3, 4)),
        ),
    ),
    misdrawn("a tilt of half its scale", tilt=Fraction(1, 2)),
    misdrawn("a minimiser without its noise", quiet=True),
    Twin(law="parity", case=Case(name="NaN refused by the objective", chain=pc.matrix(3) >> RefusesNan(unit()))),
]


def test_the_loss_counts_rows() -> None:
    assert [(PAIRED >> unit()).map(d_in).epsilon() for d_in in (0, 1, 3)] == [0, 2, 6]
    assert (pc.matrix(2, size=5) >> unit()).map(2).epsilon() == 4, "a replacement removes a row and adds one"


def density_ratio(tilted: Tilted, one: Any, other: Any, places: Any) -> float:
    """The largest logarithm of the ratio of the densities of the exact minimisers at some places."""
    rows = [tilted.rows(np.array(each, dtype=float).reshape(-1, 2)) for each in (one, other)]
    with precision(128):
        ratios = [(tilted.density(rows[0], w) / tilted.density(rows[1], w)).log() for w in places]
        return max(abs(float(ratio.mid())) for ratio in ratios)


PLACES = [Fraction(k, 16) for k in range(-160, 161)]


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8])
def test_the_density_ratio_is_reached_and_not_exceeded(share: float) -> None:
    """Many short rows give a long gradient without curvature: then one row costs nearly all that is allowed."""
    right = Tilted(unit=unit(curvature_share=share, epsilon=1))
    allowed = float(right.unit.noise(1).objective_epsilon)
    short = [[1 / 256, -1]] * 4000
    found = density_ratio(right, short, [*short, [1, 1]], PLACES)
    assert 0.93 * allowed < found <= allowed
    for one, other in [*right_pairs(), ([], [[1, 1]]), (ROWS, ROWS[:3])]:
        assert density_ratio(right, one, other, PLACES) <= allowed


def right_pairs() -> list[tuple[Any, Any]]:
    source = np.random.default_rng(5)
    tables = [np.column_stack([source.uniform(-1, 1, n), source.integers(0, 2, n) * 2 - 1]) for n in (1, 3, 10, 30)]
    return [(each.tolist(), each[1:].tolist()) for each in tables]


@pytest.mark.parametrize("mistake", [{"ridge": Fraction(1, 4)}, {"tilt": Fraction(4, 5)}])
def test_wrong_constants_exceed_the_density_ratio(mistake: Any) -> None:
    wrong = Tilted(unit=unit(curvature_share=0.5, epsilon=1), **mistake)
    short = [[1 / 256, -1]] * 4000
    assert density_ratio(wrong, short, [*short, [1, 1]], PLACES) > 1.05


def test_the_density_integrates_to_one() -> None:
    """Simpson's rule on 2,000 cells: the formula of the density is that of a distribution."""
    tilted = Tilted(unit=unit())
    rows = tilted.rows(np.array(ROWS))
    places = np.linspace(-40, 40, 2001)
    heights = np.array([float(tilted.density(rows, Fraction(w)).mid()) for w in places.tolist()])
    weights = np.ones(2001)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    assert abs(float((weights * heights).sum()) * 0.04 / 3 - 1) < 1e-3


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("ratio", [Fraction(1, 10), Fraction(2), Fraction(50)])
def test_no_margin_costs_more_than_epsilon(name: str, ratio: Fraction) -> None:
    """On a fine grid of margins; the bound is within a hundredth of the largest cost."""
    loss, epsilon = LOSSES[name], Fraction(6)
    share = float(largest_tilt_epsilon(loss, ratio, epsilon))
    margins = np.linspace(-60, 60, 200_001)
    ones = np.ones_like(margins)
    costs = share * np.abs(loss.slope(margins, ones)) + np.log1p(float(ratio) * loss.bend(margins, ones))
    assert 0.99 * float(epsilon) < costs.max() <= float(epsilon)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize(("ratio", "epsilon"), [("1/100", 6), ("20", 6), ("65536", 10_000)])
def test_no_slope_costs_more_than_epsilon_in_exact_numbers(name: str, ratio: str, epsilon: int) -> None:
    """In balls, at slopes finer than a cell; at a huge epsilon a bound for the middles of cells is too large."""
    loss, given = LOSSES[name], Fraction(ratio)
    share = largest_tilt_epsilon(loss, given, Fraction(epsilon))
    slopes = [Fraction(k, 2**12) for k in range(1, 2**12)] + [1 - Fraction(k, 2**18) for k in range(2**9)]
    with precision(128):
        for slope in slopes:
            cost = ball(share * slope) + (ball(given) * loss.bend_at_slope(slope, slope)).log1p()
            assert ends(cost)[0] <= epsilon


@pytest.mark.parametrize("share", [Fraction(1, 64), Fraction(1, 4)])
def test_the_minimiser_and_its_noise_share_epsilon(share: Fraction) -> None:
    """The tilt costs what the noise on the coefficients leaves of epsilon, and no more."""
    noise = unit(output_share=share).noise(2)
    slopes = [Fraction(k, 64) for k in range(1, 65)]
    bends = [float(noise.loss.bend_at_slope(each, each).mid()) for each in slopes]
    ratio = float(noise.radius**2 / Fraction(noise.ridge))
    cost = max(float(noise.tilt_epsilon * p) + math.log1p(ratio * c) for p, c in zip(slopes, bends, strict=True))
    assert 0.99 * float(2 * (1 - share)) < cost <= float(2 * (1 - share))


def test_a_ridge_of_the_squared_radius_over_epsilon_makes_curvature_free() -> None:
    """For the logistic loss: the noise is then that of the slope alone."""
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
        assert largest_tilt_epsilon(LogisticLoss(), epsilon, epsilon) >= epsilon * Fraction(99, 100)
        assert largest_tilt_epsilon(LogisticLoss(), epsilon, epsilon) <= epsilon


@pytest.mark.parametrize("name", LOSSES)
def test_both_parts_together_cost_less_than_their_sum(name: str) -> None:
    noise = unit(loss_function=name).noise(3)
    change = Fraction(math.log1p(noise.loss.curvature * noise.radius**2 / Fraction(noise.ridge)))
    assert noise.tilt_epsilon + change > noise.objective_epsilon * Fraction(6, 5)


@pytest.mark.parametrize("name", LOSSES)
def test_float_slopes_are_within_their_error(name: str) -> None:
    loss, source = LOSSES[name], np.random.default_rng(1)
    sizes = 10.0 ** source.uniform(-20, 20, 2000)
    margins = np.concatenate([sizes, -sizes, [0.0, 64.0, -64.0, 1e300, -1e300, 5e-324]])
    targets = np.where(source.integers(0, 2, len(margins)) == 1, 1.0, -1.0)
    slopes = loss.slope(margins, targets)
    with precision(256):
        errors = [
            abs(loss.slope_ball(arb(z), t) - arb(f))
            for z, t, f in zip(margins.tolist(), targets.tolist(), slopes.tolist(), strict=True)
        ]
        assert max(ends(error)[1] for error in errors) <= Fraction(SLOPE_ERROR) / 4


@pytest.mark.parametrize("name", LOSSES)
def test_bends_are_the_derivatives_of_slopes_and_bounded(name: str) -> None:
    loss, width = LOSSES[name], 2.0**-10
    margins = np.linspace(-8, 8, 4001)
    ones = np.ones_like(margins)
    change = (loss.slope(margins + width, ones) - loss.slope(margins - width, ones)) / (2 * width)
    assert np.abs(change - loss.bend(margins, ones)).max() < 1e-4
    assert loss.bend(margins, ones).max() <= float(loss.curvature) * (1 + 1e-12)
    assert np.abs(loss.slope(margins, ones)).max() <= 1
    for low in (Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)):
        inside = np.abs(loss.slope(margins, ones)) >= float(low)
        with precision(128):
            claimed = ends(loss.bend_at_slope(low, Fraction(1)))[1]
        assert loss.bend(margins, ones)[inside].max() <= float(claimed) * (1 + 1e-9)


def separable(rows: int, columns: int) -> Any:
    source = np.random.default_rng(2)
    features = source.normal(size=(rows, columns)) / math.sqrt(columns) / 2
    truth = np.arange(1, columns + 1) / columns
    return features, truth


def test_models_of_many_rows_are_near_the_truth() -> None:
    features, truth = separable(20_000, 5)
    numbers = np.column_stack([features, features @ truth])
    with replayed(seed=1):
        found = (pc.matrix(6) >> unit(loss_function="huber", radius=1))(numbers)
        assert np.abs(found - truth).max() < 0.1
        for name in ("logistic", "hinge"):
            labels = np.column_stack([features, np.where(features @ truth > 0, 1, -1)])
            found = (pc.matrix(6) >> unit(loss_function=name, radius=1))(labels)
            assert (((features @ found) > 0) == (labels[:, -1] > 0)).mean() > 0.95


def test_units_of_the_data_do_not_matter() -> None:
    """Features times 1024 with the same coins: coefficients over 1024, bit by bit; for numbers, targets too."""
    features, truth = separable(500, 3)
    for name, factor in (("logistic", 1), ("huber", 8)):
        targets = features @ truth
        first, second = (
            pc.matrix(4) >> unit(loss_function=name, radius=r, **({"threshold": c} if name == "huber" else {}))
            for r, c in ((1, 1), (1024, factor))
        )
        with replayed(seed=3):
            one = first(np.column_stack([features, targets]))
        with replayed(seed=3):
            other = second(np.column_stack([1024 * features, factor * targets]))
        assert (one * factor / 1024).tolist() == other.tolist()


def test_rows_that_miss_something_change_nothing() -> None:
    rows = [[0.5, 0.1, 1], [-0.2, 0.3, -1]]
    missing = [[math.nan, 0.1, 1], [0.5, 0.5, math.nan], [None, None, None], [0, 0, 1]]
    for name in LOSSES:
        chain = pc.matrix(3) >> unit(loss_function=name)
        released = []
        for data in (rows, rows + missing):
            with replayed(seed=4):
                released.append(chain(data).tolist())
        assert released[0] == released[1]


def test_an_infinite_value_counts_as_a_far_one() -> None:
    chain = pc.matrix(2) >> unit(loss_function="huber")
    for far in (math.inf, -math.inf, 1e300):
        assert np.isfinite(chain([[far, far], [1, -far]])).all()


def test_the_fallback_agrees_with_floats() -> None:
    """A tolerance of 2^-40 is below the error bound of floats, so balls certify the minimum."""
    features, truth = separable(50, 2)
    data = np.column_stack([features, features @ truth])
    released = []
    for tolerance in (Fraction(1, 2**16), Fraction(1, 2**40)):
        with replayed(seed=6):
            released.append((pc.matrix(3) >> unit(tolerance=tolerance))(data))
    assert np.abs(released[0] - released[1]).max() < 1e-2


def test_constants_are_sound() -> None:
    """The error of the tilt, of the grid and of the minimiser are within what the noise covers."""
    for features in (1, 2, 30, 100):
        noise = unit(radius=0.7).noise(features)
        assert noise.goal + Fraction(math.sqrt(features)) * noise.tilt_step / 2 < noise.gradient_bound * Fraction(
            1000001, 1000000
        )
        apart = 2 * noise.gradient_bound / Fraction(noise.ridge)
        moved = Fraction(math.sqrt(features)) * apart / noise.output_step + features
        assert noise.output_scale * noise.epsilon * noise.output_share >= math.floor(moved * Fraction(999999, 1000000))
        with precision(128):
            change = 1 + ball(noise.loss.curvature * noise.radius**2 / Fraction(noise.ridge))
            assert change.log() <= ball(noise.objective_epsilon * Fraction(1, 4))


@pytest.mark.parametrize("loss_function", ["logistic", "hinge", "huber"])
def test_a_larger_epsilon_means_less_noise_on_the_minimiser(loss_function: Any) -> None:
    """A ridge that vanishes as epsilon grows would leave the minimiser uncertain, and all of its noise is for that."""
    spreads = []
    for epsilon in (10, 20, 50, 100, 1_000):
        noise = unit(loss_function=loss_function, epsilon=epsilon).noise(4)
        spreads.append(float(noise.output_scale * noise.output_step))
    assert sorted(spreads, reverse=True) == spreads
    assert spreads[1] < 0.05


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: unit(loss_function="poisson"), InvalidError, "loss_function must be one of 'logistic', 'huber', 'hin"),
        (lambda: unit(radius=0), InvalidError, "radius must be between 2\\^-64 and 2\\^64, got 0."),
        (lambda: unit(epsilon="1"), NotExactError, "ObjectivePerturbation.epsilon"),
        (lambda: unit(threshold=1), InvalidError, "threshold belongs to the loss 'huber', got 'logistic'"),
        (lambda: unit(loss_function="huber", width=1), InvalidError, "width belongs to the loss 'hinge', got 'huber'"),
        (lambda: unit(ridge=-1), InvalidError, "ridge must be between 0 and 2\\^64, got -1."),
        (lambda: unit(curvature_share=1), InvalidError, "curvature_share must be above zero and below one, got 1."),
        (lambda: unit(tolerance=2), InvalidError, "tolerance must be between 2\\^-40 and 1, got 2."),
        (lambda: pc.matrix(1) >> unit(), MismatchError, "needs rows of one or more features and a target"),
        (lambda: pc.vector(float) >> unit(), MismatchError, "reads rows of numbers"),
        (lambda: (PAIRED >> unit()).accuracy(0.05), UnavailableError, "has no accuracy"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
