"""What cannot follow an imputation."""

from privet.errors import InvalidError


def no_rule(what: str) -> InvalidError:
    """Say that something cannot follow an imputation."""
    return InvalidError(
        f"{what} cannot follow impute(...). Put it before impute(...); after it you can use filter, derive, bin, "
        "select, rename, group_by and agg."
    )
