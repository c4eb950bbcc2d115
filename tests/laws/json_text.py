"""The law of JSON: a text that was changed is refused with ``InvalidError``, or read as exactly what it says.

``check_json(seed)`` changes one written release and reads it. Nothing else is ever raised, and what
was accepted can be computed, shown, and written again as it was read.
"""

import json
import random
from datetime import UTC, date, datetime
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

import privet as pv
from privet.core.metric import Parts
from privet.errors import InvalidError, PrivetError
from privet.tables.columns.column import Column
from privet.tables.impute.release import ImputedRelease
from privet.tables.keys.key_release import KeyRelease
from privet.tables.keys.private_keys import gaussian_rounds, laplace_rounds
from privet.tables.noise.key_round import KeyRound, KeyWeights, RowsOfKeys, make_round
from privet.tables.noise.plan import add_noise
from privet.tables.noise.planner import plan_noise
from privet.tables.releases.batch_release import BatchRelease
from privet.tables.releases.release import Release
from privet.tables.rollup.plan import Hierarchy, add_rollup_noise, plan_rollup
from privet.tables.rollup.release import RollupRelease
from privet.tables.sql.answer import SqlRelease
from privet.tables.statistics.contribution import Contribution
from tests.laws.replay import replayed
from tests.tables.opened import released

DELTA = Fraction(1, 10**6)
TOP = KeyRound(noise="gumbel", scale=5, threshold=90, moved=KeyWeights(rule="one", most=3), draws=4)
BY_ROWS = RowsOfKeys(distance=Parts(l0=1, l1=Fraction(1), l2_squared=Fraction(1), linf=Fraction(1)))
COLUMNS = {
    "x": Column(kind="real", bounds=(Fraction(0), Fraction(10)), grid=Fraction(1, 8)),
    "y": Column(kind="integer", bounds=(Fraction(-5), Fraction(5))),
    "word": Column(kind="text", categories=("a", "b", "c")),
}
AGGREGATES: dict[str, Any] = {
    "n": pv.count(),
    "filled": pv.count("x"),
    "people": pv.count_ids(),
    "total": pv.sum("x"),
    "average": pv.mean("x"),
    "spread": pv.variance("x"),
    "deviation": pv.std("y"),
    "together": pv.covariance("x", "y"),
    "related": pv.correlation("x", "y"),
    "bars": pv.histogram("word"),
    "steps": pv.histogram("y", bins=3),
    "best": pv.top_k("word", 2),
    "usual": pv.mode("word"),
    "parts": pv.quantiles("x", [0.25, 0.5], bins=8),
    "kinds": pv.count_distinct("word"),
    "each": pv.sum_by_person("y", bounds=(-2, 2)),
}
KEYS = [(None,), (True,), (3,), ("é",), (0.5,), (date(2024, 2, 29),), (datetime(2024, 1, 1, 5, tzinfo=UTC),)]
ODD: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**63, 10**30, -(10**400), 0.5, -0.0, 1e308, "", "1/0", "0", "nan", "1e999999999"),
    *(
        "inf",
        "a" * 50,
        "\ud800",
        "2024-02-30",
        [],
        {},
        [[]],
        [None],
        {"float": "nan"},
        {"float": 3},
        {"fraction": "1/0"},
    ),
    *({"fraction": "2/4"}, {"fraction": "1e99999999"}, {"date": "20240229"}, {"date": 5}, {"class": "Popen"}),
    *(
        {"class": ["GridColumn"]},
        {"class": "GridColumn"},
        {"timestamp": "now"},
        {"fraction": 0.1},
        {"class": "CountRows"},
    ),
]
TEXTS: list[str] = [
    *(
        "",
        "nope",
        "null",
        "NaN",
        "[",
        "{}",
        "[]",
        "0",
        '"',
        "\x00",
        "{" * 5000,
        "[" * 100_000,
        '{"a":' * 2000,
        "1" * 5000,
    ),
    *('{"privet_release": 1, "privet_release": 1}', '{"privet_release": NaN}', '{"privet_release": Infinity}', "1e999"),
    *('{"privet_release": true}', '{"privet_rollup": 1.0}', '{"privet_imputed_release": 1}', "\ufeff{}", "-", "'a'"),
]


@cache
def written() -> tuple[tuple[Any, str], ...]:
    """Releases of every kind, as pairs of the class and its text."""
    with replayed(seed=11):  # the same releases each time, so that a seed repeats what it found
        return tuple((type(each), each.to_json()) for each in samples())


@cache
def samples() -> tuple[Any, ...]:
    """Releases of every kind and every aggregate."""
    caps = Contribution(l0=1, l1=2, linf=2)
    bound = {name: item.bind(COLUMNS) for name, item in AGGREGATES.items()}
    plan = plan_noise(bound, contribution=caps, groups=len(KEYS), budget=pv.budget(epsilon=5))
    exact = {each: np.full((len(KEYS), each.length), 100, dtype=object) for each in plan.statistics}
    whole = released(plan, add_noise(plan, exact), keys=["k"], groups=KEYS, notes=["a note"])
    few = {name: bound[name] for name in ("n", "total")}
    small_plan = plan_noise(few, contribution=caps, groups=1, budget=pv.budget(rho=1), weights={})
    counted = {each: np.full((1, each.length), 50, dtype=object) for each in small_plan.statistics}
    small = released(small_plan, add_noise(small_plan, counted)).nonnegative("n").rounded("total")
    hierarchy = Hierarchy(finest=(("s", 1), ("s", 2), ("n", 1)))
    rollup = plan_rollup(few, hierarchy=hierarchy, contribution=caps, budget=pv.budget(epsilon=3))
    finest = {each: np.full((3, each.length), 60, dtype=object) for each in rollup.statistics}
    levels = RollupRelease(keys=("region", "district"), plan=rollup, numbers=add_rollup_noise(rollup, finest))
    imputed = ImputedRelease(
        keys=("day", "old"),
        groups=((date(2024, 2, 29), True), (None, False)),
        columns={"count": [3, 4.5], "mean": [0.1, float("inf")]},
        intervals={"count": ([1, 2], [5, float("inf")])},
        epsilon=Fraction(1, 3),
        notes=("a note",),
    )
    return (
        whole,
        small,
        small.ratio("share", "total", "n"),
        levels,
        levels.ratio("mean", "total", "n").rounded(),
        imputed,
        KeyRelease(keys=("town",), groups=(("a",), ("é",)), rounds=laplace_rounds(3, Fraction(1), DELTA, 2)),
        KeyRelease(keys=("n", "yes"), groups=((1, True), (2, False)), rounds=gaussian_rounds(2, Fraction(1), DELTA, 1)),
        KeyRelease(keys=("n",), groups=((1,), (4,)), rounds=(TOP,)),
        KeyRelease(keys=("n",), groups=(), rounds=(make_round("laplace", Fraction(2), BY_ROWS, DELTA),), notes=("a",)),
        BatchRelease(releases={"one": small, "two": whole}),
        _selected(),
    )


def _selected() -> SqlRelease:
    """The result of a SELECT with everything that post-processing can do."""
    book = pv.Codebook(columns={"k": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    text = (
        "SELECT k, COUNT(*) AS n, 2 - COUNT(*) / 3 AS less FROM data GROUP BY k HAVING less < 9 ORDER BY n DESC LIMIT 9"
    )
    with pv.Session([{"k": "a"}, {"k": "b"}] * 50, book, pv.budget(epsilon=1)) as session:
        return session.sql(text).release(epsilon=1)


def check_json(seed: int) -> None:
    """Change one written release at random, read it, and raise AssertionError where the law does not hold."""
    rng = random.Random(seed)
    kind, text = rng.choice(written())
    changed = rng.choice((_flip, _cut, _splice, _other))(text, rng) if rng.random() < 0.4 else _edit(text, rng)
    for _ in range(rng.randrange(2)):
        kind = rng.choice((Release, RollupRelease, ImputedRelease, KeyRelease, BatchRelease, SqlRelease, kind, kind))
    check_text(kind, changed)


def check_text(kind: Any, text: Any) -> None:
    """Read a text: it is refused, or it says what it says."""
    read, refused = _read(kind, text)
    if read is None:
        assert ".from_json" in str(refused), f"{refused} does not say who reads"
        return
    again = read.to_json()
    assert kind.from_json(again).to_json() == again
    plain, meant = json.loads(text), json.loads(again)
    assert _alike(plain, meant), "what was read is not what was written"
    use(read)


def _read(kind: Any, text: Any) -> tuple[Any, InvalidError | None]:
    try:
        return kind.from_json(text), None
    except InvalidError as error:
        return None, error


def use(read: Any) -> None:
    """Compute everything that a reader may ask for; our own errors are answers."""
    repr(read)
    read._repr_html_()
    try:
        for compute in (read.to_dict, read.to_csv, read.to_long, read.to_arrow):
            compute()
        read.loss.epsilon(1e-6)
    except PrivetError:
        return
    for name in getattr(read, "names", ()) if not isinstance(read, SqlRelease) else ():  # which may have no rows
        values = read.all_values(name) if isinstance(read, RollupRelease) else [read.values(name)]
        assert sum(map(len, values)) > 0


def _alike(found: Any, written: Any) -> bool:
    """Tell whether a text says what would be written; 3 may stand for 3.0, and younger fields may be missing."""
    if isinstance(found, dict) and isinstance(written, dict):
        return found.keys() <= written.keys() and all(_alike(found[key], written[key]) for key in found)
    if isinstance(found, list) and isinstance(written, list):
        return len(found) == len(written) and all(map(_alike, found, written))
    return bool(found == written) and isinstance(found, bool) == isinstance(written, bool)


def _flip(text: str, rng: random.Random) -> Any:
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 3)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data) if rng.random() < 0.3 else data.decode("utf-8", "surrogateescape")


def _cut(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text)) if rng.random() < 0.3 else 0
    return text[start : rng.randrange(start, len(text) + 1)]


def _splice(text: str, rng: random.Random) -> str:
    at, size = rng.randrange(len(text)), rng.choice((0, 1, 1, 2, 8))
    put = rng.choice(
        ("NaN", "-Infinity", "9" * 5000, "1e999", '"', ",", "]", "}", "[", "0", "-", "/0", "\\ud800", ' "n": 1,')
    )
    return text[:at] + put + text[at + size :]


def _other(text: str, rng: random.Random) -> Any:
    return rng.choice([*TEXTS, None, 5, 0.5, [text], {"text": text}, b"\xff\xfe", text.encode("utf-16"), text * 2])


def _edit(text: str, rng: random.Random) -> str:
    """Change one or two values of the tree, wherever they are."""
    tree = json.loads(text)
    for _ in range(rng.choice((0, 1, 1, 1, 2))):
        places = list(_places(tree))
        holder, at = rng.choice(places)
        _change(holder, at, rng.choice(places), rng)
    return json.dumps(tree)


def _places(tree: Any) -> Any:
    for at in range(len(tree)) if isinstance(tree, list) else list(tree):
        yield tree, at
        if isinstance(tree[at], list | dict):
            yield from _places(tree[at])


def _change(holder: Any, at: Any, other: Any, rng: random.Random) -> None:
    what = rng.randrange(6)
    if what == 0:
        del holder[at]
    elif what == 1:
        holder[at] = json.loads(json.dumps(other[0][other[1]]))
    elif what == 2 and isinstance(holder, list):
        holder.insert(at, json.loads(json.dumps(holder[at])))
    elif what == 3 and type(holder[at]) in (int, float):
        holder[at] += rng.choice((1, -1, 0.5, 10**12))
    elif what == 4 and isinstance(holder, dict):
        holder[rng.choice(("class", "x", "", "float"))] = holder[at]
    else:
        holder[at] = rng.choice(ODD)
