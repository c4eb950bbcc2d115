"""Formats of files: every file that Privet writes begins with ``format: name/version``.

A file of a newer version is refused with the version that is needed. A file of an older one, or without a format (as
files were written before there were formats), is read for ever.
"""

import re

from privet.errors import InvalidError

_FORMAT = re.compile(r"([a-z][a-z-]{0,40})/([1-9][0-9]{0,5})", flags=re.ASCII)


def write_format(name: str, version: int) -> str:
    """Write the format of a file.

    >>> write_format("codebook", 1)
    'codebook/1'
    """
    return f"{name}/{version}"


def check_format(name: str, newest: int, written: object) -> int:
    """Give the version of a file, or refuse a file that this version of Privet cannot read.

    Args:
        name: What the file should hold, such as ``codebook``.
        newest: The newest version that can be read.
        written: What the file says, such as ``codebook/1``; None where it says nothing.

    Returns:
        The version, from 1; 0 for a file without a format.

    >>> check_format("codebook", 1, "codebook/1"), check_format("codebook", 1, None)
    (1, 0)
    >>> check_format("codebook", 1, "codebook/2")
    Traceback (most recent call last):
    ...
    privet.errors.InvalidError: format: codebook/2 needs a newer version of Privet: this one reads up to codebook/1.
    """
    if written is None:
        return 0
    parts = _FORMAT.fullmatch(written) if isinstance(written, str) else None
    if parts is None:
        got = repr(written[:40]) if isinstance(written, str) else type(written).__name__
        raise InvalidError(f"format must be written as {write_format(name, newest)}, got {got}.")
    if parts[1] != name:
        raise InvalidError(f"format: this file is a {parts[1]} ({parts[0]}), and a {name} is needed.")
    if int(parts[2]) > newest:
        raise InvalidError(
            f"format: {parts[0]} needs a newer version of Privet: this one reads up to {write_format(name, newest)}."
        )
    return int(parts[2])
