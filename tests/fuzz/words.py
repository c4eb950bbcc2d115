"""Random queries and statements, right and wrong, on a table with marked values: no mark is ever told."""

from tests.tables.test_canaries import SIGNS, Fuzz, _tried, session

TIMES = 40


def check_words(seed: int) -> None:
    """Try many queries of one session, and look for the marks in everything that comes back."""
    opened, fuzz = session(), Fuzz(seed)
    try:
        for number in range(TIMES):
            told = _tried(fuzz, opened, number)
            assert not [sign for sign in SIGNS if sign in told], f"parity law: a value of the table was told\n{told}"
    finally:
        opened.close()
