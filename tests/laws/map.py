"""The map law: no neighbours end up further apart than the map says."""

from fractions import Fraction
from typing import Any

from hypothesis import given

from privet.core.chain import TransformationChain
from privet.core.metric import Parts
from tests.laws.cases import Case
from tests.laws.inputs import LAW, TWIN, extreme_pairs, neighbours


def check_map(case: Case, *, quick: bool = False) -> None:
    """Measure input and output distances on neighbours and compare with the map; check the map's own shape.

    Args:
        case: A placed transformation.
        quick: Stop at the first failure without shrinking it (for twins).
    """
    chain = case.chain
    assert isinstance(chain, TransformationChain), "the map law is for transformations"
    _check_shape(chain)
    for x, y in extreme_pairs(chain):
        _check_pair(chain, x, y)

    @(TWIN if quick else LAW)
    @given(neighbours(chain))
    def law(pair: tuple[list[Any], list[Any]]) -> None:
        _check_pair(chain, *pair)

    law()


def _check_pair(chain: TransformationChain, x: list[Any], y: list[Any]) -> None:
    domain = chain.input.domain
    a, b = domain.admit(x), domain.admit(y)
    assert domain.member(a), "map law: admitting a column did not give a member"
    assert domain.member(b), "map law: admitting a column did not give a member"
    d_in = chain.input.metric.distance(a, b, domain)
    fa, fb = chain.run(a), chain.run(b)
    for result in (fa, fb):
        assert chain.output.domain.member(result), "map law: the result is not in the output domain"
    d_out = chain.output.metric.distance(fa, fb, chain.output.domain)
    assert _within(d_out, chain.map(d_in)), f"map law: inputs {d_in} apart came out {d_out} apart"


def _within(d_out: Any, allowed: Any) -> bool:
    return bool(d_out <= allowed)


def _check_shape(chain: TransformationChain) -> None:
    zero = chain.map(0)
    nothing: Any = Parts(l0=0, l1=0, l2_squared=0, linf=0) if isinstance(zero, Parts) else Fraction(0)
    assert zero == nothing, "map law: inputs at distance zero must come out at distance zero"
    before = zero
    for d_in in (1, 2, 3, 4, 7, 100):
        after = chain.map(d_in)
        assert _within(before, after), "map law: a map must not fall as the distance grows"
        before = after
