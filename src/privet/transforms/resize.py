"""Resizing: exactly n rows, whatever the number of input rows."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal, cast, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics import before_sampling
from privet.accounting.sampling.sampling import Poisson
from privet.accounting.sampling.simple_sampling import SimpleSampling
from privet.chains.transformation import RandomTransformation
from privet.core import (
    Array,
    Distance,
    MatrixDomain,
    Records,
    Space,
    SymmetricDistance,
    expm1_down,
    expm1_up,
    number,
    one_of,
    positive,
    read_number,
    short,
    whole,
)
from privet.errors import InvalidError, MismatchError
from privet.noise import bernoulli, distinct_keys
from privet.transforms import Table, concatenate, records_changed, replaced, sized_table, table, take, with_size
from privet.transforms.imputed_rows import check_imputation, imputed_table

_MARGIN = 1 - Fraction(1, 2**64)  # covers all roundings of the conversion and its inverse
_LARGE = 4096


@final
@frozen(kw_only=True)
class Resize(RandomTransformation):
    """Make a table of exactly n rows: sample if there are too many, add imputed rows if there are too few.

    Every record is copied c = ceil(p) times, and each copy is kept with probability s = p / c, independently. If more
    than n copies remain, n of them are drawn at random; if fewer, rows that do not depend on the data are added. The
    number n is a guess: only the release may reveal whether it was right.

    Args:
        n: The number of output rows.
        p: The average number of uses of a record; below one it samples, above one it copies.
        neighbours: ``"add/remove"`` tosses a coin for each copy, and fits every metric; ``"replace"`` keeps exactly
            floor(p size) copies, drawn at random, and needs a public size.
        imputation: The added rows: None for missing rows, a value, or a unit that imputes missing rows; for records, a
            dict with one of these for each field that is not missing.

    Guarantee: one record costs the subsequent loss for one replacement, amplified with rate s, c times over; each
        record changes at most c rows of the result.
    Proof: docs/transforms/resize.md.

    >>> from privet.core.space import vector
    >>> len((vector(int) >> Resize(n=90, p=1.5))([7] * 100))
    90
    """

    n: int = field(converter=whole, validator=positive)
    p: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)
    neighbours: Literal["add/remove", "replace"] = field(
        default="add/remove", validator=one_of("add/remove", "replace")
    )
    imputation: Any = field(default=None)

    @property
    def copies(self) -> int:
        """The largest number of copies of a record in the result."""
        return math.ceil(self.p)

    @property
    def rate(self) -> Fraction:
        """The probability that a copy passes the first sampling; the second is not used for amplification."""
        return self.p / self.copies

    def output(self, space: Space) -> Space:
        """The same table, of public size n; the order of rows does not matter."""
        domain = self._rows(space)
        if self.neighbours == "replace":
            sized_table(self, space, "write size=..., or use neighbours='add/remove' if the size is private")
        check_imputation("Resize.imputation", self.imputation, domain)
        return with_size(domain, self.n, SymmetricDistance())

    def coins(self, rows: int, space: Space) -> tuple[Array, Array]:
        """For each copy of each row, draw whether it is kept, and a key that decides if too many copies remain."""
        shape = (rows, self.copies)
        toss = self.neighbours == "add/remove"
        kept = bernoulli(self.rate, rows * self.copies) if toss else np.ones(rows * self.copies, dtype=bool)
        return kept.reshape(shape), distinct_keys(rows * self.copies).reshape(shape)

    def combine(self, value: Records | Array, coins: tuple[Array, Array], space: Space) -> Any:
        """Keep the copies with the smallest keys, and add imputed rows."""
        kept, keys = coins
        smallest = np.argsort(keys[kept])[: self._capacity(space)]
        rows = np.nonzero(kept)[0][smallest]
        # n imputed rows are drawn, whatever the number of input rows, and the first of them are used
        added = imputed_table("Resize.imputation", self.imputation, self._rows(space), self.n)
        return concatenate((take(value, rows), take(added, np.arange(self.n - len(rows)))))

    def _rows(self, space: Space) -> Table:
        domain = with_size(table(self, space), None, SymmetricDistance()).domain
        if isinstance(domain, MatrixDomain) and domain.norm is not None:
            raise MismatchError("Resize reads a table without a norm: resize first, then use ClampNorm.")
        return cast("Table", domain)

    def _capacity(self, space: Space) -> int:
        if self.neighbours == "add/remove":
            return self.n
        return min(self.n, math.floor(self.p * sized_table(self, space, "write size=...")[1]))

    def stability(self, d_in: int, space: Space) -> int:
        """A copy takes the place of one row, which counts two; there are no more than n rows."""
        return 2 * min(self.copies * records_changed(space, d_in), self.n)

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        """Amplify the loss for one replacement, then take the group of the copies of all records."""
        if self.rate == 1:
            return then(self.stability(d_in, space)).undirected()  # another row takes the place of each removed row
        # an added copy mixes one release with the other; a replaced copy mixes both with a third release
        added = replaced(space, d_in) is None
        sampling = Poisson(self.rate) if added else SimpleSampling(rate=self.rate)
        return then(2).amplify(sampling).group(self.copies * records_changed(space, d_in))

    def functional(self, epsilon: object, delta: object = 0) -> tuple[Fraction, Fraction]:
        """Return the (epsilon, delta) for one replacement after the resizing, given those for one record before it.

        Args:
            epsilon: The budget of one record of the data.
            delta: The delta of one record of the data.
        """
        budget, failure = read_number("Resize.epsilon", epsilon), read_number("Resize.delta", delta)
        if budget < 0 or not 0 <= failure <= 1:
            raise InvalidError("Resize.functional needs epsilon of zero or more, and delta between zero and one.")
        per_copy = budget / self.copies
        if budget > _LARGE:  # e^epsilon would be too long; delta = 0 is always a valid answer
            return per_copy, Fraction(0)
        growth = expm1_up(budget) / expm1_down(per_copy) if self.copies > 1 and budget else Fraction(self.copies)
        after = per_copy if self.rate == 1 else before_sampling(per_copy * _MARGIN, self.rate)
        return after, min(failure / (self.rate * growth), Fraction(1))
