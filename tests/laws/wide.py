"""Wide rows under the laws: enough columns for a sum to depend on how it is taken, as it does from eight on."""

from typing import Any

import numpy as np
from attrs import frozen

import privet.calculus as pc
from privet.combinators.lloyd import _Nearest
from privet.core.space import Space
from tests.laws.cases import Case, Twin
from tests.transforms.twins import TwinOf

SIXTEEN, MANY = pc.matrix(16), pc.matrix(130)
ALL = pc.Select(columns=list(range(16)))
BACKWARDS = pc.Select(columns=list(range(15, -1, -1)))
# on the finest grid, where the last bit of a norm is seen
EUCLIDEAN, DIAMOND = (pc.ClampNorm(radius=1, order=order, grid=2**-52) for order in (2, 1))
CENTRES = tuple(tuple(float(at * part % 7 - 3) for at in range(16)) for part in (1, 2, 3))


def total(row: Any) -> float:
    return float(sum(row))


CASES = [
    Case(name="selected rows into a ball", chain=SIXTEEN >> ALL >> EUCLIDEAN),
    Case(name="selected rows into a diamond", chain=SIXTEEN >> BACKWARDS >> DIAMOND),
    Case(name="wide rows into a ball", chain=MANY >> pc.ClampNorm(radius=100, origin=[0.1] * 130, grid=2**-45)),
    Case(name="wide rows into a diamond", chain=pc.matrix(130, size=20) >> DIAMOND),
    Case(name="ones beside wide rows", chain=SIXTEEN >> EUCLIDEAN >> pc.InsertOnes() >> pc.VectorSum()),
    Case(name="wide rows into a box", chain=SIXTEEN >> ALL >> pc.Clamp(bounds=(-1, 1))),
    Case(name="wide rows without gaps", chain=SIXTEEN >> pc.DropNulls() >> BACKWARDS),
    Case(name="the totals of wide rows", chain=SIXTEEN >> ALL >> pc.RowByRow(function=total, to=float)),
    Case(name="wide rows that are kept", chain=SIXTEEN >> ALL >> pc.Filter(keep=lambda row: total(row) > 0)),
    Case(name="wide rows by their nearest centre", chain=SIXTEEN >> ALL >> _Nearest(centres=CENTRES)),
]


@frozen
class SumsAlongAnAxis(TwinOf):
    """Leaves the order of a sum to numpy, which looks at the layout of the memory and the number of rows."""

    def apply(self, value: Any, space: Space) -> Any:
        rows = np.nan_to_num(np.clip(value, -1e100, 1e100))
        norms = np.sqrt((rows * rows).sum(axis=1))
        return np.trunc(rows / np.maximum(norms, 1.0)[:, None] * 2.0**52) / 2.0**52


@frozen
class MultipliesMatrices(TwinOf):
    """Leaves the order of a sum to BLAS."""

    def apply(self, value: Any, space: Space) -> Any:
        rows = np.nan_to_num(np.clip(value, -1e100, 1e100))
        return rows @ (np.eye(16) + 0.1)


@frozen
class Centres(TwinOf):
    """Takes the mean of all rows off each."""

    def apply(self, value: Any, space: Space) -> Any:
        return value - np.nan_to_num(value).mean(axis=0)


@frozen
class Remembers(TwinOf):
    """Adds the row before."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        right[1:] += value[:-1]
        return right


@frozen
class BySeveral(TwinOf):
    """Treats rows four at a time, and what is left over in another way."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space).copy()
        right[len(right) // 4 * 4 :] += 2.0**-60
        return right


TWINS = [
    Twin(law="row by row", case=Case(name="a sum along an axis", chain=SIXTEEN >> ALL >> SumsAlongAnAxis(EUCLIDEAN))),
    Twin(law="row by row", case=Case(name="a product of matrices", chain=SIXTEEN >> MultipliesMatrices(ALL))),
    Twin(law="row by row", case=Case(name="centred rows", chain=SIXTEEN >> Centres(ALL))),
    Twin(law="row by row", case=Case(name="a row that remembers", chain=SIXTEEN >> Remembers(ALL))),
    Twin(
        law="row by row", case=Case(name="four rows at a time", chain=pc.matrix(2) >> BySeveral(pc.ClampNorm(radius=9)))
    ),
]
