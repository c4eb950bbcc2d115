"""What a frame would do and private rows do not: show a column, count themselves, give a row."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NoReturn

from privet.core import Familiar
from privet.errors import WrongTypeError
from privet.tables.columns import NUMBERS, Column


class PrivateRows(Familiar, ABC):
    """Answers what a user of frames tries first with what to write instead; nothing of it depends on the rows."""

    __slots__ = ()

    _hints_of = "rows"

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Column]:
        """What is publicly known of the columns."""

    def __getitem__(self, name: object) -> NoReturn:
        numbers = [each for each, known in self.columns.items() if known.kind in NUMBERS]
        shown = name if isinstance(name, str) and name in numbers else (numbers or ["spending"])[-1]
        raise WrongTypeError(
            "query[...] cannot show a column: rows of a private table are never shown. Aggregate it, as in "
            f"query.agg(pv.mean({shown!r})), or keep some columns with query.select(...)."
        )

    def __len__(self) -> NoReturn:
        raise WrongTypeError(
            "len(query) is not known: how many rows there are is private. Count them with "
            "query.agg(pv.count()).release(epsilon=...)."
        )

    def __bool__(self) -> bool:
        return True  # otherwise Python would ask for the length

    def _instead(self, name: str) -> str:
        """Name the column, where an analyst writes it as an attribute."""
        if name in self.columns:
            return f"; it is a column: aggregate it, as in agg(pv.mean({name!r})), or name it in an expression."
        return Familiar._instead(self, name)
