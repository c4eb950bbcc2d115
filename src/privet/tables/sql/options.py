"""``SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...)``: BigQuery's way to state the budget and the privacy unit."""

import re
from collections.abc import Mapping, Sequence
from typing import final

from attrs import frozen
from sqlglot.tokenizer_core import Token, TokenType

from privet.core import read_whole
from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.expressions import shorten
from privet.tables.sql.call_bounds import read_digits

_CLAUSES = (("DIFFERENTIAL_PRIVACY",), ("DIFFERENTIAL", "PRIVACY"), ("ANONYMIZATION",))
PRIVATE_SELECT = "privet private select"  # the call that marks the SELECT with the clause; no name has spaces
_MARK = (
    (TokenType.VAR, PRIVATE_SELECT),
    (TokenType.L_PAREN, "("),
    (TokenType.R_PAREN, ")"),
    (TokenType.COMMA, ","),
)
_OLDER_NAMES = {"kappa": "max_groups_contributed"}  # of ZetaSQL
_CAPS = {
    "max_groups_contributed": "groups",
    "max_rows_contributed": "rows",
    "max_rows_per_group": "rows_per_group",
}
_NUMBERS = ("epsilon", "delta", *_CAPS, "join_rows", "k_threshold")
_WORDS = ("privacy_unit_column", "group_selection_strategy")
_KNOWN = (*_NUMBERS, *_WORDS)
_LONGEST_NAME = 4  # words of an option: some sources print "privacy unit column"
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_HINTS = {
    "min_privacy_units_per_group": "No release can promise it, since numbers of persons are noisy. Write k_threshold "
    "= 10, or HAVING COUNT(DISTINCT id) >= 10, which keep the groups whose noisy number of persons is large.",
    "noise": "The noise follows from the aggregates and the budget.",
    "mechanism": "The noise follows from the aggregates and the budget.",
    "max_contrib": "Write max_rows_contributed.",
    "max_privacy_unit_contributions": "Write max_rows_contributed.",
    "privacy_unit": "Write privacy_unit_column = id, or leave it out: the codebook names the id.",
    "impute": "Give it beside the statement: session.sql(text, impute={'name': 'x', 'by': ['age']}).",
    "rho": "Give it to the release: session.sql(text).release(rho=0.1).",
    "weights": "Give them to the release: session.sql(text).release(epsilon=1, weights={...}).",
}


@final
@frozen
class Clause:
    """The privacy clause of a statement.

    Args:
        tokens: The statement without the clause; a call of ``PRIVATE_SELECT`` marks where it stood.
        options: Its options, as they were written.
    """

    tokens: list[Token]
    options: Mapping[str, str]


def find_clause(tokens: Sequence[Token]) -> Clause | None:
    """Cut the privacy clause out of a statement; None if there is none."""
    _refuse_thresholds(tokens)
    places = [(at, end) for at in range(len(tokens)) if (end := _clause_end(tokens, at))]
    if not places:
        return None
    if len(places) > 1:
        raise InvalidError(
            "SQL: WITH DIFFERENTIAL_PRIVACY is allowed once: in the SELECT whose aggregates are released."
        )
    ((at, end),) = places
    options: dict[str, str] = {}
    if end < len(tokens) and tokens[end].text.upper() == "OPTIONS":
        end, options = _options(tokens, end + 1)
    first = [tokens[end]] if end < len(tokens) and tokens[end].token_type in (TokenType.DISTINCT, TokenType.ALL) else []
    rest = tokens[end + len(first) :]
    place = tokens[at]
    mark = [Token(kind, text, place.line, place.col, place.start, place.end) for kind, text in _MARK]
    return Clause([*tokens[: at + 1], *first, *mark, *rest], options)


def _refuse_thresholds(tokens: Sequence[Token]) -> None:
    """Refuse ``SELECT WITH AGGREGATION_THRESHOLD``."""
    words = [each.text.upper() for each in tokens]
    if any(words[at : at + 3] == ["SELECT", "WITH", "AGGREGATION_THRESHOLD"] for at in range(len(words))):
        raise InvalidError(
            "SQL: WITH AGGREGATION_THRESHOLD is not allowed: exact numbers of large groups protect nobody. Write WITH "
            "DIFFERENTIAL_PRIVACY OPTIONS(k_threshold = 50), which leaves groups out by their noisy number of persons."
        )


def _clause_end(tokens: Sequence[Token], at: int) -> int:
    """Say where ``SELECT WITH DIFFERENTIAL_PRIVACY`` ends; 0 if it does not begin here."""
    if tokens[at].token_type is not TokenType.SELECT or at + 2 >= len(tokens) or tokens[at + 1].text.upper() != "WITH":
        return 0
    for words in _CLAUSES:
        end = at + 2 + len(words)
        if tuple(each.text.upper() for each in tokens[at + 2 : end]) == words:
            return end
    return 0


def _options(tokens: Sequence[Token], at: int) -> tuple[int, dict[str, str]]:
    """Read ``(name = value, ...)``: where it ends, and the options."""
    options: dict[str, str] = {}
    opening = TokenType.L_PAREN
    if [each.token_type for each in tokens[at : at + 2]] == [opening, TokenType.R_PAREN]:
        return at + 2, options
    while True:
        if at >= len(tokens) or tokens[at].token_type is not opening:
            raise InvalidError("SQL: OPTIONS must be written as OPTIONS(name = value, ...).")
        key, at = _option_name(tokens, at + 1)
        if key in options:
            raise InvalidError(f"SQL: the option {key} is given twice.")
        text, at = _option_number(tokens, at) if key in _NUMBERS else _option_word(tokens, at)
        if not text:
            form = "a number without a sign, such as 0.5" if key in _NUMBERS else "a name"
            raise InvalidError(f"SQL: the option {key} must be {form}.")
        options[key] = text
        if at < len(tokens) and tokens[at].token_type is TokenType.R_PAREN:
            return at + 1, options
        opening = TokenType.COMMA


def _option_name(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read the name of an option, and where its value begins."""
    words: list[str] = []
    while at < len(tokens) and tokens[at].token_type is not TokenType.EQ and len(words) < _LONGEST_NAME:
        words.append(tokens[at].text)
        at += 1
    if not words or at >= len(tokens) or tokens[at].token_type is not TokenType.EQ:
        raise InvalidError("SQL: OPTIONS must be written as OPTIONS(name = value, ...).")
    name = "_".join(words).lower()
    key = _OLDER_NAMES.get(name, name)
    if key not in _KNOWN:
        hint = _HINTS.get(key, f"There are {', '.join(_KNOWN)}.")
        close = "" if key in _HINTS else closest(key, _KNOWN)
        raise InvalidError(f"SQL: the option {shorten(name)} is not allowed.{close} {hint}")
    return key, at + 1


def _option_number(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read a number, in quotes or not, and where it ends; an empty text if there is none."""
    if at < len(tokens) and tokens[at].token_type is TokenType.STRING:
        text = tokens[at].text.strip()
        return (text if _NUMBER.fullmatch(text) else ""), at + 1
    return read_digits(tokens, at)


def _option_word(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read a name, with the names of its table and schema before it or not: its last part, and where it ends."""
    text = ""
    while at < len(tokens) and tokens[at].token_type in (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING):
        text = tokens[at].text
        if at + 1 >= len(tokens) or tokens[at + 1].token_type is not TokenType.DOT:
            return text, at + 1
        text, at = "", at + 2
    return text, at + 1


def check_options(id_columns: Sequence[str], options: Mapping[str, str]) -> None:
    """Refuse another privacy unit than that of the codebook.

    Args:
        id_columns: The columns that tell persons apart; none if rows are protected.
        options: The options of the statement.
    """
    for name in (*_CAPS, "join_rows"):
        if name in options and not id_columns:
            raise InvalidError(f"SQL: {name} is not allowed: the codebook protects rows, not persons.")
    unit_column = options.get("privacy_unit_column")
    if unit_column is None:
        return
    if not id_columns:
        raise InvalidError("SQL: privacy_unit_column is not allowed: the codebook protects rows, not persons.")
    if id_columns[0].lower() not in (unit_column.lower(), unit_column.lower().rpartition(".")[2]):
        raise InvalidError(
            f"SQL: privacy_unit_column must be the id of the codebook, {id_columns[0]!r}, got {shorten(unit_column)}."
        )


def caps_of(options: Mapping[str, str]) -> dict[str, int]:
    """Give the caps that the options set."""
    return {_CAPS[name]: _whole(name, text) for name, text in options.items() if name in _CAPS}


def threshold_of(options: Mapping[str, str]) -> int | None:
    """Give the least noisy number of persons of a group that is shown; None if every group is."""
    text = options.get("k_threshold", "0")
    return None if text.isascii() and text.isdigit() and not int(text[:13]) else _whole("k_threshold", text)


def matched_of(options: Mapping[str, str], join_rows: object) -> int | None:
    """Give how many rows of a person a join takes from the table that it adds; None if nothing says.

    Args:
        options: The options of the statement.
        join_rows: The argument beside the statement; None without it.
    """
    if join_rows is None:
        return _whole("join_rows", options["join_rows"]) if "join_rows" in options else None
    if "join_rows" in options:
        raise InvalidError("SQL: OPTIONS give join_rows already; leave it out there, or here.")
    rows = read_whole("SQL: join_rows", join_rows)
    if rows < 1:
        raise InvalidError(f"SQL: join_rows must be 1 or more, got {rows}.")
    return rows


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= 12) or int(text) < 1:
        raise InvalidError(f"SQL: the option {name} must be a whole number, 1 or more, got {shorten(text, 40)}.")
    return int(text)
