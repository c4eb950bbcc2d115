"""Two laws for units of your own: a map holds on made-up neighbours, a loss covers exact probabilities."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import MeasurementChain
from privet.chains.neighbours import neighbours_of
from privet.chains.transformation import RandomTransformation, TransformationChain
from privet.core import Parts, exp_up, frozen_copy, require_type
from privet.errors import InvalidError, WrongTypeError

Masses = Mapping[Any, Fraction]
_EPSILONS = tuple(Fraction(step, 4) for step in range(25))  # 0 to 6


def check_map(chain: TransformationChain, *, rows: Iterable[Any] = (), data: Iterable[Any] | None = None) -> None:
    """Try a placed transformation on made-up neighbours; raise ``AssertionError`` if it breaks a law.

    The laws: a result lies in the output domain and is the same every time; no data make the unit raise, and it does
    not write to them; the distance of two results is at most the map of the distance of their inputs; the map is zero
    at zero. A unit that passes is not proved: the laws notice where the code is not what the proof says.

    Args:
        chain: A placed transformation, such as ``pc.vector(int) >> MyUnit()``.
        rows: Rows to try besides the made-up ones, for input that is a column, a matrix or records.
        data: Whole data sets to try instead, in any form that the chain reads; all pairs of them are compared. Make
            them up: a failure shows them.

    >>> from privet.core.space import vector
    >>> from privet.transforms.clamp import Clamp
    >>> check_map(vector(int) >> Clamp(bounds=(0, 10)))
    """
    require_type(isinstance(chain, TransformationChain), "check_map.chain", "a placed transformation", chain)
    if any(isinstance(link.unit, RandomTransformation) for link in chain.links):
        raise WrongTypeError("check_map tries units that toss no coins: results of a random unit differ by chance.")
    _require(_is_zero(chain.map(0)), "the map of distance zero must be zero")
    pairs = neighbours_of(chain.input, list(rows)) if data is None else combinations(list(data), 2)
    for x, y in pairs:
        try:
            _compare(chain, x, y)
        except AssertionError as error:
            error.add_note(f"the data were x = {x!r} and y = {y!r}")
            raise


def _compare(chain: TransformationChain, x: Any, y: Any) -> None:
    first, second = (chain.input.domain.admit(data) for data in (x, y))
    results = [_result(chain, value) for value in (first, second, first)]
    distance: Callable[[Any, Any, Any], Any] = chain.output.metric.distance
    same = distance(results[0], results[2], chain.output.domain)
    _require(_is_zero(same), "the same data gave two results: the unit must depend on its input alone")
    d_in = chain.input.metric.distance(first, second, chain.input.domain)
    d_out, allowed = distance(results[0], results[1], chain.output.domain), chain.map(d_in)
    _require(d_out <= allowed, f"inputs {d_in} apart came out {d_out} apart, and the map allows {allowed}")


def _result(chain: TransformationChain, value: Any) -> Any:
    """Run a chain on data that it cannot write to."""
    try:
        with np.errstate(all="ignore"):
            result = chain.run(frozen_copy(value))
    except Exception as error:
        raise AssertionError(f"the unit raised {type(error).__name__} ({error}): a unit must take all data.") from error
    domain = chain.output.domain
    _require(domain.member(result), f"a result of type {type(result).__name__} does not lie in {domain.describe()}")
    return result


def check_loss(chain: MeasurementChain, masses: Callable[[Any], Masses], pairs: Iterable[tuple[Any, Any]]) -> None:
    """Compare the loss of a placed measurement with exact probabilities; raise ``AssertionError`` if it is too small.

    Args:
        chain: A placed measurement.
        masses: The probability of each output, as fractions that add up to one, for data as you pass them in ``pairs``.
        pairs: Pairs of data sets; each is compared in both directions.

    >>> from privet.core.space import choice
    >>> from privet.mechanisms.randomized_response import RandomizedResponse
    >>> three_quarters = lambda bit: {bit: Fraction(3, 4), 1 - bit: Fraction(1, 4)}
    >>> check_loss(choice([0, 1]) >> RandomizedResponse(truth=Fraction(3, 4)), three_quarters, [(0, 1)])
    """
    require_type(isinstance(chain, MeasurementChain), "check_loss.chain", "a placed measurement", chain)
    for x, y in pairs:
        p, q = _read_masses(masses(x)), _read_masses(masses(y))
        loss = chain.map(chain.input.distance(x, y))
        for epsilon in (*_claimed(loss), *_EPSILONS):
            _check_delta(loss, epsilon, max(_divergence(p, q, epsilon), _divergence(q, p, epsilon)))


def _claimed(loss: Loss) -> Iterator[Fraction]:
    """Return the epsilon of a pure loss, at which delta must be zero."""
    epsilon = loss.epsilon()
    if isinstance(epsilon, Fraction):
        yield epsilon


def _check_delta(loss: Loss, epsilon: Fraction, exact: Fraction) -> None:
    claimed = loss.delta(epsilon)
    text = f"delta({float(epsilon):.6g}) is claimed to be {float(claimed):.6g} and is at least {float(exact):.6g}"
    _require(claimed >= exact, text)


def _read_masses(masses: Masses) -> dict[Any, Fraction]:
    read = {outcome: Fraction(mass) for outcome, mass in masses.items()}
    if sum(read.values()) != 1 or any(mass < 0 for mass in read.values()):
        raise InvalidError("check_loss.masses must be exact fractions of zero or more that add up to one.")
    return read


def _divergence(p: dict[Any, Fraction], q: dict[Any, Fraction], epsilon: Fraction) -> Fraction:
    """Return the hockey-stick divergence, rounded down."""
    tilt = exp_up(epsilon)
    return sum(
        (max(mass - tilt * q.get(outcome, Fraction(0)), Fraction(0)) for outcome, mass in p.items()), Fraction(0)
    )


def _is_zero(distance: Any) -> bool:
    return distance.l0 == 0 and distance.l1 == 0 if isinstance(distance, Parts) else distance == 0


def _require(holds: Any, text: str) -> None:
    if not holds:
        raise AssertionError(f"{text}.")
