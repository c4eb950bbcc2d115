"""Problems: each says where, which rule, what and what to do; all of them come at once."""

import pickle

import pytest

from privet.core.problem import Place, Problem, Problems, ProblemsError
from privet.errors import InvalidError, WrongTypeError


class PlanError(ProblemsError):
    """The error of something else than a codebook."""


@pytest.mark.parametrize(
    ("file", "line", "text"),
    [
        (None, None, "a.b is missing. Write it."),
        (None, 3, "line 3: a.b is missing. Write it."),
        ("plan.yaml", None, "plan.yaml: a.b is missing. Write it."),
        ("plan.yaml", 3, "plan.yaml:3: a.b is missing. Write it."),
    ],
)
def test_a_problem_is_printed_with_its_place(file: str | None, line: int | None, text: str) -> None:
    problem = Problem(
        path="a.b", rule="missing key", message="a.b is missing.", fix="Write it.", file=file, line=line, position=7
    )
    assert str(problem) == text
    assert problem.text == "a.b is missing. Write it."
    assert not problem.open


def test_a_problem_without_a_fix_ends_with_its_message() -> None:
    assert str(Problem(rule="value", message="a must be above zero.")) == "a must be above zero."


def test_all_problems_are_raised_in_the_order_of_the_file_and_once() -> None:
    problems = Problems(PlanError, "plan", "plan.yaml")
    for line in (9, 2, 9):
        problems.add(Place("a", line, 1), f"line {line} is wrong.", rule="value")
    with pytest.raises(PlanError) as caught:
        problems.raise_any()
    assert [problem.line for problem in caught.value.problems] == [2, 9]
    assert str(caught.value) == "plan.yaml:2: line 2 is wrong.\nplan.yaml:9: line 9 is wrong."


def test_nothing_is_raised_where_nothing_is_wrong() -> None:
    Problems(PlanError, "plan").raise_any()


def test_an_error_becomes_a_problem_at_a_place() -> None:
    problems = Problems(PlanError, "plan")

    def fail() -> int:
        raise WrongTypeError("a must be text.")

    assert problems.attempt(Place("a"), fail) is None
    assert problems.attempt(Place("b"), lambda: 3) == 3
    assert problems.all == [Problem(path="a", rule="value", message="a must be text.")]


def test_a_fatal_problem_stands_alone() -> None:
    problems = Problems(PlanError, "plan")
    problems.add(Place("a"), "a is wrong.")
    error = problems.fatal(Place("format"), "the plan is newer.", rule="format")
    assert [problem.path for problem in error.problems] == ["format"]
    with pytest.raises(PlanError):  # it is not taken for a problem of a part
        problems.attempt(Place("a"), lambda: (_ for _ in ()).throw(error))


def test_the_error_is_an_invalid_parameter_and_can_be_sent_to_another_process() -> None:
    error = PlanError((Problem(rule="value", message="a is wrong."),))
    assert isinstance(error, InvalidError)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.problems) == (PlanError, str(error), error.problems)
