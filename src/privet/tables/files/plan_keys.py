"""The keys of a file of a plan: the query, what it may lose, and the noise that was chosen."""

from typing import Any

from privet.tables.codebook.null_keys import NUMBER
from privet.tables.codebook.part import Key, Part, Values, format_key
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping, Node
from privet.tables.files.query_keys import DEFINITIONS, FORMS, SCHEMA, read_form
from privet.tables.files.values import (
    NUMBERS,
    by_name,
    each,
    keep,
    read_number_of,
    read_numbers,
    read_text,
)
from privet.tables.files.written import NOISE, VERSION, Words

BUDGET: Part[Values] = Part(
    "a budget",
    tuple(Key(name=name, read=read_number_of, schema=NUMBER) for name in ("epsilon", "delta", "rho")),
    keep,
)


def _read_weights(reader: TreeReader, node: Node, known: Values) -> Any:
    read = by_name(read_number_of) if isinstance(node, Mapping) else read_text
    return read(reader, node, known)


PLAN: Part[Values] = Part(
    "a plan",
    (
        format_key("plan", lambda: VERSION["plan"], "Write format: plan/1."),
        Key(
            name="query",
            read=read_form,
            schema={"anyOf": [part.schema() for part, _ in FORMS.values()]},
            missing="Write the query, with the keys of a file of a query.",
        ),
        Key(name="budget", read=BUDGET.read, schema=BUDGET.schema()),
        Key(
            name="weights",
            read=_read_weights,
            schema={"anyOf": [{"enum": ["equal errors"]}, {"type": "object", "additionalProperties": NUMBER}]},
        ),
        Key(name="group_size", read=read_number_of, schema=NUMBER),
        Key(name="interval", read=read_number_of, schema=NUMBER),
        Key(name="level_weights", read=read_numbers, schema=NUMBERS),
        Key(name="noise", read=each(NOISE.read), schema={"type": "array", "items": NOISE.schema()}),
    ),
    keep,
)
ARGUMENTS = ("weights", "group_size", "level_weights", "interval")


def plan_schema() -> Words:
    """Describe files of plans in JSON Schema, for editors that check a file while it is written."""
    return {"$schema": SCHEMA, "title": "Plan", **PLAN.schema(), "$defs": DEFINITIONS}
