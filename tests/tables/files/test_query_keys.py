"""Queries are read as they were written, and a file can do nothing that a call cannot."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.core.problem import ProblemsError
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.files.aggregate_keys import AGGREGATES
from privet.tables.files.node_keys import BIN, CAP, JOIN, NODE, RESIZE, SUMMARY
from privet.tables.files.plan_keys import PLAN
from privet.tables.files.public_keys import PUBLIC as PUBLIC_PART
from privet.tables.files.query_keys import FORMS, query_schema
from privet.tables.files.several_rows_keys import SPLIT, UNNEST
from privet.tables.files.values import AUTO
from privet.tables.files.written import NOISE
from privet.tables.session.planner import Planner
from tests.tables.codebook.test_keys import refusals
from tests.tables.files.examples import PUBLIC, PUBLIC_COLUMNS, UNPLANNED, books, examples, planner, random_queries

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "tests" / "formats").glob("query-*.yaml"))
PLANNER = planner()
EXAMPLES = examples(PLANNER)
START = "format: query/1\ntable: visits\n"
AGGREGATE_KEYS = ["table", "nodes", "group_by", "rollup", "groups", "other", "keys", "aggregates"]
END = "aggregates: {n: count}\n"


def problems(text: str) -> list[str]:
    with pytest.raises(ProblemsError) as caught:
        PLANNER.read_query(text)
    return [str(problem) for problem in caught.value.problems]


def resolved(schema: Any, definitions: Any) -> Any:
    """Put definitions in place, two deep: as deep as the examples."""
    if isinstance(schema, dict) and "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return resolved(definitions[name], {**definitions, name: {}})
    if isinstance(schema, dict):
        return {key: resolved(item, definitions) for key, item in schema.items() if key != "$defs"}
    return [resolved(item, definitions) for item in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_query_is_read_as_it_was_written(name: str) -> None:
    query = EXAMPLES[name]
    again = PLANNER.read_query(query.to_yaml())
    assert again.to_yaml() == query.to_yaml()
    assert type(again) is type(query)
    if name != "terms" and not name.startswith("public"):  # a term is compared by its text, a public table by values
        assert again == query


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in UNPLANNED])
def test_a_query_that_is_read_has_the_same_plan(name: str) -> None:
    query = EXAMPLES[name]
    again = PLANNER.read_query(query.to_yaml())
    assert again.plan(epsilon=1, delta=1e-6).to_yaml() == query.plan(epsilon=1, delta=1e-6).to_yaml()
    assert again.describe(epsilon=1, delta=1e-6) == query.describe(epsilon=1, delta=1e-6)


@given(query=random_queries(PLANNER))
@settings(max_examples=60, deadline=None)
def test_random_queries_are_read_as_they_were_written(query: Any) -> None:
    assert PLANNER.read_query(query.to_yaml()) == query


@given(
    texts=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=3, unique=True),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3, unique=True),
)
@settings(max_examples=60, deadline=None)
def test_any_group_is_read_as_it_was_written(texts: list[str], numbers: list[int]) -> None:
    query = PLANNER.query("visits").select("code", "age").derive(any_number="cast(code as integer)")
    grouped = query.group_by(
        "code", "any_number", groups=[(a, b) for a in texts for b in numbers[:2]], other=("o o", 7)
    )
    assert PLANNER.read_query(grouped.agg(pv.count()).to_yaml()) == grouped.agg(pv.count())


def test_a_public_table_is_written_with_its_values() -> None:
    query = EXAMPLES["public"].to_yaml()
    assert "people: [3, null], opened: [2020-01-01, null], height: [0.1, 2]" in query
    again = PLANNER.read_query(query).grouped.query.chain.links[-1].unit.public
    assert again.described == PUBLIC_COLUMNS
    assert [row["people"] for row in again.source] == [row["people"] for row in PUBLIC]


def test_bins_and_statements_are_written_in_the_words_of_an_analyst() -> None:
    text = EXAMPLES["nodes"].to_yaml()
    assert "  - bin: {name: age, width: 10}\n  - bin: {name: day, by: month, into: month}\n" in text
    assert "case" not in text
    assert "sql: |-\n  SELECT region" in EXAMPLES["sql"].to_yaml()


def test_every_node_aggregate_and_kind_of_query_is_in_an_example() -> None:
    imputed = PLANNER.query("visits").impute("age", by="region").agg(pv.mean("age"))
    resized = planner(pv.Rows()).query("visits").resize(9, fill={"age": 3}).agg(pv.count())
    text = "".join(query.to_yaml() for query in (*EXAMPLES.values(), imputed, resized))
    assert [name for name in (*NODE.names, *FORMS, *AGGREGATES) if not re.search(rf"\b{name}\b", text)] == []


def test_every_key_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "tables" / "files.md").read_text(encoding="utf-8")
    nodes: list[Any] = [NODE, BIN, JOIN, RESIZE, SPLIT, UNNEST, SUMMARY, CAP]
    parts: list[Any] = [*(part for part, _ in FORMS.values()), *nodes, AUTO, NOISE, PLAN]
    parts.append(PUBLIC_PART)
    missing = [name for part in parts for name in part.names if not re.search(rf"\b{name}\b", page)]
    assert missing == []


def test_a_person_writes_less_than_we_do() -> None:
    text = """
        format: query/1
        table: visits
        nodes:
          - filter: age >= 18
          - derive: {adult: cost > 3, twice: age * 2}
          - cap: {rows: auto}
        group_by: region
        aggregates:
          n: count
          mean_age: {mean: age, bounds: auto}
    """
    query = PLANNER.query("visits").filter("age >= 18").derive(adult="cost > 3", twice="age * 2").cap(rows=pv.auto())
    asked = query.group_by("region").agg(n=pv.count(), mean_age=pv.mean("age", bounds=pv.auto()))
    assert PLANNER.read_query(text) == asked


def test_the_order_of_keys_has_no_meaning() -> None:
    text = "aggregates: {a: {count: 2, top_k: region}}\ntable: visits\nformat: query/1\n"
    assert PLANNER.read_query(text) == PLANNER.query("visits").agg(a=pv.top_k("region", 2))


def test_a_file_of_json_is_read_too(tmp_path: Path) -> None:
    data = {"format": "query/1", "table": "visits", "aggregates": {"n": "count"}}
    path = tmp_path / "query.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    expected = PLANNER.query("visits").agg(n=pv.count())
    assert PLANNER.read_query(path) == PLANNER.read_query(str(path)) == PLANNER.read_query(json.dumps(data)) == expected


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_files_of_every_format_are_read_for_ever(path: Path) -> None:
    """What these files say must not change: they are compared with queries, not with what is written now."""
    name = path.stem.partition("-1-")[2].replace("_", " ")
    assert PLANNER.read_query(path) == EXAMPLES[name]


def test_there_is_a_file_of_every_kind_of_query() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in KEPT)
    assert [name for name in (*FORMS, "rollup") if f"\n{name}:" not in text] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_schema_accepts_what_is_written(name: str) -> None:
    schema = query_schema()
    data = json.loads(json.dumps(yaml.safe_load(EXAMPLES[name].to_yaml()), default=str))  # dates are texts
    assert refusals(resolved(schema, schema["$defs"]), data) == []


@pytest.mark.parametrize(
    "change",
    [{"tabel": "visits"}, {"format": "plan/1"}, {"aggregates": {}}, {"nodes": [{"filtr": "x"}]}, {"nodes": "x"}],
)
def test_the_schema_refuses_the_rest(change: dict[str, Any]) -> None:
    schema = query_schema()
    data = {"format": "query/1", "table": "visits", "aggregates": {"n": "count"}}
    assert refusals(resolved(schema, schema["$defs"]), data) == []
    assert refusals(resolved(schema, schema["$defs"]), {**data, **change}) != []


def test_all_problems_are_listed_with_their_lines() -> None:
    text = """format: query/1
table: visits
nodes:
  - filter: age >
  - cap: {row: 3}
  - filtre: age > 3
group_by: [region]
aggregates:
  n: cuont
  m: {mean: age, bound: [0, 1]}
  q: {quantile: age}
limit: 3
"""
    assert problems(text) == [
        "line 5: nodes[1].cap.row is no key of caps. Did you mean rows?",
        "line 6: nodes[2].filtre is no key of a node. Did you mean filter?",
        "line 9: aggregates.n must be an aggregate such as count or {mean: COLUMN}, got cuont. Did you mean count?",
        "line 10: aggregates.m.bound is no key of the aggregate mean. Did you mean bounds?",
        "line 11: aggregates.q.alpha is missing. Write alpha: ...",
        f"line 12: limit is no key of an aggregate query. The keys are {', '.join(['format', *AGGREGATE_KEYS])}.",
    ]


def test_problems_that_only_a_query_can_see_are_listed_too() -> None:
    text = """format: query/1
table: visits
nodes:
  - filter: agee > 3
  - filter: cost > 3 and
  - cap: {rows: 0}
aggregates:
  m: {mean: region}
"""
    found = problems(text)
    assert [line.partition(":")[0] for line in found] == ["line 4", "line 5", "line 6"]
    assert "Did you mean 'age'?" in found[0]
    aggregates = START + "aggregates:\n  a: {mean: region}\n  b: {sum: nothing}\n  c: count\n"
    assert [line.partition(":")[0] for line in problems(aggregates)] == ["line 4", "line 5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format: query/2\ntable: 3\nnew: x\n", "line 1: format: query/2 needs a newer version of Privet: this one"),
        ("format: plan/1\n" + END, "line 1: format: this file is a plan (plan/1), and a query is needed."),
        ("table: visits\n" + END, "line 1: format is missing. Write format: query/1."),
        (START + "table: visits\n" + END, "line 3: table is written twice, first in line 2."),
        ("format: query/1\ntable: visit\n" + END, "line 2: query: there is no table 'visit'; there are 'visits', 'peo"),
        (START + "nodes: &a [*a]\n" + END, "line 3: nodes: anchors are not read, got &a. Remove it."),
        (START + "nodes: !!python/object:os.system x\n" + END, "line 3: nodes: tags are not read"),
        (START + "nodes: " + "[" * 60 + "]" * 60 + "\n" + END, "is nested too deeply."),
        (START + "nodes: [{cap: {rows: .nan}}]\n" + END, "must be a number such as 600, 0.1, 1e3 or 1/3, got .nan."),
        (START + "nodes: [{cap: {rows: 1e-3}}]\n" + END, "nodes[0].cap.rows must be a whole number, got 1e-3."),
        (START + "nodes: [{filter: x, cap: {rows: 1}}]\n" + END, "nodes[0] must be one of filter, derive, bin, sel"),
        (START + "nodes: [{select: [id, nothing]}]\n" + END, "there is no column 'nothing'"),
        (START + "nodes: [{derive: {id: age}}]\n" + END, "derive: 'id' tells whose rows are protected"),
        (START + "nodes: [{join: {other: {table: people}, rows: 0}}]\n" + END, "JoinPersons.rows must be above zero"),
        (START + "group_by: {region: [east]}\n" + END, "'east' is no category of 'region'"),
        (START + "group_by: {age: ['1']}\n" + END, "group_by.age[0] must be a whole number without quotes"),
        (START + "group_by: id\n" + END, "'id' tells persons apart, and no answer is about one person"),
        (
            START + "group_by: region\nrollup: region\n" + END,
            "a query has rollup, or group_by with or without other",
        ),
        (START + "groups: [a]\n" + END, "groups, other and keys need group_by."),
        (START + "group_by: {region: [no]}\ngroups: [no]\n" + END, "groups are listed under group_by or under groups"),
        (START + "aggregates: {a: {mean: age, bounds: [3, 1]}}\n", "lower"),
        (START + "aggregates: {a: {covariance: age}}\n", "aggregates.a.covariance must name 2 columns, got 1."),
        (START + "aggregates: ???\n", "line 3: aggregates is still open."),
        (START + "partition: [region, old]\n", "partition must name one column, got 2."),
        ("format: query/1\nsql: SELCT 1\n", "line 2: SQL"),
        ("format: query/1\nbatch: {a: {table: visits}}\n", "line 2: batch.a.aggregates is missing"),
        ("- format: query/1\n- x\n", "a query must have keys such as format, table, aggregates, got a list."),
    ],
)
def test_a_wrong_file_is_refused_with_what_is_wrong(text: str, message: str) -> None:
    assert message in "\n".join(problems(text))


def test_a_short_file_cannot_make_many_groups() -> None:
    values = ", ".join(map(str, range(2000)))
    text = START + f"group_by: {{age: [{values}], code: [{values}], old: [true]}}\n" + END
    assert problems(text) == ["line 3: group_by must make at most 1,048,576 groups."]


def test_a_file_cannot_do_what_a_call_cannot() -> None:
    """Bounds, caps and joins of a file are checked as those of calls: where rows are protected, there are no caps."""
    rows = planner(pv.Rows())
    with pytest.raises(ProblemsError, match="the unit is rows, so that there are no persons to cap"):
        rows.read_query(START + "nodes: [{cap: {rows: 3}}]\n" + END)
    with pytest.raises(ProblemsError, match="join matches the rows of a person"):
        rows.read_query(START + "nodes: [{join: {other: {table: people}, rows: 1}}]\n" + END)
    with pytest.raises(ProblemsError, match="counts persons, but the unit is rows"):
        rows.read_query(START + "aggregates: {n: count_ids}\n")


def test_what_cannot_be_written_is_named() -> None:
    query = PLANNER.query("visits")
    many = [{"region": str(n), "people": n, "opened": None, "height": 0} for n in range(3000)]
    joined = query.join_public(many, PUBLIC_COLUMNS, on="region").agg(pv.count())
    joined.plan(epsilon=1)
    with pytest.raises(UnavailableError, match="a public table of up to 10,000 finite values"):
        joined.to_yaml()
    inner = PLANNER.sql("SELECT b, COUNT(*) FROM (SELECT region AS b FROM visits) GROUP BY b").query
    with pytest.raises(UnavailableError, match="files do not hold the node ProjectColumns yet"):
        inner.to_yaml()
    deep = query
    for _ in range(12):
        deep = query.select("id").join(deep.summarize(n="count(*)")).derive(n="n + 1")
    with pytest.raises(UnavailableError, match="use fewer joins"):
        deep.agg(pv.count()).to_yaml()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            START + "group_by: {region: [north]}\nkeys: {delta: 1e-7}\n" + END,
            "groups are listed, or keys says how the release finds them, not both.",
        ),
        (START + "keys: {delta: 1e-7}\n" + END, "groups, other and keys need group_by."),
        (START + "group_by: code\nkeys: {share: 0.5}\n" + END, "Write delta: 1e-7."),
        (START + "group_by: code\nkeys: {delta: 2}\n" + END, "private.delta must be above zero and below one"),
        (START + "nodes: [{join_public: {source: region, on: region}}]\n" + END, "there are regions"),
        (
            START + "nodes: [{join_public: {source: {region: [a]}, on: region}}]\n" + END,
            "nodes[0].join_public.source needs columns beside it. Describe the columns as a codebook does.",
        ),
        (
            "format: query/1\nsql: SELECT AVG(age) FROM visits\nimpute: {name: age, bye: region}\n",
            "impute.bye is no key of an imputation. Did you mean by?",
        ),
    ],
)
def test_a_wrong_part_of_keys_public_tables_and_imputations_is_named(text: str, message: str) -> None:
    assert message in "\n".join(problems(text))


def test_a_public_table_of_another_session_is_not_there() -> None:
    text = EXAMPLES["public by name"].to_yaml()
    assert "source: regions" in text
    with pytest.raises(ProblemsError):
        Planner(books(pv.Persons("id", rows=5)), pv.budget(epsilon=1)).read_query(text)


def test_only_paths_and_texts_are_read() -> None:
    with pytest.raises(InvalidError, match="there is no file 'nowhere.yaml'; check the path"):
        PLANNER.read_query("nowhere.yaml")
    with pytest.raises(WrongTypeError, match="the path of a file, or its text, got dict"):
        PLANNER.read_query({})  # type: ignore[arg-type]


HOSTILE = ["1e999", ".nan", "9" * 400, "1/0", "-1", "null", "???", "[]", "{}", "[[[1]]]", "{a: {b: c}}", "!x y", "*a"]
HOSTILE += [
    "'",
    "\\",
    "2024-13-45",
    "'id'",
    "auto",
    "{auto: 2}",
    "{mean: x}",
    "0x10",
    "a" * 300,
    "[" * 50,
    "\x00",
    "- x",
]


@given(name=st.sampled_from(sorted(EXAMPLES)), cuts=st.lists(st.tuples(st.integers(0, 999), st.sampled_from(HOSTILE))))
@settings(max_examples=150, deadline=None)
def test_a_hostile_file_is_refused_and_nothing_else(name: str, cuts: list[tuple[int, str]]) -> None:
    """Any word of a file is replaced: the file is read, or refused with problems."""
    text = EXAMPLES[name].to_yaml()
    for place, word in cuts[:3]:
        words = list(re.finditer(r"[^\s\[\]{},:]+", text))
        if words:
            found = words[place % len(words)]
            text = text[: found.start()] + word + text[found.end() :]
    with suppress(InvalidError):
        PLANNER.read_query(text + "\n")
