"""One value out of a public list of categories."""

from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core.domain import Domain
from privet.core.quiet import quietly


@final
@frozen(kw_only=True)
class ChoiceDomain(Domain):
    """One of a public list of categories.

    Args:
        categories: The values, in a public order; any other value is read as the first.
    """

    categories: tuple[Any, ...]

    def member(self, value: object) -> bool:
        """Return whether the value is one of the categories."""
        return any(_same(value, item) for item in self.categories)

    def admit(self, data: object) -> Any:
        """Return the category that equals the value, or the first."""
        plain = data.item() if isinstance(data, np.generic) else data
        return next((item for item in self.categories if _same(plain, item)), self.categories[0])

    def read_member(self, label: str, data: object) -> Any:
        """Read one of the categories."""
        plain = data.item() if isinstance(data, np.generic) else data
        self.refuse(label, "" if self.member(plain) else "the value is not one of the categories")
        return self.admit(data)

    def describe(self) -> str:
        """Name the categories."""
        return f"choice({list(self.categories)!r})"


def _same(value: object, category: object) -> bool:
    # compared quietly: a tuple may hold objects whose comparison raises
    return type(value) is type(category) and bool(quietly(lambda: bool(value == category)))
