"""Notation: how the texts of a source write the values of a column. It is public, and never guessed from the rows."""

import re
from collections.abc import Sequence
from typing import Any, Literal, final, get_args

from attrs import evolve, fields, frozen

from privet.core import is_among, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.date_formats import check_date_formats, is_plain_text

Percent = Literal["points", "share"]
Cleaning = Literal["trim", "lower", "upper"]
PERCENTS: tuple[Percent, ...] = get_args(Percent)
CLEANINGS: tuple[Cleaning, ...] = get_args(Cleaning)
DECIMALS = (".", ",")
# what each separator of thousands stands for: people type a plain space and a straight apostrophe
THOUSANDS = {",": ",", ".": ".", "'": "'\u2019", " ": " \u00a0\u2009\u202f", "_": "_"}
_NUMBERS = ("integer", "real")
_LONGEST_SIGN = 10  # characters of a sign of a currency
SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"  # class Zs
_LONGEST_TEXT = 1_000  # characters of a marker or a word
_MOST = 100  # markers, words or signs of one column


@final
@frozen(kw_only=True)
class Notation:
    """How texts write the values of a column; by default as Privet itself would.

    Args:
        missing: Texts that mean that there is no value; None for what the table says.
        format: How texts write dates, in the order in which the formats are tried; none for ISO 8601.
        decimal: The mark before the fraction of a number; None for what the table says, else a point.
        thousands: What parts the thousands of a number; None for what the table says, else nothing.
        currency: Signs that may stand before or behind a number.
        percent: What ``12 %`` is: 12 (``points``) or 0.12 (``share``); None where it is no number.
        true_words: Texts that mean true; none for those that engines know.
        false_words: Texts that mean false.
        clean: What is done to a text before anything else: ``trim``, ``lower``, ``upper``.
    """

    missing: tuple[str, ...] | None = None
    format: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    currency: tuple[str, ...] = ()
    percent: Percent | None = None
    true_words: tuple[str, ...] = ()
    false_words: tuple[str, ...] = ()
    clean: tuple[Cleaning, ...] = ()

    @property
    def markers(self) -> tuple[str, ...]:
        """The texts that mean that there is no value."""
        return self.missing or ()

    @property
    def is_number_form(self) -> bool:
        """Whether numbers are written otherwise than in plain digits with a point."""
        return any((self.decimal not in (None, "."), self.thousands, self.currency, self.percent))

    @property
    def is_stated(self) -> bool:
        """Whether somebody says how texts write values, beyond markers of missing ones."""
        return bool(self.is_number_form or self.format or self.true_words)

    @property
    def words(self) -> str:
        """How texts write values, in the words of a codebook; empty where nothing is stated."""
        stated = {each.name: getattr(self, each.name) for each in fields(Notation)}
        listed = (
            f"{name} {', '.join(map(repr, value)) if isinstance(value, tuple) else repr(value)}"
            for name, value in stated.items()
            if value
        )
        return "; ".join(listed)

    def within(self, kind: str, table: "Notation") -> "Notation":
        """Take from the table what the column itself does not say."""
        missing = table.missing if self.missing is None else self.missing
        if kind not in _NUMBERS:
            return self if missing == self.missing else evolve(self, missing=missing)
        decimal = table.decimal if self.decimal is None else self.decimal
        thousands = table.thousands if self.thousands is None else self.thousands
        made = evolve(self, missing=missing, decimal=decimal, thousands=thousands)
        check_marks(made, decimal=".")
        return made

    def check(self, kind: str, categories: Sequence[Any] | None) -> "Notation":
        """Refuse what could not be meant for a kind of column; give the notation in its one form."""
        made = Notation(
            missing=None if self.missing is None else check_missing(self.missing, categories),
            format=check_date_formats(kind, None if is_among(self.format, ("", ())) else self.format),
            decimal=check_mark("decimal", kind, self.decimal, DECIMALS),
            thousands=check_mark("thousands", kind, self.thousands, THOUSANDS),
            currency=check_currency(kind, self.currency),
            percent=check_percent(kind, self.percent),
            true_words=check_words("true_words", kind, self.true_words),
            false_words=check_words("false_words", kind, self.false_words),
            clean=check_clean(kind, self.clean, categories),
        )
        check_marks(made)
        _check_both(made)
        return PLAIN if made == PLAIN else made


PLAIN = Notation()


def _texts(name: str, given: object, example: str) -> tuple[str, ...]:
    if isinstance(given, list):
        given = tuple(given)
    if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
        raise WrongTypeError(f"Column.{name} must be a tuple of texts, such as {example}.")
    if len(given) > _MOST:
        raise InvalidError(f"Column.{name} must have at most {_MOST} texts, got {len(given)}.")
    if len(set(given)) != len(given):
        raise InvalidError(f"Column.{name} must be different texts, got one twice.")
    for each in given:
        if not is_plain_text(each) or len(each) > _LONGEST_TEXT:
            raise InvalidError(
                f"Column.{name} must be texts of up to {_LONGEST_TEXT} characters that UTF-8 can hold, without NUL."
            )
    return given


def _only_for(name: str, kind: str, kinds: Sequence[str]) -> None:
    if kind not in kinds:
        raise InvalidError(f"Column.{name} is for {' and '.join(kinds)} columns, got a {kind} column.")


def check_missing(markers: object, categories: Sequence[Any] | None) -> tuple[str, ...]:
    """Refuse markers of missing values that are categories too."""
    if isinstance(markers, list | tuple):  # -999 and "-999" mean the same
        markers = tuple(str(each) if type(each) in (int, float) else each for each in markers)
    listed = _texts("missing", markers, '("NA", "N/A")')
    both = [each for each in listed if categories is not None and each in map(str, categories)]
    if both:
        raise InvalidError(f"Column.missing names {short(both[0])}, which is a category too; choose one of them.")
    return listed


def check_mark(name: str, kind: str, mark: object, known: Sequence[str] | dict[str, str]) -> str | None:
    """Refuse a mark that numbers are not written with."""
    if mark is None:
        return None
    _only_for(name, kind, _NUMBERS)
    if not isinstance(mark, str) or mark not in known:
        raise InvalidError(f"Column.{name} must be one of {', '.join(map(repr, known))}, got {short(mark)}.")
    return mark


def check_marks(notation: Notation, decimal: str | None = None) -> None:
    """Refuse one mark for two things; where nobody stated the decimal mark, it is the one that is given here."""
    if notation.thousands is not None and notation.thousands == (notation.decimal or decimal):
        raise InvalidError(
            f"Column.thousands and Column.decimal must differ, got {short(notation.thousands)} for both. "
            "Without decimal=',' a point is the decimal mark."
        )


def check_currency(kind: str, signs: object) -> tuple[str, ...]:
    """Refuse signs that could be part of a number."""
    listed = _texts("currency", signs, '("$", "€")')
    if listed:
        _only_for("currency", kind, _NUMBERS)
    for each in listed:
        if not each or len(each) > _LONGEST_SIGN or re.search(r"[\s\d.,'’_+%()-]", each):
            raise InvalidError(
                f"Column.currency must be signs such as $ or EUR of up to {_LONGEST_SIGN} characters, without digits, "
                f"white space and marks of numbers, got {short(each)}."
            )
    return listed


def check_percent(kind: str, percent: Any) -> Percent | None:
    """Refuse a meaning of percent signs that is none."""
    if percent is None:
        return None
    _only_for("percent", kind, _NUMBERS)
    if not is_among(percent, PERCENTS):
        raise InvalidError(
            f'Column.percent must be "points", where 12 % is read as 12, or "share", where it is read as 0.12; '
            f"got {short(percent)}."
        )
    if percent == "share" and kind != "real":
        raise InvalidError('Column.percent "share" is for real columns: a share is no whole number.')
    return "share" if percent == "share" else "points"


def check_words(name: str, kind: str, words: object) -> tuple[str, ...]:
    """Refuse words for truth values that are none."""
    listed = _texts(name, words, '("yes", "y")')
    if listed:
        _only_for(name, kind, ("boolean",))
    if any(not each.strip() for each in listed):
        raise InvalidError(f"Column.{name} must be words, got an empty text.")
    return listed


def _check_both(notation: Notation) -> None:
    """Refuse words for one truth value only, and a word for both."""
    if bool(notation.true_words) != bool(notation.false_words):
        raise InvalidError("Column.true_words and Column.false_words belong together; give both.")
    both = {each.lower() for each in notation.true_words} & {each.lower() for each in notation.false_words}
    if both:
        raise InvalidError(f"Column.true_words and Column.false_words must differ, got {short(min(both))} in both.")


def check_clean(kind: str, given: object, categories: Sequence[Any] | None) -> tuple[Cleaning, ...]:
    """Read what is done to texts; categories must be written as cleaned texts are."""
    listed = _texts("clean", (given,) if isinstance(given, str) else given, '("trim", "lower")')
    if listed:
        _only_for("clean", kind, ("text",))
    if not set(listed) <= set(CLEANINGS) or {"lower", "upper"} <= set(listed):
        raise InvalidError(
            f'Column.clean must be "trim", "lower" or "upper", or "trim" with one of the others; got {short(given)}.'
        )
    chosen = tuple(each for each in CLEANINGS if each in listed)
    odd = [each for each in categories or () if listed and _cleaned(each, chosen) != each]
    if odd:
        raise InvalidError(
            f"Column.categories must be written as clean leaves them, got {short(odd[0])}; write "
            f"{short(_cleaned(odd[0], chosen))}."
        )
    return chosen


def _cleaned(value: str, cleaning: Sequence[str]) -> str:
    plain = value.strip() if "trim" in cleaning else value
    if "lower" in cleaning:
        return plain.lower()
    return plain.upper() if "upper" in cleaning else plain
