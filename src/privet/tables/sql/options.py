"""``SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...)``: BigQuery's way to state the budget and the privacy unit."""

from collections.abc import Mapping, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from privet.core import read_whole
from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.expressions.refusal import shorten
from privet.tables.sql.calls import read_digits

CLAUSES = ("DIFFERENTIAL_PRIVACY", "ANONYMIZATION")
_OLDER_NAMES = {"kappa": "max_groups_contributed"}  # of ZetaSQL
_CAPS = {
    "max_groups_contributed": "groups",
    "max_rows_contributed": "rows",
    "max_rows_per_group": "rows_per_group",
}
_NUMBERS = ("epsilon", "delta", *_CAPS, "join_rows")
_WORDS = ("privacy_unit_column", "group_selection_strategy")
_KNOWN = (*_NUMBERS, *_WORDS)
_HINTS = {
    "min_privacy_units_per_group": "Groups are public here, and the release shows all of them.",
    "noise": "The noise follows from the aggregates and the budget.",
}


def find_options(tokens: Sequence[Token]) -> tuple[list[Token], Mapping[str, str]] | None:
    """Cut the clause out of a statement: the other tokens, and the options; None if there is no such clause."""
    places, depth = [], 0
    for at, token in enumerate(tokens):
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        words = [each.text.upper() for each in tokens[at : at + 3]]
        private = words[:2] == ["SELECT", "WITH"] and words[2:] and words[2] in CLAUSES
        if private and token.token_type is TokenType.SELECT:
            places.append((at, depth))
    if not places:
        return None
    if len(places) > 1 or places[0][1] != 0:
        raise InvalidError("SQL: WITH DIFFERENTIAL_PRIVACY is allowed once, in the outermost SELECT.")
    at = places[0][0]
    end = at + 3
    options: dict[str, str] = {}
    if end < len(tokens) and tokens[end].text.upper() == "OPTIONS":
        end, options = _options(tokens, end + 1)
    return [*tokens[: at + 1], *tokens[end:]], options


def _options(tokens: Sequence[Token], at: int) -> tuple[int, dict[str, str]]:
    """Read ``(name = value, ...)``: where it ends, and the options."""
    options: dict[str, str] = {}
    opening = TokenType.L_PAREN
    while True:
        if at + 4 >= len(tokens) or tokens[at].token_type is not opening:
            raise InvalidError("SQL: OPTIONS must be written as OPTIONS(name = value, ...).")
        name, equal, value = tokens[at + 1 : at + 4]
        key = _OLDER_NAMES.get(name.text.lower(), name.text.lower())
        if key not in _KNOWN:
            hint = _HINTS.get(key, f"There are {', '.join(_KNOWN)}.")
            raise InvalidError(f"SQL: the option {shorten(name.text)} is not allowed.{closest(key, _KNOWN)} {hint}")
        if key in options:
            raise InvalidError(f"SQL: the option {key} is given twice.")
        if key in _NUMBERS:
            text, at = read_digits(tokens, at + 3)
        else:
            text, at = value.text if value.token_type in (TokenType.VAR, TokenType.IDENTIFIER) else "", at + 4
        if equal.token_type is not TokenType.EQ or not text:
            form = "a number without a sign, such as 0.5" if key in _NUMBERS else "a name"
            raise InvalidError(f"SQL: the option {key} must be {form}.")
        options[key] = text
        if at < len(tokens) and tokens[at].token_type is TokenType.R_PAREN:
            return at + 1, options
        opening = TokenType.COMMA


def check_options(id_columns: Sequence[str], options: Mapping[str, str]) -> None:
    """Refuse another privacy unit than that of the codebook, and groups that are not public.

    Args:
        id_columns: The columns that tell persons apart; none if rows are protected.
        options: The options of the statement.
    """
    strategy = options.get("group_selection_strategy", "PUBLIC_GROUPS")
    if strategy.upper() != "PUBLIC_GROUPS":
        raise InvalidError(f"SQL: group_selection_strategy must be PUBLIC_GROUPS, got {shorten(strategy)}.")
    for name in (*_CAPS, "join_rows"):
        if name in options and not id_columns:
            raise InvalidError(f"SQL: {name} is not allowed: the codebook protects rows, not persons.")
    unit_column = options.get("privacy_unit_column")
    if unit_column is None:
        return
    if not id_columns:
        raise InvalidError("SQL: privacy_unit_column is not allowed: the codebook protects rows, not persons.")
    if unit_column.lower() != id_columns[0].lower():
        raise InvalidError(
            f"SQL: privacy_unit_column must be the id of the codebook, {id_columns[0]!r}, got {shorten(unit_column)}."
        )


def caps_of(options: Mapping[str, str]) -> dict[str, int]:
    """Give the caps that the options set."""
    return {_CAPS[name]: _whole(name, text) for name, text in options.items() if name in _CAPS}


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
