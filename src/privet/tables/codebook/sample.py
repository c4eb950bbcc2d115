"""Types from a public sample: the one place where a codebook comes from values, and only from a file named for it."""

import csv
from pathlib import Path

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.csv_header import is_text_file, read_header
from privet.tables.codebook.source_schema import read_columns
from privet.tables.codebook.value_shapes import Guess, guess_kind

Guesses = dict[str, Guess]


def read_sample(where: str, source: object, sample: object) -> Guesses:
    """Give the types that the values of a sample have, by column; all of the sample is read.

    Args:
        where: Who reads it, for messages.
        source: The private data, which must be another file.
        sample: The path of a CSV, Parquet or Arrow file that everybody may see.
    """
    if sample is None:
        return {}
    if not isinstance(sample, str | Path):
        raise WrongTypeError(f"{where}.sample must be the path of a public file, got {type(sample).__name__}.")
    path = Path(sample)
    if not path.is_file():
        raise InvalidError(f"{where}.sample: there is no file {str(path)!r}; check the path.")
    if isinstance(source, str | Path) and Path(source).is_file() and Path(source).samefile(path):
        raise InvalidError(
            f"{where}.sample must be public, and {str(path)!r} is the private file itself: its values would decide the "
            "codebook. Write a few made-up rows into another file and give that."
        )
    if not is_text_file(path):
        return {name: Guess(kind) for name, kind, _ in read_columns(path) if kind is not None}
    return _of_text(where, path)


def _of_text(where: str, path: Path) -> Guesses:
    names, delimiter = read_header(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.reader(stream, delimiter=delimiter))[1:]
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InvalidError(
            f"{where}.sample: {str(path)!r} must be a CSV file in UTF-8 that is not packed; save it as one."
        ) from None
    guesses = {name: guess_kind([row[at] for row in rows if at < len(row)]) for at, name in enumerate(names)}
    return {name: guess for name, guess in guesses.items() if guess is not None}
