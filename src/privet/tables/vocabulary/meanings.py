"""Meanings: the functions that trees may call, each with what every engine must make of it.

A tree names a meaning, never a function of an engine. The dialect of an engine says how it writes each of them
(:mod:`privet.tables.engines.dialect`), so that this list is all that a new engine has to know. Operators, casts,
aggregates and windows are nodes of the tree and need no name here; docs/tables/engine.md says what they mean.

Every function is null where an argument is null, unless its line says otherwise.
"""

MEANINGS: dict[str, str] = {
    # numbers
    "abs": "the absolute value",
    "ceil": "the smallest whole number that is not below x",
    "exp": "e to the power x; infinite where that leaves the doubles",
    "floor": "the largest whole number that is not above x",
    "isfinite": "whether a real is neither NaN nor infinite, or a date or timestamp not infinite",
    "isnan": "whether a real is NaN",
    "ln": "the natural logarithm; infinite or NaN where there is none",
    "log10": "the logarithm to base 10; likewise",
    "log2": "the logarithm to base 2; likewise",
    "pow": "x to the power y, of reals; infinite or NaN where there is none",
    "round": "the nearest multiple of 10^-digits, halves away from zero; digits are 0 unless given",
    "sqrt": "the square root, rounded to the nearest double; NaN where x is negative",
    "trunc": "x without its fraction",
    # choices
    "coalesce": "the first argument that is not null; null where all are",
    "greatest": "the largest argument; nulls are passed over, null where all are",
    "least": "the smallest argument; nulls are passed over, null where all are",
    "let": "the third argument, in which the second, a bare column, stands for the first; computed once",
    "nullif": "x, or null where x equals y; x where y is null",
    # texts, as sequences of code points
    "byte_length": "the number of bytes in UTF-8",
    "concat": "texts one after another; nulls are passed over, never null",
    "contains": "whether t occurs in s",
    "ends_with": "whether s ends with t",
    "ilike_escape": "like_escape, of s and the pattern in small letters",
    "left": "the first n code points",
    "length": "the number of code points",
    "like_escape": "whether s matches a pattern of SQL; the third argument is its escape character",
    "lower": "in small letters, one code point for one",
    "matches": "whether a regular expression (of RE2) matches all of s",
    "starts_with": "whether s begins with t",
    "substr": "the code points from a place on, the first being 1; so many as the third argument says, if there is one",
    "trim": "without spaces (Unicode class Zs) at both ends",
    "upper": "in capitals, one code point for one",
    # dates and timestamps, of the proleptic Gregorian calendar and in UTC
    "date_at": "the date so many days after 1970-01-01",
    "date_trunc": "the first moment of the year, quarter, month, week (Monday), day, hour, minute or second of x",
    "days_between": "the number of days from the first date to the second",
    "microseconds": "the microseconds from 1970-01-01 to a timestamp",
    "parse_timestamp": "the timestamp that a text writes in a format of strptime; null where it writes none",
    "timestamp_at": "the timestamp so many microseconds after 1970-01-01",
    "day": "the day of the month, 1 to 31",
    "dayofweek": "0 on Sunday to 6 on Saturday",
    "dayofyear": "1 to 366",
    "hour": "0 to 23",
    "isodow": "1 on Monday to 7 on Sunday",
    "minute": "0 to 59",
    "month": "1 to 12",
    "quarter": "1 to 4",
    "second": "0 to 59, without the fraction",
    "week": "the week of ISO 8601, 1 to 53",
    "year": "1 to 9999",
    # what rows are ranked, drawn and counted by
    "bin_counts": "an aggregate: how many whole numbers lie up to each of a rising list of ends, above the one before",
    "each_bin": "one row for each end of bin_counts that has a count, and that end",
    "each_count": "likewise that count",
    "each_listed": "one row for each item of a JSON list, which is the first argument; of the type of the second",
    "keyed_hash": "an unsigned 64-bit hash of a secret number and of values, nulls included; no value shows in it",
    "dense_rank": "the window function",
    "row_number": "the window function",
}
