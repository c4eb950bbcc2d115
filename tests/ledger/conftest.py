"""Places for ledgers: files, and schemas of a server of the tests' own."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.ledger.files import Place
from tests.tables.engines.conformance.server import DURABLE, Server, programs, running


@pytest.fixture(scope="session")
def database() -> Iterator[Server]:
    if programs() is None:
        pytest.skip("PostgreSQL is not installed, and no server can be had")
    with running(DURABLE) as started:
        yield started


@pytest.fixture(scope="session")
def addresses(database: Server) -> Callable[[], str]:
    """Give the address of another empty schema with each call."""
    numbers = count(1)
    return lambda: f"postgresql://owner@/postgres?host={database.folder}&schema=ledger_{next(numbers)}"


@pytest.fixture
def address(addresses: Callable[[], str]) -> str:
    return addresses()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.engines)], scope="session")
def places(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Place]:
    """Give another place for a ledger with each call, in each kind of store."""
    if request.param == "sqlite":
        return lambda: tmp_path_factory.mktemp("ledger") / "budget.db"
    made: Callable[[], Place] = request.getfixturevalue("addresses")
    return made


@pytest.fixture
def place(places: Callable[[], Place]) -> Place:
    return places()
