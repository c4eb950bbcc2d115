"""The keys of nodes that make several rows of one: parts of a text, items of a list."""

from privet.tables.codebook.part import Key, Part, Values
from privet.tables.files.values import COUNT, TEXT, keep, read_text, read_whole
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.unnest_list import UnnestList

SPLIT: Part[Values] = Part(
    "a split",
    (
        Key(name="name", read=read_text, schema=TEXT, missing="Write name: COLUMN."),
        Key(name="separator", read=read_text, schema=TEXT, missing='Write separator: ",".'),
        Key(name="most", read=read_whole, schema=COUNT, missing="Write most: NUMBER."),
        Key(name="into", read=read_text, schema=TEXT),
    ),
    keep,
)
UNNEST: Part[Values] = Part(
    "an unnest",
    (
        Key(name="name", read=read_text, schema=TEXT, missing="Write name: COLUMN."),
        Key(name="most", read=read_whole, schema=COUNT),
        Key(name="into", read=read_text, schema=TEXT),
        Key(name="how", read=read_text, schema={"enum": ["inner", "left"]}),
    ),
    keep,
)


def write_split(unit: SplitText, _: Values) -> object:
    """Write how a text is cut."""
    return SPLIT.write(
        {"name": unit.name, "separator": unit.separator, "most": unit.most, "into": _into(unit.name, unit.into)}
    )


def write_unnest(unit: UnnestList, _: Values) -> object:
    """Write which list gives rows."""
    how = None if unit.how == "inner" else unit.how
    return UNNEST.write({"name": unit.name, "most": unit.most, "into": _into(unit.name, unit.into), "how": how})


def _into(name: str, into: str) -> str | None:
    return None if into == name else into
