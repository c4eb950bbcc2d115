"""How far neighbours may differ in a grouped table."""

from typing import final

from attrs import field, frozen

from privet.core import Parts, positive, whole
from privet.errors import InvalidError


@final
@frozen(kw_only=True)
class Contribution:
    """What a privacy unit adds to the groups of a query, at most; the same whether it is added or removed.

    Args:
        l0: In how many groups it has rows.
        l1: How many rows it has in all.
        linf: How many rows it has in one group.

    >>> Contribution(l0=3, l1=5, linf=2).rows(groups=100)
    Parts(l0=3, l1=5, l2_squared=9, linf=2)
    """

    l0: int = field(converter=whole, validator=positive)
    l1: int = field(converter=whole, validator=positive)
    linf: int = field(converter=whole, validator=positive)

    @linf.validator
    def _check(self, _: object, value: int) -> None:
        if value > self.l1:
            raise InvalidError(f"Contribution.linf must be at most l1, got linf={value}, l1={self.l1}.")

    def rows(self, groups: int) -> Parts:
        """Give the distance of the numbers of rows of all groups.

        The sum of squares is convex, so it is largest where as many groups as possible are full.
        """
        touched = min(self.l0, self.l1, groups)
        total = min(self.l1, touched * self.linf)
        full, rest = divmod(total, self.linf)
        largest = min(self.linf, total)
        return Parts(l0=touched, l1=total, l2_squared=full * self.linf**2 + rest**2, linf=largest)

    def persons(self, groups: int) -> Parts:
        """Give the distance of the numbers of persons of all groups: one in each, whatever the number of rows."""
        touched = min(self.l0, self.l1, groups)
        return Parts(l0=touched, l1=touched, l2_squared=touched, linf=min(touched, 1))


def times(groups: Parts, row: Parts, length: int) -> Parts:
    """Give the distance of numbers of which each row moves by ``row``, where rows differ by ``groups``.

    In each group the norm grows at most with the number of rows (triangle inequality); over groups the powers add up.
    Rows of one group may move different numbers of it, so l0 grows with the rows too.

    Args:
        groups: The rows by which groups differ.
        row: How far one row moves the numbers of its group.
        length: How many numbers a group has.
    """
    return Parts(
        l0=min(int(groups.l1) * row.l0, groups.l0 * length),
        l1=groups.l1 * row.l1,
        l2_squared=groups.l2_squared * row.l2_squared,
        linf=groups.linf * row.linf,
    )
