"""Queries of private keys: the lists of persons, and the weights of keys, from a table."""

import json
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.keys.weights import KeyWeights
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary import Relation, call, column, derived, exact_sum, named, rows, type_named

Key = tuple[Any, ...]
COUNT = "privet count"
_KEYS, _FOUND = "privet keys", "privet found"
_WHOLE = Column(kind="integer", nullable=False)


def keys_of_persons(
    relation: Relation, keys: Sequence[str], id_columns: Sequence[str], most: int, secret: int, found: Sequence[Key]
) -> Relation:
    """Build one row for each person and key: at most so many of each person, without the keys of earlier rounds."""
    names = list(dict.fromkeys((*id_columns, *keys)))
    several = relation.select(*names).filter(present_keys(names))
    grouped = [column(name, "r") for name in names]
    query = exp.Select(expressions=grouped).from_(several.derived()).group_by(*(each.copy() for each in grouped))
    lists = Relation(query=query, columns={name: relation[name] for name in names})
    if found:
        marked = lists.join(_listed(lists, keys, found), on=list(keys), how="left")
        lists = marked.filter(exp.Is(this=column(_FOUND, "r"), expression=exp.null())).select(*names)
    return cap(lists, Caps(groups=most), person=id_columns, groups=keys, used=(), key=secret)


def weighted_keys(kept: Relation, keys: Sequence[str], id_columns: Sequence[str], weights: KeyWeights) -> Relation:
    """Build the query that adds up weights by key, from one row for each person and key."""
    grouped = [column(name, "r") for name in keys]
    number = exp.Window(this=rows(), partition_by=[column(name, "r") for name in id_columns], over="OVER")
    known = {name: kept[name] for name in keys}
    inner = exp.Select(expressions=[*grouped, named(number, _KEYS)]).from_(kept.derived())
    lists = Relation(query=inner, columns={**known, _KEYS: _WHOLE}) if weights.rule != "one" else kept
    total = rows() if weights.rule == "one" else exact_sum(weights.sql(column(_KEYS, "r")))
    outputs = [*(each.copy() for each in grouped), named(total, COUNT)]
    query = exp.Select(expressions=outputs).from_(lists.derived()).group_by(*(each.copy() for each in grouped))
    return Relation(query=query, columns={**known, COUNT: _WHOLE})


def _listed(relation: Relation, keys: Sequence[str], found: Sequence[Key]) -> Relation:
    """Build a relation of released keys; one literal each column, since there may be very many."""
    outputs: list[exp.Expr] = []
    for place, name in enumerate(keys):
        values = exp.Literal.string(json.dumps([key[place] for key in found]))
        outputs.append(named(call("each_listed", values, type_named(relation[name].kind)), name))
    inner = exp.Select(expressions=outputs)
    query = exp.Select(expressions=[*(column(name, "f") for name in keys), named(exp.true(), _FOUND)])
    known = {name: relation[name] for name in keys}
    return Relation(query=query.from_(derived(inner, "f")), columns={**known, _FOUND: Column(kind="boolean")})


def present_keys(names: Sequence[str]) -> exp.Expr:
    """Build the condition that no column of a key is null."""
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in names]
    return exp.Not(this=exp.Paren(this=exp.or_(*missing)))
