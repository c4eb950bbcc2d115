"""Which aggregates the columns of a SELECT show, and which they do not."""

from collections.abc import Collection, Mapping

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.release_columns import columns_of


def shown_columns(after: PostProcessing, aggregates: Mapping[str, Aggregate], keys: Collection[str]) -> dict[str, str]:
    """By label, give the aggregate that a column shows, or from which aggregates it is computed.

    Args:
        after: The columns of the result.
        aggregates: The aggregates that are released, by name.
        keys: The keys of the groups.
    """
    shown, bases = dict[str, str](), dict[str, str]()
    for output in after.columns:
        if output.name in aggregates:
            shown[output.label] = str(output.name)
        elif output.name not in keys:
            read = [each.name for each in output.value.mentions() if each.name in aggregates]
            shown[output.label] = f"computed from {', '.join(dict.fromkeys(read))}" if read else "computed"
            bases |= {name: name for name in read}
    others = {name: name for name in hidden_aggregates(after, aggregates) if name not in shown}
    return {**{name: name for name in bases if name not in shown}, **shown, **others}


def hidden_aggregates(after: PostProcessing, aggregates: Mapping[str, Aggregate]) -> tuple[str, ...]:
    """Name the aggregates that HAVING, ORDER BY or an inner SELECT list need and the result does not show."""
    used = {name for output in after.columns for name in output.value.references()}
    return tuple(name for name, each in aggregates.items() if not used & set(columns_of(name, each)))
