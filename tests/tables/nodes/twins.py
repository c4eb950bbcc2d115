"""Broken steps, written as plain SQL in place of what the right step writes."""

from typing import Any

from attrs import frozen
from sqlglot import parse_one

from privet.core.metric import Distance
from privet.core.space import Space
from privet.tables.engines.default import write_query
from privet.tables.relations.table_space import Table, table_of
from privet.tables.vocabulary.relation import Relation
from tests.laws import Case, Twin
from tests.laws.cases import Law
from tests.transforms.twins import TwinOf


@frozen
class Written(TwinOf):
    """Runs a text instead: ``{rows}`` stands for the table, or the name of each table of a database for it."""

    sql: str

    def apply(self, value: Any, space: Space) -> Table:
        names = {name or "rows": f"({write_query(part.relation)})" for name, part in value.parts()}
        query: Any = parse_one(self.sql.format(**names), dialect="duckdb")
        columns, _ = table_of(self, self.output(space))
        return Table(relation=Relation(query=query, columns=columns), engine=value.engine)


@frozen
class ChargedOnce(TwinOf):
    """Claims that distances stay as they are."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(d_in)


def written(name: str, space: Space, right: Any, sql: str, law: Law = "map") -> Twin:
    """Make a twin that a law must catch."""
    return Twin(law=law, case=Case(name=name, chain=space >> Written(right, sql)))
