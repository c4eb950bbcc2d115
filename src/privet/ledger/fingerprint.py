"""Hashes of the entries that were checked, so that the next check need not go through them one by one.

A chain is checked entry by entry, in Python. Whether a store still has the entries that were checked is a question of
one hash of all their bytes, which the engine of the store joins at its own speed.
"""

from hashlib import sha256
from typing import final

from privet.ledger.chain import Head
from privet.ledger.store import Transaction

BLOCK = 10_000  # entries with one hash: some megabytes, so that no engine refuses them joined


@final
class Fingerprint:
    """Hashes of the entries that were checked, by blocks of their numbers.

    An entry is written as its text, a tab and its hash; a line feed parts two of them. Canonical JSON has neither sign
    in it. As many rows as lines therefore means: row by row the same text and the same hash.

    Guarantee: where ``is_kept_by`` says yes, a store has exactly the entries that were added, or a collision of SHA-256
        was found.
    """

    def __init__(self) -> None:
        self._count = 0
        self._full: list[str] = []
        self._last = sha256()

    def add(self, head: Head, text: str) -> None:
        """Take in the next entry, after it was checked.

        Args:
            head: Its number and hash.
            text: The entry.
        """
        if self._count and self._count % BLOCK == 0:
            self._full.append(self._last.hexdigest())
            self._last = sha256()
        start = "\n" if self._count % BLOCK else ""
        self._last.update(f"{start}{text}\t{head.hash}".encode())
        self._count += 1

    def is_kept_by(self, transaction: Transaction) -> bool:
        """Say whether a store has all entries that were added, and no others up to their last number."""
        blocks = [*self._full, self._last.hexdigest()] if self._count else []
        return all(
            transaction.digest(at * BLOCK, min((at + 1) * BLOCK, self._count)) == digest
            for at, digest in enumerate(blocks)
        )
