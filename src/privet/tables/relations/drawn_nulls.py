"""Draws in place of nulls: a keyed hash of the row, so that no row's stand-in depends on any other row."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from sqlglot import exp

from privet.tables.columns import Bounds, Column
from privet.tables.vocabulary import (
    call,
    case,
    cast,
    column,
    grid_of,
    keyed_hash,
    literal,
    real,
    step_bounds,
    text,
    whole,
)

_PARTS = 2**32  # weights hold to within this share


def drawn(known: Column, bounds: Bounds | None, row: Sequence[str], key: int, salt: str) -> exp.Expr:
    """Draw from the grid points within bounds, with equal probabilities up to one part in 2^11 or less.

    Args:
        known: The column.
        bounds: Where to draw from; None for the bounds of the column.
        row: The columns of the row, all of which are hashed.
        key: A secret number.
        salt: The name of the column, so that two columns of one row have draws of their own.
    """
    lowest, highest = step_bounds(salt, known, bounds)
    chosen = below(highest - lowest + 1, row, key, salt)
    step = exp.Paren(this=exp.Add(this=chosen, expression=whole(lowest)))
    if known.kind == "real":
        return exp.Mul(this=cast(step, "real"), expression=real(float(grid_of(salt, known, bounds))))
    if known.kind == "date":
        return call("date_at", step)
    return call("timestamp_at", step) if known.kind == "timestamp" else step


def drawn_from(
    known: Column, choices: Sequence[Any], weights: Sequence[Fraction] | None, row: Sequence[str], key: int, salt: str
) -> exp.Expr:
    """Draw from a list, with weights that hold to within 2^-32.

    Args:
        known: The column.
        choices: What to draw from.
        weights: How likely each is, up to a factor; None for equal probabilities.
        row: The columns of the row, all of which are hashed.
        key: A secret number.
        salt: The name of the column.
    """
    shares = list(weights) if weights is not None else [Fraction(1)] * len(choices)
    total = sum(shares, Fraction(0))
    chosen = below(_PARTS, row, key, salt)
    branches, reached = [], Fraction(0)
    for value, share in zip(choices[:-1], shares[:-1], strict=True):
        reached += share
        end = whole(math.floor(reached / total * _PARTS))
        branches.append((exp.LT(this=chosen.copy(), expression=end), literal(known, value)))
    return case(branches, literal(known, choices[-1])) if branches else literal(known, choices[0])


def below(count: int, row: Sequence[str], key: int, salt: str) -> exp.Expr:
    """Build a whole number from zero up to ``count``, without it."""
    hashed = keyed_hash(key, [text(salt), *(column(name, "r") for name in row)])
    if count >= 2**63:  # as many as there are: halve the hash
        count = 2**63
    return cast(exp.Paren(this=exp.Mod(this=hashed, expression=whole(count, "uint64"))), "integer")
