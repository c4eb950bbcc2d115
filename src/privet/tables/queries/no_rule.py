"""What cannot follow an imputation."""

from privet.chains.transformation import Transformation
from privet.errors import InvalidError
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.nodes.unnest_list import UnnestList

_WORDS: dict[type, str] = {
    JoinPublic: "join_public",
    ResizeRows: "resize",
    SummarizePersons: "summarize",
    SummarizeByFunction: "summarize_with",
    SplitText: "split",
    UnnestList: "unnest",
}


def no_rule(what: str) -> InvalidError:
    """Say that something cannot follow an imputation."""
    return InvalidError(
        f"{what} cannot follow impute(...). Put it before impute(...); after it you can use filter, derive, bin, "
        "select, rename, group_by and agg."
    )


def word_of(node: Transformation) -> str:
    """Give the name of the method that adds a node."""
    return _WORDS.get(type(node), type(node).__name__)
