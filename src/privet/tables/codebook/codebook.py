"""The codebook: what is publicly known of a table, written before anyone looks at it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from attrs import field, frozen

from privet.accounting.sampling.population import Population
from privet.core.checks import short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.nulls import NullsDropped
from privet.tables.codebook.problem import closest
from privet.tables.codebook.values import check_text
from privet.tables.columns.column import Column
from privet.tables.columns.implication import Implication, count_periods, implied
from privet.tables.columns.timestamps import to_date
from privet.tables.columns.unit import Period, Persons, PrivacyUnit, Rows

_Columns = tuple[tuple[str, CodebookColumn], ...]


def _pairs(value: Any) -> _Columns:
    if not isinstance(value, Mapping):
        raise WrongTypeError(f"Codebook.columns must be a mapping from names to columns, got {type(value).__name__}.")
    return tuple((name, CodebookColumn(item) if isinstance(item, Column) else item) for name, item in value.items())


@final
@frozen(kw_only=True, repr=False)
class Codebook:
    """What is publicly known of a table: its columns, the privacy unit, and how its rows came about.

    Args:
        columns: A mapping from names to ``column(...)``, or to a bare ``Column``; other columns of a source are not
            used.
        unit: What is protected: ``Rows(...)`` or ``Persons(...)``.
        table: The name of the table in SQL; None for the name of the source.
        description: What the table is about, for people.
        sampling: That the data are a secret sample of a population: asserted, never checked, and marked wherever it is
            used.

    >>> from privet.tables.codebook.column import column
    >>> visits = Codebook(
    ...     table="visits",
    ...     unit=Persons(id="patient", rows=20),
    ...     columns={"patient": column("text"), "duration": column("real", bounds=(0, 600))},
    ... )
    >>> visits
    Codebook(table='visits', unit=Persons(id='patient', rows=20), columns=[patient: text, duration: real])
    >>> Codebook.from_dict(visits.to_dict()) == visits
    True
    """

    _columns: _Columns = field(converter=_pairs)
    unit: PrivacyUnit = field()
    table: str | None = field(default=None)
    description: str = field(default="")
    sampling: Population | None = field(default=None)

    @_columns.validator
    def _check_columns(self, _: Any, value: _Columns) -> None:
        if not value:
            raise InvalidError("Codebook.columns must name at least one column.")
        for name, item in value:
            if not isinstance(name, str):
                raise WrongTypeError(f"Codebook.columns must have names as keys, got {type(name).__name__}.")
            check_text("Codebook.columns: a name", name)
            if not isinstance(item, CodebookColumn):
                raise WrongTypeError(
                    f"Codebook.columns[{name!r}] must be made by column(...), got {type(item).__name__}."
                )
        check_names("Codebook.columns", [name for name, _ in value])

    @unit.validator
    def _check_unit(self, _: Any, value: Any) -> None:
        if not isinstance(value, Rows | Persons):
            raise WrongTypeError(f"Codebook.unit must be Rows(...) or Persons(...), got {type(value).__name__}.")
        if isinstance(value, Persons):
            check_identifier("Codebook.unit.id", value.id, self.columns)
            check_period("Codebook.unit.period", value.period, self.columns)

    @table.validator
    def _check_table(self, _: Any, value: Any) -> None:
        if value is not None:
            check_table("Codebook.table", value)

    @description.validator
    def _check_description(self, _: Any, value: Any) -> None:
        if not isinstance(value, str):
            raise WrongTypeError(f"Codebook.description must be text, got {type(value).__name__}.")
        check_text("Codebook.description", value)

    @sampling.validator
    def _check_sampling(self, _: Any, value: Any) -> None:
        if value is not None and not isinstance(value, Population):
            raise WrongTypeError(f"Codebook.sampling must be a Population, got {type(value).__name__}.")

    @property
    def columns(self) -> dict[str, CodebookColumn]:
        """The columns by name, in the order of the codebook."""
        return dict(self._columns)

    def __getitem__(self, name: str) -> CodebookColumn:
        found = self.columns.get(name)
        if found is None:
            raise InvalidError(f"the codebook has no column {name!r}.{closest(name, self.columns)}")
        return found

    def __repr__(self) -> str:
        columns = ", ".join(f"{_told(name)}: {item.column.kind}" for name, item in self._columns)
        unit = self.unit
        told = [] if self.table is None else [f"table={self.table!r}"]
        told.append(f"unit={_short_unit(unit)}" if isinstance(unit, Persons) else f"unit={unit!r}")
        told += [] if self.sampling is None else [f"sampling={self.sampling!r}"]
        return f"Codebook({', '.join(told)}, columns=[{columns}])"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the owner of the data vouches for, and nobody has checked."""
        return () if self.sampling is None else (self.sampling.assertion,)

    def implied(self, other: PrivacyUnit) -> Implication:
        """Say what a guarantee for the unit of this codebook is worth for another unit."""
        return implied(self.unit, other, periods=self._periods())

    def _periods(self) -> int | None:
        period = self.unit.period if isinstance(self.unit, Persons) else None
        if period is None:
            return None
        made = self[period[0]].column
        if made.bounds is None:
            return None
        return count_periods(period[1], *(to_date(made.kind, end) for end in made.bounds))

    def to_dict(self) -> dict[str, Any]:
        """Give plain dictionaries, lists, texts and whole numbers that JSON can hold exactly."""
        from privet.tables.codebook.write import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data: Any) -> "Codebook":
        """Read what ``to_dict`` gives, or what a person wrote in the same form."""
        from privet.tables.codebook.read import from_dict

        return from_dict(data)

    def to_yaml(self) -> str:
        """Write the codebook as YAML, for people and for ``from_yaml``."""
        from privet.tables.codebook.write import to_yaml

        return to_yaml(self)

    @staticmethod
    def from_yaml(text: str) -> "Codebook":
        """Read YAML text; problems name their line."""
        from privet.tables.codebook.yaml import from_yaml

        return from_yaml(text)

    @staticmethod
    def read(path: str | Path) -> "Codebook":
        """Read a YAML file; problems name the file and the line."""
        from privet.tables.codebook.yaml import read

        return read(path)

    def write(self, path: str | Path) -> None:
        """Write a YAML file."""
        Path(path).write_text(self.to_yaml(), encoding="utf-8", newline="\n")


def _told(name: str) -> str:
    return name if name.isidentifier() else repr(name)


def _short_unit(unit: Persons) -> str:
    told = [f"id={unit.id!r}"]
    caps = {"rows": unit.rows, "groups": unit.groups, "rows_per_group": unit.rows_per_group, "period": unit.period}
    told += [f"{name}={short(value)}" for name, value in caps.items() if value is not None]
    return f"Persons({', '.join(told)})"


def lowered(name: str) -> str:
    """Give a name as engines compare it: capital letters of ASCII are small ones."""
    return name.encode("utf-8", errors="surrogatepass").lower().decode("utf-8", errors="surrogatepass")


def check_names(label: str, names: list[str]) -> None:
    """Refuse two names that engines cannot tell apart."""
    seen: dict[str, str] = {}
    for name in names:
        before = seen.setdefault(lowered(name), name)
        if before is not name:
            raise InvalidError(
                f"{label} must differ in more than capital letters, got {before!r} and {name!r}: "
                "engines cannot tell them apart."
            )


def check_table(label: str, value: Any) -> str:
    """Read the name of a table."""
    if not isinstance(value, str) or not value.strip():
        raise WrongTypeError(f"{label} must be a name, such as visits.")
    return check_text(label, value)


def check_identifier(label: str, name: str, columns: Mapping[str, CodebookColumn]) -> None:
    """Refuse an identifier that is not there, or that would merge persons."""
    found = columns.get(name)
    if found is None:
        raise InvalidError(f"{label} must be one of the columns, got {name!r}.{closest(name, columns)}")
    kind = found.column.kind
    if kind not in ("integer", "text"):
        raise InvalidError(f"{label} must be an integer or text column, got {kind} column {name!r}.")
    if found.column.bounds is not None or found.column.categories is not None:
        raise InvalidError(
            f"{label}: column {name!r} must not have bounds or categories, which would merge or drop persons."
        )
    if found.nulls != NullsDropped():
        raise InvalidError(
            f"{label}: column {name!r} must leave out nulls: anything in place of them would make one person of many."
        )


def check_period(label: str, period: Period | None, columns: Mapping[str, CodebookColumn]) -> None:
    """Refuse a period of a column that is not there, or is no date."""
    if period is None:
        return
    found = columns.get(period[0])
    if found is None:
        raise InvalidError(f"{label} must be of one of the columns, got {period[0]!r}.{closest(period[0], columns)}")
    if found.column.kind not in ("date", "timestamp"):
        raise InvalidError(
            f"{label} must be of a date or timestamp column, got {found.column.kind} column {period[0]!r}."
        )
