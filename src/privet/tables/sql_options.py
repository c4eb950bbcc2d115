"""``SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(...)``: BigQuery's way to say what may be lost and who is protected."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve
from sqlglot.tokenizer_core import Token, TokenType

from privet.errors import Invalid
from privet.tables.caps import Caps
from privet.tables.expressions.refusal import nearest, shorten
from privet.tables.query import Query
from privet.tables.unit import Persons

if TYPE_CHECKING:
    from privet.tables.session import Session

_NUMBERS = ("epsilon", "delta", "max_groups_contributed")
_KNOWN = (*_NUMBERS, "privacy_unit_column")


def find_options(tokens: Sequence[Token]) -> tuple[list[Token], Mapping[str, str]] | None:
    """Cut the clause out of a statement: the other tokens, and the options; None where there is no such clause."""
    places, depth = [], 0
    for at, token in enumerate(tokens):
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(token.token_type, 0)
        words = [each.text.upper() for each in tokens[at : at + 3]]
        if words == ["SELECT", "WITH", "DIFFERENTIAL_PRIVACY"] and token.token_type is TokenType.SELECT:
            places.append((at, depth))
    if not places:
        return None
    if len(places) > 1 or places[0][1] != 0:
        raise Invalid("SQL: WITH DIFFERENTIAL_PRIVACY is allowed once, in the outermost SELECT.")
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
            raise Invalid("SQL: OPTIONS must be written as OPTIONS(name = value, ...).")
        name, equal, value, after = tokens[at + 1 : at + 5]
        key = name.text.lower()
        if key not in _KNOWN:
            raise Invalid(
                f"SQL: the option {shorten(name.text)} is not allowed.{nearest(key, _KNOWN)} "
                f"There are {', '.join(_KNOWN)}."
            )
        if key in options:
            raise Invalid(f"SQL: the option {key} is given twice.")
        wanted = (TokenType.NUMBER,) if key in _NUMBERS else (TokenType.VAR, TokenType.IDENTIFIER)
        if equal.token_type is not TokenType.EQ or value.token_type not in wanted:
            raise Invalid(f"SQL: the option {key} must be {'a number' if key in _NUMBERS else 'a column'}.")
        options[key] = value.text
        at += 4
        if after.token_type is TokenType.R_PAREN:
            return at + 1, options
        opening = TokenType.COMMA


def check_unit(session: "Session", options: Mapping[str, str]) -> None:
    """Refuse another privacy unit than that of the codebook."""
    asked = options.get("privacy_unit_column")
    if asked is None:
        return
    if not session.owner:
        raise Invalid("SQL: privacy_unit_column is not allowed: the codebook protects rows, not persons.")
    if asked.lower() != session.owner[0].lower():
        raise Invalid(
            f"SQL: privacy_unit_column must be the id of the codebook, {session.owner[0]!r}, got {shorten(asked)}."
        )


def capped(query: Query, groups: Any) -> Query:
    """Bound the groups of a person, and leave the other caps of the codebook as they are."""
    unit = query.session.codebook.unit
    if not isinstance(unit, Persons):
        raise Invalid("SQL: max_groups_contributed is not allowed: the codebook protects rows, not persons.")
    return evolve(query, caps=Caps(rows=unit.rows, groups=groups, rows_per_group=unit.rows_per_group))
