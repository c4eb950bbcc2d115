"""The only randomness of Privet: a cryptographic stream keyed by the operating system.

The stream is AES-256 in counter mode. Every thread has a stream of its own, a forked child starts a new one, and no
stream can be seeded, copied or saved: noise that can be replayed can be subtracted.
"""

import os
import threading
from abc import ABC, abstractmethod
from io import BytesIO
from typing import Any, NoReturn, TypeAlias, final

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from privet.errors import InvalidError, WrongTypeError

_POOL = 1 << 12  # bytes kept ready, so that a draw of a few bytes does not pay for a call of the cipher
_SMALL = 1 << 8
_BLOCK = bytes(1 << 16)
_LIFETIME = 1 << 36  # bytes under one key, far below the 2^68 after which counter mode becomes distinguishable

# A method is called ``bytes`` below, so the type needs a second name in annotations.
Bytes: TypeAlias = bytes


class Entropy(ABC):
    """A source of independent, uniform random bits.

    A source says how to make raw bytes; whole numbers and arrays are cut from them here. No byte is handed out twice.
    """

    @abstractmethod
    def _fill(self, n: int) -> Bytes:
        """Make ``n`` fresh bytes."""

    def bytes(self, n: int) -> Bytes:
        """Draw ``n`` random bytes."""
        return self._fill(n)

    def words(self, n: int, dtype: Any) -> NDArray[Any]:
        """Draw ``n`` unsigned words of a numpy type, as an array that cannot be written to."""
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

        The number of attempts depends on ``bound`` and on numbers that are thrown away, never on the result.
        """
        if bound < 1:
            raise InvalidError(f"Entropy.below needs a bound of 1 or more, got {bound}.")
        k = (bound - 1).bit_length()
        while True:
            value = self.bits(k)
            if value < bound:
                return value

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise WrongTypeError("an Entropy cannot be copied or pickled: two holders would draw the same noise.")


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
        # The hook misses a fork made by foreign code, the process number misses one that reuses a number.
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
        # One read both copies the bytes and moves past them, so a signal handler that also draws sees others.
        data = self.pool.read(n)
        if len(data) < n:
            pool = BytesIO(self.make(_POOL))
            data = pool.read(n)
            self.pool = pool
        return data


@final
class SystemEntropy(Entropy):
    """Random bits for releases: AES-256-CTR under a key from the operating system.

    Threads never share a stream, a forked child throws away what it inherited, and the key is renewed every 2^36
    bytes. It takes no seed.

    >>> 0 <= SystemEntropy().below(10) < 10
    True
    """

    def __init__(self) -> None:
        self._stream = _Stream()

    def _fill(self, n: int) -> Bytes:
        stream = self._stream
        data = stream.take(n)
        # Asked after the bytes are taken: a fork between the question and the draw would go unseen.
        if not stream.is_ours():
            stream.rekey()
            data = stream.take(n)
        return data


_shared = SystemEntropy()


def current() -> Entropy:
    """Return the source that samplers use unless they are told otherwise; safe to call from any thread.

    >>> len(current().bytes(16))
    16
    """
    return _shared
