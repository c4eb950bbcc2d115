"""What a newcomer gets wrong is answered with what to do, and never with private values."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import privet as pv
from privet.errors import InvalidError, PrivetWarning, UnavailableError, WrongTypeError
from privet.models.json_form import from_json
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.objective_logistic_regression import ObjectiveLogisticRegression
from privet.models.pipelines import Pipeline, pipeline
from privet.models.signal import Signal
from privet.models.standard_scaler import StandardScaler

LOSS: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
SOURCE = np.random.default_rng(11)
FRAME = pd.DataFrame({"age": SOURCE.uniform(0, 1, 4_000)})
FRAME["pay"] = 0.5 * FRAME["age"] + 0.25
FRAME["rich"] = np.where(FRAME["age"] > 0.5, "yes", "no")
AGES, PAY, RICH = FRAME[["age"]], FRAME["pay"], FRAME["rich"]
BOOK = pv.Codebook(
    columns={
        "age": pv.column("real", bounds=(0, 1)),
        "pay": pv.column("real", bounds=(0, 1)),
        "rich": pv.column("text", categories=("no", "yes")),
    },
    unit=pv.Rows(),
)


def linear(**more: Any) -> LinearRegression:
    return LinearRegression(**{**LOSS, "bounds": (0, 1), "target_bounds": (0, 1), **more})


def logistic(**more: Any) -> LogisticRegression:
    return LogisticRegression(**{**LOSS, "bounds": (0, 1), "classes": ["no", "yes"], **more})


def scaled(**last: Any) -> Pipeline:
    steps = [("scale", StandardScaler(bounds={"age": (0, 1)})), ("model", LinearRegression(**last))]
    return pipeline(steps, **LOSS)


def session() -> pv.Session:
    return pv.Session(FRAME, BOOK, pv.budget(epsilon=1, delta=1e-6))


@pytest.mark.parametrize(
    ("columns", "bounds"),
    [
        (1, ([0], [60])),
        (2, ([0, 18], [60, 90])),  # read as two pairs, it would be no error
        (2, (np.array([0, 18]), np.array([60, 90]))),
        (3, [(0, 18, 1), (60, 90, 2)]),
        (3, np.array([[0, 18, 1], [60, 90, 2]])),
    ],
)
def test_lower_and_upper_bounds_in_two_lists_are_refused(columns: int, bounds: Any) -> None:
    """This is how diffprivlib takes them."""
    with pytest.raises(InvalidError, match=r"LinearRegression\.bounds looks like a list of lower and a list of upper"):
        linear(bounds=bounds).fit(np.zeros((10, columns)), np.zeros(10))


@pytest.mark.parametrize(
    "bounds",
    [((0, 60), (18, 90)), [[0, 60], [18, 90]], np.array([[0, 60], [18, 90]]), zip((0, 18), (60, 90), strict=True)],
    ids=["tuple", "list", "array", "zip"],
)
def test_two_pairs_are_read_as_pairs(bounds: Any) -> None:
    model = linear(bounds=bounds).fit(np.zeros((3_000, 2)), np.zeros(3_000))
    assert [float(column.upper) for column in model.features_.columns] == [60, 90]


def test_a_list_of_bounds_that_is_too_short_says_what_to_do_about_categories() -> None:
    with pytest.raises(
        InvalidError, match=r"for each of 2 columns, got 1\. Columns of categories need none: give a dict"
    ):
        linear(bounds=[(0, 1)], categories={"rich": ["no"]}).fit(FRAME[["age", "rich"]], PAY)


def test_the_target_is_no_feature_where_y_is_given_too() -> None:
    model = linear(target="pay").fit(FRAME[["age", "pay"]], 1 - PAY)
    assert model.feature_names_in_.tolist() == ["age"]
    assert model.coef_[0] < 0, "y has precedence over the column"
    for frame in (FRAME[["age", "pay"]], AGES):
        assert model.predict(frame).shape == (4_000,)
    assert linear(target="pay").fit(AGES, PAY).n_features_in_ == 1


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: linear(codebook="book.yaml").fit(AGES, PAY),
        WrongTypeError,
        r"must be a codebook, got str: give pv.Codeb",
    ),
    (lambda: linear(codebook={"age": 1}).fit(AGES, PAY), WrongTypeError, "got dict: give pv.Codebook.from_dict"),
    (lambda: scaled(codebook="book.yaml", target="pay"), WrongTypeError, "codebook must be a codebook, got str"),
    (lambda: linear(bounds=5).fit(AGES, PAY), WrongTypeError, r"bounds must be a pair such as \(0, 100\).*, got int"),
    (lambda: linear(bounds="0,1").fit(AGES, PAY), WrongTypeError, "bounds must be a pair such as .*, got str"),
    (lambda: linear(target=["pay"]).fit(FRAME), WrongTypeError, "target must be the name of one column, .*, got list"),
    (
        lambda: linear(bounds=None, codebook=BOOK).fit(AGES.to_numpy(), PAY),
        InvalidError,
        "codebook knows columns by their names, and these rows have none: pass a pandas or polars frame",
    ),
    (lambda: logistic(classes=["b", "a", "b"]).fit(AGES, RICH), InvalidError, "different values, got 'b' twice: leave"),
    (lambda: logistic(classes="no").fit(AGES, RICH), WrongTypeError, r"must be a list of classes, such as .*, got str"),
    (lambda: logistic(classes=[]).fit(AGES, RICH), InvalidError, "classes must have one or more values, got none"),
    (lambda: logistic(classes=[["a"]]).fit(AGES, RICH), WrongTypeError, "values such as 1 or 'yes', got list"),
    (lambda: linear(bounds=None, categories={"age": "ab"}).fit(AGES, PAY), WrongTypeError, "must be a list of values"),
    (lambda: linear().fit(pl.from_pandas(AGES).lazy(), PAY), WrongTypeError, "got LazyFrame: collect it first"),
    (lambda: linear().fit(AGES, pl.from_pandas(AGES).lazy()), WrongTypeError, "y must .*, got LazyFrame: collect it"),
    (lambda: linear().fit({"age": [1]}, PAY), WrongTypeError, r"got dict: pass pandas.DataFrame\(X\)"),
    (lambda: pipeline([("s", LogisticRegression)]), WrongTypeError, r"got the class LogisticRegression: write Logis"),
    (lambda: pipeline([("a__b", logistic())]), InvalidError, "'a__b' is no name for a step"),
    (lambda: pipeline([("rho", logistic())]), InvalidError, "'rho' is no name for a step"),
    (
        lambda: linear(bounds={"age": (5, 5)}).fit(AGES, PAY),
        InvalidError,
        r"bounds\['age'\]: lower must be below",
    ),
    (lambda: linear(bounds=[5]).fit(AGES, PAY), WrongTypeError, r"bounds\['age'\] must be a pair"),
    (lambda: linear(categories=[["a"]]).fit(AGES, PAY), WrongTypeError, "dictionary by column, such as .*'job'"),
    (lambda: linear().fit(AGES, "pay"), WrongTypeError, "y must be a column .*, got str. If it names a column of X"),
    (lambda: linear(rows_per_person=1).fit(AGES, PAY, persons="id"), WrongTypeError, "one id for each row, .*got str"),
    (lambda: linear().fit("visits.csv", PAY), WrongTypeError, "X must be a frame, an array or a list of rows, got str"),
    (lambda: linear().fit(None, PAY), WrongTypeError, "X must be a frame, an array or a list of rows, got NoneType"),
    (lambda: linear().fit(session(), PAY), WrongTypeError, r"X is a session: write session.query\(\).fit\(model"),
    (lambda: linear().fit(session().query(), PAY), WrongTypeError, r"X is a query of a session: write query.fit\("),
    (lambda: linear().fit(duckdb.sql("SELECT 1 AS age"), PAY), WrongTypeError, r"got DuckDBPyRelation: pass X.df\(\)"),
    (lambda: session().query().fit(LinearRegression, epsilon=1), WrongTypeError, "got the class Lin"),  # type: ignore[arg-type]
    (lambda: linear(epsilon=-1).fit(AGES, PAY), InvalidError, "LinearRegression: epsilon must be above zero, got -1"),
    (lambda: linear(epsilon=None).fit(AGES, PAY), InvalidError, "LinearRegression needs a privacy budget: give eps"),
    (lambda: linear(delta=None).fit(AGES, PAY), InvalidError, "below one divided by the number of persons"),
    (
        lambda: ObjectiveLogisticRegression(rho=0.1, bounds=(0, 1), classes=["no", "yes"]).fit(AGES, RICH),
        InvalidError,
        "takes epsilon, got rho = 0.1: its guarantee is a pure epsilon",
    ),
    (lambda: linear().fit(AGES, PAY).summary(), UnavailableError, "summary needs standard errors"),
    (
        lambda: session().query().fit(LogisticRegression(target="rich", classes=["no", "perhaps"]), **LOSS),
        InvalidError,
        "classes has 'perhaps' for 'rich', which the codebook does not list",
    ),
    (
        lambda: session().query().fit(LinearRegression(target="pay", categories={"rich": ["no", "zz"]}), **LOSS),
        InvalidError,
        "categories has 'zz' for 'rich', which the codebook does not list",
    ),
    (lambda: scaled(target_bounds=(0, 1))[:1], WrongTypeError, "one step, got slice"),  # type: ignore[index]
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("action", "error", "message"), WRONG)
def test_wrong_parameters_are_answered_with_what_to_do(
    action: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        action()
    assert "4000" not in str(caught.value).replace(",", "")


def test_before_a_fit_scikit_learns_error_says_so() -> None:
    made = scaled(target_bounds=(0, 1))
    for action in (
        linear().summary,
        linear(inference="two_step").conf_int,
        lambda: made.predict(AGES),
        lambda: made.score(AGES, PAY),
        lambda: made.classes_,
        made.explain,
    ):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            action()
    assert made["model"].target_bounds == (0, 1)


def test_a_pipeline_takes_its_target_from_the_frame() -> None:
    made = scaled(target_bounds=(0, 1), target="pay").fit(FRAME[["age", "pay"]])
    assert made["scale"].feature_names_in_.tolist() == ["age"]
    assert made.predict(FRAME[["age", "pay"]]).tolist() == made.predict(AGES).tolist()
    with pytest.raises(InvalidError, match="target names 'pya', which is no column of the frame"):
        scaled(target_bounds=(0, 1), target="pya").fit(FRAME[["age", "pay"]])


def test_a_codebook_of_the_last_step_names_its_target_beside_carried_bounds() -> None:
    made = scaled(codebook=BOOK, target="pay").fit(FRAME[["age", "pay"]])
    assert made["model"].bounds == {0: (-1, 1)}, "not those that the codebook has for the column before it was scaled"
    assert made["model"].target_column_.bounds == (0, 1)
    steps = [("scale", StandardScaler(bounds=(0, 1))), ("model", LogisticRegression(codebook=BOOK, target="rich"))]
    assert pipeline(steps, **LOSS).fit(AGES.to_numpy(), RICH).classes_.tolist() == ["no", "yes"]
    own = scaled(bounds=(-2, 2), codebook=BOOK, target="pay").fit(FRAME[["age", "pay"]])
    assert own["model"].bounds == (-2, 2)


def test_a_column_has_bounds_or_categories() -> None:
    with pytest.raises(InvalidError, match="bounds and categories both name column 0: it has one kind of values"):
        linear(bounds={"age": (0, 1)}, categories={"age": [0, 1]}).fit(AGES, PAY)


def test_logarithms_of_probabilities_are_those_of_probabilities() -> None:
    for classes in (["no", "yes"], ["no", "maybe", "yes"]):
        for model in (
            logistic(classes=classes),
            pipeline([("model", LogisticRegression(bounds=(0, 1), classes=classes))], **LOSS),
        ):
            fitted = model.fit(AGES, RICH)
            assert np.allclose(np.exp(fitted.predict_log_proba(AGES)), fitted.predict_proba(AGES))


def test_the_parameters_of_steps_are_set_by_two_underscores() -> None:
    made = scaled(target_bounds=(0, 1)).set_params(model__target_bounds=(0, 2), scale__bounds=(0, 3), epsilon=2)
    assert (made["model"].target_bounds, made[0].bounds, made.epsilon, len(made)) == ((0, 2), (0, 3), 2, 2)
    assert made.get_params()["model__target_bounds"] == (0, 2)
    assert "model__target_bounds" not in made.get_params(deep=False)
    fitted = made.fit(AGES, PAY)
    assert fitted[-1] is fitted["model"] is fitted.named_steps["model"]
    assert fitted[-1].coef_.shape == (1,)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (LOSS, "Together: epsilon = 1 at delta = 1e-6; loss_ has it exactly."),
        ({"budget": pv.budget(epsilon=1, delta=1e-9)}, "Together: epsilon = 1 at delta = 1e-9; loss_"),
        ({"rho": 0.02}, "Together: rho = 0.02 (epsilon = 0.899936 at delta = 1e-6); loss_"),
    ],
)
def test_explain_says_what_a_fit_cost_in_the_form_of_the_budget(budget: dict[str, Any], words: str) -> None:
    model = LinearRegression(bounds=(0, 1), target_bounds=(0, 1), **budget).fit(AGES, PAY)
    assert words in model.explain()
    assert "Loss(" not in model.explain()
    assert from_json(model.to_json()).explain() == model.explain()
    made = pipeline([("model", LinearRegression(bounds=(0, 1), target_bounds=(0, 1)))], **budget).fit(AGES, PAY)
    assert words.replace("Together", "All steps together") in made.explain()


def test_explain_of_pure_privacy_has_no_delta() -> None:
    text = pv.models.CategoricalNB(epsilon=1, bounds=(0, 1), classes=["no", "yes"]).fit(AGES, RICH).explain()
    assert "Together: epsilon = 1; loss_ has it exactly." in text
    assert "number of rows: Laplace of scale 20, epsilon = 0.05" in text


@pytest.mark.parametrize(
    ("model", "advice"),
    [
        (logistic(), "If the data have more rows, check that classes= has the classes as the data write them"),
        (linear(), "If the data have more rows, check that the target holds numbers"),
    ],
)
def test_almost_no_known_target_is_answered_with_what_to_check(model: Any, advice: str) -> None:
    """From the noisy number of rows alone: fits of so few rows would fail one time in two hundred."""
    weak = Signal(expected=False, reason="mostly noise.")
    model.n_samples_ = 99.9
    assert advice in model._with_advice(weak).reason
    assert not model._with_advice(weak)
    model.n_samples_ = 100.0
    assert model._with_advice(weak) == weak


def test_the_warning_of_a_fit_has_the_advice() -> None:
    frame = pd.DataFrame(SOURCE.uniform(0, 1, (50, 40)))
    with pytest.warns(PrivetWarning, match="check that classes= has"):
        model = logistic(classes=["NO", "YES"], epsilon=20).fit(frame, ["no"] * 50)
    assert "check that classes= has" in model.explain()


def test_a_summary_says_its_level() -> None:
    table = linear(inference="two_step", epsilon=3).fit(AGES, PAY).summary
    assert "intervals of 99.99% cover" in repr(table(0.9999))
    assert "intervals of 95% cover" in repr(table())
    with pytest.raises(InvalidError, match="level must be between zero and one, got 2"):
        table(2)


def test_bounds_may_be_an_array() -> None:
    model = linear(bounds=np.array([[0, 1]])).fit(AGES, PAY)
    assert model.features_.columns[0].bounds == (0, 1)


def test_a_careless_budget_draws_the_warning_of_a_session() -> None:
    with pytest.warns(PrivetWarning, match=r"LinearRegression: epsilon = 30 protects little.*very large epsilon"):
        linear(epsilon=30).fit(AGES, PAY)
    with pytest.warns(PrivetWarning, match="pipeline: with probability delta = 0.001, a release may reveal everything"):
        pipeline([("model", LinearRegression(bounds=(0, 1), target_bounds=(0, 1)))], epsilon=1, delta=1e-3).fit(
            AGES, PAY
        )


def test_a_fit_explains_its_loss_at_the_delta_that_was_stated() -> None:
    model = session().query().select("age", "pay").fit(LinearRegression(target="pay"), epsilon=0.5, delta=1e-7)
    assert "Together: epsilon = 0.5 at delta = 1e-7" in model.explain()
    assert "Together: epsilon = 0.5 at delta = 1e-7" in from_json(model.to_json()).explain()
    pure = ObjectiveLogisticRegression(epsilon=1, delta=1e-6, bounds=(0, 1), classes=["no", "yes"]).fit(AGES, RICH)
    assert "Together: epsilon = 1; delta is not spent" in pure.explain()


def test_an_array_of_texts_is_refused_where_numbers_are_expected() -> None:
    """numpy turns the numbers of [[30, "a"]] into texts, and all of them would be missing."""
    with pytest.raises(
        InvalidError, match="column 0 is for texts: an array has one type for all columns, so pass a frame"
    ):
        linear(categories={1: ["a"]}, bounds={0: (0, 90)}).fit(np.array([[30, "a"], [40, "a"]]), [1, 2])
    linear(categories={1: ["a"]}, bounds={0: (0, 90)}).fit([[30, "a"]] * 3_000, [0.5] * 3_000)


@pytest.mark.parametrize("rows", [pd.DataFrame({"age": ["0.5"]}, dtype="string"), pl.DataFrame({"age": ["0.5"]})])
def test_texts_at_a_prediction_are_refused(rows: Any) -> None:
    """Without a message every row would be predicted at the middle of the bounds."""
    model = linear().fit(AGES, PAY)
    with pytest.raises(InvalidError, match="column 'age' of X has numbers in the fit, and its type is for texts here"):
        model.predict(rows)
    assert len(model.predict(pd.DataFrame({"age": [None]}))) == 1


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        (
            (1e15, 1e15 + 4),
            "must be further apart, got .1000000000000000, 1000000000000004.: a model reads numbers to 32",
        ),
        ((1e-310, 2e-310), "must be further apart, .* scale up what is too close to zero"),
        ((0, 10**400), r"must be at most 2\^1023 .*: scale the column"),
        ((-1.7e308, 1.7e308), r"must be at most 2\^1023 .*: scale the column"),
    ],
)
def test_bounds_that_floats_cannot_tell_apart_are_refused_by_their_name(pair: Any, words: str) -> None:
    with pytest.raises(InvalidError, match=rf"^LinearRegression.bounds\['age'\] {words}"):
        linear(bounds={"age": pair}).fit(AGES, PAY)
    with pytest.raises(InvalidError, match=f"^LinearRegression.target_bounds {words}"):
        linear(target_bounds=pair).fit(AGES, PAY)


def test_bounds_of_a_codebook_that_floats_cannot_tell_apart_are_refused_by_their_name() -> None:
    book = pv.Codebook(columns={"age": pv.column("integer", bounds=(10**15, 10**15 + 4))}, unit=pv.Rows())
    with pytest.raises(InvalidError, match=r"^LinearRegression.codebook\['age'\] must be further apart"):
        linear(bounds=None, codebook=book).fit(AGES, PAY)
