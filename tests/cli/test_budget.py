"""``privet budget`` shows, checks, changes and exports ledgers; the examples of the page do what they show."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import privet as pv
from privet.cli.main import app
from tests.ledger.files import tamper

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
TIMES = (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+\+00:00)?", "TIME"), (r"[0-9a-f]{64}", "HASH")


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["budget", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ledger of the page, in the folder in which the commands run."""
    monkeypatch.chdir(tmp_path)
    book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    opened = pv.Ledger("budget.db")
    session = pv.Session(
        [{"ward": "a"}] * 9, book, pv.budget(epsilon=1), ledger=opened, dataset="visits-2026", analyst="ann"
    )
    session.query().group_by("ward").agg(pv.count()).release(epsilon=0.5)
    session.query().agg(pv.count()).release(epsilon=0.1)
    return "budget.db"


def examples() -> list[tuple[str, str]]:
    """The commands of the page, in order, each with what it prints."""
    section = PAGE.read_text(encoding="utf-8").partition("## `privet budget`")[2]
    blocks = "".join(re.findall(r"```console\n(.*?)```", section, flags=re.DOTALL))
    return [(each.partition("\n")[0], each.partition("\n")[2]) for each in blocks.split("$ privet budget ")[1:]]


def without_times(text: str) -> str:
    for pattern, name in TIMES:
        text = re.sub(pattern, name, text)
    return text


def test_the_examples_of_the_page(ledger: str) -> None:
    commands = {command.split()[0] for command, _ in examples()}
    assert commands == {"show", "history", "grant", "verify", "share", "export"}
    for command, shown in examples():
        code, output = run(*shlex.split(command))
        assert without_times(output) == without_times(shown), command
        assert code == (1 if "grant no less" in shown else 0)


def test_an_export_holds_exact_costs(ledger: str) -> None:
    data = json.loads(run("export", ledger)[1])
    assert data["format"] == "ledger-export/1"
    assert [each["cost_exact"] for each in data["charges"]] == ["1/2", "1/10"]
    assert data["accounts"][0]["spent"] == {"form": "approximate", "epsilon": "3/5", "delta": "0/1"}
    assert data["head"]["number"] == pv.Ledger(ledger).head().number
    rows = list(csv.DictReader(run("export", ledger, "--format", "csv")[1].splitlines()))
    assert [{**row, "entry": int(row["entry"])}["entry"] for row in rows] == [3, 5]
    assert [row["query"] for row in rows] == [each["query"] for each in data["charges"]]


def test_an_export_overwrites_nothing(ledger: str) -> None:
    Path("mine.csv").write_text("mine", encoding="utf-8")
    code, output = run("export", ledger, "--format", "csv", "--output", "mine.csv")
    assert (code, output) == (1, "mine.csv exists already; choose another name with --output.\n")
    assert run("export", ledger, "-o", "no/folder.json")[0] == 1


def test_a_name_that_is_a_formula_stays_a_text(tmp_path: Path) -> None:
    pv.Ledger(tmp_path / "a.db").account("=1+1", "@ann", pv.budget(epsilon=1)).note("-2")
    row = run("export", tmp_path / "a.db", "--format", "csv")[1].splitlines()[1]
    assert "'=1+1,,,'@ann,'-2" in row


def test_a_changed_ledger_is_reported_by_every_command(ledger: str) -> None:
    tamper(Path(ledger), "UPDATE entries SET text = replace(text, '1/2', '1/9')")
    for arguments in (("show",), ("history",), ("verify",), ("export",), ("grant", "visits-2026", "--epsilon", "3")):
        code, output = run(arguments[0], ledger, *arguments[1:])
        assert code == 1
        assert "was changed" in output


def test_an_anchor_is_compared(ledger: str) -> None:
    head = run("verify", ledger)[1].splitlines()[1].removeprefix("head: ")
    assert "The anchor is in it." in run("verify", ledger, "--anchor", head)[1]
    other = f"{head[:-1]}{'0' if head[-1] != '0' else '1'}"
    assert run("verify", ledger, "--anchor", other)[0] == 1
    assert "older copy" in run("verify", ledger, "--anchor", f"99{head[1:]}")[1]
    for wrong in ("head", "", "3", ":"):
        assert run("verify", ledger, "--anchor", wrong)[0] == 1


def test_a_data_set_that_is_not_there_has_no_history(ledger: str) -> None:
    for command in ("show", "history"):
        code, output = run(command, ledger, "--dataset", "nope")
        assert (code, "no data set 'nope'" in output) == (1, True)


def test_only_a_grant_makes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    for command in ("show", "history", "verify", "export"):
        code, output = run(command, path)
        assert (code, "cannot be opened" in output, path.exists()) == (1, True, False)
    assert run("grant", path, "visits", "--rho", "0.5")[1] == "visits: the budget is rho = 0.5, rho = 0.5 is left.\n"
    assert run("grant", path, "visits", "--analyst", "ann", "--rho", "0.25")[0] == 0
    assert "ann" in run("show", path, "--dataset", "visits")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--epsilon 1 --delta 1e-6"),
        (("--epsilon", "1", "--rho", "1"), "not both"),
        (("--share", "0.5"), "--share is for --analyst"),
        (("--analyst", "ann", "--share", "0.5", "--epsilon", "1"), "takes the place"),
        (("--analyst", "ann"), "share=... or budget=..."),
        (("--analyst", "ann", "--share", "2"), "between zero and one"),
        (("--epsilon", "many"), "epsilon"),
    ],
)
def test_a_wrong_grant_is_explained(ledger: str, arguments: tuple[str, ...], message: str) -> None:
    before = pv.Ledger(ledger).head()
    code, output = run("grant", ledger, "visits-2026", *arguments)
    assert (code, message in output) == (1, True)
    assert pv.Ledger(ledger).head() == before


def test_an_empty_ledger(tmp_path: Path) -> None:
    pv.Ledger(tmp_path / "a.db")
    assert run("show", tmp_path / "a.db") == (0, "The ledger has no data set yet.\n")
    assert run("history", tmp_path / "a.db") == (0, "Nothing was charged yet.\n")


def test_each_period_is_shown(ledger: str) -> None:
    """With what was spent of each; a charge of two periods stands once in the history and counts in both."""
    columns = {"person": pv.column("integer"), "day": pv.column("date")}
    book = pv.Codebook(columns=columns, unit=pv.Persons("person", rows=1, period=("day", "month")))
    periods: list[tuple[str | list[str], float]] = [("2026-05", 0.5), (["2026-04", "2026-05"], 0.25)]
    for period, epsilon in periods:
        limit, opened = pv.budget(epsilon=1), pv.Ledger(ledger)
        session = pv.Session([{"person": 1, "day": None}], book, limit, ledger=opened, dataset="monthly", period=period)
        session.query().agg(pv.count()).release(epsilon=epsilon)
    lines = run("show", ledger, "--dataset", "monthly")[1].splitlines()
    assert [line.split("  ")[0] for line in lines[1::2]] == ["monthly, 2026-04", "monthly, 2026-05"]
    assert [line.rstrip().rpartition("  ")[2] for line in lines[1::2]] == ["epsilon = 0.75", "epsilon = 0.25"]
    assert "monthly, 2026-04, 2026-05" in run("history", ledger)[1]
    accounts = json.loads(run("export", ledger)[1])["accounts"]
    assert [account["periods"]["2026-05"]["epsilon"] for account in accounts if "periods" in account] == ["3/4"]
    assert "2026-04 2026-05" in run("export", ledger, "--format", "csv")[1]
    assert "in the period where least is left" in str(pv.Ledger(ledger).facts())
