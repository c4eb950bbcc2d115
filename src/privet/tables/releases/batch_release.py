"""The releases of a batch, by name: one privacy loss for all of them."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.noise.batch_plan import BatchPlan
from privet.tables.releases.json_text import check, check_format, read_json, reading
from privet.tables.releases.plot import add_title, new_axes
from privet.tables.releases.release import Release
from privet.tables.releases.table_release import LEVEL, Level
from privet.tables.releases.written_values import loss_text

FORMAT = "batch/1"


def _unchanging(value: Mapping[str, Release]) -> Mapping[str, Release]:
    return MappingProxyType(dict(value))


@final
@frozen(kw_only=True, repr=False)
class BatchRelease(Mapping[str, Release]):
    """The releases of a batch, by name.

    Args:
        releases: One for each query.
    """

    releases: Mapping[str, Release] = field(converter=_unchanging)

    @property
    def loss(self) -> Loss:
        """The privacy loss of all of them together: less than the sum of the parts."""
        return BatchPlan(plans={name: release.plan for name, release in self.releases.items()}).loss

    def __getitem__(self, name: str) -> Release:
        if name not in self.releases:
            known = ", ".join(map(repr, self.releases))
            hint = closest(str(name), self.releases)
            raise KeyError(f"BatchRelease: there is no release {name!r}; there are {known}.{hint}")
        return self.releases[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.releases)

    def __len__(self) -> int:
        return len(self.releases)

    def to_dict(self, level: Level = LEVEL) -> dict[str, dict[str, list[Any]]]:
        """The columns of every release, by its name."""
        return {name: release.to_dict(level) for name, release in self.releases.items()}

    def to_long(self, level: Level = LEVEL) -> dict[str, dict[str, list[Any]]]:
        """The values of every release, one row each, by its name."""
        return {name: release.to_long(level) for name, release in self.releases.items()}

    def to_arrow(self, level: Level = LEVEL) -> dict[str, Any]:
        """An Arrow table of every release, by its name."""
        return {name: release.to_arrow(level) for name, release in self.releases.items()}

    def to_pandas(self, level: Level = LEVEL) -> dict[str, Any]:
        """A pandas data frame of every release, by its name."""
        return {name: release.to_pandas(level) for name, release in self.releases.items()}

    def to_polars(self, level: Level = LEVEL) -> dict[str, Any]:
        """A polars data frame of every release, by its name."""
        return {name: release.to_polars(level) for name, release in self.releases.items()}

    def to_csv(self, path: str | PathLike[str] | None = None, level: Level = LEVEL) -> dict[str, str] | None:
        """Write every release as CSV, ``name.csv`` each.

        Args:
            path: The folder to write to; without one, the texts are returned by name.
            level: That of the intervals.
        """
        if path is None:
            return {name: str(release.to_csv(level=level)) for name, release in self.releases.items()}
        for name in self.releases:
            if Path(f"{name}.csv").name != f"{name}.csv" or not name.isprintable() or "\\" in name:
                raise InvalidError(
                    f"BatchRelease.to_csv: {name!r} cannot be the name of a file. Write this release by itself: "
                    f"batch[{name!r}].to_csv(path)."
                )
        Path(path).mkdir(parents=True, exist_ok=True)
        for name, release in self.releases.items():
            release.to_csv(Path(path) / f"{name}.csv", level)
        return None

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal batch."""
        releases = {name: release.encode() for name, release in self.releases.items()}
        return json.dumps({"format": FORMAT, "releases": releases}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "BatchRelease":
        """Read what ``to_json`` wrote."""
        data = read_json("BatchRelease", text)
        check_format("BatchRelease.from_json", FORMAT, data)
        with reading("BatchRelease"):
            check(isinstance(data["releases"], dict) and set(data) == {"format", "releases"})
            return cls(releases={name: Release.decode(each) for name, each in data["releases"].items()})

    def plot(self, column: str | None = None, level: Level = LEVEL) -> dict[str, Any]:
        """Draw every release, below each other in one figure; give the axes by name. Needs matplotlib.

        Args:
            column: The column of each release; its first column of numbers by default.
            level: That of the intervals.
        """
        axes = dict(zip(self.releases, new_axes(len(self)), strict=True))
        for name, release in self.releases.items():
            release.plot(column, level, axes[name])
            add_title(axes[name], name)
        return axes

    def __str__(self) -> str:
        parts = [f"{name}\n{release}" for name, release in self.releases.items()]
        return "\n\n".join([*parts, self._together])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = [
            f"<div><strong>{escape(name)}</strong></div>{release._repr_html_()}"
            for name, release in self.releases.items()
        ]
        return "".join([*parts, f"<div>{escape(self._together)}</div>"])

    @property
    def _together(self) -> str:
        return f"privacy loss of all of them together: {loss_text(self.loss)}"
