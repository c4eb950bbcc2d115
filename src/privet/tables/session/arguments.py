"""What a session is opened with: sources, codebooks, or the few facts of a first try."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.accounting.losses.loss import Budget
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.codebook import WRITE_UNIT, Codebook
from privet.tables.codebook.from_frame import describe_columns, read_names
from privet.tables.codebook.given_codebook import Codebooks, check_order, is_one_codebook, read_codebook
from privet.tables.columns import PrivacyUnit
from privet.tables.engines.sources import NamedRows, check_present

Facts = Mapping[str, Any] | None
_FACTS = ("types", "bounds", "categories", "nulls")


@final
@frozen(kw_only=True)
class FirstTry:
    """What a person knows of a table before there is a codebook.

    Args:
        unit: The privacy unit.
        types: The type of each column that the schema has none of.
        bounds: Where the values of a column lie.
        categories: The values that a column may have.
        nulls: What a query makes of nulls.
        sample: The path of a public file that shows the types that the schema lacks.
    """

    unit: PrivacyUnit | None = None
    types: Facts = None
    bounds: Facts = None
    categories: Facts = None
    nulls: Facts = None
    sample: str | Path | None = None

    @property
    def given(self) -> list[str]:
        """The names of what was given."""
        return [name for name in ("unit", *_FACTS, "sample") if getattr(self, name) is not None]

    def codebook(self, source: object, columns: Iterable[str] | None) -> Codebook:
        """Make a codebook of the schema of the source and these facts."""
        facts = {name: getattr(self, name) for name in _FACTS}
        made = describe_columns("Session", source, columns=columns, sample=self.sample, stacklevel=6, **facts)
        return Codebook(columns=made, unit=self.unit)  # type: ignore[arg-type] # its validators read them


def read_tables(
    source: object, codebook: object, facts: FirstTry, columns: Iterable[str] | None
) -> tuple[dict[str, object], dict[str, Codebook]]:
    """Read one source with one codebook, or several of both by name.

    Args:
        source: The data.
        codebook: What is publicly known of them; None for a first try.
        facts: What is known where there is no codebook.
        columns: The names of the positions of a list; for a first try, the columns to use.
    """
    if isinstance(codebook, Budget):
        raise WrongTypeError(
            "Session.codebook must be a codebook, got a budget: the second argument is the codebook. Write "
            "budget=pv.budget(...)."
        )
    names = list(columns) if columns is not None and not isinstance(columns, str) else columns
    if codebook is None:
        book = _first_codebook(source, facts, names)
    elif facts.given:
        raise WrongTypeError(
            f"Session takes a codebook, or {', '.join(f'{name}=' for name in facts.given)} for a first try without "
            "one, not both. Write these facts in the codebook."
        )
    elif _are_several(source, codebook):
        return _several(source, codebook, names)  # type: ignore[arg-type] # mappings, as was just seen
    else:
        check_order("Session", source, codebook)
        book = read_codebook("Session", codebook)
    table = book.table or "data"
    return {table: _named(table, source, book, names, first=codebook is None)}, {table: book}


def _first_codebook(source: object, facts: FirstTry, names: Iterable[str] | None) -> Codebook:
    if facts.unit is None:
        first = "Session.codebook is missing" if not facts.given else "Session.unit is missing"
        raise WrongTypeError(
            f"{first}: give a Codebook or the path of one, or say what is protected for a first try without one. "
            f"{WRITE_UNIT}"
        )
    return facts.codebook(source, names)


def _are_several(source: object, codebook: object) -> bool:
    """Tell tables by name from one table whose codebook is a dictionary."""
    if not isinstance(codebook, Mapping):
        if isinstance(source, Mapping) and not is_one_codebook(source):
            raise WrongTypeError(
                "Session: sources by name need codebooks by the same names, {'visits': codebook, ...}. A dictionary of "
                "columns is no source: make a frame or an Arrow table of it first."
            )
        return False
    return isinstance(source, Mapping) or not is_one_codebook(codebook)


def _several(
    source: object, codebook: Mapping[Any, Codebooks], names: object
) -> tuple[dict[str, object], dict[str, Codebook]]:
    if names is not None:
        raise WrongTypeError("Session.columns is for one list of rows; several tables take lists of dictionaries.")
    if isinstance(source, Mapping) and is_one_codebook(codebook) and set(source) != set(codebook):
        raise WrongTypeError(
            "Session: the codebook is one codebook, with the keys "
            f"{', '.join(map(repr, codebook))}, but there are sources by name, {', '.join(map(repr, source))}. Give "
            "codebooks by the same names: {'visits': codebook, ...}."
        )
    if not isinstance(source, Mapping) or set(source) != set(codebook) or not codebook:
        there = ", ".join(map(repr, source)) if isinstance(source, Mapping) else f"one {type(source).__name__}"
        raise WrongTypeError(
            "Session: several tables need sources and codebooks by the same names, got sources "
            f"{there} and codebooks {', '.join(map(repr, codebook)) or 'of none'}. One codebook as a dictionary has "
            "the keys columns and unit."
        )
    books = {name: read_codebook("Session", each) for name, each in codebook.items()}
    return {name: source[name] for name in books}, books


def _named(table: str, source: object, book: Codebook, names: Any, *, first: bool) -> object:
    """Give a list with the names of its positions; other sources have names of their own."""
    if names is None:
        return source
    if not isinstance(source, list):
        if first:
            return source
        raise InvalidError(
            "Session.columns names the positions of a list of rows, and this source has names of its own; the codebook "
            "chooses columns."
        )
    listed = tuple(read_names("Session", names))
    check_present(table, listed, {name: item.column for name, item in book.columns.items()})
    return NamedRows(source, listed)


def check_delimiter_use(sources: Mapping[str, object], delimiter: object) -> None:
    """Refuse a delimiter where no source is a text file."""
    if delimiter is not None and not any(isinstance(each, str | Path) for each in sources.values()):
        raise InvalidError("Session.delimiter is for text files such as visits.csv; this source is none.")
