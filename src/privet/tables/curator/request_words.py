"""What a request is known by in a ledger: a hash of everything that decides its release, and of nothing else."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

from privet.accounting.numerics import Point
from privet.errors import PrivetError
from privet.ledger.amounts import stored_cost, write_amount
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.request import Request
from privet.tables.files.written import NoiseWords
from privet.tables.relations.public_source import PublicSource


class _NotPlainError(Exception):
    """Something that has no text of its own: the request gets no digest."""


def digest_of(request: Request[Any], tables: PrivateTables, price: Point, more: str = "") -> str | None:
    """Give the SHA-256 of a request; None where a part of it cannot be written down.

    It covers the kind of request, the query, the noise and the delta of the plan, its price, the codebooks, the public
    tables and the part of the table. The order of names counts: it is that of the result.

    Args:
        request: The request.
        tables: The tables that it was planned for.
        price: What it costs.
        more: What else sets it apart.
    """
    words, noise = getattr(request, "words", None), getattr(request.plan, "noise_words", None)
    if words is None or noise is None:
        return None
    try:
        query = _plain(words())
        used = [each for name, each in tables.public.items() if name in set(_texts(query))]
        data = [
            type(request).__name__,
            query,
            [_plain(each.words()) for each in noise() if isinstance(each, NoiseWords)],
            [*(write_amount(stored_cost(Fraction(each))) for each in (price.cost, price.delta)), f"{request.delta}"],
            {name: book.to_dict() for name, book in tables.codebooks.items()},
            [_public_rows(each) for each in used],
            [*tables.part, more],
        ]
        return sha256(json.dumps(data, allow_nan=False).encode("utf-8", "surrogatepass")).hexdigest()
    except (_NotPlainError, PrivetError, TypeError, ValueError, RecursionError):
        return None


def key_of(*parts: str) -> str:
    """Give one text for several; other parts, another text.

    >>> key_of("a", "b") == key_of("ab", "")
    False
    """
    return sha256(json.dumps(parts).encode()).hexdigest()


def _plain(value: object) -> Any:
    """Give plain data with the order of names, and refuse what files do not hold."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return [[str(name), _plain(item)] for name, item in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise _NotPlainError


def _texts(value: object) -> Iterator[str]:
    """Give all texts of plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _public_rows(source: PublicSource) -> str:
    """Hash the rows of a public table: its name may stand for others tomorrow."""
    rows = source.engine.execute(source.relation, order_by=tuple(source.relation.columns))
    return sha256(repr((source.name, dict(rows.columns))).encode("utf-8", "surrogatepass")).hexdigest()
