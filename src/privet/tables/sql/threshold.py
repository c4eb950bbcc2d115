"""Groups with too few persons, left out by the noisy number that is released: ``OPTIONS(k_threshold = 10)``."""

from attrs import evolve
from sqlglot import exp

from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.expressions import parse, written
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.select import Selection


def keep_large_groups(selection: Selection, after: PostProcessing, least: int | None) -> PostProcessing:
    """Keep the groups whose noisy number of persons, or of rows where rows are protected, is large.

    The groups are public and the number is released, so that this is post-processing.

    Args:
        selection: The SELECT, which releases the number too.
        after: The post-processing without this condition.
        least: The least number; None keeps every group.
    """
    if least is None:
        return after
    aggregate = count_ids() if selection.rows.query.id_columns else count()
    name = written(exp.to_identifier(selection.column_for(aggregate), quoted=True))
    condition = f"{name} >= {least}"
    both = condition if after.having is None else f"({after.having}) AND {condition}"
    return evolve(after, having=parse(both, selection.known()))
