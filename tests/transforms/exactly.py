"""Exact results of chains, for tests: fractions in the units of the data."""

from fractions import Fraction
from typing import Any

from privet.core.grid_domains import NumbersDomain, ScalarDomain


def number_of(chain: Any, rows: Any) -> Fraction:
    """Run a chain that ends in one number."""
    domain = chain.output.domain
    assert isinstance(domain, ScalarDomain)
    return Fraction(chain.run(chain.input.domain.admit(rows))) * domain.grid


def numbers_of(chain: Any, rows: Any) -> list[Fraction]:
    """Run a chain that ends in several numbers."""
    domain = chain.output.domain
    assert isinstance(domain, NumbersDomain)
    return [Fraction(int(item)) * domain.grid for item in chain.run(chain.input.domain.admit(rows))]
