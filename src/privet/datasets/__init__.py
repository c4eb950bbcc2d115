"""Made-up data for examples, tests and tutorials: no person is behind any row."""

from privet.datasets.visits import visits

__all__ = ["visits"]
