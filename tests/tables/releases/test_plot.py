"""Plots of releases: the keys choose the form, every value is drawn with its interval, and names are never formulas."""

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from attrs import evolve

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.container import BarContainer, ErrorbarContainer

import privet as pv
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.releases.table_release import TableRelease
from privet.tables.releases.written_values import loss_text
from tests.tables.releases.every_release import MAKERS, WARDS, batch, release_of

NO_NUMBERS = {"keys", "top keys", "no keys", "moments", "empty sql"}


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


def bars(axes: Axes) -> list[BarContainer]:
    return [each for each in axes.containers if isinstance(each, BarContainer)]


def lines(axes: Axes) -> list[ErrorbarContainer]:
    """The lines and points with error bars; those of bars belong to the bars."""
    of_bars = [each.errorbar for each in bars(axes)]
    return [each for each in axes.containers if isinstance(each, ErrorbarContainer) and each not in of_bars]


def heights(axes: Axes) -> list[list[float]]:
    return [[bar.get_height() for bar in each] for each in bars(axes)]


@pytest.mark.parametrize("name", sorted(set(MAKERS) - NO_NUMBERS))
def test_every_release_with_numbers_is_drawn(name: str) -> None:
    release = release_of(name)
    axes = release.plot()
    assert isinstance(axes, Axes)
    title = axes.get_title()
    assert loss_text(release.loss) in title
    if len(release) and any(column.has_interval for column in release.layout()):
        assert "95 % interval of the noise" in title
    axes.figure.canvas.draw()


def test_one_key_gives_a_bar_for_each_group() -> None:
    release = release_of("groups")
    axes = release.plot("count")
    assert heights(axes) == [release["count"].tolist()]
    assert [text.get_text() for text in axes.get_xticklabels()][:2] == list(WARDS[:2])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("ward", "count")
    low, high = release.interval()["count"]
    ends = [segment[:, 1].tolist() for segment in bars(axes)[0].errorbar[2][0].get_segments()]  # type: ignore[index]
    assert np.allclose(ends, np.stack([low, high], axis=1))


def test_a_level_widens_the_bars_and_is_in_the_title() -> None:
    release = release_of("groups")
    axes = release.plot("count", level=0.99)
    assert "99 % interval" in axes.get_title()
    ends = bars(axes)[0].errorbar[2][0].get_segments()[0][:, 1]  # type: ignore[index]
    assert np.allclose(ends, [end[0] for end in release.interval(0.99)["count"]])


def test_two_keys_give_grouped_bars() -> None:
    release = release_of("gaussian")
    axes = release.plot()
    assert [len(each) for each in bars(axes)] == [len(WARDS)] * 2
    assert sorted(height for each in heights(axes) for height in each) == sorted(release["count"].tolist())
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["False", "True"]


def test_months_give_a_line() -> None:
    release = release_of("months")
    axes = release.plot()
    (line,) = lines(axes)
    assert line[0].get_ydata().tolist() == release["count"].tolist()
    assert not bars(axes)


def test_no_key_gives_a_point_for_each_column() -> None:
    release = release_of("one group")
    axes = release.plot()
    (points,) = lines(axes)
    assert points[0].get_ydata().tolist() == [float(release[name][0]) for name in release.names]
    assert [text.get_text() for text in axes.get_xticklabels()] == list(release.names)
    (one,) = lines(release.plot("mean_x"))
    assert len(one[0].get_ydata()) == 1


def test_a_histogram_gives_bars_over_its_bins() -> None:
    session = pv.Session(
        [{"x": at % 8} for at in range(80)],
        pv.Codebook(columns={"x": pv.column("real", bounds=(0, 8))}, unit=pv.Rows()),
        pv.budget(epsilon=1),
    )
    release = session.query().agg(pv.histogram("x", [0, 1, 4, 8])).release(epsilon=1)
    axes = release.plot()
    (only,) = bars(axes)
    assert [(bar.get_x(), bar.get_width()) for bar in only] == [(0.0, 1.0), (1.0, 3.0), (4.0, 4.0)]
    assert heights(axes) == [[float(release[name][0]) for name in release.names]]
    assert axes.get_xlabel() == "x"


def test_a_histogram_by_groups_gives_grouped_bars() -> None:
    release = release_of("histogram")
    axes = release.plot("bars")
    assert [len(each) for each in bars(axes)] == [4] * len(WARDS)
    assert heights(release.plot()) == [release["count"].tolist()]  # the first column of numbers


def test_negative_counts_are_kept() -> None:
    release: Any = release_of("gaussian")
    low = evolve(release, numbers=tuple(np.full_like(each, -50) for each in release.numbers))
    assert {height for each in heights(low.plot("count")) for height in each} == {-50.0}


def test_a_roll_up_shows_its_finest_groups() -> None:
    release = release_of("rollup")
    drawn = [height for each in heights(release.plot("count")) for height in each]
    assert len(drawn) == len(WARDS) * 10
    assert sorted(drawn) == sorted(release["count"][-len(drawn) :].tolist())


def test_a_batch_has_axes_for_each_release() -> None:
    axes = batch().plot()
    assert list(axes) == ["wards", "mean"]
    assert [each.get_title().split("\n")[0] for each in axes.values()] == ["wards", "mean"]
    assert len({id(each.figure) for each in axes.values()}) == 1


def test_existing_axes_are_used() -> None:
    _, axes = plt.subplots()
    assert release_of("groups").plot(ax=axes) is axes
    with pytest.raises(WrongTypeError, match=r"plot\.ax must be matplotlib axes"):
        release_of("groups").plot(ax="axes")


def test_an_end_that_is_unbounded_is_marked() -> None:
    axes = release_of("imputed").plot("count")
    assert [line.get_linestyle() for line in axes.lines].count(":") == 1
    assert "dotted: unbounded" in axes.get_title()


def test_many_groups_are_cut_and_the_title_says_so() -> None:
    book = pv.Codebook(columns={"key": pv.column("integer", bounds=(0, 999))}, unit=pv.Rows())
    session = pv.Session([], book, pv.budget(epsilon=1))
    axes = session.query().group_by("key").agg(pv.count()).release(epsilon=1).plot()
    assert [len(each) for each in bars(axes)] == [200]
    assert axes.get_title().endswith("the first 200 of 1,000 groups")


@pytest.mark.parametrize("column", ["ward", "often", "middle"])
def test_what_is_no_number_is_refused(column: str) -> None:
    release = release_of("groups" if column == "ward" else "moments")
    with pytest.raises(InvalidError, match=f"plot draws columns of numbers, and '{column}' is "):
        release.plot(column)


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidError, match=r"plot: there is no column 'coun'; .* Did you mean 'count'\?"):
        release_of("groups").plot("coun")


@pytest.mark.parametrize("name", sorted(NO_NUMBERS))
def test_a_release_without_numbers_says_what_to_do(name: str) -> None:
    release: TableRelease = release_of(name)
    with pytest.raises(UnavailableError) as caught:
        release.plot()
    if name == "moments":
        assert str(caught.value) == "plot: the release has no column of numbers to draw."
    elif name == "empty sql":
        assert str(caught.value) == "plot: the release has no rows to draw."
    else:
        keys = {"keys": "'town', 'old'", "top keys": "'town'", "no keys": "'town', 'n'"}[name]
        assert str(caught.value) == (
            "KeyRelease.plot: keys have no numbers to draw. Count their rows first: "
            f"query.group_by({keys}, groups=release).agg(pv.count())."
        )
