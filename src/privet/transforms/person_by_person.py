"""A user's function of all records of one person."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    IdentifierDistance,
    MatrixDomain,
    Records,
    RecordsDomain,
    Space,
    SymmetricDistance,
    VectorDomain,
    function_of,
    must_be,
    positive,
    quietly,
    whole,
)
from privet.transforms import (
    answers_of,
    by_person,
    column_name,
    column_space,
    contents,
    function_name,
    gathered,
    has_identifier,
    listed_results,
    people,
    plain_rows,
    result_reader,
    results_in,
    value_ranks,
)

_NO_PERSONS = must_be(
    lambda to: not isinstance(to.metric, IdentifierDistance), "a space of rows, such as pc.records(...), not of persons"
)


@final
@frozen(kw_only=True)
class PersonByPerson(Transformation):
    """Replace the records of each person by rows that a user's function makes of them; if it fails, by none.

    The function is called once for each person, with a list of that person's records alone: dicts, with None for null,
    sorted by content. It returns a list of results, of which the first ``rows`` count. They are read into ``to`` like
    data: values of another kind become null, values out of bounds are clamped, and values outside the categories become
    null. Records without a readable identifier belong to no person and are dropped.

    Args:
        id: The id column: text, or whole numbers of 64 bits.
        function: A function of one person's records. It must depend on nothing else: not on earlier persons, a clock
            or chance.
        to: The kind of its results: ``int``, ``float``, ``bool``, ``str``, or a space made by ``pc.vector(...)``,
            ``pc.matrix(...)`` or ``pc.records(...)``, without a size.
        rows: How many results of a person count, at most.

    Guarantee: ``d_out = rows d_in``, from persons to rows.
    Proof: docs/transforms/person_by_person.md.

    >>> from privet.core.space import persons, vector
    >>> visits = persons("id", id=str, paid=vector(int, bounds=(0, 50)))
    >>> def range_of(records):
    ...     paid = [each["paid"] for each in records]
    ...     return [max(paid) - min(paid)]
    >>> chain = visits >> PersonByPerson(id="id", function=range_of, to=vector(int, bounds=(0, 50)))
    >>> chain([("ann", 40), ("ann", 30), ("bob", 2), ("cid", None)]).tolist()
    [10, 0]
    """

    id: str = field(validator=column_name)
    function: Callable[[list[dict[str, Any]]], Any] = field(
        validator=function_of("the records of a person"), repr=function_name
    )
    to: Space = field(
        converter=column_space,
        validator=[
            *results_in(
                VectorDomain | MatrixDomain | RecordsDomain,
                "int, float, bool, str, or a space such as pc.vector(float, bounds=(0, 1)), pc.matrix(2) or "
                "pc.records(day=int)",
            ),
            _NO_PERSONS,
        ],
    )
    rows: int = field(default=1, converter=whole, validator=positive)

    def output(self, space: Space) -> Space:
        """The results of all persons together."""
        by_person(self, space, self.id)
        return Space(self.to.domain, SymmetricDistance())

    def apply(self, value: Records, space: Space) -> Any:
        """Call the function on the records of each person, and read the results like data."""
        value = value.take(has_identifier(value, self.id))
        value = value.take(self._by_content(value))
        _, starts = people(value_ranks(value.columns[self.id]))
        rows = list(plain_rows(value))
        each = [rows[start:end] for start, end in pairwise([*starts.tolist(), len(rows)])]
        domain: Any = self.to.domain
        made = answers_of(self.function, each, partial(_first_results, self.rows, result_reader(domain)))
        return gathered([row for results in made for row in results or ()], domain)

    def _by_content(self, value: Records) -> Array:
        """Order records by person and then by content: their order in the data decides nothing."""
        order: Array = np.lexsort([*reversed(contents(value)), value_ranks(value.columns[self.id])])
        return order

    def stability(self, d_in: int, space: Space) -> int:
        """A person who is added or removed adds or removes at most this many rows."""
        return self.rows * d_in


def _first_results(rows: int, read: Callable[[Any], Any], result: object) -> list[Any] | None:
    """Read the first results at once: a function may change its list later."""
    results = listed_results(result)
    return None if results is None else [quietly(read, item) for item in results[:rows]]
