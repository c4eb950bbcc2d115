"""The key ``keys``: groups that a release finds, in the words of ``pv.private``."""

from typing import Any

from privet.tables.codebook.null_keys import NUMBER
from privet.tables.codebook.part import Key, Part, Values
from privet.tables.files.values import COUNT, keep, read_number_of, read_text, read_whole, write_value
from privet.tables.files.written import Words

HOW_KEYS = (
    Key(name="method", read=read_text, schema={"enum": ["plain", "weighted"]}),
    Key(name="noise", read=read_text, schema={"enum": ["laplace", "gaussian", "gumbel"]}),
    Key(name="rounds", read=read_whole, schema=COUNT),
    Key(name="top", read=read_whole, schema=COUNT),
)
PRIVATE: Part[Values] = Part(
    "private keys",
    (
        Key(name="delta", read=read_number_of, schema=NUMBER, missing="Write delta: 1e-7."),
        Key(name="share", read=read_number_of, schema=NUMBER),
        *HOW_KEYS,
    ),
    keep,
)
KEYS = Key(name="keys", read=PRIVATE.read, schema=PRIVATE.schema())


def write_private(private: Any) -> Words:
    """Write how a release finds its groups: the arguments of ``pv.private``."""
    words: Words = {name: write_value(getattr(private, name)) for name in PRIVATE.names}
    usual = {"method": "plain", "rounds": 1}
    return {name: word for name, word in words.items() if word is not None and usual.get(name) != word}
