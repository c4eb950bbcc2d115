"""Budgets of data sets, allowances of analysts, anchors; nothing that was spent comes back."""

import copy
import pickle
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.errors import BudgetExceededError, InvalidError, LedgerError, UnavailableError, WrongTypeError
from privet.ledger.ledger import Ledger
from tests.ledger.files import Place, charge, filled


def test_a_budget_is_set_once_and_a_different_one_is_refused_with_both(place: Place) -> None:
    ledger = Ledger(place)
    ledger.account("visits", budget=pv.budget(epsilon=1))
    ledger.account("visits", budget=pv.budget(epsilon=1))
    ledger.account("visits")
    with pytest.raises(InvalidError, match=r"epsilon = 1 for 'visits'.*epsilon = 2.*privet budget grant"):
        Ledger(place).account("visits", budget=pv.budget(epsilon=2))
    with pytest.raises(InvalidError, match=r"epsilon = 1 for 'visits'.*rho = 2"):
        ledger.account("visits", budget=pv.budget(rho=2))
    assert (ledger.datasets, ledger.head().number) == (("visits",), 2)


def test_a_data_set_without_a_budget_is_named(place: Place) -> None:
    ledger = Ledger(place)
    ledger.grant("visits", pv.budget(epsilon=1))
    for ask in (ledger.budget, ledger.spent, ledger.remaining, ledger.account):
        with pytest.raises(UnavailableError, match="no data set 'patients'; it has 'visits'"):
            ask("patients")


def test_a_grant_changes_a_budget_but_not_below_what_is_spent(place: Place) -> None:
    ledger = filled(place)
    ledger.grant("visits", pv.budget(epsilon=0.3))
    assert ledger.remaining("visits") == pv.budget(epsilon=0)
    with pytest.raises(BudgetExceededError, match="privet budget grant"):
        charge(ledger.account("visits", "ann"))
    with pytest.raises(InvalidError, match=r"epsilon = 0.3 of the budget of 'visits' is spent"):
        ledger.grant("visits", pv.budget(epsilon=0.2))
    with pytest.raises(InvalidError, match="its form cannot change"):
        ledger.grant("visits", pv.budget(rho=1))
    ledger.grant("visits", pv.budget(epsilon=0.4))
    charge(ledger.account("visits", "ann"))
    before = ledger.head()
    ledger.grant("visits", pv.budget(epsilon=0.4))
    assert ledger.head() == before, "the same budget again needs no entry"


def test_an_analyst_has_a_share_of_the_budget(place: Place) -> None:
    ledger = Ledger(place)
    ledger.grant("visits", pv.budget(epsilon=1, delta=1e-6))
    ledger.allow("visits", "ann", share=0.25)
    ledger.allow("visits", "bob", budget=pv.budget(epsilon=0.9, delta=1e-6))
    ann, bob = (ledger.account("visits", name) for name in ("ann", "bob"))
    charge(ann, "a"), charge(ann, "b")
    with pytest.raises(BudgetExceededError, match=r"needs epsilon = 0.1.* has epsilon = 0.05"):
        charge(ann, "c")
    for number in range(8):
        charge(bob, f"{number}")
    assert bob.remaining == pv.budget(epsilon=0, delta=1e-6), "the data set has no more, whatever bob may spend"
    assert ledger.remaining("visits", "ann") == pv.budget(epsilon=0, delta="1/4000000")
    assert ledger.spent("visits", "bob").describe() == "epsilon = 0.8"
    assert ledger.spent("visits") == pv.budget(epsilon=1)
    ledger.grant("visits", pv.budget(epsilon=2, delta=1e-6))
    assert ann.remaining.point().cost == Fraction(3, 10), "a share grows with the budget"


def test_wrong_allowances_are_refused(place: Place) -> None:
    ledger = Ledger(place)
    ledger.grant("visits", pv.budget(epsilon=1))
    with pytest.raises(WrongTypeError, match="share=... or budget=..."):
        ledger.allow("visits", "ann")
    with pytest.raises(InvalidError, match="between zero and one"):
        ledger.allow("visits", "ann", share=2)
    with pytest.raises(InvalidError, match="amounts in its form"):
        ledger.allow("visits", "ann", budget=pv.budget(rho=1))
    with pytest.raises(UnavailableError, match="no data set"):
        ledger.allow("patients", "ann", share=0.5)
    for name in ("", "a\nb", "x" * 201, 3):
        with pytest.raises(InvalidError, match="printable"):
            ledger.allow("visits", name, share=0.5)  # type: ignore[arg-type]
    assert ledger.head().number == 2


def test_three_thirds_fill_one(place: Place) -> None:
    account = Ledger(place).account("visits", budget=pv.budget(epsilon=1))
    for number in range(3):
        account.charge(PureLoss(Fraction(1, 3)), key=f"{number}")
    assert account.remaining == pv.budget(epsilon=0)


@pytest.mark.parametrize("limit", [pv.budget(rho=1), pv.budget(mu=2), pv.budget(order=8, renyi=2)])
def test_every_form_of_budget_is_kept(place: Place, limit: pv.budget) -> None:  # type: ignore[valid-type]
    account = Ledger(place).account("visits", budget=limit)
    if "mu" not in repr(limit):
        charge(account)
    assert Ledger(place).account("visits", budget=limit).spent == account.spent


def test_a_restored_copy_is_noticed_with_an_anchor(tmp_path: Path) -> None:
    path, old = tmp_path / "budget.db", tmp_path / "old.db"
    ledger = filled(path)
    shutil.copy(path, old)
    charge(ledger.account("visits", "ann"), "later")
    anchor = ledger.head()
    shutil.copy(old, path)
    assert Ledger(path).head().number == 8, "nothing in the file tells"
    with pytest.raises(LedgerError, match=r"ends before the anchor, entry 9: it is an older copy"):
        Ledger(path, anchor=anchor)
    with pytest.raises(LedgerError, match="does not contain the head"):
        charge(ledger.account("visits", "ann"), "more")
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger(tmp_path / "none.db", anchor=anchor)
    assert not (tmp_path / "none.db").exists()


def test_a_ledger_that_went_on_has_its_anchors(place: Place) -> None:
    ledger = filled(place)
    anchors = [ledger.head()]
    charge(ledger.account("visits", "ann"), "later")
    anchors.append(ledger.head())
    for anchor in anchors:
        assert Ledger(place, anchor=(anchor.number, anchor.hash)).verify() == anchors[-1]
    with pytest.raises(LedgerError, match="not that of the anchor"):
        Ledger(place, anchor=(3, "0" * 64))
    for wrong in ((0, "0" * 64), (1, "0"), (True, "0" * 64), "head", (1,)):
        with pytest.raises(InvalidError, match="the pair"):
            Ledger(place, anchor=wrong)  # type: ignore[arg-type]


def test_every_ledger_is_another(places: Callable[[], Place]) -> None:
    heads = {Ledger(places()).head() for _ in range(3)}
    assert len(heads) == 3
    assert {head.number for head in heads} == {1}


def test_a_ledger_shows_itself_and_is_not_copied(place: Place) -> None:
    ledger = filled(place)
    assert "epsilon = 9.7 and delta = 1e-6 of epsilon = 10 and delta = 1e-6 left" in repr(ledger)
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(WrongTypeError, match="open it again"):
            copying(ledger)


def test_charges_are_listed_with_what_became_of_them(place: Place) -> None:
    ledger = filled(place, 2)
    charge(ledger.account("visits", "bob"), "open")
    charges = ledger.charges("visits")
    assert [(each.analyst, each.state, each.left.point().cost) for each in charges] == [
        ("ann", "stored", Fraction(99, 10)),
        ("ann", "stored", Fraction(98, 10)),
        ("bob", "charged", Fraction(97, 10)),
    ]
    assert [ledger.release_text(each) for each in charges] == ['{"value": 0}', '{"value": 1}', None]
    assert ledger.charges("patients") == ()
    assert charges[0].when.tzinfo is not None


def test_only_stored_releases_of_the_data_set_are_shared(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    accounts = [ledger.account(name, "ann", pv.budget(epsilon=1)) for name in ("visits", "other")]
    claims = [each.charge(PureLoss(Fraction(1, 4)), key="k", digest="d") for each in (*accounts, accounts[0])]
    accounts[0].store(claims[0], "{}")
    accounts[1].store(claims[1], "{}")
    open_claim = accounts[0].charge(PureLoss(Fraction(1, 4)), key="open", digest="e")
    for entry in (open_claim.number, claims[1].number, 1, 99, "3", True):
        with pytest.raises(InvalidError, match="no stored release"):
            ledger.share("visits", entry)  # type: ignore[arg-type] # texts are refused too
    assert ledger.share("visits") == (claims[0].number,)
    assert ledger.share("visits") == ledger.share("visits", claims[0].number) == ()
    assert {each.number: each.state for each in ledger.charges()} == {
        claims[0].number: "shared",
        claims[1].number: "stored",
        open_claim.number: "charged",
    }


def test_a_shared_release_is_given_to_others_and_charged_again_on_demand(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ann, bob = (ledger.account("visits", name, pv.budget(epsilon=1)) for name in ("ann", "bob"))
    loss = PureLoss(Fraction(1, 4))
    ann.store(ann.charge(loss, key="of ann", digest="d"), "{}")
    ledger.share("visits")
    assert bob.charge(loss, key="of bob", digest="d").text == "{}"
    assert bob.charge(loss, key="of bob", digest="d", again=True).text is None
    for digest in ("other", ""):
        assert bob.charge(loss, key=f"of bob {digest}", digest=digest).text is None
    assert ledger.spent("visits", "bob") == pv.budget(epsilon=0.75)


def test_a_shared_release_without_a_digest_is_given_to_nobody(tmp_path: Path) -> None:
    """What has no digest may be anything: two of them are not the same."""
    ledger = Ledger(tmp_path / "budget.db")
    ann, bob = (ledger.account("visits", name, pv.budget(epsilon=1)) for name in ("ann", "bob"))
    ann.store(ann.charge(PureLoss(Fraction(1, 4)), key="k"), "{}")
    ledger.share("visits")
    assert bob.charge(PureLoss(Fraction(1, 4)), key="k").text is None
