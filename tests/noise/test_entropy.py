"""The stream never repeats: not within a process, not across threads, forks or fresh interpreters."""

import copy
import hashlib
import os
import pickle
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import privet.noise.entropy as entropy_module
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.noise.entropy import SystemEntropy, current
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy

KIB64 = 1 << 16
PROCESSES = [8, pytest.param(64, marks=pytest.mark.long)]
SPAWNED = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("entropy_alone", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
source = module.current()
small = b"".join(source.bytes(16) for _ in range(2048))
sys.stdout.buffer.write(small + source.bytes(1 << 15))
"""


def drawn() -> bytes:
    """64 KiB, half of it in small draws through the pool."""
    source = current()
    return b"".join(source.bytes(16) for _ in range(2048)) + source.bytes(KIB64 // 2)


def assert_no_shared_block(streams: list[bytes]) -> None:
    """No 128-bit block occurs twice; by chance this fails with probability below 2^-90."""
    blocks = [stream[i : i + 16] for stream in streams for i in range(0, len(stream), 16)]
    assert len(set(blocks)) == len(blocks)


@pytest.mark.parametrize("processes", PROCESSES)
def test_forked_children_share_nothing(processes: int) -> None:
    current().bytes(16)  # a pool that a careless child would inherit
    streams = []
    for _ in range(processes):
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the test's own fork, beside numpy's threads
            child = os.fork()
        if child == 0:
            try:
                os.close(reader)
                with os.fdopen(writer, "wb") as sink:
                    sink.write(drawn())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as stream:
            streams.append(stream.read())
        os.waitpid(child, 0)
    streams.append(drawn())
    assert {len(stream) for stream in streams} == {KIB64}
    assert_no_shared_block(streams)


@pytest.mark.parametrize("processes", PROCESSES)
def test_fresh_interpreters_share_nothing(processes: int) -> None:
    path = Path(str(entropy_module.__file__))
    environment = {**os.environ, "PYTHONPATH": str(path.parents[2])}

    def run(_: int) -> bytes:
        command = [sys.executable, "-c", SPAWNED, str(path)]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    with ThreadPoolExecutor(2) as pool:
        streams = list(pool.map(run, range(processes)))
    assert {len(stream) for stream in streams} == {KIB64}
    assert_no_shared_block(streams)


def test_threads_share_nothing_even_through_one_object() -> None:
    source, streams = SystemEntropy(), []

    def work() -> None:
        streams.append(b"".join(source.bytes(16) for _ in range(4096)))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(streams) == 16
    assert_no_shared_block(streams)


def test_small_and_large_draws_share_nothing() -> None:
    source = SystemEntropy()
    streams = [source.bytes(n) for n in (16, 4096, 16, 256, 272, 1 << 17, 16, 4080, 256, 16)]
    assert_no_shared_block(streams)


def test_a_fork_that_ran_no_hook_is_seen_by_the_process_number() -> None:
    source = SystemEntropy()
    source.bytes(16)
    stream = source._stream
    cipher, inherited = stream.cipher, stream.pool.getvalue()
    stream.process = -1
    assert source.bytes(16) not in inherited
    assert stream.cipher is not cipher
    assert stream.process == os.getpid()


def test_a_fork_that_reuses_a_process_number_is_seen_by_the_hook() -> None:
    source = SystemEntropy()
    source.bytes(16)
    stream = source._stream
    cipher, inherited = stream.cipher, stream.pool.getvalue()
    entropy_module._forked()
    assert source.bytes(16) not in inherited
    assert stream.cipher is not cipher


def test_the_key_is_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy_module, "_LIFETIME", 10_000)
    source = SystemEntropy()
    first = source._stream.cipher
    source.bytes(6_000)
    assert source._stream.cipher is first
    source.bytes(6_000)
    assert source._stream.cipher is not first


@pytest.mark.parametrize("source", [SystemEntropy(), RecordingEntropy()])
def test_a_source_cannot_be_copied_or_saved(source: object) -> None:
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(WrongTypeError, match="copied or pickled"):
            attempt(source)


def test_there_is_no_seed() -> None:
    with pytest.raises(TypeError):
        SystemEntropy(1)  # type: ignore[call-arg]


def test_words_are_the_drawn_bytes_and_cannot_be_overwritten() -> None:
    words = ScriptedEntropy(bytes(range(8))).words(4, np.uint16)
    assert words.tolist() == [0x0100, 0x0302, 0x0504, 0x0706]
    assert not words.flags.writeable
    assert current().words(0, np.uint64).size == 0
    with pytest.raises(WrongTypeError, match="unsigned"):
        current().words(3, np.int64)


def test_below_takes_every_value_and_refuses_the_rest() -> None:
    # 3 bits from one byte each: 7, 6 and 5 are refused for a bound of 5
    source = ScriptedEntropy(bytes([7 << 5, 6 << 5, 5 << 5, 4 << 5, 0]))
    assert source.below(5) == 4
    assert source.below(5) == 0
    assert source.exhausted
    assert current().below(1) == 0
    assert 0 <= current().below(10**50) < 10**50
    with pytest.raises(PrivetError):
        current().below(0)
    with pytest.raises(InvalidError, match="1 or more, got -3"):
        current().below(-3)


def test_bits_have_their_length() -> None:
    assert ScriptedEntropy(b"\xff" * 9).bits(65) == 2**65 - 1
    assert current().bits(0) == 0


def test_bytes_look_uniform() -> None:
    """A sanity check only; counts of 2^20 bytes stay within 7 standard deviations."""
    counts = np.bincount(current().words(1 << 20, np.uint8), minlength=256)
    assert np.abs(counts - 4096).max() < 7 * 64


def test_a_recording_replays() -> None:
    first, second = RecordingEntropy(5), RecordingEntropy(5)
    assert hashlib.sha256(first.bytes(1000)).digest() == hashlib.sha256(second.bytes(1000)).digest()
    assert first.handed_out == 1000
