"""Casts by the types of both sides: those that an engine has, and those that a template writes."""

from collections.abc import Callable, Mapping, Set
from typing import final

from attrs import frozen
from sqlglot import exp

from privet.tables.engines.typed_sql.trees import WIDE, Kind, Typed
from privet.tables.engines.typed_sql.writer import refusal


@final
@frozen(kw_only=True)
class Casts:
    """How one engine converts values; what does not convert is null, and no cast raises.

    Args:
        engine: What to call it in messages.
        convert: Writes a cast that the engine has.
        let: Fills a template in which ``v`` stands for the value.
        direct: Pairs of types for which the engine's own cast has the right value for every value.
        templates: The template of other pairs; ``"wide"`` stands for each type of more than 64 bits.
    """

    engine: str
    convert: Callable[[exp.Expr, Kind], exp.Expr]
    let: Callable[..., exp.Expr]
    direct: Set[tuple[Kind, Kind]]
    templates: Mapping[tuple[str, str], str]

    def cast(self, value: Typed, kind: Kind) -> Typed:
        """Convert a value to another type, or refuse the pair."""
        source = value.kind
        if source == kind:
            return value
        if source == "null" or (source, kind) in self.direct:
            return Typed(self.convert(value.tree, kind), kind)
        template = self.templates.get((_family(source), _family(kind)))
        if template is None:
            raise refusal(self.engine, f"{source} is not converted to {kind}", "convert it in a view of the table.")
        return Typed(self.let(template, v=value.tree), kind)


def _family(kind: Kind) -> str:
    return "wide" if kind in WIDE else kind
