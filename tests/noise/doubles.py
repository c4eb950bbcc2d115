"""Sources of randomness for tests: replayable, counted, scripted. Never for a release."""

import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from privet.noise.entropy import Entropy


class RecordingEntropy(Entropy):
    """A stream made from a seed; ``handed_out`` counts the bytes."""

    def __init__(self, seed: int = 0) -> None:
        key = hashlib.sha256(f"privet tests {seed}".encode()).digest()
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
        self.handed_out = 0

    def _fill(self, n: int) -> bytes:
        self.handed_out += n
        return self._cipher.update(bytes(n))


class ScriptedEntropy(Entropy):
    """Hands out the given bytes first, then continues from a seed."""

    def __init__(self, script: bytes, seed: int = 0) -> None:
        self._script = script
        self._rest = RecordingEntropy(seed)

    @property
    def exhausted(self) -> bool:
        return not self._script

    def _fill(self, n: int) -> bytes:
        head, self._script = self._script[:n], self._script[n:]
        return head + self._rest.bytes(n - len(head))


def little(value: int, size: int) -> bytes:
    """The bytes that a draw of ``size`` bytes reads as this number."""
    return value.to_bytes(size, "little")
