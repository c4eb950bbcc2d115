"""Looking behind a session, in tests only: exact totals, and a fixed key."""

from typing import Any

from attrs import evolve

from privet.core.rows import Array
from privet.tables.noise.plan import NoisePlan
from privet.tables.releases.release import Release
from privet.tables.session.session import Session
from privet.tables.statistics.statistic import Statistic


def exact_totals(query: Any, plan: NoisePlan) -> dict[Statistic, Array]:
    """What is counted in each group, without noise."""
    grouped = query.grouped
    totals: dict[Statistic, Array] = grouped.totals.compile(grouped.query.curator.tables, plan.statistics)()
    return totals


def fix_key(session: Session, key: int) -> None:
    """Fix what decides whose rows stay where there are too many."""
    session._curator.tables = evolve(session._curator.tables, key=key)


def key_of(session: Session) -> int:
    """The secret key."""
    return session._curator.tables.key


def database_of(session: Session) -> Any:
    """The tables of a session."""
    return session._curator.tables.database


def released(plan: NoisePlan, numbers: Any, *, keys: Any = (), groups: Any = ((),), notes: Any = ()) -> Release:
    """Put noisy numbers and group keys together."""
    return Release(keys=keys, groups=tuple(map(tuple, groups)), plan=plan, numbers=numbers, notes=notes)
