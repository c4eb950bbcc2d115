"""Meanings that engines with types write alike, and those that they refuse by name."""

from collections.abc import Mapping

from privet.tables.engines.typed_sql.trees import Spell, Typed, call
from privet.tables.engines.typed_sql.writer import refusal

_LIBRARY = "libraries of mathematics round its last digit differently"
_LISTS = ("each_item", "each_item_or_null", "item_count", "list_text", "map_items", "map_pairs")
_NO_LISTS = ("lists are not read", "make a row for each item in a view of the table.")


def refused_meanings(place: str, matches: str) -> dict[str, tuple[str, str]]:
    """Say why an engine refuses each meaning that it would not compute as every other engine does, and what helps.

    Args:
        place: Where a column can be computed instead.
        matches: Why matches of a regular expression are not replaced.
    """
    return {
        **dict.fromkeys(("exp", "ln", "log10", "log2", "pow"), (_LIBRARY, f"compute the column {place}, or multiply.")),
        **dict.fromkeys(_LISTS, _NO_LISTS),
        "part": (
            "numbers in a notation of texts are not read",
            f"declare the column as text, or convert it {place}.",
        ),
        "regexp_replace": (matches, f"use replace(s, t, other), or compute the column {place}."),
    }


def spell_meaning(
    engine: str,
    functions: Mapping[str, Spell],
    refused: Mapping[str, tuple[str, str]],
    meaning: str,
    *arguments: Typed,
) -> Typed:
    """Write a meaning, or refuse it.

    Args:
        engine: What to call the engine in messages.
        functions: How it writes each meaning.
        refused: Why it refuses others, and what helps.
        meaning: The meaning.
        arguments: Its arguments.
    """
    if meaning in refused:
        why, advice = refused[meaning]
        raise refusal(engine, f"{meaning} is not computed: {why}", advice)
    return functions[meaning](*arguments)


def same_kind(name: str, value: Typed) -> Typed:
    """Call a function whose value has the type of its argument."""
    return Typed(call(name, value.tree), value.kind)


def null_if(value: Typed, other: Typed) -> Typed:
    """Give null where two values are equal; no value is equal to null."""
    return value if other.null else Typed(call("nullif", value.tree, other.tree), value.kind)
