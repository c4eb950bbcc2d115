"""From a tree to a codebook: every key known, every value read, every problem kept for one report."""

from typing import Any

from privet.accounting.sampling.population import Population
from privet.errors import InvalidError
from privet.tables.codebook import scalars as scalars
from privet.tables.codebook.codebook import Codebook, check_identifier, check_period, check_table, lowered
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.column_read import read_column
from privet.tables.codebook.problem import Problems, closest
from privet.tables.codebook.reader import CodebookReader, name_of
from privet.tables.codebook.tree import Mapping, Node, Scalar, described, from_python, path_of
from privet.tables.codebook.values import check_text
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows, check_caps, read_period

_KEYS = ("table", "description", "unit", "sampling", "columns")


def from_dict(data: Any) -> Codebook:
    """Read a codebook from plain Python data."""
    problems = Problems()
    return read_codebook(from_python(data, problems), problems)


def read_codebook(root: Node, problems: Problems) -> Codebook:
    """Read a codebook from its tree, or raise all of its problems."""
    made = _codebook(root, CodebookReader(problems))
    problems.raise_any()
    assert made is not None  # noqa: S101 - without a problem there is a codebook
    return made


def _codebook(root: Node, reader: CodebookReader) -> Codebook | None:
    if isinstance(root, Mapping) and _of_smartnoise(root):
        reader.problems.add(root, "this looks like metadata of SmartNoise SQL: read it with read_smartnoise(...).")
        return None
    found = reader.keys(root, "", "a codebook", _KEYS)
    if not isinstance(root, Mapping):
        return None
    table = reader.scalar(found.get("table"), "table", lambda label, node: check_table(label, name_of(label, node)))
    description = reader.scalar(found.get("description"), "description", name_of)
    unknown = [key for key in root.items if key not in _KEYS]
    for required, hint in (
        ("columns", "list the columns that may be used"),
        ("unit", "write what is protected, {rows: 1} or {id: COLUMN}"),
    ):
        if required not in found and not closest(required, unknown):
            reader.problems.add(root, f"{required} is missing: {hint}.")
    columns = _columns(found["columns"], reader) if "columns" in found else {}
    # a column with a problem of its own is there all the same
    named = list(found["columns"].items) if isinstance(found.get("columns"), Mapping) else None
    unit = _unit(found["unit"], columns, named, reader) if "unit" in found else None
    sampling = _sampling(found["sampling"], reader) if "sampling" in found else None
    if reader.problems.found or unit is None:
        return None
    return reader.attempt(
        root,
        lambda: Codebook(columns=columns, unit=unit, table=table, description=description or "", sampling=sampling),
    )


def _of_smartnoise(root: Mapping) -> bool:
    """Tell metadata of SmartNoise: a database of schemas of tables, of which a column has a type."""
    if any(key in root.items for key in _KEYS):
        return False
    level: list[Any] = list(root.items.values())
    for _ in range(3):
        level = [item for node in level if isinstance(node, Mapping) for item in node.items.values()]
    return any(isinstance(node, Scalar) for node in level) or any(
        isinstance(node, Mapping) and "type" in node.items for node in level
    )


def _columns(node: Node, reader: CodebookReader) -> dict[str, CodebookColumn]:
    if not isinstance(node, Mapping) or not node.items:
        if not reader.settled(node, "columns"):
            reader.problems.add(node, f"columns must name at least one column, got {described(node)}.")
        return {}
    found: dict[str, CodebookColumn] = {}
    seen: dict[str, str] = {}
    for name, item in node.items.items():
        path = path_of("columns", name)
        with reader.problems.at(node.keys[name]):
            check_text(path, name)
        before = seen.setdefault(lowered(name), name)
        if before != name:
            reader.problems.add(
                node.keys[name],
                f"{path} must differ from {before!r} in more than capital letters: engines cannot tell them apart.",
            )
        made = read_column(item, path, reader)
        if made is not None:
            found[name] = made
    return found


def _unit(
    node: Node, columns: dict[str, CodebookColumn], named: list[str] | None, reader: CodebookReader
) -> PrivacyUnit | None:
    if isinstance(node, Scalar) and node.open:
        reader.problems.add(
            node, "unit is still open: write what is protected, {rows: 1} or {id: COLUMN}.", still_open=True
        )
        return None
    found = reader.keys(node, "unit", "a privacy unit", ("rows", "id", "caps", "period"))
    if not isinstance(node, Mapping):
        return None
    if "id" not in found:
        for name in ("caps", "period"):
            if name in found:
                reader.problems.add(found[name], f"unit.{name} is for units with an id: write id: COLUMN as well.")
        if "rows" not in found and len(node.items) > len(found):
            return None  # an unknown key, of which the reader has told
        if "rows" not in found:
            reader.problems.add(node, "unit must have rows (such as rows: 1) or id (a column), got neither.")
            return None
        count = reader.scalar(found["rows"], "unit.rows", scalars.cap)
        return None if count is None else Rows(count=count)
    if "rows" in found:
        reader.problems.add(
            found["rows"], "unit.rows is for units without an id: a limit on rows of a person is under caps."
        )
    identifier = reader.scalar(found["id"], "unit.id", name_of)
    caps = _caps(found["caps"], reader) if "caps" in found else {}
    period = _period(found["period"], reader) if "period" in found else None
    if named is not None and identifier is not None:
        _check_known(found["id"], "unit.id must be one", identifier, named, reader)
        if identifier in columns:
            reader.attempt(found["id"], lambda: check_identifier("unit.id", identifier, columns))
    if named is not None and period is not None:
        _check_known(found["period"], "unit.period must be of one", period[0], named, reader)
        if period[0] in columns:
            reader.attempt(found["period"], lambda: check_period("unit.period", period, columns))
    if identifier is None or reader.problems.found:
        return None
    return reader.attempt(node, lambda: Persons(id=identifier, period=period, **caps))


def _check_known(node: Node, told: str, name: str, named: list[str], reader: CodebookReader) -> None:
    if name not in named:
        reader.problems.add(node, f"{told} of the columns, got {name!r}.{closest(name, named)}")


def _caps(node: Node, reader: CodebookReader) -> dict[str, int]:
    names = ("rows", "groups", "rows_per_group")
    found = reader.keys(node, "unit.caps", "caps", names)
    caps: dict[str, int] = {}
    for name in names:
        value = reader.scalar(found.get(name), f"unit.caps.{name}", scalars.cap)
        if value is not None:
            caps[name] = value
    reader.attempt(node, lambda: check_caps("unit.caps.", *(caps.get(name) for name in names)))
    return caps


def _period(node: Node, reader: CodebookReader) -> Any:
    found = reader.keys(node, "unit.period", "a period", ("column", "length"))
    if isinstance(node, Mapping):
        for name in ("column", "length"):
            if name not in found:
                reader.problems.add(node, f"unit.period.{name} is missing: write {{column: COLUMN, length: month}}.")
    column = reader.scalar(found.get("column"), "unit.period.column", name_of)
    length = reader.scalar(found.get("length"), "unit.period.length", name_of)
    if column is None or length is None:
        return None
    return reader.attempt(found["length"], lambda: read_period("unit.period", (column, length)))


def _sampling(node: Node, reader: CodebookReader) -> Population | None:
    found = reader.keys(node, "sampling", "sampling", ("poisson", "simple"))
    if not isinstance(node, Mapping):
        return None
    if len(found) != 1 and len(node.items) > len(found):
        return None  # an unknown key, of which the reader has told
    if len(found) != 1:
        reader.problems.add(
            node, "sampling must be {poisson: RATE} or {simple: {size: N, population: M}}, one of the two."
        )
        return None
    if "poisson" in found:
        return reader.scalar(found["poisson"], "sampling.poisson", _rate)
    inner = reader.keys(found["simple"], "sampling.simple", "a simple sample", ("size", "population"))
    for name in ("size", "population"):
        if isinstance(found["simple"], Mapping) and name not in inner:
            reader.problems.add(found["simple"], f"sampling.simple.{name} is missing.")
    size = reader.scalar(inner.get("size"), "sampling.simple.size", scalars.cap)
    population = reader.scalar(inner.get("population"), "sampling.simple.population", scalars.cap)
    if size is None or population is None:
        return None
    if size > population:
        reader.problems.add(
            inner["size"], f"sampling.simple.size must be at most population, got size={size}, population={population}."
        )
        return None
    return Population(size=size, population=population)


def _rate(label: str, node: Scalar) -> Population:
    rate = scalars.number(label, node)
    if not 0 < rate <= 1:
        raise InvalidError(f"{label} must be above zero and at most one, got {described(node)}.")
    return Population(rate=rate)
