"""The chain of entries: each hash covers its entry and all entries before it."""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, NamedTuple

from privet.errors import LedgerError

FORMAT = "ledger/1"
START = sha256(FORMAT.encode()).hexdigest()  # what the first entry is chained to


class Head(NamedTuple):
    """The last entry of a ledger. Keep it elsewhere to notice a ledger that was set back.

    Args:
        number: Its number, from 1; 0 for a ledger without entries.
        hash: Its hash in hexadecimal digits; it covers all entries up to this one.
    """

    number: int
    hash: str


NO_ENTRY = Head(0, START)  # before the first entry


def write_entry(entry: dict[str, Any]) -> str:
    """Write an entry as canonical JSON: one entry, one text.

    >>> write_entry({"kind": "close", "charge": 3})
    '{"charge":3,"kind":"close"}'
    """
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def read_entry(number: int, text: str) -> dict[str, Any]:
    """Read an entry; its text must be the canonical one."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        entry = None
    if not isinstance(entry, dict) or write_entry(entry) != text:
        raise LedgerError(f"entry {number} of the ledger is no entry that Privet writes. {_STOP}")
    return entry


def link(previous: str, text: str) -> str:
    """Give the hash of an entry behind another.

    >>> link(START, "{}") == sha256((START + "{}").encode()).hexdigest()
    True
    """
    return sha256((previous + text).encode()).hexdigest()


def verify_entries(
    rows: Iterable[tuple[Any, Any, Any]], head: Head, known: Head, taken: int, start: Head = NO_ENTRY
) -> list[tuple[int, str, str]]:
    """Check entries, in order, and give those that were not taken in yet.

    Args:
        rows: Number, text and hash of each entry after ``start``, by number.
        head: The last entry, as the ledger states it.
        known: An entry that was checked before; the chain must contain it.
        taken: How many entries were taken in before.
        start: The entry before these; all entries up to it are known to be as they were when they were checked.
    """
    number, last = start
    later, past, digest = [], known.number, sha256
    met = known == start or known.number == 0
    for at, text, stated in rows:
        number += 1
        if at != number or type(text) is not str:
            raise LedgerError(f"entry {number} of the ledger is missing, or another stands in its place. {_STOP}")
        last = digest((last + text).encode("utf-8", "surrogatepass")).hexdigest()
        if last != stated:
            raise LedgerError(f"entry {number} of the ledger, or one before it, was changed. {_STOP}")
        if number > taken:
            later.append((number, text, last))
        if number == past:
            met = last == known.hash
    if head != (number, last):
        raise LedgerError(
            f"the last entries of the ledger are missing: it states {head.number} and has {number}. {_STOP}"
        )
    if not met:
        raise LedgerError(
            f"the ledger does not contain the head that is known of it, entry {known.number}: it is an older copy, or "
            f"another ledger. {_STOP}"
        )
    return later


def verify_texts(digests: Iterable[tuple[Any, str]], expected: dict[int, str]) -> None:
    """Check all stored releases against the hashes that the chain has of them.

    Args:
        digests: Number and hash of each.
        expected: Their hashes, by number.
    """
    count = 0
    for number, digest in digests:
        count += 1
        if expected.get(number) != digest:
            raise LedgerError(f"the stored release of entry {number} was changed. {_STOP}")
    if count != len(expected):
        raise LedgerError(f"a stored release is missing from the ledger, or there is one too many. {_STOP}")


_STOP = "Nothing was charged or shown. Find out who changed it, and restore the newest copy that verifies."
