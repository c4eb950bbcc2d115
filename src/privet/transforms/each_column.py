"""Units of their own for some fields of records: how mixed records are clamped and imputed."""

from collections.abc import Mapping
from typing import Any, final

from attrs import Attribute, evolve, field, frozen

from privet.chains.pipeline import Pipeline
from privet.chains.transformation import RandomTransformation, RowTransformation, TransformationChain
from privet.core import IdentifierDistance, Records, RecordsDomain, Space, SymmetricDistance, VectorDomain
from privet.errors import MismatchError, WrongTypeError
from privet.transforms import table_or_persons

Coins = tuple[tuple[Any, ...], ...]


def _units(value: object) -> Any:
    return tuple(value.items()) if isinstance(value, Mapping) else value


@final
@frozen(kw_only=True)
class EachColumn(RowTransformation, RandomTransformation):
    """Apply to each named field of records a unit of its own; the other fields stay as they are.

    Args:
        units: For each field a unit, or units joined by ``>>``, that turn each row of a column into one row, such as
            ``Clamp``, ``Cast`` or a unit that imputes.

    Guarantee: ``d_out = d_in``, for every metric on rows and for ``IdentifierDistance``.
    Proof: docs/transforms/each_column.md.

    >>> from privet.core.space import records
    >>> from privet.transforms.impute_constant import ImputeConstant
    >>> chain = records(name=str, age=int) >> EachColumn(units={"age": ImputeConstant(value=40)})
    >>> chain([("a", None)]).columns["age"].tolist()
    [40]
    """

    units: tuple[tuple[str, Any], ...] = field(converter=_units, repr=lambda units: repr(dict(units)))

    @units.validator
    def _check(self, _: "Attribute[Any]", value: object) -> None:
        units = isinstance(value, tuple) and all(
            isinstance(name, str) and isinstance(unit, RowTransformation | Pipeline) for name, unit in value
        )
        if not units or not value:
            raise WrongTypeError(
                "EachColumn.units must be a dict from the names of fields to units that turn each row into one row, "
                "such as {'age': pc.Clamp(bounds=(0, 120))}."
            )

    def output(self, space: Space) -> Space:
        """The same fields, each with the domain that its unit gives."""
        domain, chains = self._records(space), self._chains(space)
        made: dict[str, Any] = {name: chain.output.domain for name, chain in chains.items()}
        columns = tuple((name, made.get(name, known)) for name, known in domain.columns)
        return Space(evolve(domain, columns=columns), space.metric)

    def coins(self, rows: int, space: Space) -> Coins:
        """Draw the coins of every unit for every record; a unit without chance has none."""
        return tuple(
            tuple(
                link.unit.coins(rows, link.input) if isinstance(link.unit, RandomTransformation) else ()
                for link in chain.links
            )
            for chain in self._chains(space).values()
        )

    def combine(self, value: Records, coins: Coins, space: Space) -> Records:
        """Apply the units field by field, each record with its own coins."""
        columns = dict(value.columns)
        for (name, chain), tossed in zip(self._chains(space).items(), coins, strict=True):
            for link, coin in zip(chain.links, tossed, strict=True):
                cells, unit = columns[name], link.unit
                if isinstance(unit, RandomTransformation):
                    columns[name] = unit.combine(cells, coin, link.input)
                else:
                    columns[name] = unit.apply(cells, link.input)
        return Records(columns)

    def _records(self, space: Space) -> RecordsDomain:
        domain = table_or_persons(self, space)
        if not isinstance(domain, RecordsDomain):
            raise MismatchError("EachColumn reads records, got a single column or a matrix: use the unit itself.")
        return domain

    def _chains(self, space: Space) -> dict[str, TransformationChain]:
        domain = self._records(space)
        return {name: self._chain(name, unit, domain, space) for name, unit in self.units}

    def _chain(self, name: str, unit: Any, domain: RecordsDomain, space: Space) -> TransformationChain:
        known = domain.column(name)
        if known is None:
            names = ", ".join(each for each, _ in domain.columns)
            raise MismatchError(f"EachColumn.units: no field is called {name!r}; the fields are {names}.")
        if isinstance(space.metric, IdentifierDistance) and name == space.metric.id:
            raise MismatchError(
                f"EachColumn.units: {name!r} identifies persons and must stay as it is; a unit could merge them."
            )
        chain = Space(known, SymmetricDistance()) >> unit
        if (
            not isinstance(chain, TransformationChain)
            or not all(isinstance(link.unit, RowTransformation) for link in chain.links)
            or not isinstance(chain.output.domain, VectorDomain)
        ):
            raise MismatchError(f"EachColumn.units: the unit of {name!r} must turn each row of a column into one row.")
        return chain
