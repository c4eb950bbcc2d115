"""Explanations bound beliefs from above, say what they do not protect, and name the exception."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.errors import InvalidError, PrivetError


def test_the_usual_example_for_a_boss() -> None:
    explanation = pv.explain(epsilon=1, prior=0.5)
    assert explanation.sentences[1].startswith(
        "Someone who thinks it 50 % likely that a person is in the data, and who knows all other data, can think it at "
        "most 73.2 % likely afterwards, and at least 26.8 %."
    )
    assert Fraction("0.7310585786") < explanation.highest < Fraction("0.7310585787")
    assert "There is no exception: delta is zero." in str(explanation)


def test_delta_is_stated_and_compared_with_the_number_of_persons() -> None:
    text = str(pv.explain(epsilon=1, delta=1e-4, people=100_000))
    assert "delta = 0.0001, 1 in 10,000" in text
    assert "Warning: delta = 0.0001 is above 1 / n for about n = 100,000" in text


def test_a_loss_explains_itself_as_the_function_does() -> None:
    assert pc.PureLoss(1).explain(prior=0.1) == pv.explain(epsilon=1, prior=0.1)
    assert pc.ApproximateLoss(1, 1e-9).explain() == pv.explain(epsilon=1, delta=1e-9)
    loss = pc.GaussianLoss(distance=1, scale=3)
    assert loss.explain().epsilon == loss.epsilon(1e-6)
    assert loss.explain(delta=1e-9).delta == Fraction(1, 10**9)


def test_assumptions_are_named() -> None:
    loss = pc.PureLoss(1).amplify(pv.Population(rate=0.1))
    assert "Assumed: the data are a secret" in str(loss.explain())


@pytest.mark.parametrize("form", [{"rho": 0.1}, {"mu": 0.5}])
def test_other_forms_are_read_at_a_delta(form: dict[str, Any]) -> None:
    explanation = pv.explain(**form, delta=1e-8)
    assert explanation.epsilon == pv.budget(**form).loss().epsilon(1e-8)
    assert explanation.sentences[0].startswith(f"{next(iter(form))} = ")


def test_the_table_compares_common_epsilons_and_marks_this_one() -> None:
    heads, *rows = pv.explain(epsilon=0.7).table()
    assert heads[0] == "epsilon"
    assert [row[0] for row in rows] == ["0.1", "0.5", "0.7", "1", "2", "5", "10"]
    assert [row[0] for row in rows if row[-1]] == ["0.7"]


def test_a_notebook_gets_escaped_words_and_a_table() -> None:
    html = pv.explain(epsilon=1)._repr_html_()
    assert "<table>" in html
    assert "&lt;- this loss" in html
    assert "at most 73.2 %" in html


def test_a_loss_without_a_bound_says_so() -> None:
    assert pc.ConcentratedLoss(1).explain(delta=0).sentences == (
        "Nothing bounds this loss: a release may reveal everything about a person.",
    )


def test_the_picture_has_the_point_of_the_prior() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    explanation = pv.explain(epsilon=1, prior=0.2)
    axes = explanation.plot()
    point: Any = next(line for line in axes.get_lines() if line.get_label() == "from 20 %")
    low, high = point.get_ydata()
    assert high >= explanation.highest
    assert low <= explanation.lowest
    assert axes.get_xlabel() == "belief before the release"
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "explain needs epsilon"),
        ({"epsilon": 1, "prior": 0}, "explain.prior must be between zero and one, got 0."),
        ({"rho": 1, "delta": 0}, "explain: delta must be above zero and below one for such a loss, got 0."),
        ({"epsilon": 1, "people": 0}, "explain: people must be above zero, got 0."),
    ],
)
def test_mistakes_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidError, PrivetError)) as error:
        pv.explain(**arguments)
    assert str(error.value).startswith(message)


def test_what_the_data_of_a_person_say_is_two_steps_away() -> None:
    """Neighbours add or remove a person: to change the data of one is both."""
    explanation = pv.explain(epsilon=1, delta=1e-6, prior=0.3)
    pair = pc.ApproximateLoss(1, 1e-6).group(2)
    assert explanation.highest_of_values == pv.explain(epsilon=pair.pure().cost, prior=0.3).highest
    assert "it can go from 30 % to at most 76.1 %." in explanation.sentences[1]
    shown = explanation.sentences[2].rpartition("this probability is ")[2].removesuffix(" %.")
    assert Fraction(shown) / 100 >= pair.pure().delta
