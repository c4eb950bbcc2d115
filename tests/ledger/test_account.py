"""A key is charged once, runs at most three times until it is stored, and gives its stored release for ever."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.errors import BudgetExceededError, InvalidError, LedgerError, WrongTypeError
from privet.ledger.account import Account
from privet.ledger.books import Books
from privet.ledger.ledger import Ledger
from tests.ledger.files import Place, charge


@pytest.fixture
def account(place: Place) -> Account:
    return Ledger(place).account("visits", "ann", pv.budget(epsilon=1))


def reopened(account: Account, analyst: str = "ann") -> Account:
    """The same account, as another process sees it."""
    return Ledger(account.ledger._store.describe()).account("visits", analyst)  # type: ignore[attr-defined]


def test_a_stored_release_is_given_again_and_costs_nothing(account: Account) -> None:
    text = '{"a": 0.1,  "b": "ä"}'
    assert account.store(charge(account), text) == text
    for each in (account, reopened(account)):
        assert charge(each).text == text
        assert each.spent == pv.budget(epsilon=0.1)


def test_a_key_that_was_not_stored_runs_three_times_under_one_charge(account: Account) -> None:
    claims = [charge(each) for each in (account, reopened(account), reopened(account))]
    assert {(claim.number, claim.text) for claim in claims} == {(3, None)}
    assert account.charges[0].attempts == 3
    for _ in range(2):
        with pytest.raises(LedgerError, match=r"read for it 3 times.*again=True"):
            charge(account)
    assert (account.charges[0].state, account.spent.describe()) == ("closed", "epsilon = 0.1")
    assert charge(account, again=True).key == "k 2"


def test_a_run_that_had_begun_is_stored_although_its_charge_was_given_up(account: Account) -> None:
    """Four may ask at once: the fourth gives up the charge while the others still compute. None of them was shown."""
    claims = [charge(each) for each in (account, reopened(account), reopened(account))]
    with pytest.raises(LedgerError, match="If another process is still computing it"):
        charge(account)
    assert account.store(claims[1], "second") == "second"
    assert account.store(claims[0], "first") == "second"
    assert (charge(account).text, account.charges[0].state) == ("second", "stored")
    assert account.spent.describe() == "epsilon = 0.1"


def test_the_first_stored_release_of_a_charge_is_that_of_all(account: Account) -> None:
    first, second = charge(account), charge(reopened(account))
    assert account.store(second, "second") == "second"
    assert account.store(first, "first") == "second"
    assert charge(account).text == "second"


def test_a_key_stands_for_one_request(account: Account) -> None:
    charge(account, digest="one")
    with pytest.raises(InvalidError, match="used for another request"):
        charge(account, digest="two")
    assert account.spent.describe() == "epsilon = 0.1"


def test_a_fresh_release_is_charged_and_leaves_the_first(account: Account) -> None:
    account.store(charge(account), "first")
    for number in (2, 3):
        claim = charge(account, again=True)
        assert (claim.key, claim.text) == (f"k {number}", None)
        account.store(claim, f"{number}")
    assert charge(account).text == "first"
    assert account.spent.describe() == "epsilon = 0.3"


def test_without_a_key_every_charge_counts(account: Account) -> None:
    keys = {account.charge(PureLoss(0.1)).key for _ in range(3)}
    assert (len(keys), account.spent.describe()) == (3, "epsilon = 0.3")
    assert {each.result for each in account.charges} == {"unrepeated"}


def test_a_stored_release_goes_to_its_analyst_alone(account: Account) -> None:
    account.store(charge(account), "of ann")
    bob = reopened(account, "bob")
    assert charge(bob).text is None
    assert account.spent.describe() == "epsilon = 0.2"


def test_a_charge_beyond_the_budget_changes_nothing(account: Account) -> None:
    before = account.ledger.head()  # type: ignore[attr-defined]
    with pytest.raises(BudgetExceededError, match="whoever keeps the ledger"):
        account.charge(PureLoss(1.1), key="k")
    with pytest.raises(WrongTypeError, match="takes a loss"):
        account.charge(0.1, key="k")  # type: ignore[arg-type]
    assert account.ledger.head() == before  # type: ignore[attr-defined]
    assert account.find("k") is None


def test_a_part_has_a_budget_of_its_own(account: Account) -> None:
    opened = charge(account, "parts", result="parts")
    assert charge(account, "parts", result="parts") == opened, "parts are opened again under their charge"
    part = account.part("3: ward = 'a'", pv.budget(epsilon=0.1))
    assert (part.remaining, part.charges) == (pv.budget(epsilon=0.1), ())
    part.store(charge(part), "of the part")
    with pytest.raises(BudgetExceededError, match="needs epsilon = 0.1"):
        charge(part, "more")
    again = reopened(account).part("3: ward = 'a'", pv.budget(epsilon=0.1))
    assert charge(again).text == "of the part"
    assert (again.remaining, account.spent) == (pv.budget(epsilon=0), pv.budget(epsilon=0.1))
    assert [each.state for each in account.charges] == ["opened"]


def test_a_twin_that_forgets_keys_charges_twice(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin breaks what ``test_a_stored_release_is_given_again_and_costs_nothing`` asserts; the books notice too."""
    account.store(charge(account), "first")
    monkeypatch.setattr(Books, "find", lambda *_: None)
    assert charge(account).text is None
    with pytest.raises(LedgerError, match="entry 5 breaks the rules"):
        _ = account.spent


Step = tuple[str, int, bool]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.booleans()), max_size=12))
@settings(max_examples=40)
def test_charges_follow_the_model(places: Callable[[], Place], steps: list[Step]) -> None:
    """Against a dictionary: any order of charges, failures and stored releases, each seen by a fresh process."""
    path = places()
    ledger = Ledger(path)
    ledger.account("visits", budget=pv.budget(epsilon=1))
    spent, runs, stored = Fraction(0), dict[str, int](), dict[str, str]()
    for key, tenths, stores in steps:
        account, cost = Ledger(path).account("visits"), Fraction(tenths, 10)
        try:
            claim = account.charge(PureLoss(cost), key=key)
        except BudgetExceededError:
            assert key not in runs
            assert spent + cost > 1
            continue
        except LedgerError:
            assert runs[key] >= 3
            assert key not in stored
            continue
        spent += cost if key not in runs else 0
        assert claim.text == stored.get(key)
        runs[key] = runs.get(key, 0) + (key not in stored)
        if stores and claim.text is None:
            stored[key] = account.store(claim, f"{key} {tenths}")
    assert ledger.spent("visits").point().cost == spent
    assert {each.key: each.attempts for each in ledger.charges()} == {key: min(times, 3) for key, times in runs.items()}
