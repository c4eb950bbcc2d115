"""The demo shows what it promises: exact means that leak, private ones that do not, and plain text in a pipe."""

import re

import pytest
from typer.testing import CliRunner

from privet.cli import classroom
from privet.cli.main import app


@pytest.fixture(scope="module")
def report() -> str:
    return _run()


def _run() -> str:
    result = CliRunner(env={"COLUMNS": "80", "FORCE_COLOR": None, "NO_COLOR": None}).invoke(app, ["demo"])
    assert result.exit_code == 0, result.output
    return result.output


def _released(report: str) -> list[tuple[str, ...]]:
    row = r"^│\s+(10|9)\s+1[01]\.[01]\s+1[01]\.[01]\s+(-?\d+\.\d)\s+(-?\d+\.\d) to (-?\d+\.\d)"
    return re.findall(row, report, flags=re.MULTILINE)


def test_the_exact_means_give_the_score_away(report: str) -> None:
    assert "10 x 85 - 9 x 87 = 67" in report


def test_both_private_means_have_an_interval_around_them(report: str) -> None:
    rows = _released(report)
    assert [row[0] for row in rows] == ["10", "9"]
    for _, release, low, high in rows:
        assert float(low) < float(release) < float(high)


def test_the_report_shows_the_total_spent(report: str) -> None:
    assert "epsilon 1 + 1 = 2, 0 left" in " ".join(report.replace("│", " ").split())


def test_the_attack_is_compared_with_blind_guessing(report: str) -> None:
    shares = {name: float(share) for name, share in re.findall(r"(exact|private|random|most).*?(\d+\.\d) %", report)}
    assert shares["exact"] == 100
    # 1,000 attempts at a chance of 2.5 %: more than 80 hits have a probability below 1e-6
    assert shares["private"] < 8 < shares["random"] < shares["most"] < 30


def test_the_histogram_counts_every_repetition(report: str) -> None:
    counts = re.findall(r"(?:below|above|to) -?\d+ +[█▏▎▍▌▋▊▉]* +(\d+)", report)
    assert len(counts) == 12
    assert sum(map(int, counts)) == 1000


def test_a_pipe_receives_plain_text_of_80_columns(report: str) -> None:
    assert "\x1b" not in report
    assert max(map(len, report.splitlines())) <= 80


def test_every_run_differs(report: str) -> None:
    # both releases are in tenths: one other run repeats both with probability below 1e-4, three with below 1e-12
    assert any(_released(_run()) != _released(report) for _ in range(3))


def test_the_noise_follows_from_the_map() -> None:
    chain, sensitivity, scale = classroom.mean_chain(10)
    assert sensitivity == scale == 10
    assert chain.map(classroom.REPLACED).epsilon() == classroom.EPSILON


def test_nothing_is_released_beyond_the_budget() -> None:
    import privet as pv
    import privet.calculus as pc

    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    classroom.release_mean(classroom.SCORES, cap)
    with pytest.raises(pv.errors.BudgetExceededError):
        classroom.release_mean(classroom.SCORES, cap)
