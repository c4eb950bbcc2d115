"""Names that a ledger takes: printable, of some length, and periods of the calendar."""

import pytest

from privet.errors import InvalidError
from privet.ledger.names import check_name, check_period, read_anchor


@pytest.mark.parametrize("name", ["", "a\nb", "\x1b[2J", "x" * 201, None, 5, "\u202e"])
def test_what_is_no_name_is_refused(name: object) -> None:
    with pytest.raises(InvalidError, match="dataset must be a name"):
        check_name("dataset", name)


@pytest.mark.parametrize("name", ["no date", "2026", "2026-05", "2026-05-31", "2026-W22", "2026-Q2"])
def test_periods_of_all_lengths_have_names(name: str) -> None:
    assert check_period(name) == name


@pytest.mark.parametrize("name", ["2026-0", "26", "2026-W60", "2026-05-41", "２０２６", "2026 ", None])
def test_what_is_no_period_is_refused(name: object) -> None:
    with pytest.raises(InvalidError, match="such as '2026-05'"):
        check_period(name)


@pytest.mark.parametrize("anchor", [(0, "a" * 64), (1, "a"), ("1", "a" * 64), (1,), 5, "ab"])
def test_what_is_no_anchor_is_refused(anchor: object) -> None:
    with pytest.raises(InvalidError, match="pair"):
        read_anchor(anchor)
    assert read_anchor(None) is None
