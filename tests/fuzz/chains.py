"""Random chains of units, on random neighbours, against the laws of maps and of parity.

The units are those of the laws' cases, with the parameters that they have there: a new unit takes part by itself.
"""

import random
from functools import cache
from typing import Any

from attrs import fields

from privet.chains.measurement import Measurement, MeasurementChain
from privet.chains.transformation import Transformation, TransformationChain
from privet.core.domain import VectorDomain
from privet.core.frames import MatrixDomain, RecordsDomain
from privet.errors import PrivetError
from privet.transforms.pair_lines import PairLines
from privet.transforms.stream_space import StreamDomain
from privet.transforms.theil_sen_slopes import TheilSenSlopes
from tests.laws import wide
from tests.laws.cases import Case
from tests.laws.inputs import JUNK, columns_of, ordered, size_of, specials
from tests.laws.map import _check_pair
from tests.laws.membership import check_membership
from tests.laws.parity import _outcome
from tests.laws.row_by_row import check_row_by_row, claims_each_row
from tests.laws.touching import check_touching

LONGEST = 5
WIDE = 0.1  # of chains begin with rows of many columns, where a sum may depend on how it is taken
_WORDS = "abcXYZ 0159éß\x00"


@cache
def pool() -> tuple[list[Any], list[Any], list[Any]]:
    """Give the spaces, the transformations and the mechanisms of all cases, each once."""
    from tests.laws.test_laws import CASES

    spaces: dict[str, Any] = {}
    units: dict[str, Any] = {}
    mechanisms: dict[str, Any] = {}
    for case in (*CASES, *wide.CASES):
        space = case.chain.input
        if isinstance(space.domain, VectorDomain | MatrixDomain | RecordsDomain):
            spaces.setdefault(repr(space), space)
        for link in case.chain.links:
            if _is_ours(link.unit):
                units.setdefault(repr(link.unit), link.unit)
        if isinstance(case.chain, MeasurementChain):
            mechanisms.setdefault(repr(case.chain.mechanism), case.chain.mechanism)
    return list(spaces.values()), list(units.values()), list(mechanisms.values())


def _is_ours(unit: Any) -> bool:
    """Tell whether a unit and its parts are public: others, and doubles of tests, fit their own case only."""
    inner = [getattr(unit, part.name) for part in fields(type(unit))]
    parts = [item for item in inner if isinstance(item, Transformation | Measurement)]
    public = type(unit).__module__.startswith("privet.") and not type(unit).__name__.startswith("_")
    return public and all(map(_is_ours, parts))


def random_chain(dice: random.Random) -> TransformationChain:
    """Place one to five units behind each other on a space; units that do not fit are drawn again."""
    spaces, units, _ = pool()
    while True:
        whole = dice.random() < WIDE
        chain: Any = dice.choice(wide.CASES).chain if whole else dice.choice(spaces)
        for _ in range(dice.randint(0 if whole else 1, LONGEST)):
            chain = _extended(dice, chain, units)
        if isinstance(chain, TransformationChain) and all(_is_ours(link.unit) for link in chain.links):
            return chain


def _extended(dice: random.Random, chain: Any, units: list[Any]) -> Any:
    for unit in dice.sample(units, 12):
        try:
            longer = chain >> unit
        except PrivetError:
            continue
        if not any(map(_needs_more, longer.links)):
            return longer
    return chain


def _needs_more(link: Any) -> bool:
    """Tell whether the laws need more than the chain: questions of a stream, or another coupling than shared coins."""
    pairs = isinstance(link.unit, TheilSenSlopes | PairLines) and link.input.domain.size is None
    return pairs or isinstance(link.output.domain, StreamDomain)


def random_row(dice: random.Random, domain: Any, *, junk: bool = False) -> Any:
    """Draw one row: a special one, an ordinary one, or (as junk) anything."""
    if junk and dice.random() < 0.2:
        return dice.choice(JUNK)
    if dice.random() < 0.5:
        return dice.choice(specials(domain))
    if isinstance(domain, VectorDomain):
        return _ordinary(dice, domain.kind)
    return tuple(_ordinary(dice, column.kind) for column in columns_of(domain))


def _ordinary(dice: random.Random, kind: type) -> Any:
    if kind is bool:
        return dice.random() < 0.5
    if kind is int:
        return dice.randint(-(10 ** dice.randint(0, 19)), 10 ** dice.randint(0, 19))
    if kind is float:
        return dice.uniform(-1, 1) * 10 ** dice.randint(-5, 9)
    return "".join(dice.choice(_WORDS) for _ in range(dice.randint(0, 3)))


def random_neighbours(dice: random.Random, chain: Any, *, junk: bool = False) -> tuple[list[Any], list[Any]]:
    """Draw two inputs that differ in one to three rows, and in their order where order does not count."""
    domain, size = chain.input.domain, None if junk else size_of(chain)
    length = dice.randint(0, 12) if size is None else size
    xs = [random_row(dice, domain, junk=junk) for _ in range(length)]
    ys = list(xs)
    for _ in range(1 if junk else dice.randint(1, 3)):
        fresh = random_row(dice, domain, junk=junk)
        if ys and (size is not None or (junk and dice.random() < 0.5)):
            ys[dice.randrange(len(ys))] = fresh
        elif size is not None:
            continue
        elif ys and dice.random() < 0.5:
            del ys[dice.randrange(len(ys))]
        else:
            ys.insert(dice.randint(0, len(ys)), fresh)
    if not ordered(chain) and not junk:
        dice.shuffle(ys)
    return xs, ys


def check_chains(seed: int) -> None:
    """Draw one chain, sometimes with a mechanism behind it, and hold it to the laws."""
    dice = random.Random(seed)
    chain = random_chain(dice)
    measured: Any = _extended(dice, chain, pool()[2]) if dice.random() < 0.5 else chain
    case = Case(name="a random chain", chain=chain)
    try:
        check_membership(case, examples=3, seed=seed)
        check_touching(Case(name="a random chain", chain=measured), examples=2, seed=seed)
        if claims_each_row(case):
            check_row_by_row(case, examples=1, seed=seed)
    except AssertionError as error:
        raise AssertionError(f"{error}\nchain: {measured!r}") from error
    for _ in range(6):
        x, y = random_neighbours(dice, chain)
        try:
            _check_pair(chain, x, y)
        except AssertionError as error:
            raise AssertionError(f"{error}\nchain: {chain!r}\nx = {x!r}\ny = {y!r}") from error
    for _ in range(3):
        x, y = random_neighbours(dice, measured, junk=True)
        first, second = _outcome(measured, x), _outcome(measured, y)
        context = f"chain: {measured!r}\nx = {x!r}\ny = {y!r}"
        assert first == second, f"parity law: neighbours can be told apart by {first} and {second}\n{context}"
