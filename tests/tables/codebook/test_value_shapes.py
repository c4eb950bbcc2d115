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
        (["$12"], Guess("real", keys=(("currency", ("$",)),))),
        (["1.250,5", "3"], Guess("real", keys=(("decimal", ","), ("thousands", ".")))),
        (["1,250", "3"], Guess("real", None, "the sample fits other marks too; choose", (("thousands", ","),))),
        (
            ["12 %", "3 %"],
            Guess("real", None, "percent: points reads 12 % as 12, share as 0.12", (("percent", "points"),)),
        ),
        (["3", "NA", " - "], Guess("integer", keys=(("missing", ("NA", "-")),))),
        (["NA"], Guess("text", keys=(("missing", ("NA",)),))),
        (["31-Jan-2024", "1-Feb-2024"], Guess("date", "%d-%b-%Y")),
        (["A1", "B2"], Guess("text")),
        (["Bella", "3"], Guess("text")),
    ],
)
def test_the_type_that_fits_all_values(values: list[str], guess: Guess | None) -> None:
    assert guess_kind(values) == guess


@pytest.mark.parametrize(
    ("shape", "like", "unlike"),
    [
        ("marker", ["NA", "n/a", "--", "?", "null", "k.A.", "n.d."], ["nab", "0", "nada"]),
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
