"""Known mistakes, to be put back for a while: the fuzzer must find each of them within minutes."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from attrs import frozen


@frozen
class Defect:
    """A mistake and the kind of random inputs that must find it.

    Args:
        kind: A name of ``KINDS``.
        planted: A context in which the package has the mistake.
    """

    kind: str
    planted: Callable[[], AbstractContextManager[object]]


DEFECTS: dict[str, Defect] = {}
