"""The dialect of an engine that writes SQL by types: its functions depend on the types of their arguments."""

from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.engines.dialect import Spelling
from privet.tables.vocabulary import Source


@final
@frozen(kw_only=True)
class TypedDialect:
    """The names and settings of an engine; no name alone stands for a meaning, since a *writer* writes them.

    Args:
        grammar: What sqlglot calls its SQL.
        schema: Tables are named within the statement, in no schema.
        functions: None by name alone.
        types: How types are written.
        source_types: What types hold.
        settings: What meanings depend on.
    """

    grammar: str
    schema: str = ""
    functions: dict[str, Spelling] = field(factory=dict)
    types: dict[exp.DType, str]
    source_types: dict[str, Source]
    settings: dict[str, tuple[str, ...]]
