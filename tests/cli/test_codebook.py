"""``privet codebook`` writes templates and checks codebooks; problems come with their line and exit code 1."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privet.accounting.sampling.population import Population
from privet.cli.main import app
from privet.tables.codebook.codebook import Codebook


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["codebook", *map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text("patient,duration\nQZXCANARY,5\n", encoding="utf-8")
    return path


def test_a_template_is_written_beside_the_file(visits: Path) -> None:
    code, output = run("init", visits)
    target = visits.with_suffix(".yaml")
    assert code == 0
    assert output == (
        f"{target} is written. Answer its 3 questions, then: privet codebook check {target}\n"
        "The type of 2 columns is missing, since visits.csv has no types. Write each type. Or delete visits.yaml and "
        f"let a public file of made-up rows show the types: privet codebook init {visits} --sample PUBLIC.csv\n"
    )
    assert "QZXCANARY" not in target.read_text(encoding="utf-8")


def test_nothing_is_overwritten(visits: Path) -> None:
    run("init", visits)
    target = visits.with_suffix(".yaml")
    target.write_text("mine", encoding="utf-8")
    code, output = run("init", visits)
    assert (code, output) == (1, f"{target} exists already; choose another name with --output.\n")
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_template_for_the_screen(visits: Path) -> None:
    code, output = run("init", visits, "--output", "-")
    assert code == 0
    assert "columns:\n  patient:\n" in output
    assert not visits.with_suffix(".yaml").exists()


def test_a_template_elsewhere(visits: Path, tmp_path: Path) -> None:
    assert run("init", visits, "-o", tmp_path / "other.yaml")[0] == 0
    assert (tmp_path / "other.yaml").is_file()
    assert run("init", visits, "-o", tmp_path / "no" / "other.yaml")[0] == 1


def test_a_missing_file(tmp_path: Path) -> None:
    assert run("init", tmp_path / "a.csv") == (1, f"there is no file '{tmp_path / 'a.csv'}'; check the path.\n")


def test_open_questions_are_counted(visits: Path) -> None:
    run("init", visits)
    code, output = run("check", visits.with_suffix(".yaml"))
    assert code == 1
    assert output.endswith("3 open questions.\n")


def test_problems_are_shown_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("unit: ???\ncolumns:\n  a: {type: real, bounds: [1, 0]}\n", encoding="utf-8")
    assert run("check", path) == (
        1,
        (
            f"{path}:1: unit is still open. Write what is protected, {{rows: 1}} or {{id: COLUMN}}.\n"
            f"{path}:3: columns.a.bounds: lower must be below upper, got lower=1, upper=0.\n"
            "1 problem and 1 open question.\n"
        ),
    )


def test_a_good_codebook_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(
        "table: visits\nunit: {id: patient}\nsampling: {poisson: 0.1}\ncolumns:\n  patient: {type: text}\n"
        "  duration: {type: real, bounds: [0, 600], nulls: {value: 0}}\n  kind: {type: text, categories: [a, b]}\n",
        encoding="utf-8",
    )
    code, output = run("check", path)
    assert code == 0
    assert output.splitlines() == [
        "visits of 3 columns",
        "protected: all rows of any one person (column 'patient')",
        "not protected: households and other groups: n persons together are protected at the loss of a group of n",
        f"assumed: {Population(rate=0.1).assertion}",
        "  patient: text; rows with a null are left out where the column is used",
        "  duration: real, from 0 to 600; nulls are replaced by 0",
        "  kind: text, 2 categories; rows with a null are left out where the column is used",
    ]


def test_a_missing_codebook(tmp_path: Path) -> None:
    code, output = run("check", tmp_path / "a.yaml")
    assert (code, output) == (1, f"there is no file '{tmp_path / 'a.yaml'}'; check the path.\n")


def test_the_schema_is_printed() -> None:
    code, printed = run("schema")
    assert code == 0
    assert json.loads(printed) == Codebook.json_schema()


def test_a_public_sample_shows_the_types(visits: Path, tmp_path: Path) -> None:
    (tmp_path / "public.csv").write_text("duration,patient\n2.5,a1\n", encoding="utf-8")
    code, output = run("init", visits, "--sample", tmp_path / "public.csv")
    target = visits.with_suffix(".yaml")
    assert (code, output) == (0, f"{target} is written. Answer its 2 questions, then: privet codebook check {target}\n")
    written = target.read_text(encoding="utf-8")
    assert "  patient:\n    type: text\n" in written
    assert "  duration:\n    type: real\n    bounds: ???" in written


def test_the_data_file_is_no_sample(visits: Path) -> None:
    code, output = run("init", visits, "--sample", visits)
    assert code == 1
    assert output.startswith("template.sample must be public, and")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.yaml"
    path.write_text("unit: {rows: 1}\ncolumns:\n  duration: {type: real, bounds: [0, 9]}\n", encoding="utf-8")
    return path


def test_data_that_fit_are_checked(book: Path, visits: Path) -> None:
    code, output = run("check", book, "--against", visits)
    assert code == 0
    assert output.startswith("a table of 1 column\n")
    assert output.count("EXACT, NOT PRIVATE, NOT FOR PUBLICATION: only for whoever holds the data.\n") == 2
    assert "No problems found." in output


def test_data_that_do_not_fit_are_counted(book: Path, visits: Path) -> None:
    visits.write_text("patient;duration\na;5\nb;$7\n", encoding="utf-8")
    code, output = run("check", book, "--against", visits, "--delimiter", ";")
    assert code == 1
    assert "1 (50 %) of the values of 'duration' cannot be read as real and become null." in output


def test_data_that_cannot_be_opened_are_named(book: Path, visits: Path) -> None:
    visits.write_text("patient;duration\na;5\n", encoding="utf-8")
    code, output = run("check", book, "--against", visits)
    assert code == 1
    assert output.endswith("Open it with delimiter=';', or write file: {delimiter: ';'} in the codebook.\n")


def test_how_a_file_is_written_is_said(tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(
        "unit: {rows: 1}\nfile: {encoding: latin-1, delimiter: ';'}\nmissing: [NA, -999]\n"
        "columns:\n  day: {type: date, format: ['%d.%m.%Y', iso]}\n",
        encoding="utf-8",
    )
    code, output = run("check", book)
    assert code == 0
    assert 'file: {encoding: latin-1, delimiter: ";"}\nmissing: [NA, "-999"]\n' in output
    assert "day: date; format '%d.%m.%Y', 'iso'; rows with a null are left out" in output
