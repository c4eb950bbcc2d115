"""Templates of codebooks: from a schema alone, with the questions that only a person can answer.

No value of the data is looked at: of a CSV file the header is read byte by byte and nothing behind it, of a Parquet
file the names and types only (its footer also holds minima and maxima), of data frames the types of their columns.
Where the schema has no types, a public sample may show them.
"""

from pathlib import Path

from attrs import evolve

from privet.core import count_text
from privet.errors import WrongTypeError
from privet.tables.codebook.csv_header import is_text_file
from privet.tables.codebook.keys import CODEBOOK
from privet.tables.codebook.sample import Guesses, read_sample
from privet.tables.codebook.source_schema import Schema, read_schema
from privet.tables.codebook.tree import OPEN
from privet.tables.codebook.values import check_text
from privet.tables.codebook.write import comments, flow
from privet.tables.columns import check_names

_WITHOUT_TYPES = (
    "The type of {} is missing, since {} has no types. Replace each {} after type: with the type of the column. Or let "
    "a public file of made-up rows show the types: privet codebook init FILE --sample PUBLIC.csv."
)


def template(source: object, *, sample: str | Path | None = None) -> str:
    """Write a codebook with open questions (``???``) for a file, a data frame or an Arrow schema.

    Args:
        source: The path of a CSV (``.csv``, ``.tsv``, ``.txt``), Parquet or Arrow file; a pandas or polars frame;
            anything of Arrow that has a schema.
        sample: The path of a *public* file with the same columns, such as made-up rows. Types that the schema of the
            source does not have come from its values; nothing of the private data is read for them.

    >>> import pyarrow as pa
    >>> print(template(pa.schema({"age": pa.int64()})).partition("columns:")[2])
    <BLANKLINE>
      age:
        type: integer
        bounds: ???  # [lower, upper]; delete this line where it is an identifier or a code
    <BLANKLINE>
    """
    schema = with_sample(read_schema("a template", source), read_sample("template", source, sample))
    shown = sample is not None
    if not isinstance(source, str | Path):
        return _write("a schema", "its names and types", schema, shown=shown)
    path = Path(source)
    if not is_text_file(path):
        return _write(path.name, "its names and types", schema, shown=shown)
    read = "its first line; if that is not a header but data, throw this file away"
    return _write(path.name, read, schema, shown=shown)


def with_sample(schema: Schema, guesses: Guesses) -> Schema:
    """Give the schema with the types that a sample shows, where the source itself has none."""
    open_columns = {name for name, kind, note in schema.columns if kind is None and not note and name in guesses}
    columns = tuple(
        (name, guesses[name].kind if name in open_columns else kind, note) for name, kind, note in schema.columns
    )
    written = {}
    for name in open_columns:
        guess = guesses[name]
        keys = [("format", guess.format)] if guess.format else []
        lines = [f"{key}: {flow(_listed(value))}" for key, value in (*keys, *guess.keys)]
        if lines:
            written[name] = (*lines[:-1], lines[-1] + (f"  # {guess.note}" if guess.note else ""))
    return evolve(schema, columns=columns, notation=written)


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def missing_types(schema: Schema) -> list[str]:
    """Name the columns whose types are not known from the schema."""
    return [name for name, kind, note in schema.columns if kind is None and not note]


def _write(source: str, read: str, schema: Schema, *, shown: bool) -> str:
    names = [name for name, _, _ in schema.columns]
    for position, name in enumerate(names):
        check_text(f"the name of column {position + 1}", name)
    check_names("the names of columns", names)
    if not any(kind is not None or not note for _, kind, note in schema.columns):
        raise WrongTypeError("a codebook needs at least one column of a type that has a kind here.")
    replace = f"Replace every {OPEN} from what is publicly known, never from the data. Delete columns nobody needs."
    first, *rest = CODEBOOK.template(schema)
    about = [*comments(f"A codebook for {source}, made from {read}."), *comments(replace)]
    about += comments("Types that the schema does not have come from the public sample.") if shown else []
    missing = missing_types(schema)
    if missing:
        about += comments(_WITHOUT_TYPES.format(count_text(len(missing), "column"), source, OPEN))
    return "\n".join((first, "", *about, "", *rest)) + "\n"
