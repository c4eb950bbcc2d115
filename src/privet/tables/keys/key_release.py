"""Released keys: the groups that enough persons have."""

from collections.abc import Sequence
from typing import Any, final, overload

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError
from privet.tables.columns import find_column
from privet.tables.noise.key_round import KeyRound, total_loss
from privet.tables.releases.json_text import agrees, check, check_format, read_json, reading
from privet.tables.releases.key_json import decode_rounds, encode_rounds
from privet.tables.releases.release_json import decode_groups, encode_groups
from privet.tables.releases.table_release import LEVEL, SHOWN, Level, TableRelease, key_columns, texts

FORMAT = "keys/1"
Key = tuple[Any, ...]


@final
@frozen(kw_only=True, repr=False)
class KeyRelease(TableRelease, Sequence[Key]):
    """The keys that reached their threshold, in sorted order. Ready for ``group_by(..., groups=release)``.

    A key that is not here may have rows: fewer persons have it than the threshold needs.

    Args:
        keys: The names of the columns that make a key.
        groups: The keys.
        rounds: Noise and threshold of each round.
        notes: Lines for the reader.
    """

    keys: tuple[str, ...] = field(converter=texts)
    groups: tuple[Key, ...]
    rounds: tuple[KeyRound, ...]
    notes: tuple[str, ...] = field(default=(), converter=texts)

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release."""
        return total_loss(self.rounds)

    @property
    def names(self) -> tuple[str, ...]:
        """There are none: a release of keys has no values."""
        return ()

    @overload
    def __getitem__(self, at: int) -> Key: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Key, ...]: ...
    def __getitem__(self, at: int | slice) -> Key | tuple[Key, ...]:
        return self.groups[at]

    def __len__(self) -> int:
        return len(self.groups)

    def values(self, name: str) -> list[Any]:
        """One column of the keys."""
        return find_column("KeyRelease", name, self.to_dict())

    def errors(self, name: str) -> Any:
        """Refuse: keys are exact and have no errors."""
        raise InvalidError(f"KeyRelease: keys have no standard errors, got {name!r}.")

    def interval(self, level: Level = LEVEL) -> dict[str, Any]:
        """Keys have no intervals."""
        return {}

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """The keys as columns."""
        return key_columns(self.keys, self.groups)

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""
        return {
            "format": FORMAT,
            "keys": list(self.keys),
            "groups": encode_groups(self.groups),
            "rounds": encode_rounds(self.rounds),
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, text: str) -> "KeyRelease":
        """Read what ``to_json`` wrote."""
        data = read_json("KeyRelease", text)
        check_format("KeyRelease.from_json", FORMAT, data)
        with reading("KeyRelease"):
            groups, keys, notes = decode_groups(data["groups"], data["keys"], data["notes"])
            rounds = decode_rounds(data["rounds"])
            check(rounds and _are_keys(groups) and list(groups) == sorted(groups))
            release = cls(keys=keys, groups=groups, rounds=rounds, notes=notes)
            check(agrees(data, release.encode()))
            release.loss.pure()
        return release

    def lines(self) -> tuple[Sequence[Sequence[str]], int]:
        """Give the lines of the printed table."""
        shown = [list(map(str, group)) for group in self.groups[:SHOWN]]
        return [list(self.keys), *shown], len(self.groups) - SHOWN

    def __repr__(self) -> str:
        return f"KeyRelease({len(self.groups)} groups by {', '.join(self.keys)})"


def _are_keys(groups: Sequence[Key]) -> bool:
    """Tell whether groups may be released keys: no nulls, and values of one type in each column."""
    kinds = [{type(value) for value in column} for column in zip(*groups, strict=True)]
    return all(len(kind) == 1 and kind <= {int, str, bool} for kind in kinds)
