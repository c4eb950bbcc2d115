r"""Regular expressions of which every engine finds the same match: the leftmost, and there the first by preference.

Engines differ where a repeated part may match nothing, where a repeated group is remembered, and in what ``$``, ``\s``
and the case of letters mean. Such patterns are refused, and all others are written anew without short forms. The
grammar is in docs/tables/patterns.md.
"""

import re
from collections.abc import Collection
from typing import final

from attrs import frozen

from privet.errors import InvalidError

MOST_CHARACTERS = 1_000
MOST_PARTS = 1_000  # characters and sets, with repetitions written out
_SHORT = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}  # of a set
_ESCAPES = {"n": r"\n", "r": r"\r", "t": r"\t", "f": r"\f"}
_SPECIAL = frozenset(r"\.+*?()|[]{}^$")
_COUNTS = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\}", re.ASCII)
_PER_RANGE = 4  # parts that a range of a set counts as: each may take several bytes to match


@final
@frozen
class Pattern:
    """A pattern that was read.

    Args:
        text: The pattern, written out for RE2; ``$`` is the end of the text.
        least: The length of the shortest match.
        groups: How many groups it has.
        kept: The numbers of the groups that ``text`` still has, in order.
    """

    text: str
    least: int
    groups: int
    kept: tuple[int, ...]


@final
@frozen
class _Piece:
    """A part of a pattern.

    Args:
        text: The part, written anew.
        least: The length of its shortest match.
        parts: How large it is.
        keeps: Whether it has a group that the replacement shows.
        repeats: Whether a quantifier may follow.
    """

    text: str
    least: int
    parts: int
    keeps: bool = False
    repeats: bool = True


def read_pattern(written: str, shown: Collection[int] = ()) -> Pattern:
    r"""Read a pattern, or say what of it is not allowed.

    Args:
        written: The pattern.
        shown: The numbers of the groups that are needed; others need not be remembered.

    >>> print(read_pattern(r"^(\d+)(,|;)", [1]).text)
    ^([0-9]+)(?:\,|\;)
    """
    if len(written) > MOST_CHARACTERS:
        raise InvalidError(f"A pattern must have at most {MOST_CHARACTERS} characters, got {len(written)}.")
    if "\0" in written:
        raise InvalidError("A pattern must not have the character NUL.")
    reader = _Reader(written, frozenset(shown))
    piece = reader.whole()
    if piece.parts > MOST_PARTS:
        raise refused(written, f"it is too large: at most {MOST_PARTS} characters and sets, repetitions written out")
    kept = tuple(number for number in range(1, reader.groups + 1) if number in reader.shown)
    return Pattern(piece.text, piece.least, reader.groups, kept)


def refused(written: str, why: str) -> InvalidError:
    """Make the error that refuses a pattern."""
    shown = written if len(written) <= 60 else written[:57] + "..."
    return InvalidError(
        f"The pattern {shown!r} is not allowed: {why}. Patterns have characters, '.', sets such as [a-z] and \\d, "
        "groups, |, ^, $ and the repetitions *, +, ?, {2,5}."
    )


class _Reader:
    """Reads one pattern from its first character to its last.

    Args:
        written: The pattern.
        shown: The numbers of the groups that are needed.
    """

    def __init__(self, written: str, shown: frozenset[int]) -> None:
        self.written = written
        self.shown = shown
        self.at = 0
        self.groups = 0
        self.open = 0

    def whole(self) -> _Piece:
        piece = self.choice()
        if self.at < len(self.written):
            raise self.refuse("a bracket ) closes nothing; write \\) for the character")
        return piece

    def choice(self) -> _Piece:
        """Read parts with | between them."""
        ways = [self.sequence()]
        while self.next() == "|":
            self.at += 1
            ways.append(self.sequence())
        if len(ways) > 1 and any(not way.text for way in ways):
            raise self.refuse("one side of | is empty; write (?:a|b)? for a part that may be left out")
        return _Piece(
            "|".join(way.text for way in ways),
            min(way.least for way in ways),
            sum(way.parts for way in ways),
            any(way.keeps for way in ways),
        )

    def sequence(self) -> _Piece:
        pieces: list[_Piece] = []
        while self.next() not in ("", "|", ")"):
            pieces.append(self.repeated(self.atom()))
        return _Piece(
            "".join(each.text for each in pieces),
            sum(each.least for each in pieces),
            sum(each.parts for each in pieces),
            any(each.keeps for each in pieces),
        )

    def repeated(self, piece: _Piece) -> _Piece:
        """Read a quantifier, if there is one."""
        sign, counts = self.next(), _COUNTS.match(self.written, self.at)
        if sign in ("*", "+", "?"):
            low, high, text = {"*": (0, None, "*"), "+": (1, None, "+"), "?": (0, 1, "?")}[sign]
            self.at += 1
        elif counts:
            low = int(counts[1])
            high = low if counts[2] is None else None if counts[3] is None else int(counts[3])
            text = counts[0]
            self.at = counts.end()
        else:
            return piece
        lazy = "?" if self.next() == "?" else ""
        self.at += len(lazy)
        if self.next() in ("*", "+", "?") or _COUNTS.match(self.written, self.at):
            raise self.refuse("two repetitions follow each other")
        if not piece.repeats or piece.least == 0:
            raise self.refuse("a part that may match nothing is repeated")
        if (high is not None and not max(low, 1) <= high <= MOST_PARTS) or low > MOST_PARTS:
            raise self.refuse(f"a repetition must go from its smaller number to its larger one, up to {MOST_PARTS}")
        if piece.keeps and high != 1:
            raise self.refuse("the replacement shows a group that is repeated; repeat within the group: ([0-9]+)")
        times = high if high is not None else max(low, 1)
        return _Piece(piece.text + text + lazy, piece.least * low, piece.parts * times, piece.keeps)

    def atom(self) -> _Piece:
        sign = self.take()
        if sign == "(":
            return self.group()
        if sign == "[":
            return self.set()
        if sign == "\\":
            return self.escape()
        if sign == ".":
            return _Piece(r"[^\n]", 1, 1 + _PER_RANGE)
        if sign == "^":
            return _Piece("^", 0, 1, repeats=False)
        if sign == "$":
            return _Piece("$", 0, 1, repeats=False)
        if sign in _SPECIAL:
            raise self.refuse(f"{sign} stands where no repetition can; write \\{sign} for the character")
        return _Piece(_plain(sign), 1, 1)

    def group(self) -> _Piece:
        number = None
        if self.written.startswith("?", self.at):
            if not self.written.startswith("?:", self.at):
                raise self.refuse("(? begins an option, a name or a look around; only (?:...) is a group")
            self.at += 2
        else:
            self.groups += 1
            number = self.groups
        self.open += 1
        if self.open > 20:
            raise self.refuse("more than 20 groups are within each other")
        inner = self.choice()
        self.open -= 1
        if self.take() != ")":
            raise self.refuse("a group is not closed; write \\( for the character")
        keeps = number in self.shown
        return _Piece(f"({'' if keeps else '?:'}{inner.text})", inner.least, inner.parts + 1, keeps or inner.keeps)

    def escape(self) -> _Piece:
        sign = self.take()
        if sign in _SHORT:
            return _Piece(f"[{_SHORT[sign]}]", 1, 1 + _PER_RANGE)
        if sign and sign.lower() in _SHORT:
            return _Piece(f"[^{_SHORT[sign.lower()]}]", 1, 1 + 2 * _PER_RANGE)
        return _Piece(self.escaped(sign), 1, 1)

    def escaped(self, sign: str) -> str:
        """Read a character behind a backslash."""
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if not sign or not sign.isascii() or sign.isalnum() or not sign.isprintable():
            raise self.refuse(f"there is no \\{sign}; there are \\d, \\w, \\s, \\D, \\W, \\S, \\t, \\n, \\r and signs")
        return _plain(sign)

    def set(self) -> _Piece:
        """Read the characters of a set behind its bracket."""
        negated = self.next() == "^"
        self.at += negated
        items: list[str] = []
        while self.next() != "]":
            items.append(self.item())
        self.at += 1
        if not items:
            raise self.refuse("a set is empty; write \\] for the character")
        return _Piece(f"[{'^' if negated else ''}{''.join(items)}]", 1, 1 + _PER_RANGE * len(items))

    def item(self) -> str:
        """Read a character of a set, or a range."""
        low = self.take()
        if low == "\\":
            sign = self.take()
            if sign in _SHORT:
                return _SHORT[sign]
            if sign and sign.lower() in _SHORT:
                raise self.refuse(f"\\{sign} stands within a set")
            return self.escaped(sign)
        if low in ("", "["):
            raise self.refuse("a set is not closed, or has a [ within; write \\[ for the character")
        if self.next() != "-" or self.written.startswith("-]", self.at):
            return _plain(low)
        self.at += 1
        high = self.take()
        if high in ("", "[", "\\") or high < low:
            raise self.refuse("a range of a set must go from a character to a later one, such as a-z")
        return f"{_plain(low)}-{_plain(high)}"

    def next(self) -> str:
        """Give the next character; an empty text at the end."""
        return self.written[self.at : self.at + 1]

    def take(self) -> str:
        sign = self.next()
        self.at += 1
        return sign

    def refuse(self, why: str) -> InvalidError:
        return refused(self.written, why)


def _plain(sign: str) -> str:
    """Write a character that stands for itself."""
    named = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\f": r"\f"}
    if sign in named:
        return named[sign]
    is_sign = sign.isascii() and sign.isprintable() and not sign.isalnum() and sign not in "_ "
    return f"\\{sign}" if is_sign else sign
