"""Every form of SQL that is listed is drawn, and accepted; and what the package knows is on the list."""

import importlib
import pkgutil
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot import exp

import privet as pv
from privet.chains.transformation import Transformation
from privet.errors import PrivetError
from privet.tables import nodes
from privet.tables.engines.grammar import GRAMMARS
from privet.tables.sql import aggregates, call_bounds, normal_form, options, summary_calls
from privet.tables.sql import read as statements_read
from privet.tables.sql.tree import read_statement
from tests.fuzz import sql_forms
from tests.fuzz.join_statements import PRIVATE_JOINS, PUBLIC, PUBLIC_JOINS, join_statement
from tests.fuzz.queries import MONTHS, PERSONS, ROWS, UNITS, codebooks, question
from tests.fuzz.sql_dialects import DIALECTS
from tests.fuzz.statements import Drawn, statement

SEEDS = 2000
TABLES = [value for name, value in vars(sql_forms).items() if name.isupper() and not name.startswith("_")]
FORMS = {name for table in (*TABLES, PUBLIC_JOINS, PRIVATE_JOINS, *DIALECTS.values()) for name in table} | {*DIALECTS}
REFUSED = {"LEN", "TIMESTAMP_DIFF"}  # the tables say so
OTHER_NODES = {  # and where they are put to the test
    "GroupTotals": "ends every chain of a query",
    "RowsLeftOut": "tests/tables/queries/test_bias.py",
    "RowsOfGroups": "tests/tables/queries/test_partition.py",
    "ImputeColumn": "statements with impute= (IMPUTED), and tests/tables/impute",
}


@pytest.fixture(scope="module")
def sessions() -> Iterator[dict[str, pv.Session]]:
    opened = {}
    for unit, draw in UNITS.items():
        books = codebooks(random.Random(1), draw(random.Random(3)))
        budget = pv.budget(epsilon=100, delta=1e-3)
        opened[unit] = pv.Session({"visits": [], "people": []}, books, budget, public=PUBLIC, threads=1)
    yield opened
    for session in opened.values():
        session.close()


@pytest.fixture(scope="module")
def drawn() -> list[tuple[str, Drawn]]:
    """The statements of fixed seeds, each once."""
    found: dict[tuple[str, str, str | None], tuple[str, Drawn]] = {}
    for seed in range(SEEDS):
        for unit in (ROWS, PERSONS, MONTHS):
            each = statement(seed, unit)
            found.setdefault((unit, each.text, each.dialect), (unit, each))
        for unit in (ROWS, PERSONS):
            each = join_statement(seed, unit)
            found.setdefault((unit, f"{each.text} {each.words}", None), (unit, each))
    return list(found.values())


@pytest.fixture(scope="module")
def accepted(sessions: dict[str, pv.Session], drawn: list[tuple[str, Drawn]]) -> list[Drawn]:
    """One accepted statement for each form, or more."""
    kept: list[Drawn] = []
    missing = set(FORMS)
    for unit, each in drawn:
        if each.forms & missing and _is_accepted(sessions[unit], each):
            kept.append(each)
            missing -= each.forms
    return kept


def _is_accepted(session: pv.Session, each: Drawn) -> bool:
    try:
        each(session)
    except PrivetError:
        return False
    return True


def test_every_form_is_drawn(drawn: list[tuple[str, Drawn]]) -> None:
    assert {name for _, each in drawn for name in each.forms} ^ FORMS == set()


def test_every_form_is_accepted_once(accepted: list[Drawn]) -> None:
    assert {name for each in accepted for name in each.forms} ^ FORMS == set()


def test_most_statements_are_accepted(sessions: dict[str, pv.Session], drawn: list[tuple[str, Drawn]]) -> None:
    outcomes = Counter(_is_accepted(sessions[unit], each) for unit, each in random.Random(0).sample(drawn, 60))
    assert outcomes[True] > 50


def test_every_dialect_has_forms_of_its_own() -> None:
    assert set(DIALECTS) == set(GRAMMARS)


def test_every_aggregate_and_clause_is_in_an_accepted_statement(accepted: list[Drawn]) -> None:
    trees = [read_statement(each.text.format(p="id", **each.words), each.dialect).tree for each in accepted]
    assert set(aggregates._KNOWN) <= {type(node) for tree in trees for node in tree.walk()}
    selects = [node for tree in trees for node in tree.find_all(exp.Select)]
    assert set(statements_read._PARTS) <= {part for node in selects for part, value in node.args.items() if value}


def test_every_summary_of_a_person_is_in_an_accepted_statement(accepted: list[Drawn]) -> None:
    trees = [read_statement(each.text.format(p="id", **each.words), each.dialect).tree for each in accepted]
    inner = [node.this for tree in trees for node in tree.find_all(exp.Subquery) if node.this.args.get("group")]
    assert set(summary_calls.CALLS) <= {type(node) for tree in inner for node in tree.walk()}


def test_every_option_and_every_other_name_is_in_a_form() -> None:
    tables = (*TABLES, PUBLIC_JOINS, PRIVATE_JOINS, *DIALECTS.values())
    written = " ".join(text for table in tables for text in table.values()).lower()
    other_names = (*call_bounds._STANDARD, *normal_form._AGGREGATES, *normal_form._WITH_CONDITION)
    words = (*options._KNOWN, *options._OLDER_NAMES, *other_names, *call_bounds._NAMES)
    assert [each for each in words if each.lower() not in written] == []


def _documented() -> set[str]:
    """Give the names of functions and clauses in the tables of the pages about SQL."""
    pages = Path(__file__).parents[2] / "docs" / "tables"
    texts = [(pages / name).read_text(encoding="utf-8") for name in ("sql.md", "nodes/unnest_list.md")]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("|")]
    quoted = " ".join(each for line in lines for each in re.findall(r"`([^`]+)`", line))
    return set(re.findall(r"\b(?:[A-Z][A-Z_0-9]{2,}|[a-z]+[A-Z][A-Za-z]+)\b", re.sub(r"'[^']*'", "", quoted)))


def test_every_name_in_the_tables_of_the_documentation_is_in_a_form() -> None:
    tables = (*TABLES, PUBLIC_JOINS, PRIVATE_JOINS, *DIALECTS.values())
    written = " ".join(text for table in tables for text in table.values()).lower()
    assert {each for each in _documented() if each.lower() not in re.findall(r"\w+", written)} == REFUSED


def _nodes() -> set[str]:
    """Name the nodes of queries: the transformations in their folder."""
    modules = [
        importlib.import_module(f"{nodes.__name__}.{each.name}") for each in pkgutil.iter_modules(nodes.__path__)
    ]
    return {
        name
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Transformation) and value.__module__ == module.__name__
    }


def test_every_node_is_drawn(sessions: dict[str, pv.Session]) -> None:
    drawn: set[str] = set()
    for seed in range(60):
        for unit in (ROWS, PERSONS):
            try:
                asked = question(seed, unit)(sessions[unit])
            except PrivetError:
                continue
            rows = getattr(getattr(asked, "grouped", getattr(asked, "rows", asked)), "query", None)
            if rows is not None:
                drawn |= {type(link.unit).__name__ for link in rows.chain.links}
    assert drawn | set(OTHER_NODES) == _nodes()
