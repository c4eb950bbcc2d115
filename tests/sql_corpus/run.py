"""Run the corpus: ``python -m tests.sql_corpus.run`` prints what is accepted, what is refused, and why.

Every accepted answer is compared with DuckDB's at a huge epsilon, with caps that nobody reaches.
"""

import inspect
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from functools import cache
from statistics import median
from typing import Any, final

from attrs import frozen

import privet as pv
from privet.errors import PrivetError, PrivetWarning
from tests.sql_corpus.corpus import CorpusQuery, queries
from tests.sql_corpus.expected import difference, expected
from tests.sql_corpus.settings import SETTINGS

EPSILON = 10**14  # joins multiply the caps, and with them the noise
EQUAL, DIFFERENT, REFUSED, ERROR, ABSENT = "equal", "different", "refused", "error", "text not at hand"
_EPSILON = re.compile(r"\bepsilon\s*=\s*[^,)]+", re.IGNORECASE)
_CAPS = re.compile(r"\b(max_groups_contributed|kappa)\s*=\s*\d+", re.IGNORECASE)


@final
@frozen(kw_only=True)
class Outcome:
    """What became of one query: its status, a message, and the milliseconds of reading and planning."""

    query: CorpusQuery
    status: str
    message: str = ""
    milliseconds: float | None = None


@cache
def open_session(setting: str, tables: tuple[str, ...]) -> Any:
    """A session over tables of a setting, with a budget that never ends; an error if they cannot be one session."""
    chosen = {name: SETTINGS[setting][name] for name in tables}
    private = {name: table for name, table in chosen.items() if not table.public}
    public = {name: table.arrow() for name, table in chosen.items() if table.public}
    more: dict[str, Any] = {"public": public} if public and "public" in inspect.signature(pv.Session).parameters else {}
    try:
        return pv.Session(
            {name: table.arrow() for name, table in private.items()},
            {name: table.codebook() for name, table in private.items()},
            pv.budget(epsilon=EPSILON * 10**4, delta=0.9),
            **more,
        )
    except PrivetError as error:
        return error


def _read(session: Any, query: CorpusQuery, text: str) -> Any:
    knows = "dialect" in inspect.signature(session.sql).parameters
    more = {"dialect": query.dialect} if query.dialect and knows else {}
    return session.sql(text, **more)


def _budget(text: str) -> dict[str, Any]:
    """What release() still has to be given."""
    return {} if _EPSILON.search(text) else {"epsilon": EPSILON}


def caps_aside(text: str) -> str:
    """The statement with a huge epsilon and caps that nobody reaches, where it states its own."""
    return _CAPS.sub(r"\1=1000", _EPSILON.sub(f"epsilon={EPSILON}", text))


def run_one(query: CorpusQuery) -> Outcome:
    if query.text is None:
        return Outcome(query=query, status=ABSENT)
    session = open_session(query.setting, tuple(sorted(set(query.tables))))
    if isinstance(session, PrivetError):
        return Outcome(query=query, status=REFUSED, message=str(session))
    begin = time.perf_counter()
    try:
        _read(session, query, query.text).plan(**_budget(query.text))
        took = 1000 * (time.perf_counter() - begin)
        text = caps_aside(query.text)
        release = _read(session, query, text).release(**_budget(text))
    except PrivetError as error:
        took = 1000 * (time.perf_counter() - begin)
        return Outcome(query=query, status=REFUSED, message=str(error), milliseconds=took)
    except Exception as error:  # noqa: BLE001 - a crash is one of the results
        return Outcome(query=query, status=ERROR, message=f"{type(error).__name__}: {error}")
    rows = list(zip(*(list(release.values(name)) for name in release.names), strict=True))
    tables = {name: SETTINGS[query.setting][name] for name in query.tables}
    found = difference(rows, expected(query.text, query.dialect, tables))
    return Outcome(query=query, status=DIFFERENT if found else EQUAL, message=found or "", milliseconds=took)


def run(chosen: Iterable[CorpusQuery]) -> list[Outcome]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivetWarning)
        return [run_one(query) for query in chosen]


def _shape(message: str) -> str:
    """A message without the names of one query."""
    return re.sub(r"\s+", " ", re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "…", message))[:110]


def report(outcomes: list[Outcome]) -> str:
    counted = [each for each in outcomes if each.query.refusal is None and each.status != ABSENT]
    lines = ["source: accepted and equal / different / refused / error of all at hand"]
    for source in sorted({each.query.source for each in outcomes}):
        own = [each for each in counted if each.query.source == source]
        tally = Counter(each.status for each in own)
        absent = sum(each.query.source == source and each.status == ABSENT for each in outcomes)
        numbers = " / ".join(str(tally[status]) for status in (EQUAL, DIFFERENT, REFUSED, ERROR))
        lines.append(f"  {source}: {numbers} of {len(own)}" + (f" ({absent} texts not at hand)" if absent else ""))
    tally = Counter(each.status for each in counted)
    share = {status: f"{count} ({100 * count / max(1, len(counted)):.1f} %)" for status, count in tally.items()}
    lines.append(f"all {len(counted)}: " + ", ".join(f"{status} {text}" for status, text in sorted(share.items())))
    wrong = [each.query.id for each in outcomes if each.query.refusal is not None and each.status in (EQUAL, DIFFERENT)]
    lines.append(f"rightly refused, and accepted all the same: {', '.join(wrong) or 'none'}")
    times = [each.milliseconds for each in outcomes if each.milliseconds is not None]
    lines.append(f"reading and planning: {median(times):.1f} ms in the median" if times else "nothing was planned")
    shapes = Counter(_shape(each.message) for each in counted if each.status == REFUSED)
    lines += ["refusals:", *(f"  {count:3d}  {shape}" for shape, count in shapes.most_common())]
    for each in outcomes:
        if each.status in (DIFFERENT, ERROR):
            lines.append(f"{each.status} {each.query.id}: {each.message}")
    return "\n".join(lines)


if __name__ == "__main__":
    outcomes = run(queries())
    sys.stdout.write(report(outcomes) + "\n")
    if "--all" in sys.argv:
        for each in outcomes:
            sys.stdout.write(f"{each.query.id} {each.status}: {each.message}\n")
