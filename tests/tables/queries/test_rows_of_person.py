"""How many rows of a person a join gives: defaults from the caps of codebooks, against joins counted by hand."""

import random
from collections import Counter
from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.queries.rows_of_person import joined_caps, kept_by
from privet.tables.relations.caps import Caps

COLUMNS = {"id": pv.column("integer"), "k": pv.column("integer", bounds=(0, 9))}


def planner(visits: Any, people: Any) -> pv.Planner:
    books = {
        "visits": pv.Codebook(columns={**COLUMNS, "v": pv.column("integer")}, unit=pv.Persons("id", **visits)),
        "people": pv.Codebook(columns={**COLUMNS, "w": pv.column("integer")}, unit=pv.Persons("id", **people)),
    }
    return pv.Planner(books, pv.budget(epsilon=1))


def joined(visits: Any, people: Any, **options: Any) -> Any:
    door = planner(visits, people)
    return door.query("visits").join(door.query("people"), on="k", **options)


def pairs(first: Counter[int], second: Counter[int], how: str) -> int:
    """Count the joined rows of one person, whose rows have these keys."""
    alone = sum(rows for key, rows in first.items() if not second[key]) if how == "left" else 0
    return sum(rows * second[key] for key, rows in first.items()) + alone


def drawn(dice: random.Random, rows: int, *, unique: bool) -> Counter[int]:
    keys = dice.sample(range(9), rows) if unique else [dice.choice((0, 0, 0, 1)) for _ in range(rows)]
    return Counter(keys)


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize("unique", [False, True])
def test_caps_behind_a_join_leave_no_row_of_persons_within_the_caps_out(how: Any, unique: bool) -> None:
    """And they are no larger than needed: some persons have as many."""
    dice = random.Random(3)
    for rows, matched in ((1, 1), (2, 3), (4, 1), (3, 5)):
        caps = joined_caps(Caps(rows=rows), unique=unique, matched=matched, how=how)
        found = [
            pairs(
                drawn(dice, dice.randint(0, rows), unique=unique),
                drawn(dice, dice.randint(0, matched), unique=False),
                how,
            )
            for _ in range(400)
        ]
        assert max(found) <= (caps.rows or 0)
        slack = 1 if unique and how == "left" else 0  # all rows of the first cannot be alone where one is matched
        assert max(found) >= min((caps.rows or 0) - slack, rows * matched)


def test_caps_on_groups_multiply_within_a_group() -> None:
    caps = joined_caps(Caps(groups=2, rows_per_group=3), unique=False, matched=4, how="inner")
    assert caps == Caps(rows=24, groups=2, rows_per_group=12)
    assert joined_caps(Caps(groups=2), unique=False, matched=4, how="inner") == Caps(groups=2)
    assert joined_caps(Caps(rows_per_group=3), unique=False, matched=4, how="left") == Caps(rows_per_group=12)


def test_a_join_takes_as_many_rows_as_the_caps_of_the_other_codebook() -> None:
    query = joined({"rows": 3}, {"rows": 5})
    assert query.chain.links[0].unit.rows == 5
    assert query.effective_caps == Caps(rows=15)
    assert query.agg(pv.count()).contribution.l1 == 15
    by_groups = joined({"rows": 3}, {"groups": 2, "rows_per_group": 2})
    assert by_groups.effective_caps == Caps(rows=12)
    assert "so up to 15 rows of a person count" in query.agg(pv.count()).describe(epsilon=1)


def test_rows_that_are_given_win() -> None:
    query = joined({"rows": 3}, {"rows": 5}, rows=2)
    assert query.chain.links[0].unit.rows == 2
    assert query.effective_caps == Caps(rows=3)  # that of the codebook, as the note says


def test_caps_of_the_query_win() -> None:
    assert joined({"rows": 3}, {"rows": 5}).cap(rows=4).effective_caps == Caps(rows=4)
    door = planner({"rows": 3}, {"rows": 5})
    ours = door.query("visits").cap(rows=2).join(door.query("people"), on="k")
    assert ours.effective_caps == Caps(rows=2)


def test_one_row_for_each_person_and_key_does_not_multiply() -> None:
    door = planner({"rows": 3}, {"rows": 5})
    visits, people = door.query("visits"), door.query("people")
    by_key = people.summarize("k", w="sum(w)")
    assert visits.join(by_key, on="k").effective_caps == Caps(rows=3)
    assert by_key.join(visits, on="k").effective_caps == Caps(rows=3)  # each visit has at most one partner
    assert by_key.join(visits, on="k", how="left").effective_caps == Caps(rows=8)
    assert by_key.derive(k="k % 2").join(visits, on="k").effective_caps == Caps(rows=15)
    assert by_key.select("w").join(visits.select("v")).effective_caps == Caps(rows=15)
    assert visits.join(people.summarize(n="count(*)")).effective_caps == Caps(rows=3)
    renamed = by_key.rename(key="k")
    assert renamed.one_row_by == frozenset(["key"])
    assert renamed.join(visits.rename(key="k"), on="key").effective_caps == Caps(rows=3)


def test_a_join_of_a_join_multiplies_all_caps() -> None:
    door = planner({"rows": 2}, {"rows": 3})
    people = door.query("people").select("w")
    inner = people.join(door.query("visits").select("v"))
    again = door.query("visits").rename(u="v").join(inner)
    assert inner.effective_caps == Caps(rows=6)
    assert again.effective_caps == Caps(rows=12)


@pytest.mark.parametrize("people", [{}, {"groups": 2}, {"rows_per_group": 2}])
def test_without_a_bound_the_number_must_be_given(people: Any) -> None:
    with pytest.raises(InvalidError, match="nothing says how many rows of a person the other query has"):
        joined({"rows": 3}, people)
    assert joined({"rows": 3}, people, rows=4).effective_caps == Caps(rows=3)


def test_estimated_caps_do_not_say_how_many_rows_are_matched() -> None:
    door = planner({"rows": 3}, {"rows": 5})
    both = [door.query(name).cap(rows=pv.auto()) for name in ("visits", "people")]
    with pytest.raises(InvalidError, match="nothing says how many rows"):
        both[0].join(both[1], on="k")


def test_more_rows_than_a_query_may_make_are_refused() -> None:
    with pytest.raises(InvalidError, match="make 5,000 rows of one"):
        joined({"rows": 3}, {"rows": 5_000})


def test_files_keep_the_default() -> None:
    """A file that named the number would read as one that was given, with other caps behind the join."""
    door = planner({"rows": 3}, {"rows": 5})
    query: Any = door.query("visits").join(door.query("people"), on="k").agg(pv.count())
    again = door.read_query(query.to_yaml())
    assert "rows" not in query.to_yaml()
    assert again.contribution == query.contribution
    given = door.query("visits").join(door.query("people"), on="k", rows=5).agg(pv.count())
    assert "rows: 5" in given.to_yaml()


def test_keys_are_followed_through_projections() -> None:
    columns = planner({"rows": 1}, {"rows": 1}).query("visits").references()
    kept = ProjectColumns(outputs={"other": columns["k"], "v": columns["v"]})
    assert kept_by(kept, frozenset(["k"])) == frozenset(["other"])
    assert kept_by(kept, frozenset(["id"])) is None
    assert kept_by(kept, frozenset()) == frozenset()
    assert kept_by(kept, None) is None
