"""A running total of charges: exact, of bounded size, safe under threads, and valid in one process only."""

import os
import threading
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from privet.accounting.numerics import Amount, Point
from privet.errors import UnavailableError, WrongTypeError

_EXACT_BITS = 4096  # of a denominator: beyond anything typed, small enough that a sum takes microseconds
_KEPT_BITS = 256  # of a total that was rounded up


@final
class RunningTotal:
    """One running total (cost, delta).

    The total is a fraction. Once its denominator passes 4,096 bits, as it does when denominators without common factors
    pile up, it is rounded up to 256 bits, so that a charge takes the same time whatever came before.

    Args:
        holder: Whose total it is, for messages.

    >>> running = RunningTotal("PrivacyFilter")
    >>> running.charge(Point(Fraction(1, 3), Fraction(0)), lambda spent, total: None)
    >>> running.spent.cost
    Fraction(1, 3)
    """

    __slots__ = ("_busy", "_holder", "_lock", "_process", "_spent")

    def __init__(self, holder: str) -> None:
        self._holder = holder
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._busy = False
        self._spent = Point(Fraction(0), Fraction(0))

    @property
    def at_home(self) -> bool:
        """Whether this is the process that began the total."""
        return os.getpid() == self._process

    @property
    def spent(self) -> Point:
        """The total so far."""
        self._stay()
        with self._lock:
            return self._spent

    def charge(
        self,
        price: Point,
        check: Callable[[Point, Point], None],
        *,
        cap: Point | None = None,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Add a price to the total.

        Args:
            price: What is added.
            check: Called with the exact totals before and after the charge. If it raises, nothing is charged.
            cap: A limit that rounding the total up never passes.
            then: Called once the price is added, before any other charge; what it does cannot undo the charge.
        """
        self._stay()
        with self._lock:
            if self._busy:  # the rule itself charges: it would decide on a total that has changed
                raise UnavailableError(f"{self._holder}: a rule that decides on a charge cannot charge itself.")
            self._busy = True
            try:
                total = Point.total([(self._spent, 1), (price, 1)])
                check(self._spent, total)
                self._spent = Point(
                    rounded_up(total.cost, None if cap is None else cap.cost),
                    Fraction(rounded_up(total.delta, None if cap is None else cap.delta)),
                )
                if then is not None:
                    then()
            finally:
                self._busy = False

    def _stay(self) -> None:
        if not self.at_home:
            raise UnavailableError(
                f"this {self._holder} belongs to the process that opened it: a forked copy would spend its budget "
                "twice. Ask in that process, or open another one with a budget of its own."
            )

    def __reduce__(self) -> Any:
        raise WrongTypeError(f"a {self._holder} cannot be copied: two copies would spend the same budget twice.")


def rounded_up(value: Amount, cap: Amount | None) -> Amount:
    """Round a total up where its denominator has more than 4,096 bits, never past a cap that it was within.

    Args:
        value: The total.
        cap: Its cap; None for none.
    """
    if not isinstance(value, Fraction) or value.denominator.bit_length() <= _EXACT_BITS:
        return value
    above, below = value.numerator, value.denominator
    shift = max(_KEPT_BITS - above.bit_length() + below.bit_length(), 0)
    near = Fraction(-((-above << shift) // below), 1 << shift)
    return near if cap is None else min(near, cap)  # the exact total was within the cap
