"""Random statements of SQL on neighbouring tables, in many forms and dialects, under the laws of random queries."""

import random
from collections.abc import Callable, Mapping
from typing import Any, final

from attrs import field, frozen

import privet as pv
from privet.tables.engines.grammar import GRAMMARS
from tests.fuzz import sql_forms as forms
from tests.fuzz.queries import MONTHS, PERSONS, ROWS
from tests.fuzz.questions import check_builds
from tests.fuzz.sql_dialects import DIALECTS
from tests.fuzz.sql_forms import Forms

_DELTA = 1e-7


@final
@frozen
class Drawn:
    """A statement that was drawn, ready to be read by a session.

    Args:
        text: The statement; ``{p}`` stands for the id of people.
        forms: The names of the forms in it.
        dialect: Whose SQL it is.
        words: What stands for the other names in braces.
        arguments: What is said beside the statement.
    """

    text: str
    forms: frozenset[str]
    dialect: str | None = None
    words: Mapping[str, str] = field(factory=dict)
    arguments: Mapping[str, Any] = field(factory=dict)

    def __call__(self, session: pv.Session) -> Any:
        """Read the statement."""
        person = getattr(session.codebooks["people"].unit, "id", "id")
        text = self.text.format(p=person, **self.words) if self.words else self.text
        return session.sql(text, dialect=self.dialect, **self.arguments)


@final
class _Draw:
    """Draws forms and notes their names."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.names: set[str] = set()

    def one(self, table: Forms) -> str:
        name = self.dice.choice(list(table))
        self.names.add(name)
        return table[name]

    def several(self, table: Forms, count: int) -> list[str]:
        names = self.dice.sample(list(table), count)
        self.names |= set(names)
        return [table[name] for name in names]


def _plain(draw: _Draw, dialect: str | None) -> str:
    """Draw one SELECT of keys and aggregates."""
    dice = draw.dice
    keys = draw.several(forms.KEYS, dice.choice((0, 1, 1, 2)))
    aggregates = {**forms.AGGREGATES, **(forms.PLAIN_AGGREGATES if dialect is None else {})}
    listed = [f"{draw.one(aggregates)} AS a{at}" for at in range(dice.choice((1, 1, 2)))]
    constants = [draw.one(forms.ITEMS)] if dice.random() < 0.3 else []
    items = [*(f"{key} AS k{at}" for at, key in enumerate(keys)), *listed, *constants]
    where = f" WHERE {draw.one(forms.CONDITIONS)}" if dice.random() < 0.6 else ""
    places = ", ".join(str(at + 1) for at in range(len(keys)))
    names = ", ".join(f"k{at}" for at in range(len(keys)))
    group = draw.one(forms.GROUPS).format(places=places, names=names, keys=", ".join(keys)) if keys else ""
    grouped = f" GROUP BY {group}" if keys else ""
    ends = draw.one(forms.ENDS) if dice.random() < 0.6 else ""
    return f"SELECT {', '.join(items)} FROM {draw.one(forms.TABLES)}{where}{grouped}{ends}"


def _private_keys(draw: _Draw) -> Drawn:
    """Draw a statement whose groups the release finds."""
    text, top = draw.one(forms.FOUND), draw.dice.choice((None, None, 1, 3))
    return Drawn(text, frozenset(draw.names), arguments={"keys": pv.private(delta=_DELTA, top=top)})


def _imputed(draw: _Draw) -> Drawn:
    """Draw a statement about a table whose missing minutes are imputed."""
    by, k = draw.dice.choice((["ward"], {"ward": 2, "ill": 1})), draw.dice.choice((None, 1, 3))
    within = draw.dice.choice(((), ("ill",))) if by == ["ward"] else ()
    impute = {"name": "minutes", "by": by, "k": k, "within": within}
    return Drawn(draw.one(forms.IMPUTED), frozenset(draw.names), arguments={"impute": impute})


def _native(draw: _Draw) -> Drawn:
    """Draw a statement of one dialect."""
    dialect, name = draw.dice.choice([(each, name) for each, table in DIALECTS.items() for name in table])
    return Drawn(DIALECTS[dialect][name], frozenset({name, dialect}), dialect)


def _composed(draw: _Draw) -> Drawn:
    """Draw a statement from parts, in any dialect."""
    dialect = draw.dice.choice(GRAMMARS) if draw.dice.random() < 0.5 else None
    text = _plain(draw, dialect)
    return Drawn(text, frozenset(draw.names | ({dialect} if dialect else set())), dialect)


def _whole(table: Forms) -> Callable[[_Draw], Drawn]:
    def drawn(draw: _Draw) -> Drawn:
        text = draw.one(table)
        return Drawn(text.replace("{caps}", draw.one(forms.CAPS)), frozenset(draw.names))

    return drawn


def statement(seed: int, unit: str) -> Drawn:
    """Draw a statement and a dialect from public facts alone, so that both neighbours get the same."""
    dice = random.Random(seed)
    shapes: dict[Callable[[_Draw], Drawn], int] = {
        _composed: 60,
        _native: 50,
        _private_keys: len(forms.FOUND),
        _imputed: 3 * len(forms.IMPUTED),
        _whole(forms.WHOLES): len(forms.WHOLES),
    }
    if unit == PERSONS:
        shapes |= {_whole(table): len(table) for table in (forms.OF_PERSONS, forms.PRIVATE)}
    (shape,) = dice.choices(list(shapes), list(shapes.values()))
    return shape(_Draw(dice))


def check_statements(seed: int) -> None:
    """Run random statements on two neighbouring tables and compare."""
    check_builds(seed, statement, (ROWS, PERSONS, PERSONS, MONTHS))
