"""The exceptions of Privet. Every message says what was wrong, what was expected and what to do next; none holds data.

PrivetError
├── Invalid          a parameter is wrong (also a ValueError)
│   └── NotExact     a number that is NaN, infinite or no number at all
├── WrongType        a parameter of the wrong type (also a TypeError)
├── Mismatch         two units that do not fit together
├── Unavailable      something that this unit cannot answer, with the reason
└── BudgetExceeded   a charge that the remaining budget does not cover
"""


class PrivetError(Exception):
    """The base of every exception that Privet raises on purpose."""


class Invalid(PrivetError, ValueError):
    """A parameter has a value that it cannot have."""


class NotExact(Invalid):
    """A value cannot be read as an exact number."""


class WrongType(PrivetError, TypeError):
    """A parameter, a distance or an operand has the wrong type."""


class Mismatch(PrivetError, TypeError):
    """Two units, or a unit and a space, do not fit together."""


class Unavailable(PrivetError):
    """A question that this unit cannot answer; the message says why."""


class BudgetExceeded(PrivetError):
    """A charge is larger than what remains of the budget; nothing was spent."""
