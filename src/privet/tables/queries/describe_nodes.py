"""The nodes of a query in words, for descriptions and releases; a query is public."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from privet.chains.transformation import TransformationChain
from privet.core import count_text, read_number, short
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Persons, PrivacyUnit
from privet.tables.expressions import Binned, Reference
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.imputed_table import ImputedDomain
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList
from privet.tables.relations.caps import Caps
from privet.transforms import function_name

if TYPE_CHECKING:
    from privet.tables.nodes.impute_column import ImputeColumn  # it loads all of the imputation

_LONGEST = 200
_MORE_ROWS: dict[type, str] = {JoinPersons: "join", UnionRows: "union"}  # what may give a person more rows


def describe_nodes(chain: TransformationChain) -> str:
    """Write the nodes of a query, in order, on one line."""
    return "; ".join(_shortened(text) for text in _describe(chain))


def describe_caps(caps: Caps) -> str:
    """Write how much one person counts."""
    given = {"row": caps.rows, "group": caps.groups, "row in a group": caps.rows_per_group}
    plural = {"row in a group": "rows in a group"}
    texts = [count_text(most, what, plural.get(what, "")) for what, most in given.items() if most is not None]
    return ", ".join([*texts, *(each.describe() for each in caps.by)]) or "none"


def describe_contribution(groups: int, rows: int, rows_per_group: int) -> str:
    """Write how much one privacy unit counts at most."""
    within = count_text(rows_per_group, "row in a group", "rows in a group")
    return f"{count_text(groups, 'group')}, {count_text(rows, 'row')} in all, {within}"


def describe_aggregates(aggregates: Mapping[str, Aggregate]) -> str:
    """Write aggregates by their names in the result, and what each is where the name is another."""
    names = (name if name == item.name else f"{name} = {item.name}" for name, item in aggregates.items())
    return ", ".join(names)


def describe_kept_caps(
    chain: TransformationChain, unit: PrivacyUnit, own: Caps, implied: Caps | None = None
) -> tuple[str, ...]:
    """Say where caps of the codebook hold behind a join or a union, which may give a person more rows.

    Args:
        chain: The nodes of the query.
        unit: What the codebook protects, with its caps.
        own: The caps that the query sets itself.
        implied: The caps that follow from those of the codebook where nodes make several rows of one, or None.
    """
    if implied is not None:
        if own.rows is not None or implied.rows is None:
            return ()
        most = count_text(implied.rows, "row")
        return (f"note: one row may become several, so up to {most} of a person count; .cap(rows=...) sets another",)
    makers = [_MORE_ROWS[type(link.unit)] for link in chain.links if type(link.unit) in _MORE_ROWS]
    if not makers or not isinstance(unit, Persons):
        return ()
    names = [name for name in ("rows", "rows_per_group") if getattr(own, name) is None and getattr(unit, name)]
    return tuple(
        f"note: the codebook's cap of {_cap_text(name, getattr(unit, name))} holds behind the {makers[-1]}, "
        f"where a person may have more rows; .cap({name}=...) sets another"
        for name in names
    )


def _cap_text(name: str, most: int) -> str:
    return count_text(most, "row" if name == "rows" else "row per group", name.replace("_", " "))


def bins_of(chain: TransformationChain, name: str) -> str | None:
    """Name the column that holds the bins of another one, where the query cut it into bins."""
    made = [output for link in chain.links if isinstance(link.unit, ProjectColumns) for output in link.unit.outputs]
    bins = [into for into, value in made if isinstance(value, Binned) and value.words["name"] == name]
    columns = chain.output.domain.columns  # type: ignore[attr-defined]
    return next((into for into in reversed(bins) if into in columns), None)


def _describe(chain: TransformationChain) -> Iterator[str]:
    for link in chain.links:
        unit = link.unit
        if isinstance(unit, FromTable):
            yield unit.name
        elif isinstance(unit, FilterRows):
            yield f"filter {unit.condition}"
        elif isinstance(unit, ProjectColumns):
            yield from _columns(unit)
        elif isinstance(unit, JoinPublic):
            how = "" if unit.how == "inner" else f"{unit.how} "
            several = "" if unit.public.most == 1 else f", up to {count_text(unit.public.most, 'row')} for each"
            yield f"{how}join a public table on {', '.join(unit.public.on)}{several}"
        elif isinstance(unit, ResizeRows):
            added = ", ".join(f"{name} = {value}" for name, value in unit.fill)
            yield f"resize to {count_text(unit.rows, 'row')}{f', added rows have {added}' if added else ''}"
        elif isinstance(unit, SummarizePersons):
            by = f" by {', '.join(unit.keys)}" if unit.keys else ""
            yield f"summarize each person{by}: {', '.join(f'{name} = {text}' for name, text in unit.summaries)}"
        elif isinstance(unit, SummarizeByFunction):
            by = f" by {', '.join(unit.keys)}" if unit.keys else ""
            given = f"{function_name(unit.function)}(up to {count_text(unit.rows, 'row')} of {', '.join(unit.reads)})"
            yield f"summarize each person{by}: {unit.into} = {given}"
        elif isinstance(unit, SplitText):
            into = "" if unit.into == unit.name else f" into {unit.into}"
            yield f"split {unit.name} at {unit.separator!r}{into}, up to {count_text(unit.most, 'row')} for each"
        elif isinstance(unit, UnnestList):
            into = "" if unit.into == unit.name else f" into {unit.into}"
            most = unit.rows_of(link.input.domain.columns[unit.name])  # type: ignore[attr-defined]
            how = "" if unit.how == "inner" else f"{unit.how} "
            yield f"{how}unnest {unit.name}{into}, up to {count_text(most, 'row')} for each"
        elif isinstance(unit, UnionRows):
            yield f"({describe_nodes(unit.first)}) union ({describe_nodes(unit.second)})"
        elif isinstance(unit, JoinPersons):
            on = f" and {', '.join(unit.on)}" if unit.on else ""
            pair = f"({describe_nodes(unit.first)}) {unit.how} join ({describe_nodes(unit.second)})"
            yield f"{pair} on the person{on}, at most {count_text(unit.rows, 'row')} each"
        elif isinstance(link.output.domain, ImputedDomain):
            yield f"impute {cast('ImputeColumn', unit).name}"
        else:
            yield type(unit).__name__


def _columns(unit: ProjectColumns) -> Iterator[str]:
    """Write the new columns; those that do not change are left out."""
    for name, value in unit.outputs:
        if isinstance(value, Binned):
            yield _bins(name, value.words)
        elif not isinstance(value, Reference):
            yield f"derive {name} = {value}"
        elif value.name != name:
            yield f"rename {value.name} to {name}"


def _bins(into: str, words: Mapping[str, Any]) -> str:
    """Write how an analyst asked for bins, not the expression that names them."""
    how = next(f"{key}={_bin_word(value)}" for key, value in words.items() if key != "name" and value is not None)
    return f"bin {words['name']} into {into}, {how}"


def _bin_word(value: Any) -> str:
    """Write edges, a width or a period; equal numbers read the same, whether they were typed or read from a file."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return f"[{', '.join(map(_bin_word, value))}]"
    return short(read_number("bin", value))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
