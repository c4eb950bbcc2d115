"""Totals of persons: the values of each person in each group are added up and clamped, then added over persons.

A person without a value in a group adds nothing there. Proof: docs/tables/aggregates/sum_by_person.md.
"""

from collections.abc import Sequence

from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.relations.caps import Caps, sum_by_person
from privet.tables.statistics.counting import grid_steps_sql, number_name
from privet.tables.statistics.statistic import Statistic
from privet.tables.vocabulary import Relation, column, exact_sum, named, selection

_COUNT, _TOTAL = "privet rows", "privet total"


def person_totals(
    relation: Relation, keys: Sequence[str], statistic: Statistic, id_columns: Sequence[str], most: int, key: int
) -> Relation:
    """Build the query that adds up the clamped totals of each group.

    Args:
        relation: The rows of the groups, all of them.
        keys: The columns that make a group.
        statistic: The column in grid steps, and the ends of a person's total.
        id_columns: The id columns.
        most: In how many groups a person counts.
        key: A secret number of 63 bits that decides in which.
    """
    counted, (low, high) = grid_steps_sql(relation, statistic.of[0]), statistic.ends
    missing = exp.Is(this=column(statistic.of[0].column, "r"), expression=exp.null())
    by_person = sum_by_person(
        relation.filter(exp.Not(this=missing)),  # clamping would turn a total of no values into the lower end
        Caps(groups=most),
        person=id_columns,
        groups=keys,
        count=_COUNT,
        sums={_TOTAL: (counted, (low, high))},
        key=key,
    )
    grouped = [column(name, "r") for name in keys]
    total = named(exact_sum(column(_TOTAL, "r")), number_name(0, 0))
    query = selection([*grouped, total], by_person.derived(), group_by=grouped)
    known = {name: relation[name] for name in keys}
    known[number_name(0, 0)] = Column(kind="integer", nullable=False)
    return Relation(query=query, columns=known)
