"""Dialects: what an engine calls the types, functions and tables that trees name."""

from collections.abc import Callable, Mapping
from typing import Protocol

from sqlglot import exp

from privet.tables.vocabulary import Source

Spelling = str | Callable[..., exp.Expr]  # the engine's function, or a tree from the arguments


class Dialect(Protocol):
    """The SQL of one engine, as far as it differs from that of others.

    The compiler does the rest (:mod:`privet.tables.engines.compiler`). docs/tables/engine.md lists what a new engine
    needs.
    """

    @property
    def grammar(self) -> str:
        """The name of sqlglot's dialect, which writes operators, literals, quotes and clauses."""

    @property
    def schema(self) -> str:
        """Where the engine keeps its tables."""

    @property
    def functions(self) -> Mapping[str, Spelling]:
        """How each meaning of :mod:`privet.tables.vocabulary.meanings` is written."""

    @property
    def types(self) -> Mapping[exp.DType, str]:
        """How types are written where sqlglot would write another name, such as the integer of 128 bits."""

    @property
    def source_types(self) -> Mapping[str, Source]:
        """What the types of sources hold, by the name that the engine gives them, without parameters."""

    @property
    def settings(self) -> Mapping[str, tuple[str, ...]]:
        """The settings that meanings depend on, with the value that each must have and other spellings of it."""
