"""What a request is known by in a ledger: a hash of everything that decides its release, and of nothing else."""

import json
from fractions import Fraction
from hashlib import sha256
from typing import Any

from privet.accounting.numerics import Point
from privet.errors import PrivetError
from privet.ledger.amounts import stored_cost, write_amount
from privet.tables.curator.exact_words import NoWordsError, exact_words
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.request import Request


def digest_of(request: Request[Any], tables: PrivateTables, price: Point, more: str = "") -> str | None:
    """Give the SHA-256 of a request; None where a part of it cannot be written down.

    It covers the kind of request, the nodes of the query, the rows of public tables, groups, caps and aggregates, the
    noise and the delta of the plan, its price, the codebooks and the part of the table. The order of names counts: it
    is that of the result.

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
        data = [
            type(request).__name__,
            exact_words(words()),
            [exact_words(each.words()) for each in noise()],
            [*(write_amount(stored_cost(Fraction(each))) for each in (price.cost, price.delta)), f"{request.delta}"],
            [[name, exact_words(book.to_dict())] for name, book in tables.codebooks.items()],
            [*tables.part, more],
        ]
        return sha256(json.dumps(data, allow_nan=False).encode("ascii")).hexdigest()
    except (NoWordsError, PrivetError, TypeError, ValueError, RecursionError):
        return None


def key_of(*parts: str) -> str:
    """Give one text for several; other parts, another text.

    >>> key_of("a", "b") == key_of("ab", "")
    False
    """
    return sha256(json.dumps(parts).encode()).hexdigest()
