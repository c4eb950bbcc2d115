"""The space of data that come in parts."""

from privet.core.checks import read_count, require_type
from privet.core.frames import PartitionDomain
from privet.core.metric import InsertDelete, PartitionDistance, SymmetricDistance
from privet.core.space import Space
from privet.errors import WrongTypeError


def partition(parts: int, each: Space) -> Space:
    """Describe data that come in a public number of parts, such as one list of sales for each day.

    Neighbours differ by ``Parts``: in how many parts a person is, with how many records in one part and in all.

    Args:
        parts: How many parts.
        each: The space of one part: records, a column or a matrix under ``SymmetricDistance`` or ``InsertDelete``.

    >>> from privet.core.space import vector
    >>> partition(7, vector(float)).distance([[1.5]] * 7, [[1.5, 2]] * 7)
    Parts(l0=7, l1=7, l2_squared=7, linf=1)
    """
    count = read_count("partition.parts", parts, least=1)
    require_type(isinstance(each, Space), "partition.each", "a space of records such as pc.vector(float)", each)
    if not isinstance(each.metric, SymmetricDistance | InsertDelete):
        raise WrongTypeError(
            f"partition.each must be measured by SymmetricDistance or InsertDelete, got {each.metric!r}."
        )
    return Space(PartitionDomain(parts=count, inner=each.domain), PartitionDistance(each.metric))
