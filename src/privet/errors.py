"""The exceptions of Privet. Every message says what was wrong, what was expected and what to do next; none holds data.

PrivetError
├── InvalidError          a parameter is wrong (also a ValueError)
│   ├── NotExactError     a number that is NaN, infinite or no number at all
│   └── ProblemsError     a document with problems, each with its place; in privet.core.problem
│       └── CodebookError a codebook with problems; in privet.tables.codebook.problem
├── WrongTypeError        a parameter of the wrong type (also a TypeError)
├── MismatchError         two units that do not fit together
├── UnavailableError      something that this unit cannot answer, with the reason
├── BudgetExceededError   a charge that the remaining budget does not cover
└── LedgerError           a ledger that was changed, or that cannot be read or written; nothing was released

PrivetWarning             a parameter or a schema that is allowed and probably a mistake (a UserWarning)
"""


class PrivetError(Exception):
    """The base of every exception that Privet raises on purpose."""


class InvalidError(PrivetError, ValueError):
    """A parameter has a value that it cannot have."""


class NotExactError(InvalidError):
    """A value cannot be read as an exact number."""


class WrongTypeError(PrivetError, TypeError):
    """A parameter, a distance or an operand has the wrong type."""


class MismatchError(PrivetError, TypeError):
    """Two units, or a unit and a space, do not fit together."""


class UnavailableError(PrivetError):
    """A question that this unit cannot answer; the message says why."""


class BudgetExceededError(PrivetError):
    """A charge is larger than what remains of the budget; nothing was spent."""


class LedgerError(PrivetError):
    """A ledger was changed, set back, or cannot be read or written now. Nothing was released."""


class PrivetWarning(UserWarning):
    """A parameter or a schema that is allowed and probably a mistake. It depends on nothing private."""
