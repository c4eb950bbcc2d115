"""Privacy measure conversion."""

import math
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.accounting.losses.forms import ApproximateForm, ConcentratedForm, PureForm, RenyiForm
from privet.accounting.losses.loss import Loss
from privet.combinators.measure_conversion import MeasureConversion
from privet.core.exact import sqrt_up
from privet.core.space import Space
from privet.errors import MismatchError, UnavailableError, WrongTypeError
from tests.laws import Case, Twin, check_loss, check_parity, check_samples
from tests.laws.masses import Masses, gaussian, laplace
from tests.mechanisms.twins import TwinOf

NOISY, BELL = pc.scalar(int) >> pc.Laplace(scale=2), pc.scalar(int) >> pc.Gaussian(scale=2)
FORMS = [ConcentratedForm(), ApproximateForm(delta=1e-6), RenyiForm(orders=[1.5, 2, 10])]


def flat(value: int, space: Space) -> Masses:
    return laplace(Fraction(2), value, 60)


def bell(value: int, space: Space) -> Masses:
    return gaussian(Fraction(2), value, 30)


def case(name: str, unit: Any, masses: Any) -> Case:
    return Case(name=name, chain=pc.scalar(int) >> unit, pairs=[(0, 1), (0, 3)], masses=masses, sample=20_000)


CASES = [
    *(case(f"Laplace as {form}", MeasureConversion(measurement=NOISY, to=form), flat) for form in [PureForm(), *FORMS]),
    *(case(f"Gaussian as {form}", MeasureConversion(measurement=BELL, to=form), bell) for form in FORMS),
]


@frozen
class AgainstTheGrain(TwinOf):
    """Turns rho into epsilon, a stronger form, by solving rho = epsilon²/2."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(sqrt_up(2 * Fraction(BELL.map(d_in).rho())))


@frozen
class EighthForAll(TwinOf):
    """Turns every pure loss into rho = epsilon²/8, which is for bounded range only."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.ConcentratedLoss(Fraction(NOISY.map(d_in).epsilon()) ** 2 / 8)


TWINS = [
    Twin(law="loss", case=case("rho as epsilon", AgainstTheGrain(pc.Gaussian(scale=2)), bell)),
    Twin(law="loss", case=case("an eighth for all", EighthForAll(pc.Laplace(scale=2)), flat)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_laws_hold(case: Case) -> None:
    check_loss(case)
    check_parity(case)
    check_samples(case)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    with pytest.raises(AssertionError, match="^loss law"):
        check_loss(twin.case)


def test_the_loss_has_the_stated_form() -> None:
    assert MeasureConversion(measurement=NOISY, to=ConcentratedForm()).map(1) == pc.ConcentratedLoss(NOISY.map(1).rho())
    found = MeasureConversion(measurement=BELL, to=ApproximateForm(delta=1e-6)).map(1)
    assert isinstance(found, pc.ApproximateLoss)
    assert found.epsilon(1e-6) == BELL.map(1).epsilon(1e-6)
    assert found.epsilon(1e-7) == math.inf


def test_conversions_follow_each_other() -> None:
    rho = MeasureConversion(measurement=NOISY, to=ConcentratedForm())
    both = MeasureConversion(measurement=pc.scalar(int) >> rho, to=ApproximateForm(delta=1e-9))
    assert both.map(1).epsilon(1e-9) == pc.ConcentratedLoss(NOISY.map(1).rho()).epsilon(1e-9)
    with pytest.raises(UnavailableError, match="PureForm: this loss has no finite epsilon at delta = 0"):
        MeasureConversion(measurement=pc.scalar(int) >> rho, to=PureForm()).map(1)


def test_a_pipeline_accuracy_and_post_processing() -> None:
    unit = MeasureConversion(measurement=pc.Count() >> pc.Laplace(scale=2), to=ConcentratedForm())
    chain = pc.vector(int) >> unit
    assert chain.accuracy(0.05) == (pc.vector(int) >> pc.Count() >> pc.Laplace(scale=2)).accuracy(0.05)
    assert isinstance((chain >> (lambda release: [release]))([1, 2, 3]), list)
    assert chain.interval(10)[0] < 10


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="MeasureConversion.to must be a form .* got str"):
        MeasureConversion(measurement=NOISY, to="rho")  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="MeasureConversion.measurement must be a measurement"):
        MeasureConversion(measurement=3, to=PureForm())
    with pytest.raises(MismatchError, match="reads scalar.* but follows vector"):
        pc.vector(int) >> MeasureConversion(measurement=NOISY, to=PureForm())
