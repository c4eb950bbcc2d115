"""Random queries for the law of limits: expressions, joins, unions, summaries, and questions about them."""

import random
from collections.abc import Callable, Mapping
from typing import Any

import privet as pv
from privet.chains.transformation import TransformationChain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from privet.tables.columns.column import Column
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.joined import How
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList

Columns = Mapping[str, Column]
LITERALS = ("''", "'ß'", "'🤦🏼\u200d♂️'", "'it''s'")
PUBLIC = [{"ward": "ß", "place": "İ" * 50}, {"ward": "a", "place": "\U0010ffff" * 20}]


def text_of(source: random.Random, columns: Columns, depth: int) -> str:
    """Write an expression that gives a text."""

    def one() -> str:
        return text_of(source, columns, depth - 1)

    named = [quoted(name) for name, known in columns.items() if known.kind == "text"]
    if depth == 0 or source.random() < 0.2:
        return source.choice([*named, source.choice(LITERALS)])
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({one()} || {one()})",
        lambda: f"concat({one()}, {one()}, {one()})",
        lambda: f"regexp_replace({one()}, '.', '{source.choice(('', 'ab', chr(92) + '0' + chr(92) + '0'))}', 'g')",
        lambda: f"regexp_replace({one()}, '^(.*)$', '{chr(92)}1-{chr(92)}1')",
        lambda: f"parse_time('%H:%M', {one()})",
        lambda: f"upper({one()})",
        lambda: f"lower({one()})",
        lambda: f"trim({one()})",
        lambda: f"substr({one()}, {source.randint(1, 900)}, {source.choice((0, 1, 5, 2000))})",
        lambda: f"substr({one()}, {source.randint(1, 1200)})",
        lambda: f"coalesce({one()}, {one()})",
        lambda: f"nullif({one()}, {one()})",
        lambda: f"least({one()}, {one()})",
        lambda: f"greatest({one()}, {one()})",
        lambda: f"case when {condition_of(source, columns, depth - 1)} then {one()} else {one()} end",
        lambda: f"cast({number_of(source, columns, depth - 1)} as text)",
        lambda: f"cast({number_of(source, columns, depth - 1)} as text)",
        lambda: f"cast({condition_of(source, columns, depth - 1)} as text)",
        *((lambda: "cast(day as text)", lambda: "cast(cast(day as timestamp) as text)") if "day" in columns else ()),
    )
    return source.choice(forms)()


def number_of(source: random.Random, columns: Columns, depth: int) -> str:
    """Write an expression that gives a number."""

    def one() -> str:
        return number_of(source, columns, depth - 1)

    named = [quoted(name) for name, known in columns.items() if known.kind in ("integer", "real")]
    if depth == 0 or source.random() < 0.2:
        return source.choice([*named, "0", "-1", "0.5", "-0.0", "1e-300"])
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"({one()} {source.choice('+-*/')} {one()})",
        lambda: f"(-{one()})",
        lambda: f"round({one()}, {source.randint(-3, 3)})",
        lambda: f"{source.choice(('ceil', 'floor', 'abs'))}({one()})",
        lambda: f"clip({one()}, -5, 7)",
        lambda: f"length({text_of(source, columns, depth - 1)})",
        lambda: f"cast({text_of(source, columns, depth - 1)} as real)",
    )
    return source.choice(forms)()


def condition_of(source: random.Random, columns: Columns, depth: int) -> str:
    """Write a condition."""
    if source.random() < 0.5:
        return f"{number_of(source, columns, depth)} {source.choice(('<', '>=', '='))} 0"
    text = text_of(source, columns, depth)
    return source.choice((f"length({text}) > 3", f"{text} like '%ß%'", f"({text}) is null", f"{text} < 'n'"))


def quoted(name: str) -> str:
    return f'"{name}"'


def random_chain(source: random.Random, space: Space) -> TransformationChain:
    """Draw a query; steps that are refused, from public facts, are left out."""
    chain = space >> FromTable(name="visits")
    for _ in range(source.randint(1, 5)):
        try:
            chain = _step(source, space, chain)
        except (InvalidError, MismatchError):
            continue
    return chain


def _step(source: random.Random, space: Space, chain: Any) -> Any:
    columns = chain.output.domain.columns
    kept = {name: quoted(name) for name in columns}
    name = source.choice(("t", "u", "note", "m"))
    kind = source.randint(0, 8)
    if kind <= 1:
        return chain >> ProjectColumns(outputs={**kept, name: text_of(source, columns, 3)})
    if kind == 2:
        return chain >> ProjectColumns(outputs={**kept, "m": number_of(source, columns, 3)})
    if kind == 3:
        return chain >> FilterRows(condition=condition_of(source, columns, 2))
    if kind == 4:
        other = chain >> FilterRows(condition=condition_of(source, columns, 2))
        return space >> UnionRows(first=chain, second=other)
    if kind == 5:
        added = f"j{len(columns)}"
        people = space >> FromTable(name="people") >> ProjectColumns(outputs={"id": "id", added: "name || name"})
        how: How = source.choice(("inner", "left"))
        return space >> JoinPersons(first=chain, second=people, rows=source.randint(1, 3), how=how, key=5)
    lists = [each for each, known in columns.items() if known.kind == "list"]
    if kind == 8 and lists:
        unnested, into = source.choice(lists), source.choice(("", "item"))
        return chain >> UnnestList(name=unnested, most=source.choice((None, 1, 2, 9)), into=into or unnested)
    if kind == 6 and "note" in columns and columns["note"].kind == "text":
        return chain >> SplitText(name="note", separator=source.choice(("a", "ß", " ")), most=2, into="note")
    summaries = {"most": f"max({text_of(source, columns, 1)})", "total": f"sum({_whole(columns)})", "n": "count(*)"}
    return chain >> SummarizePersons(keys=source.choice(((), _texts(columns)[:1])), summaries=summaries)


def _whole(columns: Columns) -> str:
    return quoted(next((name for name, known in columns.items() if known.kind == "integer"), "id"))


def _texts(columns: Columns) -> tuple[str, ...]:
    return tuple(name for name, known in columns.items() if known.kind == "text")


def random_question(source: random.Random, session: Any) -> Any:
    """Ask about one person, or all, with texts that grow and rows that are repeated until that is refused."""
    query = session.query("visits")
    if source.random() < 0.5:
        query = query.filter("id = 7")
    for _ in range(source.randint(0, 3)):
        grown = source.choice(("t || t", "concat(t, note, t)", "upper(t) || lower(t)", "t || cast(minutes as text)"))
        if "t" not in query.columns:
            query = query.derive(t=source.choice(("note", "code", "case when minutes > 0 then 'a' else code end")))
        for _ in range(source.choice((1, 1, 1, 2, 3, 14))):
            query = query.derive(t=grown)
    for _ in range(source.randint(0, 3)):
        kind = source.randint(0, 4)
        lists = [each for each, known in query.columns.items() if known.kind == "list"]
        if kind == 4 and lists:
            query = query.unnest(source.choice(lists), most=source.choice((None, 2)))
        elif kind == 0:
            query = query.union(query)
        elif kind == 1:
            people = session.query("people").select("id", "name").rename(**{f"name{len(query.columns)}": "name"})
            query = query.join(people, rows=source.choice((1, 1, 2, 3, 20, 10**6)))
        elif kind == 2:
            query = query.join_public(PUBLIC, {"ward": pv.column("text"), "place": pv.column("text")}, on="ward")
        else:
            query = query.summarize("note", t="max(note)", minutes="max(minutes)")
    texts = [name for name, known in query.columns.items() if known.kind == "text"]
    name = source.choice(texts)
    if source.random() < 0.2:
        top = source.choice((None, 1, 3))
        return query.private_keys(name, top=top).release(epsilon=0.5, delta=1e-6)
    asked = source.choice((pv.count(), pv.count_distinct(name), pv.count_ids()))
    return query.agg(asked, n=pv.count_distinct(name)).release(epsilon=0.5)
