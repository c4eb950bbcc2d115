"""Random users' functions that fail, lie and write where they should not, in every unit that calls one.

A function here is a function of its argument alone, as the units require. What it does with it is hostile: it writes
into arrays, looks under masks and beyond views, raises what it likes, and gives back anything.
"""

import contextlib
import math
import random
import warnings
import zlib
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import privet as pv
import privet.calculus as pc
from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core.frames import MatrixDomain, Records
from tests.fuzz.chains import random_neighbours
from tests.fuzz.questions import recorded
from tests.laws.map import _check_pair
from tests.laws.parity import _outcome


class Liar:
    """An object that is not what its methods say."""

    def __float__(self) -> float:
        raise MemoryError

    def __index__(self) -> int:
        return 2**70

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RecursionError

    def __len__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        raise SystemExit(3)

    __hash__ = object.__hash__


def _raised(kind: type[BaseException]) -> Callable[[Any], Any]:
    def fail(_: Any) -> Any:
        raise kind

    return fail


OUTCOMES: tuple[Callable[[Any], Any], ...] = (
    *(lambda _, value=value: value for value in (0, 1, -1, 7, 0.1, True, None, "", "a", math.nan, math.inf, -math.inf)),
    *(
        lambda _, value=value: value
        for value in (10**400, -(10**19), 1e308, Decimal("1e999999"), Fraction(1, 3), 1 + 2j)
    ),
    *(lambda _, value=value: value for value in ([1.0, 1.0], [1e9, -1e9], [[1], [2, 3]], {}, b"x", (), object())),
    lambda _: np.full(2, 1e300),
    lambda _: np.ones((2, 2)),
    lambda _: np.ma.MaskedArray([1.0, 2.0], mask=[True, False]),
    lambda _: np.array(["x", None], dtype=object),
    lambda _: np.array([3.0, 4.0])[::-1],
    lambda _: np.float16(3),
    lambda _: Liar(),
    lambda _: (item for item in (1, 2)),
    lambda argument: argument,
    lambda argument: argument[0],
    len,
    max,
    lambda argument: argument.sum(),
    _raised(ValueError),
    _raised(SystemExit),
    _raised(RecursionError),
    _raised(GeneratorExit),
)


def _spoil(argument: Any) -> None:
    """Write into everything that can be reached from an argument."""
    for reached in _reachable(argument):
        with contextlib.suppress(BaseException):
            reached.setflags(write=True)
        with contextlib.suppress(BaseException):
            reached[...] = 1
        with contextlib.suppress(BaseException):
            reached.sort()
        with contextlib.suppress(BaseException):
            reached.mask[...] = False


def _reachable(argument: Any) -> Iterable[Any]:
    parts = list(argument.values()) if isinstance(argument, dict) else [argument]
    for part in parts:
        while part is not None and isinstance(part, np.ndarray | list):
            yield part
            if isinstance(part, np.ma.MaskedArray):
                yield part.data
            part = getattr(part, "base", None)


def _number(argument: Any) -> int:
    """Give a number that depends on all that the function can see of its argument."""
    seen = [repr(argument)]
    seen += [repr(np.ma.getdata(part).tolist()) for part in _reachable(argument) if isinstance(part, np.ndarray)]
    return zlib.crc32("|".join(seen).encode())


def hostile(dice: random.Random) -> Callable[..., Any]:
    """Draw a function: for each argument one of a few outcomes, after it has spoilt what it can."""
    few = dice.sample(OUTCOMES, dice.randint(1, 4))
    writes, warns = dice.random() < 0.5, dice.random() < 0.2

    def function(*arguments: Any) -> Any:
        outcome = few[_number(arguments[0]) % len(few)]
        if writes:
            _spoil(arguments[0])
        if warns:
            warnings.warn("seen", stacklevel=1)
        return outcome(arguments[0])

    return function


def _column(dice: random.Random) -> pc.Space:
    return dice.choice(
        (
            pc.vector(int),
            pc.vector(float, bounds=(0, 2)),
            pc.vector(str, size=3),
            pc.vector(float, size=4, ordered=True),
            pc.vector(bool, nullable=False),
        )
    )


def _results(dice: random.Random) -> Any:
    ball = (pc.matrix(2) >> pc.ClampNorm(radius=dice.choice((1, 3)))).output
    return dice.choice((int, float, bool, str, pc.vector(int, bounds=(-1, 5)), pc.matrix(2, bounds=(0, 1)), ball))


def random_unit(dice: random.Random) -> Any:
    """Place a unit that calls a hostile function."""
    function, other = hostile(dice), hostile(dice)
    space: Any = _column(dice)
    wide: Any = dice.choice((space, pc.matrix(2), pc.records(a=int, b=str)))
    builders: tuple[Callable[[], Any], ...] = (
        lambda: wide >> pc.RowByRow(function=function, to=_results(dice)),
        lambda: wide >> pc.Filter(keep=function),
        lambda: (
            pc.persons("id", id=int, a=float)
            >> pc.PersonByPerson(
                id="id",
                function=function,
                to=dice.choice((_results(dice), pc.records(a=str, id=pc.vector(int, bounds=(0, 3))))),
                rows=dice.choice((1, 2)),
            )
        ),
        lambda: wide >> pc.SampleAndAggregate(parts=dice.choice((1, 3)), function=function, to=_results(dice)),
        lambda: space >> pc.UserScores(function=function, candidates=[1, 2, 3], range=200, lowest=-100),
        lambda: (
            space
            >> pc.ExponentialInterval(function=function, cuts=other, bounds=(-2, 5), range=200, temperature=9, step=0.5)
        ),
        lambda: space >> pc.ProposeTestRelease(distance=function, answer=other, scale=1, threshold=4),
        lambda: (
            space
            >> pc.ProposeTestRelease(
                distance=function, answer=other, scale=1, threshold=4, proposed=1, noise=pc.Laplace(scale=3), grid=0.5
            )
        ),
    )
    return dice.choice(builders)()


def frozen(value: Any) -> Any:
    """Write down every bit of a column, a matrix or records, masks included."""
    if isinstance(value, Records):
        return {name: frozen(column) for name, column in value.columns.items()}
    if isinstance(value, np.ndarray):
        data = np.ma.getdata(value)
        bits = repr(data.tolist()) if data.dtype == object else data.tobytes()
        return type(value).__name__, data.dtype.str, data.shape, bits, np.ma.getmaskarray(value).tobytes()
    return repr(value)


def check_functions(seed: int) -> None:
    """Draw a unit with a hostile function and compare it on neighbours; its input must stay as it was."""
    dice = random.Random(seed)
    chain = random_unit(dice)
    for _ in range(4):
        x, y = random_neighbours(dice, chain, junk=dice.random() < 0.5)
        context = f"\nchain: {chain!r}\nx = {x!r}\ny = {y!r}"
        try:
            _check_one(dice, chain, x, y)
        except AssertionError as error:
            raise AssertionError(f"{error}{context}") from error


def _check_one(dice: random.Random, chain: Any, x: list[Any], y: list[Any]) -> None:
    for data in (x, y):
        value = chain.input.domain.admit(data)
        before = frozen(value)
        result = _applied(chain, value)
        assert frozen(value) == before, "touching law: a unit let a function change its input"
        if isinstance(chain, TransformationChain):
            _check_member(chain.output.domain, result)
    first, second = _outcome(chain, x), _outcome(chain, y)
    assert first == second, f"parity law: neighbours can be told apart by {first} and {second}"
    if isinstance(chain, TransformationChain) and not isinstance(chain.links[-1].unit, pc.UserScores):
        size = getattr(chain.input.domain, "size", None)
        if size is None or len(x) == len(y) == size:
            _check_pair(chain, x, y)
    if isinstance(chain, MeasurementChain):
        _check_compositor(dice, chain, x)


def _applied(chain: Any, value: Any) -> Any:
    if isinstance(chain, TransformationChain):
        return chain.run(value)
    return chain.mechanism.release(value, chain.place)


def _check_member(domain: Any, result: Any) -> None:
    assert domain.member(result), "membership law: the result is not in the output domain"
    radius = getattr(domain, "norm", None)
    if isinstance(domain, MatrixDomain) and radius is not None:
        largest = max((sum(Fraction(cell) ** 2 for cell in row) for row in result.tolist()), default=Fraction(0))
        allowed = Fraction(getattr(radius, "radius", radius)) ** 2
        assert largest <= allowed, "membership law: a row lies outside of its ball"


def _check_compositor(dice: random.Random, chain: MeasurementChain, data: list[Any]) -> None:
    """What a compositor holds is the same after a hostile question as before it."""
    count = pc.Count() >> pc.Laplace(scale=1)
    with contextlib.suppress(pv.errors.PrivetError), recorded() as seen:
        queryable = (chain.input >> pc.Compositor(losses=[pc.PureLoss(100)] * 3, d_in=1))(data)
        queryable.ask(count)
        with contextlib.suppress(pv.errors.PrivetError):
            queryable.ask(chain.mechanism)
        queryable.ask(count)
        counts = [numbers for kind, scale, _, numbers in seen if kind == "laplace" and scale == 1]
        assert counts[0] == counts[-1], "touching law: a function changed what a compositor holds"
