"""The membership law: what every unit returns lies in the domain that it claims."""

import numpy as np

from tests.laws.cases import Case
from tests.laws.drawn import drawn
from tests.laws.members import misfit, misplaced
from tests.laws.replay import replayed

EXAMPLES = 12


def check_membership(case: Case, *, examples: int = EXAMPLES, seed: int = 0) -> None:
    """Run a chain link by link on anything that may be handed over, and test each result by the descriptors alone.

    Args:
        case: A placed unit that is no step of a table query.
        examples: How many inputs are drawn.
        seed: Where they are drawn from.
    """
    chain = case.chain
    for space in (chain.input, *(link.output for link in chain.links)):
        reason = misplaced(space)
        assert reason is None, f"membership law: {case.name}: {reason}"
    for number, data in enumerate(drawn(case, examples=examples, seed=seed)):
        with np.errstate(all="ignore"), replayed(seed=seed + number):
            value = chain.input.domain.admit(data)
            reason = misfit(value, chain.input.domain)
            assert reason is None, f"membership law: {case.name}: what was read {reason}"
            for link in chain.links:
                value = link.unit.apply(value, link.input)
                reason = misfit(value, link.output.domain)
                assert reason is None, f"membership law: {case.name}: what {type(link.unit).__name__} gave {reason}"
