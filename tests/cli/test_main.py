"""The command line explains itself, and the documentation knows every command."""

import re
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from privet import __version__
from privet.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
COMMANDS = sorted(getattr(get_command(app), "commands"))  # noqa: B009 - the group's own mapping, untyped


def documented(page: str) -> set[str]:
    return set(re.findall(r"^## `privet ([a-z-]+)`$", page, flags=re.MULTILINE))


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(app, ["--help"])
    assert result.exit_code == 0
    assert all(command in result.output for command in COMMANDS)


def test_no_arguments_show_the_help() -> None:
    assert "Usage" in CliRunner().invoke(app, []).output


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.output.strip()) == (0, f"privet {__version__}")


def test_an_unknown_command_is_refused_with_a_hint() -> None:
    result = CliRunner().invoke(app, ["dmo"])
    assert result.exit_code == 2
    assert "demo" in result.output


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert len(result.output.split()) > 10


def test_docs_and_commands_agree() -> None:
    assert documented(PAGE.read_text(encoding="utf-8")) == set(COMMANDS)


def test_an_undocumented_command_would_be_noticed() -> None:
    assert documented("# The command line\n\nprivet demo\n") == set()
