"""Terms: expressions written in Python, ``(col("age") >= 18) & col("city").is_in("Lyon", "Nice")``.

A term is a tree and no more: it meets the columns, and the list of what is allowed, when it is parsed.
"""

from collections.abc import Callable
from datetime import date, datetime
from math import isfinite
from numbers import Integral
from typing import Any, NoReturn, final

from attrs import frozen
from sqlglot import exp

from privet.core import Familiar
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns import KINDS, Kind
from privet.tables.engines.grammar import function, written
from privet.tables.expressions.syntax import binary, operand
from privet.tables.vocabulary import bare, cast, identifier


def _operator(kind: type[exp.Binary], *, turned: bool = False) -> Callable[["Term", Any], "Term"]:
    """Make the method of an operator. If it is turned, the term stands on the right."""

    def combined(term: "Term", other: Any) -> "Term":
        left, right = (_tree(other), term.tree) if turned else (term.tree, _tree(other))
        return Term(binary(kind, left, right))

    return combined


@final
@frozen(eq=False, repr=False, hash=False)
class Term(Familiar):  # noqa: PLW1641 - two terms that are compared are a new term
    """An expression that is not checked yet, with the operators of Python: ``+ - * / // % **``, ``== < >=``, ``& | ~``.

    >>> term = (col("age") >= 18) & ~col("city").is_in("Lyon", "Nice")
    >>> print(term)
    ("age" >= 18) AND (NOT ("city" IN ('Lyon', 'Nice')))
    """

    _hints_of = "term"

    tree: exp.Expr

    __add__ = _operator(exp.Add)
    __radd__ = _operator(exp.Add, turned=True)
    __sub__ = _operator(exp.Sub)
    __rsub__ = _operator(exp.Sub, turned=True)
    __mul__ = _operator(exp.Mul)
    __rmul__ = _operator(exp.Mul, turned=True)
    __truediv__ = _operator(exp.Div)
    __rtruediv__ = _operator(exp.Div, turned=True)
    __floordiv__ = _operator(exp.IntDiv)
    __mod__ = _operator(exp.Mod)
    __eq__ = _operator(exp.EQ)  # type: ignore[assignment]
    __ne__ = _operator(exp.NEQ)  # type: ignore[assignment]
    __lt__ = _operator(exp.LT)
    __le__ = _operator(exp.LTE)
    __gt__ = _operator(exp.GT)
    __ge__ = _operator(exp.GTE)
    __and__ = _operator(exp.And)
    __or__ = _operator(exp.Or)

    def __rand__(self, other: Any) -> NoReturn:
        raise WrongTypeError(
            "& and | bind before comparisons. Put each condition in parentheses: (col('a') > 1) & (col('b') < 2)."
        )

    __ror__ = __rand__

    def __pow__(self, other: Any) -> "Term":
        return call("pow", self, other)

    def __neg__(self) -> "Term":
        return Term(exp.Neg(this=operand(self.tree)))

    def __invert__(self) -> "Term":
        return Term(exp.Not(this=operand(self.tree)))

    def __bool__(self) -> NoReturn:
        raise WrongTypeError("A term has no truth of its own. Write & for and, | for or, ~ for not, with parentheses.")

    def is_null(self) -> "Term":
        """Whether the value is null."""
        return Term(exp.Is(this=operand(self.tree), expression=exp.Null()))

    def is_in(self, *values: Any) -> "Term":
        """Whether the value is one of these: ``is_in("Lyon", "Nice")`` or ``is_in(["Lyon", "Nice"])``."""
        listed = values[0] if len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset) else values
        return Term(exp.In(this=operand(self.tree), expressions=[_tree(value) for value in listed]))

    def between(self, low: Any, high: Any) -> "Term":
        """Whether the value lies between two others, or is one of them."""
        return Term(exp.Between(this=operand(self.tree), low=operand(_tree(low)), high=operand(_tree(high))))

    def like(self, pattern: str) -> "Term":
        """Whether a text matches a pattern, with % for any code points and _ for one."""
        return Term(binary(exp.Like, self.tree, _tree(pattern)))

    def cast(self, kind: Kind) -> "Term":
        """Convert to another kind; what does not convert is null."""
        if kind not in KINDS:
            raise InvalidError(f"Term.cast: kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        return Term(cast(self.tree, kind))

    def __str__(self) -> str:
        return written(self.tree)

    def __repr__(self) -> str:
        return f"Term({self})"


def col(name: str) -> Term:
    """Name a column of the table, whatever signs its name holds."""
    if not isinstance(name, str):
        raise WrongTypeError(f"col takes the name of a column, got {type(name).__name__}.")
    return Term(exp.Column(this=identifier(name)))


def call(name: str, *arguments: Any) -> Term:
    """Call a function by name: ``call("round", col("x"), 2)``."""
    if not str(name).isidentifier():
        raise InvalidError(f"call takes the name of a function, got {name!r}.")
    return Term(function(name, *(_tree(argument) for argument in arguments)))


def _tree(value: Any) -> exp.Expr:
    if isinstance(value, Term):
        return value.tree
    if isinstance(value, datetime) and value.tzinfo is not None:
        raise InvalidError("Timestamps are naive, in UTC: write value.astimezone(UTC).replace(tzinfo=None).")
    if isinstance(value, date):  # a datetime is one too
        return cast(bare(value), "timestamp" if isinstance(value, datetime) else "date")
    if isinstance(value, float) and not isfinite(value):
        raise InvalidError(f"A number of a term must be finite, got {value}.")
    if value is None or isinstance(value, bool):
        return bare(value)
    for kind, plain in ((Integral, int), (float, float), (str, str)):  # numbers and texts of numpy are ours too
        if isinstance(value, kind):
            return bare(plain(value))
    raise WrongTypeError(f"A term takes numbers, texts, booleans, dates and timestamps, got {type(value).__name__}.")
