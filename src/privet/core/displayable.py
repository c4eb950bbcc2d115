"""Objects that people look at: one line in a terminal, a small table in a notebook."""

from abc import ABC, abstractmethod
from html import escape

from privet.core.checks import short

Fact = tuple[str, str]  # what it is called, and what it is
_LONGEST_FACT = 160  # characters of one fact in a line
_LONGEST_LINE = 500
_LONGEST_CELL = 2000
_FEW = 4  # items of a long tuple that are written


def cut_text(text: str, most: int) -> str:
    """Write a text on one line, of at most so many characters.

    >>> cut_text("SELECT count(*)  FROM visits", 15)
    'SELECT count...'
    """
    line = " ".join(text[: 4 * most].split())  # a very long text is not read to its end
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


def few_items(items: tuple[object, ...]) -> str:
    """Write a tuple; where it is long, its first items and how many there are.

    >>> few_items(tuple(range(1000)))
    '(0, 1, 2, 3, ... 1,000 in all)'
    """
    if len(items) <= _FEW + 1:
        return short(items) if len(items) > 1 else f"({', '.join(map(short, items))}{',' * len(items)})"
    return f"({', '.join(map(short, items[:_FEW]))}, ... {len(items):,} in all)"


class Displayable(ABC):
    """Something public that says what it is.

    ``repr`` gives one line of bounded length, ``print`` one line for each fact, and a notebook shows a table. None of
    them reads data.
    """

    @abstractmethod
    def facts(self) -> tuple[Fact, ...]:
        """Say what this is: pairs of a name and a text, the most telling first."""

    def __repr__(self) -> str:
        facts = "; ".join(f"{name}: {cut_text(text, _LONGEST_FACT)}" for name, text in self.facts())
        return f"{type(self).__name__}({cut_text(facts, _LONGEST_LINE)})"

    def __str__(self) -> str:
        facts = (f"  {name}: {cut_text(text, _LONGEST_CELL)}" for name, text in self.facts())
        return "\n".join([type(self).__name__, *facts])

    def _repr_html_(self) -> str:
        return facts_html(type(self).__name__, self.facts())


def facts_html(title: str, facts: tuple[Fact, ...]) -> str:
    """Write facts for a notebook, one below the other, with every text escaped.

    >>> facts_html("Query", (("rows", "a < b"),)).count("&lt;")
    1
    """
    cell = "padding:0.25em 0.75em;text-align:left;vertical-align:top"
    cut = [(escape(name), escape(cut_text(text, _LONGEST_CELL))) for name, text in facts]
    rows = "".join(f'<tr><th style="{cell}">{name}</th><td style="{cell}">{text}</td></tr>' for name, text in cut)
    return (
        f'<div style="overflow-x:auto"><div><strong>{escape(title)}</strong></div><table><tbody>{rows}</tbody></table>'
        "</div>"
    )
