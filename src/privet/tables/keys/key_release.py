"""Released keys: the groups that enough persons have."""

from collections.abc import Iterator, Sequence
from typing import Any, final, overload

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import find_column
from privet.tables.noise.key_round import KeyRound, total_loss
from privet.tables.releases.frames import column_array
from privet.tables.releases.json_text import agrees, check, check_format, read_json, reading
from privet.tables.releases.key_json import decode_rounds, encode_rounds
from privet.tables.releases.release_json import decode_groups, encode_groups
from privet.tables.releases.released_column import ColumnKind, ReleasedColumn, key_column, kind_of
from privet.tables.releases.table_release import LEVEL, Level, TableRelease, key_columns, texts

FORMAT = "keys/1"
Key = tuple[Any, ...]
_KINDS = ("integer", "text", "boolean")


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
        kinds: The kind of each column of the keys; without them, those of the keys that were released.
    """

    keys: tuple[str, ...] = field(converter=texts)
    groups: tuple[Key, ...]
    rounds: tuple[KeyRound, ...]
    notes: tuple[str, ...] = field(default=(), converter=texts)
    kinds: tuple[ColumnKind, ...] = field()

    @kinds.default
    def _kinds(self) -> tuple[ColumnKind, ...]:
        return tuple(map(kind_of, key_columns(self.keys, self.groups).values()))

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
    @overload
    def __getitem__(self, at: str) -> Array: ...
    def __getitem__(self, at: int | slice | str) -> Key | tuple[Key, ...] | Array:
        """Give a key or several by their places, or one column of the keys by its name."""
        return column_array(self.layout(), at, self.values(at)) if isinstance(at, str) else self.groups[at]

    def __iter__(self) -> Iterator[Key]:
        """Give the keys, as ``group_by(..., groups=release)`` takes them."""
        return iter(self.groups)

    def __contains__(self, key: object) -> bool:
        """Tell whether a key was released."""
        return key in self.groups

    def __len__(self) -> int:
        return len(self.groups)

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are: keys without nulls, of the kinds of the columns that they come from."""
        described = [key_column(name, ()) for name in self.keys]
        return tuple(evolve(column, kind=kind) for column, kind in zip(described, self.kinds, strict=True))

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Give the first keys."""
        return key_columns(self.keys, self.groups[:count])

    def plot(self, column: str | None = None, level: Level = LEVEL, ax: Any = None) -> Any:
        """Refuse: keys have no numbers to draw."""
        raise UnavailableError(
            "KeyRelease.plot: keys have no numbers to draw. Count their rows first: "
            f"query.group_by({', '.join(map(repr, self.keys))}, groups=release).agg(pv.count())."
        )

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
            "kinds": list(self.kinds),
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
            if "kinds" in data:  # older texts have none
                kinds = tuple(data["kinds"])
                check(len(kinds) == len(keys) and set(kinds) <= set(_KINDS) and (not groups or kinds == release.kinds))
                release = evolve(release, kinds=kinds)
            check(agrees(data, release.encode()))
            release.loss.pure()
        return release


def _are_keys(groups: Sequence[Key]) -> bool:
    """Tell whether groups may be released keys: no nulls, and values of one type in each column."""
    kinds = [{type(value) for value in column} for column in zip(*groups, strict=True)]
    return all(len(kind) == 1 and kind <= {int, str, bool} for kind in kinds)
