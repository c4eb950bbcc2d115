"""Where a ledger is kept: transactions that are durable or did not happen. A file is one place, a server another."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

from privet.ledger.chain import Head


class Transaction(ABC):
    """What one transaction sees, and what it appends."""

    @abstractmethod
    def head(self) -> Head:
        """The last entry, as the store states it."""

    @abstractmethod
    def entries(self, after: int | None = None) -> Iterable[tuple[Any, Any, Any]]:
        """Number, text and hash of all entries, by number; or of those after a number."""

    @abstractmethod
    def digest(self, after: int, last: int) -> str | None:
        """Hash the entries after a number up to another, as a ``Fingerprint`` writes them.

        Args:
            after: The number before the first one; with 0, entries of lower numbers count too.
            last: The last number.

        Returns:
            SHA-256 in hexadecimal digits; None where their count is not ``last - after`` or one is no text.
        """

    @abstractmethod
    def release_digests(self) -> Iterable[tuple[Any, str]]:
        """Number and SHA-256, in hexadecimal digits, of all stored releases; empty for one that is not bytes."""

    @abstractmethod
    def text(self, number: int) -> Any:
        """The stored release of an entry; None where there is none."""

    @abstractmethod
    def append(self, head: Head, text: str, stored: bytes | None = None) -> None:
        """Add an entry.

        Args:
            head: Its number and its hash.
            text: The entry.
            stored: A release to store with it.
        """


class Store(ABC):
    """A place of entries that are only ever added.

    Guarantee: ``writing`` excludes all other writers from before it reads. When it ends without an exception,
        everything that was appended survives a crash of the machine. When it ends with one, either all or nothing was
        appended, and the exception is a ``LedgerError``.
    """

    @abstractmethod
    def reading(self) -> AbstractContextManager[Transaction]:
        """See one state of the store."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Transaction]:
        """See the newest state, and append to it."""

    @abstractmethod
    def describe(self) -> str:
        """Say where it is, for messages."""
