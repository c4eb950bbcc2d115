"""``privet explain`` prints what ``pv.explain`` says."""

from typer.testing import CliRunner

import privet as pv
from privet.cli.main import app


def test_a_loss_is_explained() -> None:
    result = CliRunner().invoke(app, ["explain", "--epsilon", "1/2", "--delta", "1e-6", "--prior", "0.1"])
    assert result.exit_code == 0
    assert result.output.strip() == str(pv.explain(epsilon=0.5, delta=1e-6, prior=0.1))


def test_a_mistake_ends_with_one_line() -> None:
    result = CliRunner().invoke(app, ["explain", "--epsilon", "one"])
    assert result.exit_code == 1
    assert result.output.strip() == "explain: epsilon must be a number such as 0.5, got text 'one'."
