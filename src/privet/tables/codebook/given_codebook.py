"""Codebooks as people hand them over: an object, a path, a dictionary; and what is no codebook but data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.errors import WrongTypeError
from privet.tables.codebook.codebook import Codebook

Codebooks = Codebook | str | Path | Mapping[str, Any]
_DATA_FILES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_CODEBOOK_FILES = (".yaml", ".yml")
_FRAMES = ("pandas", "polars", "pyarrow")


def is_one_codebook(given: Mapping[Any, Any]) -> bool:
    """Tell a codebook that is a dictionary from codebooks by name: by its keys and the types of their values.

    >>> is_one_codebook({"columns": {"age": int}, "unit": {"rows": 1}}), is_one_codebook({"visits": "visits.yaml"})
    (True, False)
    """
    if "columns" not in given and "unit" not in given:
        return False
    return not all(
        isinstance(each, Codebook | str | Path) or (isinstance(each, Mapping) and "columns" in each and "unit" in each)
        for each in given.values()
    )


def read_codebook(where: str, given: object) -> Codebook:
    """Take a codebook, or read it from a path or a dictionary.

    Args:
        where: Who needs it, for messages.
        given: What was handed over.
    """
    if isinstance(given, Codebook):
        return given
    if is_data(given):
        raise WrongTypeError(
            f"{where}.codebook must be a codebook, got {describe_given(given)}, which looks like data. Give the source "
            "first, then the codebook."
        )
    if isinstance(given, str | Path):
        return Codebook.read(given)
    if isinstance(given, Mapping):
        return Codebook.from_dict(given)
    if given is None:
        raise WrongTypeError(f"{where}.codebook is missing: give a Codebook, the path of one, or a dictionary.")
    raise WrongTypeError(
        f"{where}.codebook must be a Codebook, the path of one, or a dictionary, got {type(given).__name__}."
    )


def check_order(where: str, source: object, codebook: object) -> None:
    """Refuse a source and a codebook that are the wrong way round: told by types and names alone."""
    if not is_codebook(source):
        return
    if is_data(codebook):
        both = isinstance(source, str | Path) and isinstance(codebook, str | Path)
        write = f"{str(codebook)!r}, {str(source)!r}" if both else "source, codebook"
        raise WrongTypeError(
            f"{where}: source and codebook are the wrong way round: the first is {describe_given(source)}, the second "
            f"{describe_given(codebook)}. Write {where}({write}, ...)."
        )
    raise WrongTypeError(
        f"{where}.source must be data, got {describe_given(source)}. Give the source first, then the codebook."
    )


def is_codebook(given: object) -> bool:
    """Tell a codebook by its type, its keys or the name of its file."""
    if isinstance(given, str | Path):
        return str(given).lower().endswith(_CODEBOOK_FILES)
    return isinstance(given, Codebook) or (isinstance(given, Mapping) and is_one_codebook(given))


def is_data(given: object) -> bool:
    """Tell data by their type or the name of their file."""
    if isinstance(given, str | Path):
        return str(given).lower().endswith(_DATA_FILES)
    return isinstance(given, list) or type(given).__module__.partition(".")[0] in _FRAMES


def describe_given(given: object) -> str:
    """Say what was handed over, by its type or the name of its file."""
    if isinstance(given, str | Path):
        kind = "the codebook" if is_codebook(given) else "the data file"
        return f"{kind} {str(given)!r}"
    if isinstance(given, Mapping):
        return "a codebook as a dictionary"
    return f"a {type(given).__name__}"
