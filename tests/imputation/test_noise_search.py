"""The floats of the search are near the certified numbers that they stand for."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.accounting.planning.smooth import GeneralisedCauchy, StudentT
from privet.imputation.influence import Influence
from privet.imputation.noise_search import _cauchy_alpha, _Problem, _spread, _student_alpha

TAILS = np.array([0.3, 0.8, 1.0, 1.7, 3.0, 8.0])


def laws(family: str) -> list[Any]:
    shapes = [Fraction(str(tail)) for tail in TAILS.tolist()]
    return [StudentT(degrees=v) if family == "student" else GeneralisedCauchy(gamma=1 + v) for v in shapes]


@pytest.mark.parametrize(("family", "alpha"), [("student", _student_alpha), ("cauchy", _cauchy_alpha)])
@pytest.mark.parametrize(("epsilon", "beta"), [(0.1, 0.01), (1, 0.3), (1, 0.69), (4, 0.7), (30, 1.5)])
def test_scales_are_near_the_certified_ones(family: str, alpha: Any, epsilon: float, beta: float) -> None:
    for law, found in zip(laws(family), alpha(epsilon, np.full(len(TAILS), beta), TAILS).tolist(), strict=True):
        if law.least(Fraction(str(beta))) >= epsilon:
            assert found == 0
        else:
            assert math.isclose(found, float(law.alpha(epsilon, beta)), rel_tol=0.02)


@pytest.mark.parametrize("family", ["student", "cauchy"])
def test_half_widths_and_deviations_are_those_of_the_laws(family: str) -> None:
    widths, deviations = (_spread(family, aim, TAILS[TAILS > 2]) for aim in ("half_width", "variance"))
    for law, width, deviation in zip(laws(family)[-2:], widths, deviations, strict=True):
        assert math.isclose(width, law.half_width(), rel_tol=1e-3)
        assert math.isclose(deviation, math.sqrt(law.variance()), rel_tol=1e-9)


@pytest.mark.parametrize("beta", [0.0001, 0.01, 0.3, 0.7, 5])
@pytest.mark.parametrize(("own", "donee"), [(1, 1), (0, 1), (1, 0), (5, 0.1)])
def test_the_bound_is_near_the_certified_one(beta: float, own: float, donee: float) -> None:
    for incomplete, changes in ((50, 3), (10**6, 40), (1, 1)):
        found = _Problem(1.0, own, donee, incomplete, changes, "half_width").bound(beta)
        wanted = Influence(own=own, donee=donee).smooth(changes=changes, incomplete=incomplete, beta=beta)
        assert math.isclose(found, float(wanted), rel_tol=1e-6)
