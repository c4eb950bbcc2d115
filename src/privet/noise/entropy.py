"""The only randomness of Privet: a cryptographic stream keyed by the operating system.

The stream is AES-256 in counter mode. Every thread has its own stream, and a forked child starts a new one. A stream
cannot be seeded, copied or saved: an attacker could subtract noise that can be replayed.
"""

import os
import threading
from abc import ABC, abstractmethod
from io import BytesIO
from typing import Any, NoReturn, TypeAlias, final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import DTypeLike, NDArray

from privet.errors import InvalidError, WrongTypeError

_POOL = 1 << 12  # bytes in reserve, so that a draw of a few bytes does not call the cipher
_SMALL = 1 << 8
_BLOCK = bytes(1 << 16)
_LIFETIME = 1 << 36  # bytes under one key, far below the 2^68 after which counter mode becomes distinguishable

# The method ``bytes`` hides the type of that name, so annotations use another name.
Bytes: TypeAlias = bytes


class Entropy(ABC):
    """A source of independent, uniform random bits.

    A source makes raw bytes; this class turns them into whole numbers and arrays. No byte is used twice.
    """

    @abstractmethod
    def _fill(self, n: int) -> Bytes:
        """Make ``n`` fresh bytes."""

    def bytes(self, n: int) -> Bytes:
        """Draw ``n`` random bytes."""
        return self._fill(n)

    def words(self, n: int, dtype: DTypeLike) -> NDArray[Any]:
        """Draw ``n`` unsigned words of a numpy type, as a read-only array."""
        kind = np.dtype(dtype)
        if kind.kind != "u":
            raise WrongTypeError(f"Entropy.words needs an unsigned integer dtype, got {kind}.")
        return np.frombuffer(self._fill(n * kind.itemsize), dtype=kind)

    def bits(self, k: int) -> int:
        """Draw a whole number of ``k`` random bits, uniform on 0 .. 2^k - 1."""
        n = (k + 7) >> 3
        return int.from_bytes(self._fill(n), "little") >> ((n << 3) - k)

    def below(self, bound: int) -> int:
        """Draw a whole number, uniform on 0 .. bound - 1.

        The number of attempts depends on ``bound`` and on the rejected numbers, never on the result.
        """
        if bound < 1:
            raise InvalidError(f"Entropy.below needs a bound of 1 or more, got {bound}.")
        k = (bound - 1).bit_length()
        while True:
            value = self.bits(k)
            if value < bound:
                return value

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise WrongTypeError("an Entropy cannot be copied or pickled: both copies would draw the same noise.")


class _Generation:
    """Counts the forks that led to this process."""

    number = 0


def _forked() -> None:
    _Generation.number += 1


if hasattr(os, "register_at_fork"):  # absent where there is no fork
    os.register_at_fork(after_in_child=_forked)


class _Stream(threading.local):
    """The key stream of one thread: a cipher, a pool of unused bytes, and where and when it was keyed."""

    def __init__(self) -> None:
        self.pool = BytesIO()
        self.rekey()

    def rekey(self) -> None:
        self.process, self.generation = os.getpid(), _Generation.number
        self.cipher = Cipher(algorithms.AES(os.urandom(32)), modes.CTR(os.urandom(16))).encryptor()
        self.pool = BytesIO()
        self.made = 0

    def is_ours(self) -> bool:
        # The hook misses forks by foreign code; the process number misses a child that reuses a number.
        return self.generation == _Generation.number and self.process == os.getpid()

    def make(self, n: int) -> Bytes:
        if self.made + n > _LIFETIME:
            self.rekey()
        self.made += n
        if n <= len(_BLOCK):
            return self.cipher.update(memoryview(_BLOCK)[:n])
        whole, rest = divmod(n, len(_BLOCK))
        parts = [self.cipher.update(_BLOCK) for _ in range(whole)]
        parts.append(self.cipher.update(memoryview(_BLOCK)[:rest]))
        return b"".join(parts)

    def take(self, n: int) -> Bytes:
        if n > _SMALL:
            return self.make(n)
        # One read copies the bytes and moves past them, so a signal handler that also draws gets other bytes.
        data = self.pool.read(n)
        if len(data) < n:
            pool = BytesIO(self.make(_POOL))
            data = pool.read(n)
            self.pool = pool
        return data


@final
class SystemEntropy(Entropy):
    """Random bits for releases: AES-256-CTR under a key from the operating system.

    Threads never share a stream, a forked child discards the inherited stream, and the key is renewed every 2^36 bytes.
    There is no seed.

    >>> 0 <= SystemEntropy().below(10) < 10
    True
    """

    def __init__(self) -> None:
        self._stream = _Stream()

    def _fill(self, n: int) -> Bytes:
        stream = self._stream
        data = stream.take(n)
        # Check after the bytes are taken: a fork between an earlier check and the draw would go unnoticed.
        if not stream.is_ours():
            stream.rekey()
            data = stream.take(n)
        return data


_shared = SystemEntropy()


def current() -> Entropy:
    """Return the default source of all samplers; safe to call from any thread.

    >>> len(current().bytes(16))
    16
    """
    return _shared
