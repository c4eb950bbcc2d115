"""Public lists of classes."""

from typing import Any

import numpy as np

from privet.core import Array, quietly, short
from privet.errors import InvalidError


def sorted_classes(label: str, values: tuple[Any, ...]) -> Array:
    """Sort classes; refuse those that numpy would turn into one type, such as 0 and "a".

    Args:
        label: The estimator, for messages.
        values: The classes.

    >>> sorted_classes("Model", ("yes", "no")).tolist()
    ['no', 'yes']
    """
    numbers = {type(value) for value in values} <= {int, float}
    if numbers or len({type(value) for value in values}) == 1:
        found = quietly(lambda: np.unique(np.array(values)))
        if found is not None and quietly(lambda: sorted(found.tolist()) == sorted(values)):
            return found
    raise InvalidError(
        f"{label}.classes must be of one kind that an array can hold, such as whole numbers below 2^63 or texts, so "
        f"that they have an order; got {short(values)}."
    )
