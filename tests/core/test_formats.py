"""Formats of files: newer ones are refused with the version that is needed, older ones are read for ever."""

from typing import Any

import pytest

from privet.core.formats import check_format, write_format
from privet.errors import InvalidError


@pytest.mark.parametrize(("written", "version"), [("plan/1", 1), ("plan/2", 2), (None, 0)])
def test_older_versions_are_read(written: str | None, version: int) -> None:
    assert check_format("plan", 2, written) == version


def test_what_is_written_is_read() -> None:
    assert check_format("plan", 12, write_format("plan", 12)) == 12


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("plan/3", "format: plan/3 needs a newer version of Privet: this one reads up to plan/2."),
        ("release/1", "format: this file is a release (release/1), and a plan is needed."),
        ("plan", "format must be written as plan/2, got 'plan'."),
        ("plan/0", "format must be written as plan/2, got 'plan/0'."),
        ("plan/01", "format must be written as plan/2, got 'plan/01'."),
        ("plan/" + "9" * 5000, f"format must be written as plan/2, got {'plan/' + '9' * 35!r}."),
        ("plan/\u0661", "format must be written as plan/2, got 'plan/\u0661'."),
        (1, "format must be written as plan/2, got int."),
    ],
)
def test_other_formats_are_refused(written: Any, message: str) -> None:
    with pytest.raises(InvalidError) as caught:
        check_format("plan", 2, written)
    assert str(caught.value) == message
