"""Which columns of a query are those of its table, unchanged, under their old name or a new one."""

from itertools import product
from typing import Any

from attrs import evolve

from privet.chains.transformation import TransformationChain
from privet.tables.columns import Columns, KeyCaps, Persons, PrivacyUnit
from privet.tables.expressions import Binned, Expression, Reference, Term
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.imputed_table import ImputedDomain
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.read_expression import read
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList

Traced = dict[str, str]


def traced_columns(chain: TransformationChain) -> Traced:
    """Give the columns that hold the values of a column of the table, by name, and which column that is.

    A join is traced in the query that it begins with, and a union where both queries agree. Whatever is not recognised
    is left out.

    Args:
        chain: The nodes of a query.
    """
    traced: Traced = {}
    for link in chain.links:
        node, columns = link.unit, _columns(link.output)
        if isinstance(node, FromTable):
            traced = {name: name for name in columns}
        elif isinstance(node, ProjectColumns):
            outputs = ((name, _source(value, _columns(link.input), traced)) for name, value in node.outputs)
            traced = {name: source for name, source in outputs if source is not None}
        elif isinstance(node, SummarizePersons | SummarizeByFunction):
            traced = {name: source for name, source in traced.items() if name in node.keys}
        elif isinstance(node, SplitText | UnnestList):
            traced = {name: source for name, source in traced.items() if name != node.into}
        elif isinstance(node, JoinPersons):
            traced = {name: source for name, source in traced_columns(node.first).items() if name in columns}
        elif isinstance(node, UnionRows):
            second = traced_columns(node.second)
            traced = {name: old for name, old in traced_columns(node.first).items() if second.get(name) == old}
        elif not isinstance(node, FilterRows | JoinPublic) and not isinstance(link.output.domain, ImputedDomain):
            traced = {}
    return traced


def caps_of_table(chain: TransformationChain, unit: PrivacyUnit) -> tuple[KeyCaps, ...]:
    """Give the unit's caps by column under the names that these columns have in the query.

    Args:
        chain: The nodes of the query.
        unit: The privacy unit, whose caps name columns of the codebook.
    """
    if not isinstance(unit, Persons) or not unit.by:
        return ()
    names: dict[str, list[str]] = {}
    for name, source in traced_columns(chain).items():
        names.setdefault(source, []).append(name)
    return tuple(
        evolve(each, columns=chosen)
        for each in unit.by
        for chosen in product(*(names.get(source, ()) for source in each.columns))  # a column may have copies
    )


def _columns(space: Any) -> Columns:
    columns: Columns = space.domain.columns
    return columns


def _source(value: str | Term | Expression, columns: Columns, traced: Traced) -> str | None:
    if isinstance(value, Binned):
        return None
    expression = read(value, columns)
    return traced.get(expression.name) if isinstance(expression, Reference) else None
