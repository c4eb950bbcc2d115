"""What texts look like: types and date formats of a public sample, or of the custodian's check."""

import pytest

from privet.tables.codebook.value_shapes import Guess, count_shape, date_formats, describe_format, guess_kind


@pytest.mark.parametrize(
    ("values", "guess"),
    [
        ([], None),
        (["", " "], None),
        (["true", "FALSE"], Guess("boolean")),
        (["0", "-12", ""], Guess("integer")),
        (["0123", "12"], Guess("text")),  # a code: its zero would be lost
        (["1", "2.5", "1e3"], Guess("real")),
        (["2024-01-31"], Guess("date")),
        (["2024-01-31T12:00:00Z", "2024-02-01 12:30"], Guess("timestamp")),
        (["2024-01-31", "2024-02-01 12:30"], Guess("text")),
        (["01/31/2024"], Guess("date", "%m/%d/%Y")),
        (["31/01/2024"], Guess("date", "%d/%m/%Y")),
        (["01/02/2024"], Guess("date", "%m/%d/%Y", "the sample fits %m/%d/%Y and %d/%m/%Y; choose one")),
        (["31.01.2024 12:30"], Guess("timestamp", "%d.%m.%Y %H:%M")),
        (["13/32/2024"], Guess("text")),
        (["$12"], Guess("text")),
        (["Bella", "3"], Guess("text")),
    ],
)
def test_the_type_that_fits_all_values(values: list[str], guess: Guess | None) -> None:
    assert guess_kind(values) == guess


@pytest.mark.parametrize(
    ("shape", "like", "unlike"),
    [
        ("amount", ["$12.50", "12,50 €", "-$1,200", "USD 5", "£3"], ["12.50", "$", "a$b", ""]),
        ("thousands", ["1,250", "1,250,000.5"], ["1250", "12,50", "1,25"]),
        ("decimal comma", ["12,5", "1.250,75"], ["12.5", "1,2,3"]),
        ("percent", ["12%", "12.5 %"], ["12", "%"]),
        ("marker", ["NA", "n/a", "--", "?", "null"], ["nab", "0"]),
    ],
)
def test_shapes(shape: str, like: list[str], unlike: list[str]) -> None:
    assert [count_shape(shape, {value: 2}) for value in like] == [2] * len(like)
    assert [count_shape(shape, {value: 1}) for value in unlike] == [0] * len(unlike)


def test_the_commonest_format_wins() -> None:
    texts = {"01/31/2024": 5, "31/01/2024": 2, "x": 1}
    assert date_formats("date", texts) == [("%m/%d/%Y", 5)]
    assert date_formats("date", {"x": 3}) == []


def test_formats_in_words() -> None:
    assert describe_format("%m/%d/%y") == "US dates mm/dd/yy"
    assert describe_format("%d.%m.%Y %H:%M:%S") == "dates dd.mm.yyyy hh:mm:ss"
