"""Random pairs of points: what the units that read pairs share. Proof: docs/transforms/theil_sen_slopes.md."""

from typing import Any

import numpy as np
from attrs import Attribute

from privet.core import Array, MatrixDomain, Space, SymmetricDistance, UnreadableValue, positive
from privet.errors import InvalidError, MismatchError
from privet.noise import distinct_keys
from privet.transforms import replaced


def a_number_of_matchings(instance: object, attribute: "Attribute[Any]", value: object) -> None:
    """Refuse anything but a whole number above zero, and all pairs with the reason."""
    label = f"{type(instance).__name__}.{attribute.name}"
    if isinstance(value, UnreadableValue):
        refuse_all_pairs(label, value.value)
    positive(instance, attribute, value)


def refuse_all_pairs(label: str, value: object) -> None:
    """Refuse the word "all": a row is in n - 1 of all pairs."""
    if isinstance(value, str) and value == "all":
        raise InvalidError(
            f"{label} must be a whole number such as 10, got 'all': one row is in n - 1 of all pairs, and the number "
            "of rows n is private, so that no noise would be enough."
        )


def points_domain(unit: object, space: Space) -> MatrixDomain:
    """Return the domain of unordered points with two coordinates, or raise an error with a remedy."""
    name = type(unit).__name__
    if not isinstance(space.domain, MatrixDomain) or space.domain.columns != 2:
        raise MismatchError(f"{name} reads points with two coordinates, got {space!r}: start from pc.matrix(2).")
    if not isinstance(space.metric, SymmetricDistance):
        raise MismatchError(f"{name} reads unordered points, got {space.metric!r}: use SymmetricDistance.")
    return space.domain


def keys_of_points(rows: int, matchings: int) -> Array:
    """Draw for each point one key for each matching."""
    return np.asarray(distinct_keys(rows * matchings).reshape(rows, matchings))


def pairs_of(coins: Array, rows: int, matchings: int) -> tuple[Array, Array]:
    """Return the places of the first and of the second points of all pairs.

    In each matching, adjacent points in the order of their keys are a pair; the last of an odd number is left out.
    """
    order = np.argsort(np.reshape(coins, (rows, matchings)), axis=0)
    paired = order[: rows // 2 * 2]
    return np.ravel(paired[::2], order="F"), np.ravel(paired[1::2], order="F")


def pairs_changed(space: Space, d_in: int, matchings: int) -> int:
    """Return how many results of pairs are added and removed, in all matchings together.

    Added points alternately add a pair and replace one; a replaced point replaces one pair.
    """
    swaps = replaced(space, d_in)
    return matchings * (d_in + (d_in + 1) // 2 if swaps is None else 2 * swaps)
