"""Random expressions against what they mean: in the engine, row by row, and within the column that is inferred."""

import atexit
from functools import cache

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.tables.expressions.generate import Engine, expressions, read, rows

OFTEN = settings(
    max_examples=20, deadline=None, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)


@cache
def _engine() -> Engine:
    atexit.register(_engine.cache_clear)  # while the interpreter can still take it apart
    return Engine(rows(150))


def check_expressions(seed: int) -> None:
    """Draw expressions and compare each with its meaning in Python."""

    @hypothesis.seed(seed)
    @OFTEN
    @given(expressions())
    def law(text: str) -> None:
        problems = _engine().problems(read(text))
        assert not problems, f"expression law: {text}: {problems[0]}"

    law()
