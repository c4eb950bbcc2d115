"""What decides a release, as plain data: other queries, other data; nothing that cannot be written down exactly."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from attrs import Attribute, fields, has
from sqlglot import exp

from privet.chains.transformation import TransformationChain
from privet.tables.codebook.write import Typed
from privet.tables.expressions import Expression, Literal, Reference, Term
from privet.tables.files.written import Unwritable
from privet.tables.relations.public_table import PublicTable

_FOR_FILES = ("call", "rows_from_caps")  # how a node was asked for, which decides nothing
_OURS = "privet."


class NoWordsError(Exception):
    """Something that has no text of its own, such as a function: the request gets no digest."""


def exact_words(value: object) -> Any:
    """Give plain data for JSON, with the order of names and with a tag for everything that is no number or text.

    Args:
        value: Plain data, nodes of queries, expressions, columns, caps and public tables, within each other.

    Raises:
        NoWordsError: A part of it cannot be written down.

    Guarantee: two values with the same words are equal, but for the secret numbers of their sessions.
    Proof: docs/ledger/ledger.md, "Keys".

    >>> exact_words({"n": (1, True, None)})
    ['map', ['n', ['list', 1, True, None]]]
    >>> exact_words("null") == exact_words(Typed("null"))
    False
    """
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, str):
        return ["typed", str.__str__(value)] if isinstance(value, Typed) else str.__str__(value)
    if isinstance(value, Fraction | date | datetime):
        return [type(value).__name__, str(value)]
    if isinstance(value, Mapping):
        return ["map", *([exact_words(name), exact_words(item)] for name, item in value.items())]
    if isinstance(value, list | tuple):
        return ["list", *map(exact_words, value)]
    if isinstance(value, frozenset):
        return ["set", *sorted(map(exact_words, value), key=json.dumps)]
    return _of_query(value)


def _of_query(value: object) -> Any:
    """Give the parts of a query as plain data."""
    if isinstance(value, TransformationChain):
        return ["nodes", *(exact_words(link.unit) for link in value.links)]
    if isinstance(value, Reference):
        return ["column", value.name]
    if isinstance(value, Literal):
        return ["value", value.of, exact_words(value.value)]
    if isinstance(value, Expression):
        return ["computed", _tree(value.sql())]  # as it is computed: its text might be that of another one too
    if isinstance(value, Term):
        return ["term", _tree(value.tree)]
    if isinstance(value, PublicTable):
        return ["public", exact_words(value.columns), exact_words(value.on), value.hash_rows()]
    kind = type(value)
    if isinstance(value, Unwritable) or not has(kind) or not f"{kind.__module__}.".startswith(_OURS):
        raise NoWordsError
    named = [each.name for each in fields(kind) if _decides(each)]
    return [f"{kind.__module__}.{kind.__qualname__}", *([name, exact_words(getattr(value, name))] for name in named)]


def _decides(part: "Attribute[Any]") -> bool:
    """Say whether a field decides the release; the secret number does not, which is another one in each session."""
    is_secret = part.name == "key" and part.type is int
    return not is_secret and (bool(part.eq) or part.name not in _FOR_FILES)


def _tree(node: object) -> Any:
    """Give a tree of SQL as plain data."""
    if isinstance(node, exp.Expr):
        parts = [[name, _tree(item)] for name, item in node.args.items() if item is not None]
        return [type(node).__name__, *parts]
    if isinstance(node, list):
        return ["list", *map(_tree, node)]
    if isinstance(node, exp.DType):
        return ["type", node.value]
    return exact_words(node)
