"""Random queries of two private tables, built from public facts alone: the same calls for both neighbours."""

import contextlib
import random
from collections.abc import Callable
from datetime import date
from typing import Any

from attrs import evolve

import privet as pv
from privet.errors import PrivetError

WARDS = ("a", "b", "c")
ROWS, PERSONS, MONTHS = "rows", "persons", "months"
UNITS: dict[str, Callable[[random.Random], Any]] = {
    ROWS: lambda dice: pv.Rows(count=dice.choice((1, 1, 2))),
    PERSONS: lambda dice: pv.Persons(id="id", **_caps(dice)),
    MONTHS: lambda dice: pv.Persons(id="id", period=("day", "month"), **_caps(dice)),
}
PUBLIC = [{"ward": "a", "z": 1}, {"ward": "b", "z": 5}]
SEVERAL = [{"ward": ward, "z": z} for ward in (*WARDS, None, "q") for z in (1, 2, 9)]  # any row becomes several
PUBLIC_COLUMNS = {"ward": pv.column("text"), "z": pv.column("integer", bounds=(0, 9))}
Build = Callable[[pv.Session], Any]


def _caps(dice: random.Random) -> dict[str, Any]:
    return dice.choice(
        (
            {"rows": 2},
            {"rows": 1},
            {"groups": 2, "rows_per_group": 1},
            {"groups": 2, "rows_per_group": 2, "rows": 3},
            {"by": {"ward": {"groups": 1, "rows_per_group": 1}}},
            {"by": {"day": {"groups": 1, "rows_per_group": 2}, "ward": {"groups": 1}}},
            {"rows_per_group": 1, "by": {"ward": {"groups": 1}}},
            {"groups": 2},
        )
    )


def _caps_by(dice: random.Random) -> Any:
    """Draw caps by column: of a key, of another column, of one that may be gone, of several together."""
    caps: tuple[dict[str, int], ...] = ({"groups": 1}, {"rows_per_group": 1}, {"groups": 1, "rows_per_group": 1})
    names = dice.sample(("ward", "day", "minutes", "free", "v"), dice.randint(1, 3))
    if len(names) == 3:
        return {tuple(names[:2]): dice.choice((*caps, {"groups": 2})), names[2]: dice.choice(caps)}
    return {name: dice.choice(caps) for name in names}


def codebooks(dice: random.Random, unit: Any) -> dict[str, pv.Codebook]:
    """Describe visits and people; bounds and nulls are drawn."""
    ward = pv.column("text", categories=WARDS, nulls=dice.choice((None, pv.NullsAsCategory(), pv.NullsReplaced("b"))))
    ends = dice.choice(((0, 60), (-5, 9), (7, 8)))
    policies = (None, pv.NullsDrawn(), pv.NullsDrawnFromGaussian(ends[0], 1))
    visits = {
        "id": pv.column("integer"),
        "ward": ward,
        "minutes": pv.column("integer", bounds=ends, nulls=dice.choice(policies)),
        "cost": pv.column("real", bounds=dice.choice(((0, 9), (-1, 0.5), (100, 101)))),
        "ill": pv.column("boolean"),
        "note": pv.column("text"),
        "day": pv.column("date", bounds=(date(2024, 1, 1), date(2024, 3, 31))),
        "free": pv.column("integer"),
        "marks": pv.column("integer", bounds=dice.choice(((0, 9), (-5, 2))), most_items=dice.choice((1, 2, 4))),
    }
    whose = dice.choice(("id", "person")) if isinstance(unit, pv.Persons) else "id"
    people = {
        whose: pv.column("integer"),
        "day": visits["day"],
        "ward": ward,
        "age": pv.column("integer", bounds=(0, 120)),
    }
    theirs = evolve(unit, id=whose) if isinstance(unit, pv.Persons) else unit
    return {"visits": pv.Codebook(columns=visits, unit=unit), "people": pv.Codebook(columns=people, unit=theirs)}


def named_rows(data: dict[str, list[dict[str, Any]]], books: dict[str, pv.Codebook]) -> dict[str, list[dict[str, Any]]]:
    """Give the rows of people as their codebook calls the id."""
    whose = getattr(books["people"].unit, "id", "id")
    people = [{whose if name == "id" else name: value for name, value in item.items()} for item in data["people"]]
    return {**data, "people": people}


def row(dice: random.Random, person: Any, table: str) -> dict[str, Any]:
    """Draw a row of a person: ordinary values, extremes, nulls, and values of other types."""
    cells: dict[str, tuple[Any, ...]] = {
        "ward": (*WARDS, *WARDS, "unseen", None, 7),
        "day": ("2024-01-31", "2024-02-01", "2024-03-05", "1999-01-01", "never", None),
    }
    if table == "people":
        cells["age"] = (0, 30, 64, 120, 10**30, -1, None)
    else:
        cells |= {
            "minutes": (0, 1, 30, 60, 61, -(2**63), 2**70, None, "x"),
            "cost": (0.0, -0.0, 0.25, 1e308, float("nan"), float("inf"), -1.5, None),
            "ill": (True, False, None),
            "note": ("", "flu", "FLU,flu,x,,y", "ß", "x" * 50, None, "12", "a,b"),
            "free": (2**63 - 1, -(2**63), 0, 5, None, 2.5),
            "marks": ([], [3], (1, None, "8"), [9] * 7, [2**70, -1, float("nan"), [1]], None, "none", {"a": 1}),
        }
    return {"id": person, **{name: dice.choice(values) for name, values in cells.items() if dice.random() < 0.95}}


def number(dice: random.Random, columns: Any) -> str:
    """Draw an expression that is a number."""
    names = [name for name, known in columns.items() if known.kind in ("integer", "real") and name != "id"]
    name = dice.choice(names or ["1"])
    shapes = (name, name, f"{name} * 2", f"60 - {name}", f"abs({name})", f"{name} % 7", "3", f"{name} / 4")
    return dice.choice(shapes)


def condition(dice: random.Random, columns: Any) -> str:
    """Draw a condition."""
    first, second = number(dice, columns), number(dice, columns)
    shapes = {
        "ward": ("ward in ('a', 'b')", "ward is null", "ward > 'a'"),
        "note": ("note like 'f%'", "lower(note) = 'flu'", "note is null or note = ''"),
        "ill": ("ill", "not ill"),
        "day": ("day >= date '2024-02-01'", "month(day) = 2"),
        "id": ("id = 2",),
    }
    known = [shape for name in columns for shape in shapes.get(name, ())]
    return dice.choice((f"{first} > {second}", f"{first} between 1 and 30", *known))


def expression(dice: random.Random, columns: Any) -> str:
    """Draw a number with bounds."""
    shapes = [
        number(dice, columns),
        f"{number(dice, columns)} + {number(dice, columns)}",
        f"coalesce({number(dice, columns)}, 4)",
    ]
    shapes.append(f"case when {condition(dice, columns)} then {number(dice, columns)} end")
    if "note" in columns:
        shapes += ["length(note)", "cast(note as integer)"]
    if "day" in columns:
        shapes.append("dayofmonth(day)" if dice.random() < 0.5 else "month(day)")
    low = dice.choice((0, -20, 5))
    return f"clip({dice.choice(shapes)}, {low}, {low + dice.choice((1, 30))})"


def ordered(dice: random.Random, name: str) -> str:
    """Draw a summary that looks for a row."""
    shapes = ("median({})", "quantile({}, 0.7)", "mode({})", "first({}, day)", "last({}, note)", "any_value({})")
    return dice.choice(shapes).format(name)


def spread(rows: Any) -> Any:
    """A function of a person's rows; it fails where a value is null."""
    return rows[-1]["minutes"] - rows[0]["minutes"]


def hostile(rows: Any) -> Any:
    """Give or raise anything, by the rows alone."""
    place = len(repr(rows)) % 9
    rows.clear()
    if place < 3:
        raise (SystemExit, ValueError, RecursionError)[place]
    return (10**400, float("nan"), "text", -1, [1], 7)[place - 3]


Operation = Callable[[random.Random, Any, pv.Session], Any]
OPERATIONS: dict[str, Operation] = {  # of a query whatever the unit
    "split": lambda dice, query, _: query.split(
        "note", dice.choice((",", ",", "l", "x", "FL")), most=dice.choice((1, 2, 5)), into="part"
    ),
    "unnest": lambda dice, query, _: query.unnest(
        "marks",
        most=dice.choice((None, 1, 3)),
        into=dice.choice((None, "mark")),
        how=dice.choice(("inner", "left")),
    ),
    "join_public of several rows": lambda dice, query, _: query.join_public(
        SEVERAL, PUBLIC_COLUMNS, on="ward", how=dice.choice(("inner", "left", "right"))
    ),
    "join_public": lambda _, query, __: query.join_public(PUBLIC, PUBLIC_COLUMNS, on="ward"),
    "filter": lambda dice, query, _: query.filter(condition(dice, query.columns)),
    "derive": lambda dice, query, _: query.derive(v=expression(dice, query.columns)),
    "derive again": lambda dice, query, _: query.derive(minutes=expression(dice, query.columns)),
    "derive a text": lambda _, query, __: query.derive(t="note || coalesce(ward, '-')"),
    "union": lambda dice, query, _: query.union(query.filter(condition(dice, query.columns))),
}
OF_ROWS: dict[str, Operation] = {
    "resize": lambda dice, query, _: query.resize(
        dice.choice((1, 2, 5)), fill=dice.choice((None, {"minutes": 8, "ward": "b"}, {"minutes": 8}))
    ),
}
OF_PERSONS: dict[str, Operation] = {
    "join": lambda dice, query, session: query.join(
        session.query("people").select("age"), rows=dice.choice((1, 2, None))
    ),
    "union of tables": lambda _, query, session: query.select("ward").union(session.query("people").select("ward")),
    "summarize": lambda _, query, __: query.summarize("ward", minutes="sum(minutes)", cost="max(cost)"),
    "summarize in order": lambda dice, query, _: query.summarize(
        *dice.choice(((), ("ward",))), minutes=ordered(dice, "minutes"), cost=ordered(dice, "cost"), ward="mode(ward)"
    ),
    "summarize by ward in order": lambda dice, query, _: query.summarize(
        "ward", minutes=ordered(dice, "minutes"), cost=ordered(dice, "cost")
    ),
    "summarize_with": lambda dice, query, _: query.summarize_with(
        dice.choice((hostile, spread)),
        *dice.choice(((), ("ward",))),
        rows=dice.choice((1, 2, 9)),
        into="minutes",
        to=pv.column("integer", bounds=dice.choice(((0, 60), (-5, 9)))),
    ),
    "cap on rows": lambda dice, query, _: query.cap(rows=dice.choice((1, 3))),
    "cap on groups": lambda dice, query, _: query.cap(groups=dice.choice((1, 2)), rows_per_group=dice.choice((1, 3))),
    "cap by column": lambda dice, query, _: query.cap(by=_caps_by(dice)),
    "rename": lambda dice, query, _: query.rename(**{dice.choice(("w", "ward")): "ward"}),
}


def operations(unit: str) -> dict[str, Operation]:
    """Give the operations of queries with this unit, by name."""
    return OPERATIONS | (OF_ROWS if unit == ROWS else OF_PERSONS)


def extended(dice: random.Random, query: Any, session: pv.Session, unit: str) -> Any:
    """Add one operation."""
    return dice.choice(list(operations(unit).values()))(dice, query, session)


def aggregate(dice: random.Random, columns: Any, unit: str, *, adds_up: bool) -> Any:
    """Draw an aggregate of columns with bounds; where it must add up, a count, a sum or a histogram."""
    bounded = [name for name, known in columns.items() if known.bounds and known.kind in ("integer", "real")]
    name = dice.choice(bounded or ["id"])
    choices = [pv.count(), pv.count(name), pv.sum(name), pv.histogram(name, 3), pv.sum(name, bounds=(0, 1))]
    if "free" in columns:
        choices.append(pv.sum("free", bounds=(0, dice.choice((1, 2**40)))))
    if unit != ROWS:
        choices.append(pv.sum_by_person(name, bounds=(dice.choice((0, 1, -2)), dice.choice((3, 50)))))
    if not adds_up:
        others = [each for each in bounded if each != name]
        choices += [
            pv.mean(name),
            pv.variance(name),
            pv.std(name),
            pv.median(name, bins=4),
            pv.quantile(name, 0.9, bins=5),
        ]
        choices += [pv.minimum(name, bins=4), pv.count_distinct("ward"), pv.mode("ward"), pv.histogram("ward")]
        choices += [pv.covariance(name, dice.choice(others))] if others else []
        choices += [pv.count_ids()] if unit != ROWS else []
    return dice.choice(choices)


FOUND: tuple[dict[str, Any], ...] = (  # how private keys are found
    {},
    {"top": 1},
    {"top": 3, "noise": "gumbel"},
    {"top": 2, "noise": "laplace"},
    {"method": "weighted"},
    {"method": "weighted", "noise": "gaussian"},
    {"method": "weighted", "rounds": 2},
    {"method": "weighted", "top": 2},
)


def private_keys(dice: random.Random, columns: Any) -> tuple[list[str], dict[str, Any]]:
    """Draw columns whose values are private keys, and how they are found."""
    known = [name for name in ("note", "free", "ward", "part", "v", "ill") if name in columns]
    how = dice.choice(FOUND)
    return dice.sample(known, min(len(known), dice.choice((1, 1, 2)))), how


def question(seed: int, unit: str) -> Build:
    """Draw an aggregate query, a roll-up or private keys from public facts, so that both neighbours get the same."""

    def build(session: pv.Session) -> Any:
        dice = random.Random(seed)
        query: Any = session.query(dice.choice(("visits", "visits", "visits", "people")))
        for _ in range(dice.randint(0, 4)):
            with contextlib.suppress(PrivetError):  # public: it does not fit this query
                query = extended(dice, query, session, unit)
        shape = dice.randrange(8)
        asked = {
            f"a{at}": aggregate(dice, query.columns, unit, adds_up=shape == 4)
            for at in range(dice.choice((1, 1, 2, 3)))
        }
        test, (keys, how) = condition(dice, query.columns), private_keys(dice, query.columns)
        grouped = {
            0: lambda: query,
            1: lambda: query.group_by("ward"),
            2: lambda: query.group_by("ward", test=test),
            3: lambda: query.group_by("ward", groups=["a", "b"], other="c"),
            4: lambda: query.rollup("ward", test=test),
            5: lambda: query.group_by(*keys, keys=pv.private(delta=1e-7, **how)),
            6: lambda: query.private_keys(*keys, **how),
            7: lambda: query.group_by("part") if "part" in query.columns else query,
        }[shape]()
        return grouped if shape == 6 else grouped.agg(**asked)

    return build
