"""Records of which half lack a value, with ties everywhere, and their neighbours: what imputation makes hard."""

from fractions import Fraction
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from privet.chains.transformation import TransformationChain

CROWD = settings(
    max_examples=100, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
QUICK = settings(CROWD, max_examples=1500, phases=(Phase.generate,))


def _column(domain: Any, *, completed: bool) -> st.SearchStrategy[Any]:
    if domain.categories is not None:
        return st.sampled_from(domain.categories)
    if domain.bounds is not None:
        low, high = (domain.kind(end) for end in domain.bounds)
        if not completed:
            return st.integers(low, high) if domain.kind is int else st.sampled_from([low, high])
        return st.sampled_from([None, None, None, low, high, domain.kind((low + high) / 2)])
    return {int: st.integers(0, 5), str: st.sampled_from("abc"), bool: st.booleans()}[domain.kind]


@st.composite
def crowds(draw: Any, chain: TransformationChain) -> tuple[list[Any], list[Any]]:
    """Data, and the same with one row more."""
    unit: Any = chain.links[0].unit
    value = getattr(unit, "right", unit).value
    columns: Any = chain.input.domain
    row = st.tuples(*(_column(domain, completed=name == value) for name, domain in columns.columns))
    rows = draw(st.lists(row, max_size=14))
    return rows, [draw(row), *rows]


def check_crowds(chain: TransformationChain, often: settings = CROWD, most: int = 1) -> None:
    """The map law on such data: neighbours come out so far apart at most, by default one step."""

    @often
    @given(crowds(chain))
    def law(pair: tuple[list[Any], list[Any]]) -> None:
        first, second = (chain.run(chain.input.domain.admit(rows)) for rows in pair)
        apart = chain.output.metric.distance(first, second, chain.output.domain)
        assert isinstance(apart, int | Fraction)
        assert apart <= most, f"map law: neighbours came out {apart} apart"

    law()
