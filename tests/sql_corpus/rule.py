"""Which public queries belong to the corpus: the rule of README.md, applied by machine."""

import re
from collections.abc import Collection

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import build_scope

_CLAUSE = re.compile(r"\bWITH\s+(DIFFERENTIAL_PRIVACY|ANONYMIZATION)\s*(OPTIONS\s*\([^()]*\))?", re.IGNORECASE)
_CLAMPED = re.compile(r"\s+CLAMPED\s+BETWEEN\s+(\S+)\s+AND\s+([^\s)]+)", re.IGNORECASE)
_BOUNDS = re.compile(r",\s*contribution_bounds_per_(group|row)\s*=>\s*\([^()]*\)", re.IGNORECASE)
_ANON = re.compile(r"\bANON_(?=[A-Z_]+\()", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{\{|\{%|\$\{|@\w|\?")
_RAW = (exp.ArrayAgg, exp.GroupConcat, exp.AnyValue, exp.First, exp.Last, exp.ArrayUniqueAgg, exp.JSONObjectAgg)
_NO_STATISTIC = (exp.BitwiseAndAgg, exp.BitwiseOrAgg, exp.BitwiseXorAgg)
_RANDOM = (exp.Rand, exp.Randn, exp.CurrentTimestamp, exp.CurrentDate, exp.Uuid, exp.TableSample)


def without_privacy(text: str) -> str:
    """The statement as a database without differential privacy would read it."""
    for pattern in (_CLAUSE, _CLAMPED, _BOUNDS, _ANON):
        text = pattern.sub("", text)
    return text


def averages_persons(text: str) -> bool:
    """Whether AVG is the average of the averages of persons, as it is under a privacy clause."""
    return _CLAUSE.search(text) is not None


def bounds_in(text: str) -> tuple[str, str] | None:
    """The first bounds that a call of a statement gives what a person adds."""
    clamped = _CLAMPED.search(text)
    if clamped:
        return clamped.group(1), clamped.group(2)
    named = re.search(r"contribution_bounds_per_group\s*=>\s*\(([^,()]+),([^,()]+)\)", text, re.IGNORECASE)
    return (named.group(1), named.group(2)) if named else None


def parse(text: str, dialect: str | None) -> exp.Expr | None:
    """The only statement of a text, or None."""
    try:
        statements = [s for s in sqlglot.parse(without_privacy(text), dialect=dialect) if s is not None]
    except SqlglotError:
        return None
    statements = [s for s in statements if not isinstance(s, exp.Semicolon)]
    return statements[0] if len(statements) == 1 else None


def tables(tree: exp.Expr) -> set[str]:
    """The tables that a statement reads, as it writes them, without those that it names itself."""
    own = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    read = set()
    for table in tree.find_all(exp.Table):
        name = ".".join(part.name for part in table.parts)
        if name and not (name.lower() in own and not _inside_own(table, name.lower())):
            read.add(name)
    return read


def _inside_own(table: exp.Table, name: str) -> bool:
    """Whether a table is read inside the very common table expression that takes its name."""
    cte = table.find_ancestor(exp.CTE)
    return cte is not None and cte.alias_or_name.lower() == name


def _aggregates(select: exp.Select) -> bool:
    scope = [*select.expressions, select.args.get("having")]
    if select.args.get("group"):
        return True
    return any(
        found.find_ancestor(exp.Select) is select
        for part in scope
        if part is not None
        for found in part.find_all(exp.AggFunc)
    )


def _mixes_persons(select: exp.Select, ids: Collection[str]) -> bool:
    """Whether a sub-query aggregates, and its groups are not persons."""
    group = select.args.get("group")
    keys = list(group.expressions) if group else []
    named = []
    for key in keys:
        if isinstance(key, exp.Literal) and key.is_int and int(key.this) <= len(select.expressions):
            named.append(select.expressions[int(key.this) - 1].unalias())
        else:
            named.append(key)
    return _aggregates(select) and not any(isinstance(key, exp.Column) and key.name.lower() in ids for key in named)


def why_not(text: str, dialect: str | None, ids: Collection[str], private: Collection[str]) -> str | None:
    """Why a text is not of the corpus, or None if it is.

    Args:
        text: The statement, word for word.
        dialect: The name that sqlglot gives the dialect.
        ids: Names of the id columns of the setting, in lower case.
        private: Names of the private tables of the setting, in lower case, without schemas.
    """
    if _PLACEHOLDER.search(re.sub(r"'[^']*'", "''", text)):
        return "placeholder"
    tree = parse(text, dialect)
    if not isinstance(tree, exp.Select):
        return "not one SELECT"
    if not _aggregates(tree):
        return "no aggregate at the outer level"
    forbidden = _forbidden(tree)
    if forbidden:
        return forbidden
    read = {name.lower().split(".")[-1] for name in tables(tree)}
    if not read & set(private):
        return "reads no private table"
    inner = [s for s in tree.find_all(exp.Select) if s is not tree]
    if any(_mixes_persons(select, ids) for select in inner):
        return "a sub-query aggregates over persons"
    return None


def _forbidden(tree: exp.Select) -> str | None:
    if tree.find(exp.Window):
        return "window function"
    if tree.find(*_RAW):
        return "aggregate of raw values"
    if tree.find(*_NO_STATISTIC):
        return "aggregate that one row can change in every bit"
    if tree.find(*_RANDOM):
        return "random, or depends on the clock"
    if tree.find(exp.SetOperation):
        return "union"
    for query in tree.find_all(exp.Subquery, exp.Exists, exp.In):
        if isinstance(query, exp.Subquery) and isinstance(query.parent, exp.From | exp.Join | exp.Subquery | exp.Table):
            continue
        if isinstance(query, exp.In) and not query.args.get("query"):
            continue
        return "sub-query in an expression"
    scope = build_scope(tree)
    if scope is not None and any(inner.is_correlated_subquery for inner in scope.traverse()):
        return "correlated sub-query"
    return None


def normal(text: str) -> str:
    """A text without comments, with single spaces, in lower case: equal for queries that are the same."""
    text = re.sub(r"--[^\n]*", " ", text)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", text).strip().rstrip(";").strip().lower()
