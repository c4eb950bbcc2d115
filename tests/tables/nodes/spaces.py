"""Spaces of tables that the tests of query steps share."""

from typing import Any

from privet.core.space import Space
from privet.tables.columns.column import Column
from privet.tables.nodes.from_table import FromTable
from privet.tables.relations.table_space import DatabaseDomain, RowDistance, TableDomain, UnitDistance

VISITS = {
    "id": Column(kind="integer"),
    "ward": Column(kind="text", categories=("a", "b", "c")),
    "minutes": Column(kind="integer", bounds=(0, 60)),
    "cost": Column(kind="real", bounds=(-10, 10), grid=0.25),
    "free": Column(kind="integer"),
    "paid": Column(kind="boolean"),
    "day": Column(kind="date"),
}
PEOPLE = {"id": Column(kind="integer"), "age": Column(kind="integer", bounds=(0, 120)), "city": Column(kind="text")}
PERIOD = {"month of day": Column(kind="integer", nullable=False)}
TABLES = {"visits": VISITS, "people": PEOPLE}

ROWS = Space(TableDomain(columns=VISITS), RowDistance())
PERSONS = Space(TableDomain(columns=VISITS), UnitDistance(("id",)))
MONTHS = Space(TableDomain(columns={**VISITS, **PERIOD}), UnitDistance(("id", "month of day")))
SPACES = {"rows": ROWS, "persons": PERSONS, "months": MONTHS}

ROWS_DATABASE = Space(DatabaseDomain(tables=TABLES), RowDistance())
PERSONS_DATABASE = Space(DatabaseDomain(tables=TABLES), UnitDistance(("id",)))
MONTHS_DATABASE = Space(
    DatabaseDomain(tables={name: {**known, **PERIOD} for name, known in TABLES.items()}),
    UnitDistance(("id", "month of day")),
)
OTHER_NAMES = Space(  # the id columns of people have other names
    DatabaseDomain(
        tables={"visits": VISITS, "people": {"person": PEOPLE["id"], "age": PEOPLE["age"], "city": PEOPLE["city"]}}
    ),
    UnitDistance(("id",), named=(("people", ("person",)),)),
)
OTHER_MONTHS = Space(
    DatabaseDomain(
        tables={
            "visits": {**VISITS, **PERIOD},
            "people": {"person": PEOPLE["id"], "age": PEOPLE["age"], "month of birth": PERIOD["month of day"]},
        }
    ),
    UnitDistance(("id", "month of day"), named=(("people", ("person", "month of birth")),)),
)
DATABASES = {"rows": ROWS_DATABASE, "persons": PERSONS_DATABASE, "months": MONTHS_DATABASE}


def table(space: Space, name: str) -> Any:
    """Begin a query with one table."""
    return space >> FromTable(name=name)


def rows_of(table: Any) -> list[tuple[Any, ...]]:
    """Read the rows of a result, sorted; reals as texts, dates as days."""
    found = table.engine.execute(_plain(table).relation)
    return sorted(zip(*(found[name] for name in found.columns), strict=True), key=repr)


def _plain(table: Any) -> Any:
    from privet.tables.nodes.project_columns import ProjectColumns

    kinds = {name: known.kind for name, known in table.relation.columns.items()}
    written = {"real": "cast({} as text)", "date": "cast({} as text)", "timestamp": "cast({} as text)"}
    outputs = {name: written.get(kind, "{}").format(f'"{name}"') for name, kind in kinds.items()}
    return ProjectColumns(outputs=outputs).apply(
        table, Space(TableDomain(columns=table.relation.columns), RowDistance())
    )
